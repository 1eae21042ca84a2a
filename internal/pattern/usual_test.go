package pattern

import (
	"context"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMoreJudgmentsHaveToStandOutFarther(t *testing.T) {
	t.Parallel()
	var d Detector
	for n, want := range map[float64]float64{1: 1.5, 150: 1.5, 300: 1.9069, 3000: 2.8708} {
		require.InDelta(t, want, d.outstanding(n), 1e-4)
	}
	require.InDelta(t, 2.5, (&Detector{StandsOut: 2.5}).outstanding(150), 1e-9)
}

// Of three things the first is 1 and 2 from the others, the second 1 and 3, the third 2 and 3.
func TestUsualDistancesByHand(t *testing.T) {
	t.Parallel()
	all, err := rows(func(i int) []float32 { return triangle{1, 2, 3}.row(i) }).usual(t.Context(), []float64{1, 1, 1})
	require.NoError(t, err)
	for i, want := range [][2]float64{{1.5, 0.5}, {2, 1}, {2.5, 0.5}} {
		require.Equal(t, want, [2]float64{all[i].mean, all[i].deviation})
	}
	require.InDelta(t, -1, all[1].beyond(1), 0)

	two, err := rows(func(i int) []float32 { return triangle{1, 2, 3}.row(i) }).usual(t.Context(), []float64{1, 1, 0})
	require.NoError(t, err)
	require.Equal(t, [2]float64{1, 0}, [2]float64{two[0].mean, two[0].deviation}, "the third has no vector")
	require.Zero(t, two[0].beyond(5), "with one distance there is none that is usual")
	require.Zero(t, two[2].beyond(5))
}

// related makes the distances of judgments as they come from measured ones.
func related(t *testing.T, d *Detector, members []Member) {
	t.Helper()
	require.NoError(t, d.relation(members).relate(t.Context(), d.outstanding(1)))
}

// By their reviews the first two are a deviation nearer than usual, the other pairs none and one
// farther; by words, of which there are none, all are as near as usual.
func TestTwoAreAsNearAsTheyStandOutByHand(t *testing.T) {
	t.Parallel()
	d := Detector{Threshold: 0.4, StandsOut: 1, distances: packed([]float32{0.5, 1, 1.5}, make([]float32, 3))}
	related(t, &d, make([]Member, 3))
	require.InDeltaSlice(t, []float32{0.42, 0.48, 0.5}, []float32(d.distances), 1e-4)

	d = Detector{Threshold: 4, StandsOut: 1, distances: packed([]float32{0.5, 1, 1.5}, make([]float32, 3))}
	related(t, &d, make([]Member, 3))
	require.InDeltaSlice(t, []float32{0.5, 1, 1.5}, []float32(d.distances), 1e-4, "none is farther than it is")

	d = Detector{Threshold: 4, StandsOut: 1, distances: packed([]float32{0.5, 1, 1.5}, []float32{0.25, 2, 2})}
	related(t, &d, []Member{{Content: []float32{1}}, {Content: []float32{1}}, {}})
	require.InDeltaSlice(t, []float32{0.375, 1, 1.5}, []float32(d.distances), 1e-4, "the mean where both have content")
}

func packed(reviews, contents []float32) triangle {
	t := make(triangle, len(reviews))
	for i := range t {
		t[i] = pack(reviews[i], contents[i])
	}
	return t
}

func TestTwoDistancesAreInOnePlace(t *testing.T) {
	t.Parallel()
	for _, review := range []float32{0, 0.1, 0.37, 1, 1.9999, 2, 2.0001} {
		for _, content := range []float32{0, 0.2, 0.9999, 2} {
			both := pack(review, content)
			require.False(t, math.IsNaN(float64(both)) || math.IsInf(float64(both), 0))
			a, b := unpack(both)
			require.InDelta(t, min(2, review), a, 4e-5)
			require.InDelta(t, content, b, 4e-5)
		}
	}
}

func TestTwoOfThreeHaveToAgree(t *testing.T) {
	t.Parallel()
	none := math.Inf(-1)
	for _, c := range []struct{ a, b, c, want float64 }{
		{-4, -2, 1, -1.25}, {-4, 1, -2, -1.25}, {1, -2, -4, -1.25}, {-9, 1, 1, 1}, {-2, -2, -2, -2}, {-4, none, -2, -3.5}, {none, 1, -2, -1.25},
	} {
		require.InDelta(t, c.want, agreed(c.a, c.b, c.c), 1e-12)
	}
}

func TestWordsThatReasoningsShareByHand(t *testing.T) {
	t.Parallel()
	members := make([]Member, 5)
	for i, reasoning := range []string{"The caps are too low.", "A cap is missing!", "", "Missing caps", "of the"} {
		members[i].Reasoning = reasoning
	}
	w := wordsOf(members)
	for i, want := range []triangle{
		{}, {1 - 0.5}, {1, 1}, {1 - 0.5, 0, 1}, {1, 1, 1, 1},
	} {
		require.InDeltaSlice(t, want, w.row(i), 1e-6, i)
	}
}

func TestOfManyAlikeTenCount(t *testing.T) {
	t.Parallel()
	members := make([]Member, 21)
	d := Detector{distances: make(triangle, pairs(21))}
	for i := range 20 {
		d.distances[pairs(20)+i] = pack(1, 0)
	}
	members[3].Content = []float32{1}
	r := d.relation(members)
	r.weigh()
	require.InDelta(t, 0.5, r.weights[3], 1e-9)
	require.InDelta(t, 0.5, r.withContent[3], 1e-9)
	require.Zero(t, r.withContent[4])
	require.InDelta(t, 1, r.weights[20], 0)
	require.InDelta(t, 11, total(r.weights), 1e-9)
}

// beside are n judgments about one matter each, of 64 dimensions, so that each two are about 1
// apart.
func beside(random *rand.Rand, n int) []Member {
	members := make([]Member, n)
	for i := range members {
		members[i] = Member{RecordID: "other" + strconv.Itoa(i), ReviewerID: strconv.Itoa(i), Approves: true, Review: unit(random, 64), Content: unit(random, 64)}
	}
	return members
}

// toward is a unit vector with that part of its direction in common with others toward there.
func toward(random *rand.Rand, center []float32, part float64) []float32 {
	own := unit(random, len(center))
	for i := range own {
		own[i] = float32(math.Sqrt(part))*center[i] + float32(math.Sqrt(1-part))*own[i]
	}
	length := float32(math.Sqrt(float64(dot(own, own))))
	for i := range own {
		own[i] /= length
	}
	return own
}

// alike are n judgments of one matter.
func alike(random *rand.Rand, n int, part float64) []Member {
	members, review, content := beside(random, n), unit(random, 64), unit(random, 64)
	for i := range members {
		members[i].RecordID = "alike" + strconv.Itoa(i)
		members[i].Review, members[i].Content = toward(random, review, part), toward(random, content, part)
	}
	return members
}

func found(t *testing.T, members ...[]Member) (sizes []int) {
	t.Helper()
	var all []Member
	for _, some := range members {
		all = append(all, some...)
	}
	patterns, err := new(Detector).Detect(t.Context(), all, Scope{})
	require.NoError(t, err)
	for _, p := range patterns {
		sizes = append(sizes, len(p.Members))
	}
	return sizes
}

func TestWhatStandsOutIsAPatternWhateverItsDistance(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	others, four := beside(random, 60), alike(random, 4, 0.42)
	for i, m := range four {
		for _, other := range four[:i] {
			require.Greater(t, distance(m, other), float32(DefaultThreshold))
		}
	}
	require.Equal(t, []int{4}, found(t, others, four))
	require.Empty(t, found(t, four), "alone they are as far from one another as any others")
	require.Empty(t, found(t, others))
	for i := range four {
		four[i].Content = unit(random, 64)
	}
	require.Empty(t, found(t, others, four), "reasons alone are not enough")
	for i := range four {
		four[i].Reasoning = "Signed tag, as the changelog says"
	}
	require.Equal(t, []int{4}, found(t, others, four), "but in the same words they are")
}

func TestAPracticeOfManyIsOnePattern(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 8))
	many := alike(random, 900, 0.75)
	require.Equal(t, []int{900}, found(t, many))
	require.Equal(t, []int{900}, found(t, many, beside(random, 300)))
	// Were they most of what is usual, any three others would stand out as no part of them.
	require.Equal(t, []int{900, 6}, found(t, many, beside(random, 100), namedAlso(alike(random, 6, 0.75))))
}

// namedAlso gives judgments ids that come after those of the others.
func namedAlso(members []Member) []Member {
	for i := range members {
		members[i].RecordID = "zother" + members[i].RecordID
	}
	return members
}

func TestWhatIsUsualIsNotLookedForWhenNobodyWaits(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := rows(func(int) []float32 { return nil }).usual(ctx, []float64{1, 1, 1})
	require.ErrorIs(t, err, context.Canceled)
}
