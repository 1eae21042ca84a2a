package embed

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestThresholdsAreThoseOfTheModel(t *testing.T) {
	require.Equal(t, measured[localModel], (&Local{}).Identity().Thresholds())
	require.Equal(t, usual, Lexical{}.Identity().Thresholds(), "nobody has measured it")
	require.Equal(t, Thresholds{Floor: 0.30, Wide: 0.30, Strong: 0.65, Cluster: 0.45, Answer: 0.30, Certain: 0.65}, usual)
}

func TestThresholdsAreInOrder(t *testing.T) {
	of := map[string]Thresholds{"usual": usual}
	maps.Copy(of, measured)
	for model, own := range of {
		require.GreaterOrEqual(t, own.Floor, 0.0, model)
		require.Less(t, own.Floor, own.Strong, model)
		require.LessOrEqual(t, own.Floor, own.Wide, model)
		for _, threshold := range []float64{own.Wide, own.Strong, own.Cluster, own.Answer, own.Certain} {
			require.Greater(t, threshold, 0.0, model)
			require.LessOrEqual(t, threshold, 1.0, model)
		}
	}
}
