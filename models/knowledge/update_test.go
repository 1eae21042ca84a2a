package knowledge_test

import (
	"context"
	"crypto/sha256"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/vector"
)

// replacement is an update whose texts are chunks and rules alike.
func replacement(sourceID string, texts ...string) knowledge.Update {
	u := knowledge.Update{
		SourceID: sourceID, Size: 1, SHA256: modelstest.BytesOf(7), OriginalKey: "new", CanonicalKey: "new",
		Metadata: []byte(`{}`),
	}
	for _, text := range texts {
		identity := sha256.Sum256([]byte(text))
		u.Chunks = append(u.Chunks, knowledge.StoredChunk{Content: text, Tokens: 1})
		u.Rules = append(u.Rules, knowledge.StoredRule{ID: "rule_" + text + "_new", Content: text, Identity: identity[:]})
	}
	return u
}

// state reads that of a version.
func state(t *testing.T, l *modelstest.Library, v knowledge.VersionRef) (state string) {
	t.Helper()
	require.NoError(t, l.DB.Pool.QueryRow(t.Context(), `SELECT state FROM source_versions WHERE source_id = $1 AND version = $2`, v.SourceID, v.Version).Scan(&state))
	return state
}

func TestAnUpdateFollowsTheNewestVersion(t *testing.T) {
	l := modelstest.NewLibrary(t)
	ctx := t.Context()
	first := l.Live("ws_one", "a", "b")
	done, err := l.Update(ctx, "ws_one", replacement(first.SourceID, "b", "c"))
	require.NoError(t, err)
	require.Equal(t, knowledge.Updated{Version: 2, Added: []string{"c"}, Removed: []string{"a"}, Unchanged: 1}, done)
	second := first
	second.Version = 2
	var rule []string
	require.NoError(t, l.Items(ctx, second, vector.Rules, func(item knowledge.IndexedItem) { rule = append(rule, item.Name) }))
	require.Equal(t, []string{"rule_" + first.SourceID + "1", "rule_c_new"}, rule, "what says the same keeps its id")
	settled, err := l.Settled(ctx, second)
	require.NoError(t, err)
	require.False(t, settled)

	claimed := l.ClaimVersions(10)
	require.Contains(t, claimed, second)
	work, err := l.BeginStage(ctx, second, knowledge.StageRules)
	require.NoError(t, err)
	require.True(t, work.Beyond, "its chunks and rules are there")
	l.Begin(second, knowledge.StageEmbedding)

	done, err = l.Update(ctx, "ws_one", replacement(first.SourceID, "c"))
	require.NoError(t, err)
	require.Equal(t, knowledge.Updated{Version: 3, Added: []string{}, Removed: []string{"b"}, Unchanged: 1}, done)
	require.Equal(t, []string{"live", "retired"}, []string{state(t, l, first), state(t, l, second)})
	require.NoError(t, l.Complete(ctx, second))
	require.Equal(t, "retired", state(t, l, second), "what was overtaken never becomes live")

	two := 2
	outdated := replacement(first.SourceID, "d")
	outdated.Expected = &two
	_, err = l.Update(ctx, "ws_one", outdated)
	require.True(t, fault.Is(err, fault.StatusFailedPrecondition))
	require.Equal(t, 3, fault.From(err).Details.Version)
	_, err = l.Update(ctx, "ws_two", replacement(first.SourceID, "d"))
	require.True(t, fault.Is(err, fault.StatusNotFound), "another workspace's is unknown")
}

