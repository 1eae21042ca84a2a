package console

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// What is compared can be read back: without what was added it is the one text, without what is gone the other.
func TestCompare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "{"}), 1, 20), func(lines []string) string { return strings.Join(lines, "\n") })
		before, after := texts.Draw(t, "before"), texts.Draw(t, "after")
		var gone, added []string
		for _, l := range compare(before, after) {
			require.False(t, l.Gone && l.Added)
			if !l.Added {
				gone = append(gone, l.Text)
			}
			if !l.Gone {
				added = append(added, l.Text)
			}
		}
		require.Equal(t, before, strings.Join(gone, "\n"))
		require.Equal(t, after, strings.Join(added, "\n"))
	})
}

func TestCompareShowsWhatChanged(t *testing.T) {
	require.Equal(t, []line{{Text: "a"}, {Text: "b", Gone: true}, {Text: "x", Added: true}, {Text: "c"}}, compare("a\nb\nc", "a\nx\nc"))
}

func TestCompareOfLargeTexts(t *testing.T) {
	large := strings.Repeat("a\n", longest+1)
	require.Len(t, compare(large, large+"b"), longest+3)
}
