package vector_test

import (
	"context"
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/vector"
)

const (
	// around is how many objects lie around what is looked for.
	around      = 10_000
	aroundBatch = 1000
	// few numbers a vector make many near ones.
	few = 16
)

// short is the vector of a seed with few numbers.
func short(seed uint64) []float32 { return unit(seed)[:few] }

// A filter is no part of what the graph may miss: what one source holds is found
// whole, and first, whatever lies nearer in all the others.
func TestKnowledgeSearch_2And6_ASourceIsFoundWholeAmongMany(t *testing.T) {
	x, ctx := index(t), context.Background()
	p := vector.Partition{Suffix: "_c", Workspace: "ws_c", Corpus: vector.Chunks}
	for from := 0; from < around; from += aroundBatch {
		batch := make([]vector.Object, aroundBatch)
		for i := range batch {
			batch[i] = vector.Object{Item: strconv.Itoa(from + i), Source: "src_many", Version: "src_many/1", Vector: short(uint64(1 + (from+i)%50))}
		}
		require.NoError(t, x.Insert(ctx, p, batch))
	}
	question := short(1)
	for source := range 30 {
		id := fmt.Sprintf("src_%d", source)
		far := vector.Object{Item: "0", Source: id, Version: id + "/1", Vector: opposite(question)}
		require.NoError(t, x.Insert(ctx, p, []vector.Object{far}))
	}
	small := []vector.Object{
		{Item: "0", Source: "src_small", Version: "src_small/1", Vector: opposite(question)},
		{Item: "1", Source: "src_small", Version: "src_small/1", Vector: short(70)},
		{Item: "2", Source: "src_small", Version: "src_small/1", Vector: short(71)},
	}
	require.NoError(t, x.Insert(ctx, p, small))
	hits, err := x.Nearest(ctx, p, vector.Query{Vector: question, Limit: 10, Source: "src_small"})
	require.NoError(t, err)
	require.Len(t, hits, 3, "all of a small source")
	require.Equal(t, "0", hits[2].Item, "the farthest last")
	for source := range 30 {
		id := fmt.Sprintf("src_%d", source)
		hits, err := x.Nearest(ctx, p, vector.Query{Vector: question, Limit: 10, Source: id})
		require.NoError(t, err)
		require.Len(t, hits, 1, "the farthest of all %d is the first of its source", around)
		require.InDelta(t, 2, hits[0].Distance, 1e-3)
	}
}

func opposite(v []float32) []float32 {
	turned := make([]float32, len(v))
	for i, number := range v {
		turned[i] = -number
	}
	return turned
}
