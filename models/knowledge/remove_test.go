package knowledge_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/vector"
)

// scoped gives a source the scope of a document of acme.
func scoped(l *modelstest.Library, v knowledge.VersionRef, documentID string) knowledge.VersionRef {
	return l.ScopedTo(v, "acme", documentID)
}

// ends calls RemoveBatch until nothing is left, and returns how many sources ended.
func ends(t *testing.T, l *modelstest.Library) (ended int) {
	t.Helper()
	for {
		n, err := l.RemoveBatch(t.Context(), "ws_one")
		require.NoError(t, err)
		if ended += n; n == 0 {
			return ended
		}
	}
}

// nothing is what there is to do in an index that is not there.
func nothing() error { return nil }

// swept ages what has ended, and removes what the worker would; it returns the keys of
// the files that go.
func swept(t *testing.T, l *modelstest.Library) []string {
	t.Helper()
	young, err := l.RemovedVersions(t.Context(), 10)
	require.NoError(t, err)
	require.Empty(t, young, "a search may still read it")
	l.Exec(`UPDATE source_versions SET updated_at = updated_at - interval '61 seconds'`)
	hidden, err := l.HiddenVersions(t.Context(), 10)
	require.NoError(t, err)
	for _, v := range hidden {
		require.NoError(t, l.Purge(t.Context(), v, nothing))
	}
	removed, err := l.RemovedVersions(t.Context(), 10)
	require.NoError(t, err)
	files := []string{}
	for _, v := range removed {
		files = append(files, v.OriginalKey)
		require.NoError(t, l.DropVersion(t.Context(), v.VersionRef))
		require.NoError(t, l.DropVersion(t.Context(), v.VersionRef), "it may be repeated")
	}
	return files
}

func count(t *testing.T, l *modelstest.Library, table string) (rows int) {
	t.Helper()
	require.NoError(t, l.DB.Pool.QueryRow(t.Context(), `SELECT count(*) FROM `+table).Scan(&rows))
	return rows
}

// unknown asserts that no read gives anything of a source.
func unknown(t *testing.T, l *modelstest.Library, v knowledge.VersionRef) {
	t.Helper()
	_, err := l.Status(t.Context(), "ws_one", v.SourceID)
	modelstest.RequireRefusal(t, err, fault.StatusNotFound, "unknown-source")
	_, err = l.Stored(t.Context(), "ws_one", v.SourceID, 1)
	modelstest.RequireRefusal(t, err, fault.StatusNotFound, "unknown-source")
	q := modelstest.Question
	q.Rules, q.Sources = true, []string{v.SourceID}
	require.Empty(t, l.Named(modelstest.Level(1, v), q))
}

// A source whose document is removed is hidden from every read at once, though the
// index still holds it, and then goes with all that it left.
func TestSourcesOfARemovedDocument(t *testing.T) {
	l := modelstest.NewLibrary(t)
	gone, kept := scoped(l, l.Live("ws_one", "a", "b"), "spring"), scoped(l, l.Live("ws_one", "c"), "other")
	failed := scoped(l, l.Staged("ws_one", "d"), "spring")
	require.NoError(t, l.Fail(t.Context(), failed, "index-failed", "m"))
	q := modelstest.Question
	q.Rules = true
	x := modelstest.Level(1, gone, kept, failed)
	require.Equal(t, []string{"chunk c", "chunk a", "rule c", "rule a"}, l.Named(x, q))
	modelstest.Remove(t, l.DB, "ws_one", "spring")
	require.Equal(t, []string{"chunk c", "rule c"}, l.Named(x, q))
	require.ElementsMatch(t, []string{knowledge.VersionKey(gone.SourceID, 1), knowledge.VersionKey(failed.SourceID, 1)},
		x.Asked[len(x.Asked)-1].Exclude, "the index leaves out what nobody may see")
	away := &modelstest.Index{Err: map[vector.Corpus]error{vector.Chunks: fault.Unavailable(errors.New("away")), vector.Rules: fault.Unavailable(errors.New("away"))}}
	require.Equal(t, []string{"chunk c", "rule c"}, l.Named(away, q), "what was brought in last")
	unknown(t, l, gone)
	unknown(t, l, failed)
	require.Equal(t, 2, ends(t, l))
	require.Zero(t, ends(t, l))
	unknown(t, l, gone)
	require.Equal(t, []string{"chunk c", "rule c"}, l.Named(x, q))
	require.Len(t, swept(t, l), 2)
	require.Empty(t, swept(t, l))
	for table, rows := range map[string]int{"sources": 1, "source_versions": 1, "chunks": 1, "rules": 1, "index_copies": 1} {
		require.Equal(t, rows, count(t, l, table), table)
	}
	require.Zero(t, count(t, l, "subjects WHERE removed_at IS NOT NULL AND NOT sources_gone"))
}

