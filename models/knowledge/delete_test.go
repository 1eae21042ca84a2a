package knowledge_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/modelstest"
)

// A deleted source is hidden at once and then goes with all that it left, whatever
// version of it failed or was live.
func TestADeletedSourceGoesWithAllItLeft(t *testing.T) {
	l := modelstest.NewLibrary(t)
	ctx := t.Context()
	gone, kept := l.Live("ws_one", "a", "b"), l.Live("ws_one", "c")
	_, err := l.Delete(ctx, "ws_two", gone.SourceID, true)
	modelstest.RequireRefusal(t, err, fault.StatusNotFound, "unknown-source")
	deleted, err := l.Delete(ctx, "ws_one", gone.SourceID, false)
	require.NoError(t, err)
	require.Equal(t, knowledge.Deleted{Chunks: 2, Rules: 2}, deleted)
	unknown(t, l, gone)
	_, err = l.Rules(ctx, "ws_one", gone.SourceID)
	modelstest.RequireRefusal(t, err, fault.StatusNotFound, "unknown-source")
	key, err := l.Canonical(ctx, "ws_one", gone.SourceID)
	require.NoError(t, err)
	require.Empty(t, key)
	_, err = l.Delete(ctx, "ws_one", gone.SourceID, true)
	modelstest.RequireRefusal(t, err, fault.StatusNotFound, "unknown-source")
	totals, err := l.Totals(ctx, "ws_one")
	require.NoError(t, err)
	require.Equal(t, knowledge.Totals{Sources: 1, Chunks: 1, Rules: 1}, totals)
	require.Len(t, swept(t, l), 1)
	require.Equal(t, []int{1, 1, 1}, []int{count(t, l, "sources"), count(t, l, "chunks"), count(t, l, "rules")})
	require.Equal(t, []string{"chunk c"}, l.Named(modelstest.Level(1, gone, kept), modelstest.Question))
}

// A source in work is deleted with force alone, which ends that work.
func TestForceEndsTheWorkOnASource(t *testing.T) {
	l := modelstest.NewLibrary(t)
	staging, waiting := l.Staged("ws_one", "a"), brought(t, l, "b")
	for _, id := range []string{staging.SourceID, waiting} {
		_, err := l.Delete(t.Context(), "ws_one", id, false)
		modelstest.RequireRefusal(t, err, fault.StatusAborted, "ingest-in-progress")
		deleted, err := l.Delete(t.Context(), "ws_one", id, true)
		require.NoError(t, err)
		require.Zero(t, deleted, "nothing of it was live")
	}
	require.NoError(t, l.Complete(t.Context(), staging))
	unknown(t, l, staging)
	claimed := l.ClaimVersions(10)
	require.Empty(t, claimed)
	require.Len(t, swept(t, l), 2)
	require.Zero(t, count(t, l, "sources")+count(t, l, "messages"))
}

// Duplicates of a deleted source are duplicates of the oldest of them that still holds
// the bytes.
func TestDuplicatesAreHandedOn(t *testing.T) {
	l := modelstest.NewLibrary(t)
	ctx := t.Context()
	dedupOf := func(id string) string {
		status, err := l.Status(ctx, "ws_one", id)
		require.NoError(t, err)
		if status.DedupOf == nil {
			return ""
		}
		return *status.DedupOf
	}
	remove := func(id string) {
		_, err := l.Delete(ctx, "ws_one", id, true)
		require.NoError(t, err)
	}
	first, failed, second, third := brought(t, l, "same"), brought(t, l, "same"), brought(t, l, "same"), brought(t, l, "same")
	other := brought(t, l, "other")
	l.Exec(`UPDATE source_versions SET state = 'failed', stage = 'failed' WHERE source_id = $1`, failed)
	require.Equal(t, []string{"", first, first, first}, []string{dedupOf(first), dedupOf(failed), dedupOf(second), dedupOf(third)})
	remove(first)
	require.Equal(t, []string{second, "", second, ""}, []string{dedupOf(failed), dedupOf(second), dedupOf(third), dedupOf(other)})
	again := brought(t, l, "same")
	require.Equal(t, second, dedupOf(again))
	remove(second)
	remove(third)
	require.Equal(t, []string{again, ""}, []string{dedupOf(failed), dedupOf(again)})
	remove(again)
	require.Empty(t, dedupOf(failed))
	require.Empty(t, dedupOf(brought(t, l, "same")), "bytes of sources that are gone are no duplicate")
}

