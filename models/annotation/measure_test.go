package annotation

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// What is measured of a text is what JSON makes of it.
func TestTextsAreMeasuredAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.OneOf(
			rapid.Rune(), rapid.RuneFrom([]rune("\x00\b\f\n\r\t\x1b\x1f\"\\<>&\x7f\u2028\u2029é😀")))).Draw(t, "text")
		var written bytes.Buffer
		encoder := json.NewEncoder(&written)
		encoder.SetEscapeHTML(false)
		require.NoError(t, encoder.Encode(text))
		if strings.ContainsRune(text, '\uFFFD') {
			require.GreaterOrEqual(t, writtenLen(text), int64(written.Len()-len(`""`)-1))
			return
		}
		require.EqualValues(t, written.Len()-len("\"\"\n"), writtenLen(text), "%q", text)
	})
}

func TestThreadsAreReadSomeAtATime(t *testing.T) {
	t.Parallel()
	of := func(comments, text int64) *storedAnnotation { return &storedAnnotation{comments: comments, text: text} }
	for name, c := range map[string]struct {
		rows []*storedAnnotation
		want int
	}{
		"all that fit":       {[]*storedAnnotation{of(1000, 1), of(1000, 1)}, 2},
		"by comments":        {[]*storedAnnotation{of(1000, 1), of(1000, 1), of(1, 1)}, 2},
		"by text":            {[]*storedAnnotation{of(1, 1<<20), of(1, 1<<20), of(1, 1)}, 2},
		"one that is larger": {[]*storedAnnotation{of(1, 8<<20), of(1, 1)}, 1},
	} {
		require.Equal(t, c.want, severalThreads(c.rows), name)
	}
}
