package trial

import (
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/internal/embed/ortlib"
	"github.com/redline-svc/redline/tools/calibrate/labelled"
)

// What the program takes out of the vectors of reviews is what its tuning half gives.
func TestLong_TheTuningHalfGivesWhatReviewsHaveInCommon(t *testing.T) {
	library, err := ortlib.Cached(t.Context())
	require.NoError(t, err)
	model, err := embed.NewLocal(library)
	require.NoError(t, err)
	sets, err := labelled.Load()
	require.NoError(t, err)
	of, err := New(t.Context(), sets, model)
	require.NoError(t, err)
	found := of.Common()
	require.Len(t, found, 1+directions)
	for _, v := range of.reviews(labelled.Proof)[:100] {
		rest := without(v, found)
		require.Greater(t, embed.Cosine(rest, model.Identity().WithoutCommon(v)), 0.999)
	}
}

// without is Identity.WithoutCommon in other words.
func without(v []float32, common [][]float32) []float32 {
	rest := mat.NewVecDense(len(v), wide(v))
	rest.SubVec(rest, mat.NewVecDense(len(v), wide(common[0])))
	for _, direction := range common[1:] {
		d := mat.NewVecDense(len(v), wide(direction))
		rest.AddScaledVec(rest, -mat.Dot(rest, d), d)
	}
	rest.ScaleVec(1/rest.Norm(2), rest)
	return narrow(rest.RawVector().Data)
}

func wide(v []float32) []float64 {
	values := make([]float64, len(v))
	for i, x := range v {
		values[i] = float64(x)
	}
	return values
}

// The mean of three vectors that differ along two axes, and these axes.
func TestDirectionsByHand(t *testing.T) {
	rows := mat.NewDense(4, 4, []float64{2, 0, 0, 0, -2, 0, 0, 0, 0, 1, 0, 0, 0, -1, 0, 0})
	found := principal(rows)
	require.InDelta(t, 1, found[0][0]*found[0][0], 1e-6)
	require.InDelta(t, 1, found[1][1]*found[1][1], 1e-6)
}
