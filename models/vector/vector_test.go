package vector_test

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/vector"
	"github.com/redline-svc/redline/models/vector/weaviatetest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	weaviatetest.Stop()
	os.Exit(code)
}

const dimensions = 384

func index(t *testing.T) *vector.Index {
	t.Helper()
	x, err := vector.New(weaviatetest.Addresses(t))
	require.NoError(t, err)
	return x
}

// unit returns the vector of a seed: the same one for the same seed.
func unit(seed uint64) []float32 {
	random := rand.New(rand.NewPCG(seed, 7))
	v := make([]float32, dimensions)
	var sum float64
	for i := range v {
		v[i] = float32(random.NormFloat64())
		sum += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

func objects(source, version string, from, count int) []vector.Object {
	list := make([]vector.Object, count)
	for i := range list {
		list[i] = vector.Object{Item: strconv.Itoa(from + i), Source: source, Version: version, Vector: unit(uint64(from + i))}
	}
	return list
}

// at is the place of a workspace's chunks.
func at(workspace string) vector.Partition {
	return vector.Partition{Suffix: "_t", Workspace: workspace, Corpus: vector.Chunks}
}

func TestObjectsAreFoundFilteredAndRemoved(t *testing.T) {
	x, ctx := index(t), context.Background()
	require.NoError(t, x.Check(ctx))
	_, err := x.Nearest(ctx, at("ws_none"), vector.Query{Vector: unit(1), Limit: 3})
	require.True(t, fault.Is(err, fault.StatusUnavailable), "%v", err)

	require.NoError(t, x.Insert(ctx, at("ws_a"), objects("src_1", "src_1/1", 0, 100)))
	require.NoError(t, x.Insert(ctx, at("ws_a"), objects("src_1", "src_1/1", 0, 100))) // none is doubled
	require.NoError(t, x.Insert(ctx, at("ws_a"), objects("src_2", "src_2/1", 100, 50)))
	require.NoError(t, x.Insert(ctx, at("ws_b"), objects("src_1", "src_1/1", 500, 10)))
	count := func(workspace, version string) int {
		n, err := x.Count(ctx, at(workspace), version)
		require.NoError(t, err)
		return n
	}
	require.Equal(t, 100, count("ws_a", "src_1/1"))
	require.Equal(t, 50, count("ws_a", "src_2/1"))
	require.Equal(t, 10, count("ws_b", "src_1/1"))
	require.Zero(t, count("ws_none", "src_1/1"))

	nearest := func(q vector.Query) []vector.Hit {
		hits, err := x.Nearest(ctx, at("ws_a"), q)
		require.NoError(t, err)
		require.True(t, slices.IsSortedFunc(hits, func(a, b vector.Hit) int { return int(math.Copysign(1, float64(a.Distance-b.Distance))) }))
		return hits
	}
	hits := nearest(vector.Query{Vector: unit(42), Limit: 5})
	require.Len(t, hits, 5)
	require.Equal(t, "42", hits[0].Item)
	require.Equal(t, "src_1/1", hits[0].Version)
	require.InDelta(t, 0, hits[0].Distance, 1e-5)
	require.NotEqual(t, "500", nearest(vector.Query{Vector: unit(500), Limit: 1})[0].Item)
	for _, hit := range nearest(vector.Query{Vector: unit(42), Limit: 150, Source: "src_2"}) {
		require.Equal(t, "src_2", hit.Source)
	}
	require.Len(t, nearest(vector.Query{Vector: unit(42), Limit: 150, Sources: []string{"src_2", "src_none"}}), 50)
	require.Len(t, nearest(vector.Query{Vector: unit(42), Limit: 200, Sources: []string{"src_1", "src_2"}}), 150)
	require.Len(t, nearest(vector.Query{Vector: unit(42), Limit: 150, Exclude: []string{"src_1/1", "src_9/1"}}), 50)
	require.Empty(t, nearest(vector.Query{Vector: unit(42), Limit: 5, Source: "src_2", Exclude: []string{"src_2/1"}}))

	require.NoError(t, x.DeleteVersion(ctx, at("ws_a"), "src_1/1"))
	require.NoError(t, x.DeleteVersion(ctx, at("ws_none"), "src_1/1"))
	require.Zero(t, count("ws_a", "src_1/1"))
	require.Equal(t, 50, count("ws_a", "src_2/1"))
	require.Equal(t, 10, count("ws_b", "src_1/1"))
	require.NoError(t, x.DeleteWorkspace(ctx, "_t", "ws_a"))
	require.NoError(t, x.DeleteWorkspace(ctx, "_t", "ws_a"))
	require.Zero(t, count("ws_a", "src_2/1"))
}

func TestRefusedObjectIsNoticed(t *testing.T) {
	x, ctx := index(t), context.Background()
	require.NoError(t, x.Insert(ctx, vector.Partition{Suffix: "_r", Workspace: "ws_c", Corpus: vector.Rules}, objects("src_1", "src_1/1", 0, 1)))
	short := objects("src_1", "src_1/1", 1, 2)
	short[1].Vector = short[1].Vector[:10]
	require.Error(t, x.Insert(ctx, vector.Partition{Suffix: "_r", Workspace: "ws_c", Corpus: vector.Rules}, short))
}

func TestIndexThatIsAwayIsUnavailable(t *testing.T) {
	x, err := vector.New("127.0.0.1:1", "127.0.0.1:1")
	require.NoError(t, err)
	ctx := context.Background()
	require.True(t, fault.Is(x.Check(ctx), fault.StatusUnavailable))
	require.True(t, fault.Is(x.Insert(ctx, at("ws_a"), objects("s", "s/1", 0, 1)), fault.StatusUnavailable))
	_, err = x.Nearest(ctx, at("ws_a"), vector.Query{Vector: unit(1), Limit: 1})
	require.True(t, fault.Is(err, fault.StatusUnavailable))
}

func TestAllObjectsAreListedAndRemovedOneByOne(t *testing.T) {
	x, ctx := index(t), context.Background()
	p := vector.Partition{Suffix: "_l", Workspace: "ws_l", Corpus: vector.Chunks}
	none, err := x.List(ctx, p, "", 10)
	require.NoError(t, err)
	require.Empty(t, none)
	require.NoError(t, x.Insert(ctx, p, objects("src_1", "src_1/1", 0, 25)))
	seen := map[string]vector.Listed{}
	for after := ""; ; {
		page, err := x.List(ctx, p, after, 10)
		require.NoError(t, err)
		for _, o := range page {
			require.Equal(t, p.ID(o.Version, o.Item), o.ID)
			seen[o.Item] = o
		}
		if len(page) < 10 {
			break
		}
		after = page[len(page)-1].ID
	}
	require.Len(t, seen, 25)
	require.NoError(t, x.Delete(ctx, p, seen["7"].ID))
	require.NoError(t, x.Delete(ctx, p, seen["7"].ID))
	count, err := x.Count(ctx, p, "src_1/1")
	require.NoError(t, err)
	require.Equal(t, 24, count)
}

// A place that is about to be filled is told to be lost without a search that missed it.
func TestALostPlaceIsToldToWhoWouldFillIt(t *testing.T) {
	x, ctx := index(t), context.Background()
	p := vector.Partition{Suffix: "_g", Workspace: "ws_g", Corpus: vector.Chunks}
	wanted := false
	at := func(p vector.Partition) error {
		return x.LostAt(ctx, p, func(context.Context, vector.Partition) (bool, error) { return wanted, nil })
	}
	require.NoError(t, at(p), "nothing was ever there")
	require.NoError(t, x.Insert(ctx, p, objects("src_1", "src_1/1", 0, 2)))
	wanted = true
	require.NoError(t, at(p))
	require.ErrorIs(t, at(vector.Partition{Suffix: "_g", Workspace: "ws_h", Corpus: vector.Chunks}), vector.ErrLost, "its collection is there")
	require.NoError(t, x.Drop(ctx, "_g"))
	require.ErrorIs(t, at(p), vector.ErrLost)
	require.ErrorIs(t, x.Lost(ctx, func(context.Context, vector.Partition) (bool, error) { return true, nil }), vector.ErrLost, "and to everybody")
	require.NoError(t, x.Insert(ctx, p, objects("src_1", "src_1/1", 0, 2)))
	require.NoError(t, at(p))

	away, err := vector.New("127.0.0.1:1", "127.0.0.1:1")
	require.NoError(t, err)
	err = away.LostAt(ctx, p, func(context.Context, vector.Partition) (bool, error) { return true, nil })
	require.True(t, fault.Is(err, fault.StatusUnavailable))
	require.NotErrorIs(t, err, vector.ErrLost)
}

func TestLostObjectsAreToldUntilTheyAreThereAgain(t *testing.T) {
	x, ctx := index(t), context.Background()
	p := vector.Partition{Suffix: "_d", Workspace: "ws_d", Corpus: vector.Chunks}
	wanted := map[vector.Partition]bool{p: true}
	lost := func() error {
		return x.Lost(ctx, func(_ context.Context, p vector.Partition) (bool, error) { return wanted[p], nil })
	}
	missed := func(p vector.Partition) {
		_, err := x.Nearest(ctx, p, vector.Query{Vector: unit(1), Limit: 1})
		require.True(t, fault.Is(err, fault.StatusUnavailable))
	}
	require.NoError(t, x.Insert(ctx, p, objects("src_1", "src_1/1", 0, 2)))
	require.NoError(t, x.Drop(ctx, "_d"))
	require.NoError(t, x.Drop(ctx, "_d"))
	require.NoError(t, lost(), "nobody has missed anything yet")
	missed(p)
	require.ErrorIs(t, lost(), vector.ErrLost)
	require.NoError(t, x.Check(ctx), "it answers")
	require.NoError(t, x.Insert(ctx, p, objects("src_1", "src_1/1", 0, 2)))
	require.NoError(t, lost())
	hits, err := x.Nearest(ctx, p, vector.Query{Vector: unit(1), Limit: 1})
	require.NoError(t, err)
	require.Len(t, hits, 1)

	missed(vector.Partition{Suffix: "_d", Workspace: "ws_never", Corpus: vector.Chunks})
	require.NoError(t, lost(), "nothing was ever brought in")
	require.NoError(t, x.Drop(ctx, "_d"))
	missed(p)
	require.ErrorIs(t, lost(), vector.ErrLost)
	clear(wanted)
	require.NoError(t, lost(), "another generation serves")
}
