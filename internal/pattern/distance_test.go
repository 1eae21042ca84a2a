package pattern

import (
	"context"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// unit is a random vector of length 1.
func unit(random *rand.Rand, dimensions int) []float32 {
	vector, square := make([]float32, dimensions), 0.0
	for i := range vector {
		vector[i] = float32(random.NormFloat64())
		square += float64(vector[i]) * float64(vector[i])
	}
	for i := range vector {
		vector[i] /= float32(math.Sqrt(square))
	}
	return vector
}

func TestDistanceByHand(t *testing.T) {
	right, up, left := []float32{1, 0}, []float32{0, 1}, []float32{-1, 0}
	for _, c := range []struct {
		a, b Member
		want float64
	}{
		{Member{Review: right}, Member{Review: right}, 0},
		{Member{Review: right}, Member{Review: up}, 1},
		{Member{Review: right}, Member{Review: left}, 2},
		{Member{Review: right, Content: up}, Member{Review: right, Content: right}, 0.5},
		{Member{Review: right, Content: up}, Member{Review: left, Content: right}, 1.5},
		{Member{Review: right, Content: up}, Member{Review: right}, 0},
		{Member{Review: right}, Member{Review: left, Content: up}, 2},
		{Member{Review: []float32{1.0001, 0}}, Member{Review: right}, 0},
	} {
		require.InDelta(t, c.want, distance(c.a, c.b), 1e-6)
	}
}

func TestBlocksGiveTheDistancesOfAllPairs(t *testing.T) {
	const many = 2*side + 70
	random := rand.New(rand.NewPCG(1, 2))
	members := make([]Member, many)
	for i := range members {
		members[i] = Member{RecordID: strconv.Itoa(i), Review: unit(random, 7)}
		if i%3 > 0 {
			members[i].Content = unit(random, 5)
		}
	}
	d := Detector{StandsOut: math.MaxFloat32}
	require.NoError(t, d.measure(t.Context(), members))
	require.Len(t, d.distances, pairs(many))
	for i := range members {
		for j := range i {
			if delta := *d.distances.between(i, j) - distance(members[i], members[j]); math.Abs(float64(delta)) > 4e-5 {
				require.Failf(t, "another distance", "of %d and %d by %v", i, j, delta)
			}
		}
	}
}

func TestMeasuringEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := new(Detector).Detect(ctx, []Member{{RecordID: "a", Review: []float32{1}}}, Scope{})
	require.ErrorIs(t, err, context.Canceled)
}

func TestMeanDistanceIsThatOfThePairs(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var members cluster
	for i := range 20 {
		members = append(members, Member{RecordID: strconv.Itoa(i), Review: unit(random, 6)})
		if i%2 == 0 {
			members[i].Content = unit(random, 6)
		}
	}
	middle := middleOf(members)
	for _, m := range members {
		var sum float64
		for _, other := range members {
			sum += float64(distance(m, other))
		}
		require.InDelta(t, sum/float64(len(members)), middle.distance(m), 1e-5)
	}
}
