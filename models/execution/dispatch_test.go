package execution_test

import (
	"testing"

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
	_, accepted, err := b.DispatchUsual(t.Context(), modelstest.Workspace, ofMock)
	require.NoError(t, err)
	require.False(t, accepted, "nothing is known of it yet")
	_, err = b.Dispatch(t.Context(), modelstest.Workspace, ofMock)
	require.NoError(t, err)
	return b
}

// An execution that was written in one trip is like one that was not, with a time
// between those of Postgres before and after, which its id has too.
func TestDispatch_InOneTripIsLikeAnyOther(t *testing.T) {
	t.Parallel()
	b := known(t)
	long := b.Rows(`SELECT id FROM executions`)[0]
	before := modelstest.ClockOf(t, b.DB)
	short, accepted, err := b.DispatchUsual(t.Context(), modelstest.Workspace, ofMock)
	require.NoError(t, err)
	require.True(t, accepted)
	started := modelstest.TimeIn(t, b.DB, `SELECT started_at FROM executions WHERE id = '`+short+`'`)
	require.LessOrEqual(t, before.Sub(started).Milliseconds(), int64(100))
	require.False(t, started.After(modelstest.ClockOf(t, b.DB)))
	require.Contains(t, short, id.FirstExecution(started))
	for _, row := range []string{
		`SELECT (to_jsonb(e) - '{id,idempotency_key,correlation_id,started_at,poke_at,drive_due}'::text[])::text || (poke_at = started_at AND drive_due = started_at)
FROM executions e WHERE id = $1`,
		`SELECT (to_jsonb(s) - '{id,execution_id,created_at}'::text[])::text || (s.created_at = e.started_at)
FROM steps s JOIN executions e ON e.id = s.execution_id WHERE e.id = $1`,
		`SELECT (to_jsonb(v) - '{id,execution_id,at,step_id,data}'::text[])::text || (v.at = e.started_at)
FROM events v JOIN executions e ON e.id = v.execution_id WHERE e.id = $1 ORDER BY v.seq`,
	} {
		require.Equal(t, b.Rows(row, long), b.Rows(row, short))
	}
}

// What is remembered of a definition does not hold any more: the long way is taken, and
// nothing of the short one is left.
func TestDispatch_WhatChangedIsSeen(t *testing.T) {
	t.Parallel()
	for name, statement := range map[string]string{
		"another version": `UPDATE definitions SET version_id = 'people' WHERE workspace_id = $1 AND definition_id = 'mock'`,
		"a deletion":      `UPDATE definitions SET status = 'tombstoned', tombstoned_at = now() WHERE workspace_id = $1 AND definition_id = 'mock'`,
		"no definition":   `DELETE FROM definitions WHERE workspace_id = $1 AND definition_id = 'mock'`,
		"webhooks":        `INSERT INTO webhook_settings (workspace_id, enabled) VALUES ($1, true)`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := known(t)
			b.Exec(statement, modelstest.Workspace)
			_, accepted, err := b.DispatchUsual(t.Context(), modelstest.Workspace, ofMock)
			require.NoError(t, err)
			require.False(t, accepted)
			require.Len(t, b.Rows(`SELECT id FROM executions`), 1)
		})
	}
}

// A dispatch in one trip that waits for the definition's row sees what changed it.
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
		require.True(t, fault.Is(err, fault.NotFound), "%v", err)
	})
}

// One of another workspace, about a subject, or beyond the limit goes the long way.
func TestDispatch_WhatIsUnusualGoesTheLongWay(t *testing.T) {
	t.Parallel()
	b := known(t)
	ofDocument := ofMock
	ofDocument.DocumentID = "d"
	_, accepted, err := b.DispatchUsual(t.Context(), modelstest.Workspace, ofDocument)
	require.NoError(t, err)
	require.False(t, accepted)
	_, accepted, err = b.DispatchUsual(t.Context(), "another", ofMock)
	require.NoError(t, err)
	require.False(t, accepted)
	_, err = b.Dispatch(t.Context(), "another", ofMock)
	require.True(t, fault.Is(err, fault.NotFound), "%v", err)
	full := b.Limited(1)
	_, err = full.Dispatch(t.Context(), modelstest.Workspace, ofMock)
	require.True(t, fault.Is(err, fault.ResourceExhausted), "%v", err)
}
