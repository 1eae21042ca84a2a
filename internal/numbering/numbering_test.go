package numbering_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/numbering"
)

func TestPlaces(t *testing.T) {
	t.Parallel()
	for step, want := range map[string][]int{
		"1": {1}, "12": {12}, "a": {1}, "Z": {26}, "i": {9, 1}, "V": {22, 5}, "ii": {2}, "XIV": {14}, "lxxxix": {89},
		"iix": nil, "ab": nil, "xc": nil, "99999999999999999999": nil,
	} {
		require.Equal(t, want, numbering.Places(step), step)
	}
}

func TestEachPlaceIsWrittenAsItIsRead(t *testing.T) {
	t.Parallel()
	for _, like := range []string{"7", "b", "C"} {
		for place := 1; place < 90; place++ {
			for _, step := range numbering.Written(place, like) {
				require.Contains(t, numbering.Places(step), place, step)
				require.Equal(t, numbering.Kind(like), numbering.Kind(step))
			}
		}
	}
	require.Equal(t, []string{"D", "IV"}, numbering.Written(4, "B"))
	require.Empty(t, numbering.Written(0, "a"))
}