// Nobody becomes a duplicate of a source that is being deleted.
func TestADeletionWaitsForWhoBringsTheSameBytesIn(t *testing.T) {
	l := modelstest.NewLibrary(t)
	first := brought(t, l, "same")
	bringing, err := l.DB.Pool.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = bringing.Rollback(context.Background()) }()
	_, err = bringing.Exec(t.Context(), `SELECT pg_advisory_xact_lock(hashtextextended('knowledge/ws_one', 0))`)
	require.NoError(t, err)
	_, err = bringing.Exec(t.Context(), `INSERT INTO sources (workspace_id, id, source_type, created_at, newest) VALUES ('ws_one', 'src_late', 'inline', now(), 1)`)
	require.NoError(t, err)
	_, err = bringing.Exec(t.Context(), `INSERT INTO source_versions (workspace_id, source_id, version, state, stage, file_name,
mime_type, file_size, sha256, original_key, started_at, updated_at, dedup_of)
SELECT workspace_id, 'src_late', 1, state, stage, file_name, mime_type, file_size, sha256, 'late', started_at, updated_at, $1
FROM source_versions WHERE source_id = $1`, first)
	require.NoError(t, err)
	deleted := make(chan error, 1)
	go func() {
		_, err := l.Delete(context.Background(), "ws_one", first, true)
		deleted <- err
	}()
	modelstest.AwaitWaiting(t, l.DB, 1)
	require.NoError(t, bringing.Commit(t.Context()))
	require.NoError(t, <-deleted)
	require.Zero(t, count(t, l, "source_versions WHERE dedup_of IS NOT NULL"))
}

// Who works on a version writes it more than once, and each time Postgres looks at its
// source again: a deletion that waits for that version does not stand in the way.
func TestADeletionBesideWorkOnAVersion(t *testing.T) {
	l := modelstest.NewLibrary(t)
	v := l.Staged("ws_one", "a")
	working, err := l.DB.Pool.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = working.Rollback(context.WithoutCancel(t.Context())) }()
	write := func() {
		_, err := working.Exec(t.Context(), `UPDATE source_versions SET updated_at = clock_timestamp() WHERE source_id = $1`, v.SourceID)
		require.NoError(t, err)
	}
	write()
	gone := make(chan error, 1)
	go func() {
		_, err := l.Delete(t.Context(), "ws_one", v.SourceID, true)
		gone <- err
	}()
	modelstest.AwaitWaiting(t, l.DB, 1)
	write()
	require.NoError(t, working.Commit(t.Context()))
	require.NoError(t, <-gone)
	require.Equal(t, "retired", state(t, l, v))
}

// What was live goes once no search that saw it goes on; what was in work has to wait until
// who works on it has noticed.
func TestWhatWasLiveGoesSoonerThanWhatWasInWork(t *testing.T) {
	l := modelstest.NewLibrary(t)
	live, staging := l.Live("ws_one", "a"), l.Staged("ws_one", "b")
	for _, v := range []knowledge.VersionRef{live, staging} {
		_, err := l.Delete(t.Context(), "ws_one", v.SourceID, true)
		require.NoError(t, err)
	}
	l.Exec(`UPDATE source_versions SET indexed = true`)
	for _, step := range []struct {
		seconds int
		gone    []knowledge.VersionRef
	}{{30, nil}, {6, []knowledge.VersionRef{live}}, {25, []knowledge.VersionRef{staging}}} {
		l.Exec(`UPDATE source_versions SET updated_at = updated_at - make_interval(secs => $1)`, step.seconds)
		hidden, err := l.HiddenVersions(t.Context(), 10)
		require.NoError(t, err)
		require.Equal(t, append([]knowledge.VersionRef{}, step.gone...), hidden)
		var removed []knowledge.VersionRef
		for _, v := range hidden {
			require.NoError(t, l.Purge(t.Context(), v, nothing))
		}
		found, err := l.RemovedVersions(t.Context(), 10)
		require.NoError(t, err)
		for _, v := range found {
			removed = append(removed, v.VersionRef)
			require.NoError(t, l.DropVersion(t.Context(), v.VersionRef))
		}
		require.Equal(t, step.gone, removed)
	}
}
