package execution_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/execution/view"
	"github.com/redline-svc/redline/models/modelstest"
)

// A dispatch that has to wait for the definition's row finds it changed when it
// gets it: it pins the version of that moment, whole.
func TestUpdateDefinition_2_ADispatchThatWaitedPinsTheVersionOfItsMoment(t *testing.T) {
	t.Parallel()
	b := modelstest.NewBench(t, 10)
	got, err := b.DispatchBeside(`UPDATE definitions SET version_id = 'people' WHERE workspace_id = $1 AND definition_id = 'mock'`)
	require.NoError(t, err)
	require.Equal(t, "human", b.Read(got.ExecutionID).Steps[0].NodeType, "the graph of the version that stands now")
}

// A definition that is there again after its deletion is another one: whoever
// waited for the first holds no lock on it, so it could be deleted meanwhile.
func TestDeleteDefinition_1_ADispatchThatWaitedStartsNothingItHasNotLocked(t *testing.T) {
	t.Parallel()
	b := modelstest.NewBench(t, 10)
	_, err := b.DispatchBeside(
		`DELETE FROM definitions WHERE workspace_id = $1 AND definition_id = 'mock'`,
		`INSERT INTO definitions (workspace_id, definition_id, status, version, version_id, created_at, updated_at)
VALUES ($1, 'mock', 'active', 1, 'mock', now(), now())`)
	require.True(t, fault.Is(err, fault.StatusNotFound), "%v", err)
	page, err := b.List(t.Context(), modelstest.Workspace, view.Filter{}, nil, 10)
	require.NoError(t, err)
	require.Empty(t, page.Items)
}
