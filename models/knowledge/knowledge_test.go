package knowledge_test

import (
	"errors"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/vector"
)

func TestSearchSeesOneSnapshot(t *testing.T) {
	l := modelstest.NewLibrary(t)
	old := l.Live("ws_one", "old")
	young := l.Staged("ws_one", "young")
	x := &modelstest.Index{Hits: map[vector.Corpus][]vector.Hit{vector.Chunks: {modelstest.ChunkHit(old, 0, 0.1), modelstest.ChunkHit(young, 0, 0.2), modelstest.ChunkHit(old, 7, 0.3)}}}
	x.During = func() { require.NoError(t, l.Complete(t.Context(), young)) }
	found, err := l.Search(t.Context(), "ws_one", x, modelstest.Question)
	require.NoError(t, err)
	require.Equal(t, []string{"old", "young"}, modelstest.Texts(found), "what became live while the index was asked is seen, a hit without a row is not")
	require.Equal(t, []string{knowledge.VersionKey(young.SourceID, 1)}, x.Asked[0].Exclude)
	found, err = l.Search(t.Context(), "ws_one", x, modelstest.Question)
	require.NoError(t, err)
	require.Equal(t, []string{"old", "young"}, modelstest.Texts(found))
	found, err = l.Search(t.Context(), "ws_two", x, modelstest.Question)
	require.NoError(t, err)
	require.Empty(t, found.Items)
	require.False(t, found.Degraded)
}

func TestKnowledgeSearch_4_FallsBackCorpusByCorpus(t *testing.T) {
	l := modelstest.NewLibrary(t)
	first := l.Live("ws_one", "a", "b")
	l.Live("ws_one", "c")
	x := &modelstest.Index{
		Hits: map[vector.Corpus][]vector.Hit{vector.Chunks: {modelstest.ChunkHit(first, 1, 0.1)}},
		Err:  map[vector.Corpus]error{vector.Rules: fault.Unavailable(errors.New("gone"))},
	}
	q := modelstest.Question
	q.Rules = true
	found, err := l.Search(t.Context(), "ws_one", x, q)
	require.NoError(t, err)
	require.True(t, found.Degraded)
	require.Equal(t, []string{"b", "c", "a", "b"}, modelstest.Texts(found), "a scored chunk, then rules by recency and position")
	require.NotNil(t, found.Items[0].Score)
	require.Nil(t, found.Items[1].Score)
	q.Limit = 2
	found, err = l.Search(t.Context(), "ws_one", x, q)
	require.NoError(t, err)
	require.Equal(t, []string{"b", "c"}, modelstest.Texts(found))

	q.Vector, q.Limit, q.Sources = nil, 10, []string{first.SourceID, "src_unknown"}
	found, err = l.Search(t.Context(), "ws_one", x, q)
	require.NoError(t, err)
	require.Equal(t, []string{"a", "a", "b", "b"}, modelstest.Texts(found))
	q.Sources = []string{"src_unknown"}
	found, err = l.Search(t.Context(), "ws_one", x, q)
	require.NoError(t, err)
	require.Empty(t, found.Items)
	require.False(t, found.Degraded)
}

func TestSearchWidensUntilItIsFull(t *testing.T) {
	l := modelstest.NewLibrary(t)
	v := l.Live("ws_one", "a", "b", "c")
	hits := []vector.Hit{}
	for i := range 40 {
		hits = append(hits, modelstest.ChunkHit(v, 100+i, float32(i)/100)) // rows that are gone
	}
	for i := range 3 {
		hits = append(hits, modelstest.ChunkHit(v, i, 0.9))
	}
	x := &modelstest.Index{Hits: map[vector.Corpus][]vector.Hit{vector.Chunks: hits}}
	q := modelstest.Question
	q.Limit = 2
	found, err := l.Search(t.Context(), "ws_one", x, q)
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b"}, modelstest.Texts(found))
	require.Greater(t, len(x.Asked), 1)
}

