package fuse_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/redline-svc/redline/internal/fuse"
)

func TestWhatStandsInBothListsComesFirst(t *testing.T) {
	scores := fuse.Ranks([]string{"a", "b", "c"}, []string{"d", "c"})
	require.Equal(t, map[string]float64{"a": 1.0 / 61, "b": 1.0 / 62, "c": 1.0/63 + 1.0/62, "d": 1.0 / 61}, scores)
	require.Empty(t, fuse.Ranks[int]())
}

func TestABetterRankNeverHasALowerScore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfDistinct(rapid.Int(), rapid.ID[int]).Draw(t, "list")
		scores := fuse.Ranks(list)
		for i := 1; i < len(list); i++ {
			require.Greater(t, scores[list[i-1]], scores[list[i]])
		}
	})
}