// Work on a source stops when its scope is removed: what is done to it afterwards does
// nothing, and no event says that it ended.
func TestWorkOnASourceOfWhatIsRemovedStops(t *testing.T) {
	l := modelstest.NewLibrary(t)
	v := scoped(l, l.Staged("ws_one", "a"), "spring")
	late := scoped(l, l.Staged("ws_one", "b"), "spring")
	modelstest.RemoveOrganization(t, l.DB, "ws_one", "acme")
	require.NoError(t, l.Complete(t.Context(), late), "it ends before anybody stopped it")
	unknown(t, l, late)
	require.Equal(t, 2, ends(t, l))
	inWork, err := l.InWork(t.Context(), v)
	require.NoError(t, err)
	require.False(t, inWork)
	work, err := l.BeginStage(t.Context(), v, knowledge.StageIndexing)
	require.NoError(t, err)
	require.True(t, work.Ended)
	require.NoError(t, l.Complete(t.Context(), v))
	unknown(t, l, v)
	claimed := l.ClaimVersions(10)
	require.Empty(t, claimed)
	require.Zero(t, count(t, l, "messages"))
	require.Len(t, swept(t, l), 2)
	require.Zero(t, count(t, l, "sources"))
}

// The bytes of a source that was removed are a new source and no duplicate; they take
// none of the slots of sources.
func TestTheSameBytesAfterARemoval(t *testing.T) {
	l := modelstest.NewLibrary(t)
	ctx := t.Context()
	accept := func(documentID string) knowledge.Accepted {
		n := modelstest.Source("same")
		n.OrganizationID, n.DocumentID, n.Reuse = "acme", documentID, true
		accepted, err := l.Accept(ctx, "ws_one", n)
		require.NoError(t, err)
		return accepted
	}
	first := accept("spring")
	require.Equal(t, knowledge.Accepted{SourceID: first.SourceID, Reused: true}, accept("spring"))
	require.False(t, accept("other").Reused, "another scope")
	modelstest.Rename(t, l.DB, "ws_one", "spring", "summer")
	require.Equal(t, knowledge.Accepted{SourceID: first.SourceID, Reused: true}, accept("summer"), "it goes along with its document")
	second := accept("spring")
	require.False(t, second.Reused, "the old id names something new")
	modelstest.Rename(t, l.DB, "ws_one", "summer", "spring")
	require.Equal(t, first.SourceID, accept("spring").SourceID, "of both that are found there the oldest")
	l.Fill("ws_one", 10_000)
	n := modelstest.Source("more")
	_, err := l.Accept(ctx, "ws_one", n)
	modelstest.RequireRefusal(t, err, fault.StatusResourceExhausted, "source-quota")
	modelstest.Remove(t, l.DB, "ws_one", "spring")
	again := accept("spring")
	require.False(t, again.Reused)
	require.NotContains(t, []string{first.SourceID, second.SourceID}, again.SourceID)
	status, err := l.Status(ctx, "ws_one", again.SourceID)
	require.NoError(t, err)
	require.Nil(t, status.DedupOf)
}

// An address goes along with its document, and none of a removed one brings a file
// into a new one of that id.
func TestUploadsGoAlongWithTheirDocument(t *testing.T) {
	l := modelstest.NewLibrary(t)
	_, err := l.IssueUpload(t.Context(), knowledge.Upload{
		WorkspaceID: "ws_one", Path: "p", MimeType: "text/plain", FileName: "a", Size: 1, OrganizationID: "acme", DocumentID: "spring",
	}, modelstest.BytesOf(1))
	require.NoError(t, err)
	modelstest.Rename(t, l.DB, "ws_one", "spring", "summer")
	u, err := l.UploadByRef(t.Context(), "ws_one", "p")
	require.NoError(t, err)
	require.Equal(t, []any{"acme", "summer", false}, []any{u.OrganizationID, u.DocumentID, u.Stray})
	modelstest.Remove(t, l.DB, "ws_one", "summer")
	u, err = l.UploadByToken(t.Context(), [][]byte{modelstest.BytesOf(1)})
	require.NoError(t, err)
	require.True(t, u.Stray)
}

// Nobody brings a source into what is removed without the next batch seeing it: the
// batch waits for those who found the document before.
func TestABatchWaitsForWhoBringsASourceIn(t *testing.T) {
	l := modelstest.NewLibrary(t)
	scoped(l, l.Live("ws_one", "a"), "other")
	bringing, err := l.DB.Pool.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = bringing.Rollback(context.Background()) }()
	_, err = bringing.Exec(t.Context(), `SELECT pg_advisory_xact_lock(hashtextextended('knowledge/ws_one', 0))`)
	require.NoError(t, err)
	_, err = bringing.Exec(t.Context(), `INSERT INTO sources (workspace_id, id, source_type, organization_key, created_at, newest)
SELECT 'ws_one', 'src_late', 'inline', o.organization_key, now(), 1 FROM open_subjects('ws_one', 'acme', NULL) o`)
	require.NoError(t, err)
	modelstest.RemoveOrganization(t, l.DB, "ws_one", "acme")
	batch := make(chan int, 1)
	go func() {
		ended, err := l.RemoveBatch(context.Background(), "ws_one")
		if err != nil {
			ended = -1
		}
		batch <- ended
	}()
	modelstest.AwaitWaiting(t, l.DB, 1)
	require.NoError(t, bringing.Commit(t.Context()))
	require.Equal(t, 2, <-batch)
	require.Zero(t, ends(t, l))
}
