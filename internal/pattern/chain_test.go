package pattern

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// known are the distances of five things a to e whose tree is worked out by hand:
// a and b are joined at 17, e joins them at (23 + 21) / 2 = 22, c and d are joined at
// 28, and all at (21 + 31 + 30 + 34 + 39 + 43) / 6 = 33.
func known() triangle {
	return triangle{
		17,
		21, 30,
		31, 34, 28,
		23, 21, 39, 43,
	}
}

func TestAverageLinkageByHand(t *testing.T) {
	const a, b, c, d, e = 0, 1, 2, 3, 4
	for threshold, want := range map[float32][][]int{
		16.9: {{a}, {b}, {c}, {d}, {e}},
		17:   {{a, b}, {c}, {d}, {e}},
		21.9: {{a, b}, {c}, {d}, {e}},
		22:   {{a, b, e}, {c}, {d}},
		28:   {{a, b, e}, {c, d}},
		32.9: {{a, b, e}, {c, d}},
		33:   {{a, b, c, d, e}},
	} {
		joined, err := join(t.Context(), known(), 5, threshold)
		require.NoError(t, err)
		require.Equal(t, want, joined, "up to %v", threshold)
	}
}

func TestFewThings(t *testing.T) {
	for n, want := range [][][]int{{}, {{0}}} {
		joined, err := join(t.Context(), nil, n, 1)
		require.NoError(t, err)
		require.Equal(t, want, joined)
	}
}

func TestJoiningEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := join(ctx, known(), 5, 1)
	require.ErrorIs(t, err, context.Canceled)
}

// mean distance of two clusters, from the distances of their members.
func mean(of triangle, a, b []int) float64 {
	var sum float64
	for _, i := range a {
		for _, j := range b {
			sum += float64(*of.between(i, j))
		}
	}
	return sum / float64(len(a)*len(b))
}

// naive joins the two nearest of all clusters again and again. sure is false where
// rounding could have led elsewhere: two pairs, or a pair and the threshold, are all
// but equal.
func naive(of triangle, n int, threshold float64) (clusters [][]int, sure bool) {
	const all = 1e-5
	for i := range n {
		clusters = append(clusters, []int{i})
	}
	sure = true
	for len(clusters) > 1 {
		nearest, second, first, other := math.Inf(1), math.Inf(1), 0, 0
		for i := range clusters {
			for j := range i {
				d := mean(of, clusters[i], clusters[j])
				if d < nearest {
					nearest, second, first, other = d, nearest, j, i
				} else {
					second = min(second, d)
				}
			}
		}
		sure = sure && second-nearest > all && math.Abs(nearest-threshold) > all
		if nearest > threshold {
			break
		}
		clusters[first] = append(clusters[first], clusters[other]...)
		clusters = slices.Delete(clusters, other, other+1)
	}
	for _, members := range clusters {
		slices.Sort(members)
	}
	slices.SortFunc(clusters, slices.Compare)
	return clusters, sure
}

func TestChainJoinsWhatTheSlowWayJoins(t *testing.T) {
	compared := 0
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 24).Draw(t, "n")
		threshold := rapid.Float64Range(0, 1).Draw(t, "threshold")
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		distances := make(triangle, pairs(n))
		for i := range distances {
			distances[i] = random.Float32()
		}
		want, sure := naive(distances, n, threshold)
		if !sure {
			return
		}
		compared++
		joined, err := join(context.Background(), slices.Clone(distances), n, float32(threshold))
		require.NoError(t, err)
		require.ElementsMatch(t, want, joined)
	})
	require.Greater(t, compared, 50)
}

func TestNoTwoClustersAreWithinTheThreshold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 16).Draw(t, "n")
		threshold := rapid.Float32Range(0, 4).Draw(t, "threshold")
		few := rapid.SliceOfN(rapid.Float32Range(0, 4), 1, 3).Draw(t, "values")
		distances := triangle(rapid.SliceOfN(rapid.SampledFrom(few), pairs(n), pairs(n)).Draw(t, "distances"))
		joined, err := join(context.Background(), slices.Clone(distances), n, threshold)
		require.NoError(t, err)
		var seen []int
		for i, a := range joined {
			seen = append(seen, a...)
			for _, b := range joined[:i] {
				require.Greater(t, mean(distances, a, b), float64(threshold)-1e-5)
			}
		}
		slices.Sort(seen)
		require.Len(t, slices.Compact(seen), n, "each is in one cluster")
	})
}
