package knowledge_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/vector"
)

// index is one that holds these hits and may call back while it is asked.
type index struct {
	mu     sync.Mutex
	hits   map[vector.Corpus][]vector.Hit
	err    map[vector.Corpus]error
	during func()
	asked  []vector.Query
	suffix string
}

func (x *index) Nearest(_ context.Context, p vector.Partition, q vector.Query) ([]vector.Hit, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	corpus := p.Corpus
	x.asked, x.suffix = append(x.asked, q), p.Suffix
	if x.during != nil {
		x.during()
		x.during = nil
	}
	if err := x.err[corpus]; err != nil {
		return nil, err
	}
	found := []vector.Hit{}
	for _, hit := range x.hits[corpus] {
		hidden := false
		for _, version := range q.Exclude {
			hidden = hidden || version == hit.Version
		}
		asked := (q.Source == "" || q.Source == hit.Source) && (len(q.Sources) == 0 || slices.Contains(q.Sources, hit.Source))
		if !hidden && asked && len(found) < q.Limit {
			found = append(found, hit)
		}
	}
	return found, nil
}

func chunkHit(v knowledge.VersionRef, ordinal int, distance float32) vector.Hit {
	return vector.Hit{Item: strconv.Itoa(ordinal), Source: v.SourceID, Version: knowledge.VersionKey(v.SourceID, v.Version), Distance: distance}
}

func texts(found *knowledge.Found) []string {
	list := []string{}
	for _, item := range found.Items {
		list = append(list, item.Text)
	}
	return list
}

var question = knowledge.Query{Vector: []float32{1}, Model: "m1", Limit: 10}

func TestSearchSeesOneSnapshot(t *testing.T) {
	l := modelstest.NewLibrary(t)
	old := l.Live("ws_one", "old")
	young := l.Staged("ws_one", "young")
	x := &index{hits: map[vector.Corpus][]vector.Hit{vector.Chunks: {chunkHit(old, 0, 0.1), chunkHit(young, 0, 0.2), chunkHit(old, 7, 0.3)}}}
	x.during = func() { require.NoError(t, l.Complete(t.Context(), young)) }
	found, err := l.Search(t.Context(), "ws_one", x, question)
	require.NoError(t, err)
	require.Equal(t, []string{"old"}, texts(found), "what became live during the search is not seen, nor is a hit without a row")
	require.Equal(t, []string{knowledge.VersionKey(young.SourceID, 1)}, x.asked[0].Exclude)
	found, err = l.Search(t.Context(), "ws_one", x, question)
	require.NoError(t, err)
	require.Equal(t, []string{"old", "young"}, texts(found))
	found, err = l.Search(t.Context(), "ws_two", x, question)
	require.NoError(t, err)
	require.Empty(t, found.Items)
	require.False(t, found.Degraded)
}

func TestKnowledgeSearch_4_FallsBackCorpusByCorpus(t *testing.T) {
	l := modelstest.NewLibrary(t)
	first := l.Live("ws_one", "a", "b")
	l.Live("ws_one", "c")
	x := &index{
		hits: map[vector.Corpus][]vector.Hit{vector.Chunks: {chunkHit(first, 1, 0.1)}},
		err:  map[vector.Corpus]error{vector.Rules: fault.Away(errors.New("gone"))},
	}
	q := question
	q.Rules = true
	found, err := l.Search(t.Context(), "ws_one", x, q)
	require.NoError(t, err)
	require.True(t, found.Degraded)
	require.Equal(t, []string{"b", "c", "a", "b"}, texts(found), "a scored chunk, then rules by recency and position")
	require.NotNil(t, found.Items[0].Score)
	require.Nil(t, found.Items[1].Score)
	q.Limit = 2
	found, err = l.Search(t.Context(), "ws_one", x, q)
	require.NoError(t, err)
	require.Equal(t, []string{"b", "c"}, texts(found))

	q.Vector, q.Limit, q.Sources = nil, 10, []string{first.SourceID, "src_unknown"}
	found, err = l.Search(t.Context(), "ws_one", x, q)
	require.NoError(t, err)
	require.Equal(t, []string{"a", "a", "b", "b"}, texts(found))
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
		hits = append(hits, chunkHit(v, 100+i, float32(i)/100)) // rows that are gone
	}
	for i := range 3 {
		hits = append(hits, chunkHit(v, i, 0.9))
	}
	x := &index{hits: map[vector.Corpus][]vector.Hit{vector.Chunks: hits}}
	q := question
	q.Limit = 2
	found, err := l.Search(t.Context(), "ws_one", x, q)
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b"}, texts(found))
	require.Greater(t, len(x.asked), 1)
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
	require.True(t, fault.Is(err, fault.NotFound))
	_, err = l.Stored(ctx, "ws_two", v.SourceID, 1)
	require.True(t, fault.Is(err, fault.NotFound))
	claimed, _, err := l.ClaimVersions(ctx, "", 10)
	require.NoError(t, err)
	require.Empty(t, claimed)
}

func TestClaimsAreFairAndComeAgain(t *testing.T) {
	l := modelstest.NewLibrary(t)
	ctx := t.Context()
	for i := range 70 {
		_, err := l.Accept(ctx, "ws_one", modelstest.Source("one"+strconv.Itoa(i)))
		require.NoError(t, err)
	}
	other, err := l.Accept(ctx, "ws_two", modelstest.Source("two"))
	require.NoError(t, err)
	first, _, err := l.ClaimVersions(ctx, "", 2)
	require.NoError(t, err)
	require.Len(t, first, 2)
	require.Contains(t, first, knowledge.VersionRef{WorkspaceID: "ws_two", SourceID: other.SourceID, Version: 1}, "a full workspace does not hold up another one")
	rest, _, err := l.ClaimVersions(ctx, "", 100)
	require.NoError(t, err)
	require.Len(t, rest, 63, "64 of a workspace are in work at once")
	none, _, err := l.ClaimVersions(ctx, "", 100)
	require.NoError(t, err)
	require.Empty(t, none)
	require.NoError(t, l.VersionBack(ctx, first[0]))
	again, _, err := l.ClaimVersions(ctx, "", 100)
	require.NoError(t, err)
	require.Equal(t, first[:1], again)
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

func TestWorkspacesAreClaimedFromInTurn(t *testing.T) {
	l := modelstest.NewLibrary(t)
	ctx := t.Context()
	for _, workspace := range []string{"ws_one", "ws_two", "ws_one", "ws_one"} {
		_, err := l.Accept(ctx, workspace, modelstest.Source(workspace))
		require.NoError(t, err)
	}
	var turns [][]string
	last := ""
	for range 4 {
		claimed, next, err := l.ClaimVersions(ctx, last, 1)
		require.NoError(t, err)
		workspaces := []string{}
		for _, v := range claimed {
			workspaces = append(workspaces, v.WorkspaceID)
		}
		turns, last = append(turns, workspaces), next
	}
	require.Equal(t, [][]string{{"ws_one"}, {"ws_two"}, {"ws_one"}, {"ws_one"}}, turns)
}
