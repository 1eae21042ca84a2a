package execution_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/models/execution"
	"github.com/redline-svc/redline/models/modelstest"
)

// ofMock is a dispatch without a key.
var ofMock = execution.Dispatch{DefinitionID: "mock", KeySpace: contract.KeysOfCallers}

// known is a store that has dispatched the definition before.
func known(t *testing.T) *modelstest.Bench {
	t.Helper()
	b := modelstest.NewBench(t, 10)
	_, err := b.Dispatch(t.Context(), modelstest.Workspace, ofMock)
	require.NoError(t, err)
	return b
}

// An execution of a definition that was dispatched before is like the first one, with a
// time between those of Postgres before and after, which its id has too.
func TestDispatch_TheNextIsLikeTheFirst(t *testing.T) {
	t.Parallel()
	b := known(t)
	first := b.Rows(`SELECT id FROM executions`)[0]
	before := modelstest.ClockOf(t, b.DB)
	accepted, err := b.Dispatch(t.Context(), modelstest.Workspace, ofMock)
	require.NoError(t, err)
	next := accepted.ExecutionID
	started := modelstest.TimeIn(t, b.DB, `SELECT started_at FROM executions WHERE id = '`+next+`'`)
	require.False(t, started.Before(before.Truncate(time.Millisecond)))
	require.False(t, started.After(modelstest.ClockOf(t, b.DB)))
	require.Contains(t, next, id.FirstExecution(started))
	for _, row := range []string{
		`SELECT (to_jsonb(e) - '{id,idempotency_key,correlation_id,started_at}'::text[])::text FROM executions e WHERE id = $1`,
		`SELECT concat_ws(' ', w.kind, w.workspace_id, w.group_key, w.ready, w.kind = 'execution' OR w.run_at = e.started_at + interval '1 minute')
FROM work w JOIN executions e ON e.id = w.key WHERE e.id = $1 ORDER BY w.kind`,
		`SELECT (to_jsonb(s) - '{id,execution_id,created_at}'::text[])::text || (s.created_at = e.started_at)
FROM steps s JOIN executions e ON e.id = s.execution_id WHERE e.id = $1`,
		`SELECT (to_jsonb(v) - '{id,execution_id,at,step_id,data}'::text[])::text || (v.at = e.started_at)
FROM events v JOIN executions e ON e.id = v.execution_id WHERE e.id = $1 ORDER BY v.seq`,
	} {
		require.Equal(t, b.Rows(row, first), b.Rows(row, next))
	}
}

// Whatever changed since the last dispatch of a definition, the next one goes by it.
func TestDispatch_WhatChangedIsSeen(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		statement string
		seen      func(t *testing.T, b *modelstest.Bench, got execution.Dispatched, err error)
	}{
		"another version": {
			`UPDATE definitions SET version_id = 'people' WHERE workspace_id = $1 AND definition_id = 'mock'`,
			func(t *testing.T, b *modelstest.Bench, got execution.Dispatched, err error) {
				t.Helper()
				require.NoError(t, err)
				require.Equal(t, "human", b.Read(got.ExecutionID).Steps[0].NodeType)
			},
		},
		"a deletion": {
			`UPDATE definitions SET status = 'tombstoned', tombstoned_at = now() WHERE workspace_id = $1 AND definition_id = 'mock'`,
			refusedBy(fault.StatusFailedPrecondition),
		},
		"no definition": {`DELETE FROM definitions WHERE workspace_id = $1 AND definition_id = 'mock'`, refusedBy(fault.StatusNotFound)},
		"webhooks": {
			`WITH on_now AS (INSERT INTO webhook_settings (workspace_id, enabled) VALUES ($1, true))
INSERT INTO endpoints (id, workspace_id, url) VALUES ('ep_1', $1, 'https://hooks.test/a')`,
			func(t *testing.T, b *modelstest.Bench, _ execution.Dispatched, err error) {
				t.Helper()
				require.NoError(t, err)
				require.NotEmpty(t, b.Rows(`SELECT id FROM messages`))
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := known(t)
			b.Exec(c.statement, modelstest.Workspace)
			got, err := b.Dispatch(t.Context(), modelstest.Workspace, ofMock)
			c.seen(t, b, got, err)
		})
	}
}

// refusedBy expects a refusal that leaves nothing behind.
func refusedBy(status fault.Status) func(t *testing.T, b *modelstest.Bench, got execution.Dispatched, err error) {
	return func(t *testing.T, b *modelstest.Bench, _ execution.Dispatched, err error) {
		t.Helper()
		require.True(t, fault.Is(err, status), "%v", err)
		require.Len(t, b.Rows(`SELECT id FROM executions`), 1)
	}
}

// A dispatch that waits for the definition's row sees what changed it.
func TestDispatch_WhatChangesMeanwhileIsSeen(t *testing.T) {
	t.Parallel()
	t.Run("an update", func(t *testing.T) {
		t.Parallel()
		b := known(t)
		got, err := b.DispatchBeside(`UPDATE definitions SET version_id = 'people' WHERE workspace_id = $1 AND definition_id = 'mock'`)
		require.NoError(t, err)
		require.Equal(t, "human", b.Read(got.ExecutionID).Steps[0].NodeType, "the graph of the version that stands now")
	})
	t.Run("a deletion", func(t *testing.T) {
		t.Parallel()
		b := known(t)
		_, err := b.DispatchBeside(`DELETE FROM definitions WHERE workspace_id = $1 AND definition_id = 'mock'`)
		require.True(t, fault.Is(err, fault.StatusNotFound), "%v", err)
	})
}

// What one workspace has dispatched counts for no other one, and beyond the limit
// nothing is accepted, whatever was before.
func TestDispatch_OthersAndTheLimit(t *testing.T) {
	t.Parallel()
	b := known(t)
	ofDocument := ofMock
	ofDocument.DocumentID = "d"
	got, err := b.Dispatch(t.Context(), modelstest.Workspace, ofDocument)
	require.NoError(t, err)
	require.Equal(t, "d", *b.Read(got.ExecutionID).DocumentID)
	_, err = b.Dispatch(t.Context(), "another", ofMock)
	require.True(t, fault.Is(err, fault.StatusNotFound), "%v", err)
	full := b.Limited(1)
	_, err = full.Dispatch(t.Context(), modelstest.Workspace, ofMock)
	require.True(t, fault.Is(err, fault.StatusResourceExhausted), "%v", err)
}
