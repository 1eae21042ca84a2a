package embed

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestThresholdsAreThoseOfTheModel(t *testing.T) {
	require.Equal(t, measured[localModel], (&Local{}).Identity().Thresholds())
	require.Equal(t, usual, Lexical{}.Identity().Thresholds(), "nobody has measured it")
	require.Equal(t, Thresholds{Spread: 0.10, Strong: 0.65, Cluster: 0.45, Answer: 0.30, Certain: 0.65}, usual)
}

func TestThresholdsAreInOrder(t *testing.T) {
	of := map[string]Thresholds{"usual": usual}
	maps.Copy(of, measured)
	for model, own := range of {
		require.GreaterOrEqual(t, own.Unrelated, 0.0, model)
		require.Less(t, own.Unrelated, 1.0, model)
		for _, threshold := range []float64{own.Spread, own.Strong, own.Cluster, own.Answer, own.Certain} {
			require.Greater(t, threshold, 0.0, model)
			require.LessOrEqual(t, threshold, 1.0, model)
		}
	}
}

func TestLikenessBeginsAtWhatIsUnrelated(t *testing.T) {
	of := Thresholds{Unrelated: 0.75}
	for cosine, likeness := range map[float64]float64{-1: 0, 0.75: 0, 0.80: 0.2, 1: 1, 1.0000001: 1} {
		require.InDelta(t, likeness, of.Likeness(cosine), 1e-9)
	}
	require.InDelta(t, 0.80, of.Cosine(0.2), 1e-9)
	require.InDelta(t, 0.42, usual.Likeness(0.42), 0)
}

func TestAnIdentityIsReadAsItIsWritten(t *testing.T) {
	require.Equal(t, (&Local{}).Identity(), ParseIdentity((&Local{}).Identity().String()))
	require.Equal(t, Identity{"http", "BAAI/bge-m3", 1024, 2}, ParseIdentity("http/BAAI/bge-m3/1024/v2"))
	for _, text := range []string{"", "a/b/c", "http/m/many/v1", "http/m/3/1"} {
		require.Equal(t, Identity{}, ParseIdentity(text), text)
	}
}
