package models_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/models"
)

// A dispatch that has to wait for the definition's row finds it changed when it
// gets it: it pins the version of that moment, whole.
func TestUpdateDefinition_2_ADispatchThatWaitedPinsTheVersionOfItsMoment(t *testing.T) {
	t.Parallel()
	b := newBench(t, 10)
	tx, err := b.db.Pool.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), `SELECT FROM definitions WHERE workspace_id = $1 AND definition_id = 'mock' FOR UPDATE`, workspace)
	require.NoError(t, err)

	type answer struct {
		models.Dispatched
		err error
	}
	told := make(chan answer, 1)
	go func() {
		d, err := b.Dispatch(t.Context(), workspace, models.Dispatch{DefinitionID: "mock", KeySpace: contract.KeysOfCallers})
		told <- answer{d, err}
	}()
	require.Eventually(t, func() bool {
		var waits bool
		err := b.db.Pool.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_stat_activity
WHERE datname = current_database() AND wait_event_type = 'Lock')`).Scan(&waits)
		return err == nil && waits
	}, 30*time.Second, time.Millisecond, "it waits for the row")
	_, err = tx.Exec(t.Context(), `UPDATE definitions SET version_id = 'people' WHERE workspace_id = $1 AND definition_id = 'mock'`, workspace)
	require.NoError(t, err)
	require.NoError(t, tx.Commit(t.Context()))

	got := <-told
	require.NoError(t, got.err)
	require.Equal(t, "human", b.get(got.ExecutionID).Steps[0].NodeType, "the graph of the version that stands now")
}