// A first ingestion that failed late has rules that nobody has seen. What an update
// answered is known to who asked for it, though it failed later.
func TestUpdate_5_AllRulesAreAddedAfterAFirstIngestionThatFailedLate(t *testing.T) {
	l := modelstest.NewLibrary(t)
	ctx := t.Context()
	v := l.Staged("ws_one", "a", "b")
	require.NoError(t, l.Fail(ctx, v, "index-failed", "m"))
	done, err := l.Update(ctx, "ws_one", replacement(v.SourceID, "b", "c"))
	require.NoError(t, err)
	require.Equal(t, knowledge.Updated{Version: 2, Added: []string{"b", "c"}, Removed: []string{}}, done)
	l.Exec(`UPDATE source_versions SET state = 'failed' WHERE source_id = $1 AND version = 2`, v.SourceID)
	done, err = l.Update(ctx, "ws_one", replacement(v.SourceID, "c"))
	require.NoError(t, err)
	require.Equal(t, knowledge.Updated{Version: 3, Added: []string{}, Removed: []string{"b"}, Unchanged: 1}, done)
}

// A source whose scope is removed while an update of it is stored leaves no version that
// goes on.
func TestAnUpdateBesideTheRemovalOfItsSource(t *testing.T) {
	l := modelstest.NewLibrary(t)
	ctx := t.Context()
	v := scoped(l, l.Live("ws_one", "a"), "d")
	updating, err := l.DB.Pool.Begin(ctx)
	require.NoError(t, err)
	defer func() { _ = updating.Rollback(context.WithoutCancel(ctx)) }()
	_, err = updating.Exec(ctx, `SELECT FROM sources WHERE id = $1 FOR UPDATE`, v.SourceID)
	require.NoError(t, err)
	modelstest.Remove(t, l.DB, "ws_one", "d")
	ended := make(chan error, 1)
	go func() {
		_, err := l.RemoveBatch(ctx, "ws_one")
		ended <- err
	}()
	modelstest.AwaitWaiting(t, l.DB, 1)
	_, err = updating.Exec(ctx, `INSERT INTO source_versions (workspace_id, source_id, version, state, stage, file_name, mime_type, started_at, file_size, updated_at, sha256, original_key)
SELECT workspace_id, source_id, 2, 'accepted', 'queued', '', '', now(), 1, now(), sha256, '' FROM source_versions WHERE source_id = $1`, v.SourceID)
	require.NoError(t, err)
	require.NoError(t, updating.Commit(ctx))
	require.NoError(t, <-ended)
	v.Version = 2
	require.Equal(t, "retired", state(t, l, v))
	_, err = l.Update(ctx, "ws_one", replacement(v.SourceID, "b"))
	require.True(t, fault.Is(err, fault.StatusNotFound))
}

// What a later version replaced goes a minute later, once the index holds nothing of it;
// a failed newest version stays, so that it can be tried again.
func TestFormerVersionsAMinuteLater(t *testing.T) {
	l := modelstest.NewLibrary(t)
	ctx := t.Context()
	first, failed := l.Live("ws_one", "a"), l.Staged("ws_one", "b")
	require.NoError(t, l.Fail(ctx, failed, "embedding-failed", "no"))
	_, err := l.Update(ctx, "ws_one", replacement(first.SourceID, "b"))
	require.NoError(t, err)
	l.Exec(`UPDATE source_versions SET state = 'retired', updated_at = clock_timestamp() WHERE source_id = $1 AND version = 1`, first.SourceID)
	former := func() []knowledge.RemovedVersion {
		found, err := l.FormerVersions(ctx, 10)
		require.NoError(t, err)
		return found
	}
	require.Empty(t, former())
	l.Exec(`UPDATE source_versions SET updated_at = updated_at - interval '61 seconds'`)
	require.Empty(t, former(), "the index holds it")
	require.NoError(t, l.Purge(ctx, first, nothing))
	require.NoError(t, l.Purge(ctx, failed, nothing))
	found := former()
	require.Len(t, found, 1)
	require.Equal(t, first, found[0].VersionRef)
	require.Equal(t, "canonical", found[0].CanonicalKey)
	for range 2 {
		require.NoError(t, l.DropVersion(ctx, first))
	}
	require.Empty(t, former())
	require.Equal(t, 1, count(t, l, "sources WHERE id = '"+first.SourceID+"'"))
	require.Equal(t, 1, count(t, l, "chunks WHERE source_id = '"+first.SourceID+"'"), "those of the version that replaced it")
}
