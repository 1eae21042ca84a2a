package execution_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/interpreter"
	"github.com/redline-svc/redline/models/modelstest"
)

func TestAnExecutionThatErrsKeepsNoPlaceFromThoseBehindIt(t *testing.T) {
	t.Parallel()
	b := modelstest.NewBench(t, 1)
	first := b.Accept("hook", "first")
	b.Ask("hook", "first", first.ExecutionID)
	step := interpreter.StepID(first.ExecutionID, "a", 1, 1)
	call, _, err := b.Begin(t.Context(), modelstest.CallOf(first.ExecutionID, step))
	require.NoError(t, err)
	broken, second, third := b.Queued("broken"), b.Queued("second"), b.Queued("third")
	b.Exec(`UPDATE executions SET version_ref = 'unreadable' WHERE id = $1`, broken)

	require.NoError(t, b.GrantCallSlots(t.Context()))
	assert.Equal(t, []string{broken, second, third}, b.StillQueued(), "no slot is free")
	_, err = b.Finish(t.Context(), modelstest.CallOf(first.ExecutionID, step), interpreter.Outcome{Call: call.Number, Kind: interpreter.Success, HTTPStatus: 200})
	require.NoError(t, err)
	require.Error(t, b.GrantCallSlots(t.Context()), "somebody is to hear of it")
	assert.Equal(t, []string{broken, third}, b.StillQueued(), "one slot, to the longest waiting that can take it")
}

// A worker that died had recorded the last outcome and not reported it, so Temporal
// asks about the call again. Nothing of that reads the graph, which may be purged.
func TestACallThatIsAskedAboutAfterTheEndGivesTheEnd(t *testing.T) {
	t.Parallel()
	b := modelstest.NewBench(t, 10)
	r := b.Accept("hook", "k")
	b.Ask("hook", "k", r.ExecutionID)
	step := interpreter.StepID(r.ExecutionID, "a", 1, 1)
	call, _, err := b.Begin(t.Context(), modelstest.CallOf(r.ExecutionID, step))
	require.NoError(t, err)
	done := interpreter.Outcome{Call: call.Number, Kind: interpreter.Success, HTTPStatus: 200}
	ended, err := b.Finish(t.Context(), modelstest.CallOf(r.ExecutionID, step), done)
	require.NoError(t, err)
	require.Equal(t, "completed", ended.Status)
	b.Exec(`UPDATE executions SET version_ref = 'unreadable' WHERE id = $1`, r.ExecutionID)

	call, plan, err := b.Begin(t.Context(), modelstest.CallOf(r.ExecutionID, step))
	require.NoError(t, err)
	require.Nil(t, call)
	require.Equal(t, ended, plan)
	plan, err = b.Finish(t.Context(), modelstest.CallOf(r.ExecutionID, step), done)
	require.NoError(t, err)
	require.Equal(t, ended, plan)
	in := contract.PlanInput{
		WorkspaceID: modelstest.Workspace, ExecutionID: r.ExecutionID,
		WorkflowID: contract.ExecutionWorkflowID(modelstest.Workspace, "hook", contract.KeysOfCallers, "k"),
	}
	for _, in.Cancelled = range []bool{true, false} {
		plan, err = b.Plan(t.Context(), in)
		require.NoError(t, err)
		require.Equal(t, ended, plan)
	}
	require.NoError(t, b.GrantCallSlots(t.Context()))
}