func TestStagesAreDoneOnceWhateverIsRepeated(t *testing.T) {
	l := modelstest.NewLibrary(t)
	v := l.Live("ws_one", "a", "b")
	ctx := t.Context()
	require.NoError(t, l.StoreChunks(ctx, v, nil, "late"))
	require.NoError(t, l.Fail(ctx, v, "late", "late"))
	require.NoError(t, l.Complete(ctx, v))
	work, err := l.BeginStage(ctx, v, knowledge.StageConverting)
	require.NoError(t, err)
	require.True(t, work.Ended)
	status, err := l.Status(ctx, "ws_one", v.SourceID)
	require.NoError(t, err)
	require.Equal(t, []any{"live", 2, 2, 1}, []any{status.State, status.ChunkCount, status.RuleCount, *status.LiveVersion})
	require.JSONEq(t, `{"pages":1,"rulesSkipped":2}`, string(status.Metadata))
	_, err = l.Status(ctx, "ws_two", v.SourceID)
	require.True(t, fault.Is(err, fault.StatusNotFound))
	_, err = l.Stored(ctx, "ws_two", v.SourceID, 1)
	require.True(t, fault.Is(err, fault.StatusNotFound))
	claimed := l.ClaimVersions(10)
	require.Empty(t, claimed)
}

func TestVersionsInWorkStayQueued(t *testing.T) {
	l := modelstest.NewLibrary(t)
	ctx := t.Context()
	for i := range 70 {
		_, err := l.Accept(ctx, "ws_one", modelstest.Source("one"+strconv.Itoa(i)))
		require.NoError(t, err)
	}
	other, err := l.Accept(ctx, "ws_two", modelstest.Source("two"))
	require.NoError(t, err)
	v := knowledge.VersionRef{WorkspaceID: "ws_two", SourceID: other.SourceID, Version: 1}
	first := l.ClaimVersions(2)
	require.Len(t, first, 2)
	require.Contains(t, first, v, "a full workspace does not hold up another one")
	require.Len(t, l.ClaimVersions(100), 63, "64 of a workspace are in work at once")
	require.Empty(t, l.ClaimVersions(100))
	l.Exec(`UPDATE work SET locked_until = clock_timestamp() WHERE workspace_id = 'ws_two'`)
	inWork, err := l.InWork(ctx, v)
	require.NoError(t, err)
	require.True(t, inWork)
	require.Empty(t, l.ClaimVersions(100), "somebody works on it")
	l.Exec(`UPDATE work SET locked_until = clock_timestamp() WHERE workspace_id = 'ws_two'`)
	require.Equal(t, []knowledge.VersionRef{v}, l.ClaimVersions(100), "whoever worked on it has died")
}

func TestFailedVersionIsRemovedFromTheIndexAfterAMinute(t *testing.T) {
	l := modelstest.NewLibrary(t)
	ctx := t.Context()
	v := l.Staged("ws_one", "a")
	require.NoError(t, l.Fail(ctx, v, "index-failed", "why"))
	hidden, err := l.HiddenVersions(ctx, 10)
	require.NoError(t, err)
	require.Empty(t, hidden, "a search may still go on")
	l.Exec(`UPDATE source_versions SET updated_at = updated_at - interval '61 seconds'`)
	hidden, err = l.HiddenVersions(ctx, 10)
	require.NoError(t, err)
	require.Equal(t, []knowledge.VersionRef{v}, hidden)
	require.NoError(t, l.Purge(ctx, v, nothing))
	hidden, err = l.HiddenVersions(ctx, 10)
	require.NoError(t, err)
	require.Empty(t, hidden)
}

