package pg_test

import (
	"iter"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/internal/pg"
)

// taking are rows that take so many bytes; made counts those that were made.
func taking(made *int, bytes ...int64) iter.Seq2[int, int64] {
	return func(yield func(int, int64) bool) {
		for i, takes := range bytes {
			*made++
			if !yield(i, takes) {
				return
			}
		}
	}
}

func TestPortions(t *testing.T) {
	t.Parallel()
	const mib = 1 << 20
	for name, test := range map[string]struct {
		bytes []int64
		want  [][]int
	}{
		"nothing is no portion":                  {nil, nil},
		"one row":                                {[]int64{1}, [][]int{{0}}},
		"as many rows as it may have":            {[]int64{1, 1, 1}, [][]int{{0, 1, 2}}},
		"one more":                               {[]int64{1, 1, 1, 1}, [][]int{{0, 1, 2}, {3}}},
		"as many bytes as it may have":           {[]int64{2 * mib, 2 * mib}, [][]int{{0, 1}}},
		"one byte more":                          {[]int64{2 * mib, 2*mib + 1}, [][]int{{0}, {1}}},
		"a row that is larger stands for itself": {[]int64{1, 5 * mib, 1}, [][]int{{0}, {1}, {2}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			made := 0
			require.Equal(t, test.want, slices.Collect(pg.Portions(taking(&made, test.bytes...), 3)))
			require.Len(t, test.bytes, made)
		})
	}
}

// What is to be in memory once is not made before it is its turn.
func TestRowsAreMadeWhenItIsTheirTurn(t *testing.T) {
	t.Parallel()
	made := 0
	for some := range pg.Portions(taking(&made, 1, 1, 1, 1, 1, 1, 1), 2) {
		require.Equal(t, []int{0, 1}, some)
		require.Equal(t, 3, made)
		break
	}
	require.Equal(t, 3, made)
}
