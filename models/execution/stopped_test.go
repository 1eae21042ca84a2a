package execution_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/interpreter"
	"github.com/redline-svc/redline/models/execution"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/queue"
)

// stop stops the work of the workspace of a bench, goOn lets it go on.
func stop(b *modelstest.Bench) {
	b.Exec(`UPDATE workspaces SET suspended_at = clock_timestamp(), stopped_at = clock_timestamp()`)
}

func goOn(b *modelstest.Bench) {
	b.Exec(`UPDATE workspaces SET suspended_at = NULL, stopped_at = NULL`)
}

// A run that is under way when its workspace is stopped drives nothing any more, and is signalled
// once the workspace goes on.
func TestNoCallOfAStoppedWorkspaceBegins(t *testing.T) {
	t.Parallel()
	b := modelstest.NewBench(t, 10)
	d := b.Accept("hook", "k")
	require.Len(t, b.Ask("hook", "k", d.ExecutionID).Live, 1)
	step := interpreter.StepID(d.ExecutionID, "a", 1, 1)
	stop(b)
	require.Empty(t, b.Signals())
	call, plan, err := b.Begin(t.Context(), modelstest.CallOf(d.ExecutionID, step))
	require.NoError(t, err)
	require.Nil(t, call)
	require.Empty(t, plan.Live)
	require.Empty(t, b.Ask("hook", "k", d.ExecutionID).Live)
	require.Equal(t, "running", b.Read(d.ExecutionID).Steps[0].Status)
	goOn(b)
	require.Len(t, b.Signals(), 1)
	require.Len(t, b.Ask("hook", "k", d.ExecutionID).Live, 1)
	call, _, err = b.Begin(t.Context(), modelstest.CallOf(d.ExecutionID, step))
	require.NoError(t, err)
	require.NotNil(t, call)
}

func TestACallUnderWayEndsThoughItsWorkspaceIsStopped(t *testing.T) {
	t.Parallel()
	b := modelstest.NewBench(t, 10)
	d := b.Accept("hook", "k")
	b.Ask("hook", "k", d.ExecutionID)
	in := modelstest.CallOf(d.ExecutionID, interpreter.StepID(d.ExecutionID, "a", 1, 1))
	call, _, err := b.Begin(t.Context(), in)
	require.NoError(t, err)
	stop(b)
	_, err = b.Finish(t.Context(), in, interpreter.Outcome{Call: call.Number, Kind: interpreter.Success, HTTPStatus: 200})
	require.NoError(t, err)
	require.Equal(t, "completed", b.Read(d.ExecutionID).Status)
}

// Deadlines that pass meanwhile count as due once the workspace goes on.
func TestWhatComesDueWhileItIsStoppedIsDueThen(t *testing.T) {
	t.Parallel()
	b := modelstest.NewBench(t, 10)
	id := b.Waiting("k", execution.Dispatch{})
	stop(b)
	b.Exec(`UPDATE steps SET due_at = clock_timestamp() - interval '1 hour' WHERE execution_id = $1 AND status = 'waiting'`, id)
	require.Empty(t, b.Ask("people", "k", id).Live)
	require.Equal(t, "waiting", b.Read(id).Steps[0].Status)
	goOn(b)
	require.Len(t, b.Signals(), 1)
	b.Ask("people", "k", id)
	require.Equal(t, "breached", b.Read(id).Steps[0].Status)
}

// An execution that was accepted, and that no run has asked about, begins once the workspace goes on.
func TestAPendingExecutionOfAStoppedWorkspaceStaysPending(t *testing.T) {
	t.Parallel()
	b := modelstest.NewBench(t, 1)
	d := b.Accept("mock", "k")
	stop(b)
	require.Empty(t, b.Claim(queue.Executions))
	require.Equal(t, "pending", b.Ask("mock", "k", d.ExecutionID).Status)
	goOn(b)
	require.Len(t, b.Signals(), 1)
	require.Equal(t, "completed", b.Ask("mock", "k", d.ExecutionID).Status)
}

func TestAStoppedWorkspaceIsGivenNoSlots(t *testing.T) {
	t.Parallel()
	b := modelstest.NewBench(t, 1)
	first := b.Accept("hook", "first")
	b.Ask("hook", "first", first.ExecutionID)
	in := modelstest.CallOf(first.ExecutionID, interpreter.StepID(first.ExecutionID, "a", 1, 1))
	call, _, err := b.Begin(t.Context(), in)
	require.NoError(t, err)
	waits := b.Queued("second")
	stop(b)
	_, err = b.Finish(t.Context(), in, interpreter.Outcome{Call: call.Number, Kind: interpreter.Success, HTTPStatus: 200})
	require.NoError(t, err)
	require.NoError(t, b.GrantCallSlots(t.Context()))
	require.Equal(t, []string{waits}, b.StillQueued())
	goOn(b)
	require.NoError(t, b.GrantCallSlots(t.Context()))
	require.Empty(t, b.StillQueued())
}