// The status counts what has its vector, and all of it once the stage is over.
func TestStatus_ChunksDoneAreThoseWithAVector(t *testing.T) {
	l := modelstest.NewLibrary(t)
	ctx := t.Context()
	v := l.Staged("ws_one", "a", "b", "c")
	done := func() int {
		status, err := l.Status(ctx, "ws_one", v.SourceID)
		require.NoError(t, err)
		require.Equal(t, 3, status.ChunkCount)
		return status.ChunksDone
	}
	require.Equal(t, 3, done())
	l.Exec(`UPDATE source_versions SET done = 3`) // as while it is embedded
	require.Zero(t, done())
	require.NoError(t, l.StoreVectors(ctx, v, "m1", vector.Chunks, []knowledge.Embedded{{Ordinal: 1, Hash: modelstest.BytesOf(1), Vector: []float32{1}}}))
	require.Equal(t, 1, done())
	require.NoError(t, l.StoreVectors(ctx, v, "m1", vector.Chunks, []knowledge.Embedded{{Ordinal: 0, Hash: modelstest.BytesOf(1)}, {Ordinal: 2, Hash: modelstest.BytesOf(2), Vector: []float32{2}}}))
	require.Equal(t, 3, done())
	page, _, err := l.VectorPage(ctx, v, "m1", vector.Chunks, 0, 10)
	require.NoError(t, err)
	require.Equal(t, [][]float32{{1}, {1}, {2}}, [][]float32{page[0].Vector, page[1].Vector, page[2].Vector})
	_, _, err = l.VectorPage(ctx, v, "m1", vector.Rules, 0, 10)
	require.Error(t, err, "an object without a vector is never sent")
}

func TestVectorsAreKeptByTextAndPaged(t *testing.T) {
	l := modelstest.NewLibrary(t)
	ctx := t.Context()
	v := l.Live("ws_one", "a", "b", "c")
	rows, err := l.Unembedded(ctx, v, "model", vector.Chunks, 0, 10)
	require.NoError(t, err)
	require.Len(t, rows, 3)
	require.Equal(t, knowledge.Unembedded{Ordinal: 0, Content: "a", Hash: []byte{}}, rows[0])
	rules, err := l.Unembedded(ctx, v, "model", vector.Rules, 1, 10)
	require.NoError(t, err)
	require.Len(t, rules, 2)
	require.Equal(t, knowledge.Unembedded{Ordinal: 1, Path: "c", Content: "b", Hash: []byte{}}, rules[0])
	done := make([]knowledge.Embedded, len(rows))
	for i, row := range rows {
		done[i] = knowledge.Embedded{Ordinal: row.Ordinal, Hash: modelstest.BytesOf(i), Vector: []float32{float32(i), -0.5}}
	}
	require.NoError(t, l.StoreVectors(ctx, v, "model", vector.Chunks, done))
	require.NoError(t, l.StoreVectors(ctx, v, "model", vector.Chunks, done))
	known, err := l.KnownVectors(ctx, "ws_one", "model", [][]byte{modelstest.BytesOf(2), modelstest.BytesOf(9)})
	require.NoError(t, err)
	require.Equal(t, map[string]bool{string(modelstest.BytesOf(2)): true}, known)
	page, next, err := l.VectorPage(ctx, v, "model", vector.Chunks, 0, 2)
	require.NoError(t, err)
	require.Equal(t, 2, next)
	require.Equal(t, []float32{1, -0.5}, page[1].Vector)
	page, next, err = l.VectorPage(ctx, v, "model", vector.Chunks, next, 2)
	require.NoError(t, err)
	require.Equal(t, -1, next)
	require.Equal(t, "2", page[0].Item)
	none, err := l.Unembedded(ctx, v, "model", vector.Chunks, 0, 10)
	require.NoError(t, err)
	require.Empty(t, none)
	other, err := l.Unembedded(ctx, v, "another", vector.Chunks, 2, 10)
	require.NoError(t, err)
	require.Equal(t, []knowledge.Unembedded{{Ordinal: 2, Content: "c", Hash: modelstest.BytesOf(2)}}, other, "another model embeds the text under the same name")
}
