package embed

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func length(v []float32) float64 { return Cosine(v, v) }

func TestWhatReviewsHaveInCommonIsTakenOut(t *testing.T) {
	of := commons[localModel]()
	require.Len(t, of.mean, localDimensions)
	require.Len(t, of.directions, 3)
	for i, direction := range of.directions {
		require.InDelta(t, 1, length(direction), 1e-5)
		for _, other := range of.directions[:i] {
			require.InDelta(t, 0, Cosine(direction, other), 1e-5)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.SliceOfN(rapid.Float32Range(-1, 1), localDimensions, localDimensions).Draw(t, "v")
		v[0] = 1 // so there is a unit vector of it
		require.NoError(t, normalise(v))
		given := append([]float32{}, v...)
		rest := (&Local{}).Identity().WithoutCommon(v)
		require.Equal(t, given, v, "it is not changed")
		require.InDelta(t, 1, length(rest), 1e-5)
		for _, direction := range of.directions {
			require.InDelta(t, 0, Cosine(rest, direction), 1e-4)
		}
	})
}

func TestAVectorOfAnotherModelStaysAsItIs(t *testing.T) {
	v := []float32{0.6, 0.8}
	require.Equal(t, v, Lexical{}.Identity().WithoutCommon(v))
	require.Equal(t, v, (&Local{}).Identity().WithoutCommon(v), "it cannot be of this model")
	require.Nil(t, (&Local{}).Identity().WithoutCommon(nil))
	require.Equal(t, commons[localModel]().mean, (&Local{}).Identity().WithoutCommon(commons[localModel]().mean), "nothing would be left")
}

func TestAnIdentityIsReadAsItIsWritten(t *testing.T) {
	require.Equal(t, (&Local{}).Identity(), ParseIdentity((&Local{}).Identity().String()))
	require.Equal(t, Identity{"http", "BAAI/bge-m3", 1024, 2}, ParseIdentity("http/BAAI/bge-m3/1024/v2"))
	for _, text := range []string{"", "a/b/c", "http/m/many/v1", "http/m/3/1"} {
		require.Equal(t, Identity{}, ParseIdentity(text), text)
	}
}
