package search_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/vector"
)

func TestKnowledgeSearch_EqualScoresHaveOneOrder(t *testing.T) {
	l := modelstest.NewLibrary(t)
	// Neither the id nor the order of acceptance says which one completed later.
	first, second, third := l.Staged("ws_one", "a0", "a1"), l.Staged("ws_one", "b0", "b1"), l.Staged("ws_one", "c0", "c1")
	for _, v := range []knowledge.VersionRef{third, first, second} {
		require.NoError(t, l.Complete(t.Context(), v))
	}
	x := modelstest.Level(2, first, second, third)
	q := modelstest.Question
	q.Rules = true
	want := []string{
		"chunk b0", "chunk b1", "chunk a0", "chunk a1", "chunk c0", "chunk c1",
		"rule b0", "rule b1", "rule a0", "rule a1", "rule c0", "rule c1",
	}
	for range 20 {
		x.During = x.Shuffle
		q.Limit = 50
		require.Equal(t, want, l.Named(x, q))
		q.Limit = 7
		require.Equal(t, want[:7], l.Named(x, q))
	}
	x.Hits[vector.Rules] = append(x.Hits[vector.Rules], modelstest.RuleHit(third, 1, 0.25))
	q.Limit = 50
	require.Equal(t, "rule c1", l.Named(x, q)[0], "the distance comes before all others")
}

// Of many items at one distance the same ones are given each time, whichever the
// index returns first.
func TestKnowledgeSearch_EqualScoresAtTheLimitAreTheSameEachTime(t *testing.T) {
	l := modelstest.NewLibrary(t)
	texts := make([]string, 150)
	for i := range texts {
		texts[i] = strconv.Itoa(i)
	}
	v := l.Live("ws_one", texts...)
	x := modelstest.Level(len(texts), v)
	x.Hits[vector.Chunks] = append(x.Hits[vector.Chunks], modelstest.ChunkHit(v, 149, 0.25))
	slices.Reverse(x.Hits[vector.Chunks])
	q := modelstest.Question
	q.Limit = 3
	for range 20 {
		x.During = func() { rand.Shuffle(150, func(i, j int) { h := x.Hits[vector.Chunks][1:]; h[i], h[j] = h[j], h[i] }) }
		require.Equal(t, []string{"chunk 149", "chunk 0", "chunk 1"}, l.Named(x, q))
	}
}

func TestKnowledgeSearch_OfOneMomentThePositionDecidesThenTheId(t *testing.T) {
	l := modelstest.NewLibrary(t)
	versions := make([]knowledge.VersionRef, 8)
	for i := range versions {
		versions[i] = l.Live("ws_one", strconv.Itoa(i)+" first", strconv.Itoa(i)+" second")
	}
	l.Exec(`UPDATE source_versions SET completed_at = timestamptz '2026-01-01'`)
	order := []int{0, 1, 2, 3, 4, 5, 6, 7}
	slices.SortFunc(order, func(a, b int) int {
		if versions[a].SourceID < versions[b].SourceID {
			return -1
		}
		return 1
	})
	want := []string{}
	for _, kind := range []string{"chunk ", "rule "} {
		for _, position := range []string{" first", " second"} {
			for _, i := range order {
				want = append(want, kind+strconv.Itoa(i)+position)
			}
		}
	}
	x := modelstest.Level(2, versions...)
	q := modelstest.Question
	q.Rules, q.Limit = true, 50
	for range 20 {
		x.During = x.Shuffle
		require.Equal(t, want, l.Named(x, q))
	}
}

// Items without score are ordered by recency and position, whatever their kind, and
// come after all others.
func TestKnowledgeSearch_3_KindsWithoutScoreAreInterleaved(t *testing.T) {
	l := modelstest.NewLibrary(t)
	young, old := l.Staged("ws_one", "young 0", "young 1"), l.Staged("ws_one", "old 0", "old 1")
	for _, v := range []knowledge.VersionRef{old, young} {
		require.NoError(t, l.Complete(t.Context(), v))
	}
	q := modelstest.Question
	q.Rules, q.Vector = true, nil
	want := []string{
		"chunk young 0", "rule young 0", "chunk young 1", "rule young 1",
		"chunk old 0", "rule old 0", "chunk old 1", "rule old 1",
	}
	require.Equal(t, want, l.Named(&modelstest.Index{}, q))
	q.Limit = 3
	require.Equal(t, want[:3], l.Named(&modelstest.Index{}, q))
}

// However many versions wait for their removal, the question to the index names a few of
// them, and the answer has none.
func TestKnowledgeSearch_NamesAFewHiddenVersionsToTheIndex(t *testing.T) {
	l := modelstest.NewLibrary(t)
	v := l.Live("ws_one", "shown")
	l.Exec(`CREATE TABLE former AS SELECT * FROM source_versions`)
	l.Exec(`UPDATE former SET state = 'retired', indexed = true`)
	x := modelstest.Level(1, v)
	x.During = nil
	for n := range 300 {
		l.Exec(`UPDATE former SET version = $1`, n+2)
		l.Exec(`INSERT INTO source_versions SELECT * FROM former`)
		hidden := v
		hidden.Version = n + 2
		x.Hits[vector.Chunks] = append([]vector.Hit{modelstest.ChunkHit(hidden, 0, 0.05)}, x.Hits[vector.Chunks]...)
	}
	found, err := l.Search(t.Context(), "ws_one", x, modelstest.Question)
	require.NoError(t, err)
	require.Equal(t, []string{"shown"}, modelstest.Texts(found))
	for _, asked := range x.Asked {
		require.Len(t, asked.Exclude, 50)
	}
}

// The index is asked between two reads of the rows. A version that goes live meanwhile, in the place of
// another one, is found in its stead: never both, never neither.
func TestKnowledgeSearch_AVersionThatGoesLiveWhileTheIndexIsAskedIsFound(t *testing.T) {
	t.Parallel()
	l := modelstest.NewLibrary(t)
	old, next := l.Live("ws_one", "old"), l.Staged("ws_one", "new")
	x := &modelstest.Index{Hits: map[vector.Corpus][]vector.Hit{vector.Chunks: {modelstest.ChunkHit(old, 0, 0.1), modelstest.ChunkHit(next, 0, 0.2)}}}
	x.During = func() {
		require.Zero(t, l.DB.Pool.Stat().AcquiredConns(), "the search holds none")
		l.Exec(`UPDATE source_versions SET state = 'retired' WHERE source_id = $1`, old.SourceID)
		require.NoError(t, l.Complete(t.Context(), next))
	}
	found, err := l.Search(t.Context(), "ws_one", x, modelstest.Question)
	require.NoError(t, err)
	require.Equal(t, []string{"new"}, modelstest.Texts(found))
	require.Len(t, x.Asked, 2)
}
