package workflow

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	engine "go.temporal.io/sdk/client"

	"github.com/redline-svc/redline/tests/kit"
)

// start starts a run of an execution by hand, under an id.
func start(o *kit.TemporalClient, r *kit.Run, workflowID string) (engine.WorkflowRun, error) {
	in := map[string]string{"workspaceId": r.S.Workspace.ID, "executionId": r.ID}
	return o.ExecuteWorkflow(o.T.Context(), engine.StartWorkflowOptions{
		ID: workflowID, TaskQueue: "redline-executions", WorkflowExecutionErrorWhenAlreadyStarted: true,
	}, "Execution", in)
}

// shownPlan is what the query state of a run shows.
type shownPlan struct {
	Live []struct {
		StartIn *int64 `json:"startIn"`
	} `json:"live"`
	UnderWay []string `json:"underWay"`
}

// plan asks a run what it drives.
func plan(o *kit.TemporalClient, workflowID, runID string) (plan shownPlan, known bool) {
	answer, err := o.QueryWorkflow(o.T.Context(), workflowID, runID, "state")
	return plan, err == nil && answer.Get(&plan) == nil
}

// leavesACallAlone waits until a run knows that the call of its only live step is
// under way elsewhere, and has begun none.
func leavesACallAlone(o *kit.TemporalClient, workflowID, runID string) {
	o.T.Helper()
	kit.RequireEventually(o.T, "the new run has seen that the call is held", func() bool {
		plan, known := plan(o, workflowID, runID)
		return known && len(plan.Live) == 1 && plan.Live[0].StartIn != nil && *plan.Live[0].StartIn > 1000 && len(plan.UnderWay) == 0
	})
}

// A run is terminated while a call of its execution is under way, and another one is
// started: by an operator, under the same id, or by what resync queues. The
// call goes on in its process; the new run makes no other beside it and goes on from
// its outcome, which is the only one.
func TestTemporal_TerminatedDuringACallAndStartedAgain(t *testing.T) {
	byHand := func(h *stuck, o *kit.TemporalClient, workflowID, _ string) (runID string) {
		started, err := start(o, h.r, workflowID)
		require.NoError(h.T, err)
		return started.GetRunID()
	}
	byResync := func(h *stuck, o *kit.TemporalClient, _, ended string) (runID string) {
		_, err := h.Run(h.T.Context(), "admin", "temporal", "resync")
		require.NoError(h.T, err)
		return o.Find(h.r, "another run", func(info *workflowpb.WorkflowExecutionInfo) bool {
			return isOpen(info) && info.GetExecution().GetRunId() != ended
		}).GetExecution().GetRunId()
	}
	for how, startAgain := range map[string]func(h *stuck, o *kit.TemporalClient, workflowID, ended string) string{"ByHand": byHand, "ByResync": byResync} {
		t.Run(how, func(t *testing.T) { terminatedDuringACall(t, startAgain) })
	}
}

func terminatedDuringACall(t *testing.T, startAgain func(h *stuck, o *kit.TemporalClient, workflowID, ended string) string) {
	h := serving(t)
	o := kit.TemporalClientFor(t, h.Namespace)
	h.gate = h.s.Receiver().Hold("/before")
	h.r = kit.Dispatch(h.s, kit.PipelineWithin(h.s, time.Minute))
	kit.RequireReached(t, "the call", h.gate.Reached())
	of := open(o, h.r)
	require.NoError(t, o.TerminateWorkflow(t.Context(), of.GetWorkflowId(), of.GetRunId(), "a test"))
	o.Closes(h.r, enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED)

	again := startAgain(h, o, of.GetWorkflowId(), of.GetRunId())
	leavesACallAlone(o, of.GetWorkflowId(), again)
	kit.CalledOnce(h.s, "/before", 1)
	h.gate.Release()
	h.r.WaitsAt("review")
	require.Len(t, history(h.r, "step.completed"), 1, "one outcome of the call")
	require.Empty(t, history(h.r, "step.retried"))
	h.r.Decide("review", "ann", "approve")
	h.r.Ends("completed")
	require.NoError(t, o.GetWorkflow(t.Context(), of.GetWorkflowId(), again).Get(t.Context(), nil), "the run that was started closes")
	kit.CalledOnce(h.s, "/before", 1)
	kit.CalledOnce(h.s, "/after", 1)
	h.AtRest()
}

// A call whose worker dies together with its run begins again when its hold ends,
// and not when somebody starts the run.
func TestTemporal_TerminatedWithTheWorkerOfACallAndStartedByHand(t *testing.T) {
	h := calling(t)
	o := kit.TemporalClientFor(t, h.Namespace)
	h.process.Kill()
	of := open(o, h.r)
	require.NoError(t, o.TerminateWorkflow(t.Context(), of.GetWorkflowId(), of.GetRunId(), "a test"))
	again, err := start(o, h.r, of.GetWorkflowId())
	require.NoError(t, err)
	h.gate.Release()
	h.Restart(h.process)
	leavesACallAlone(o, of.GetWorkflowId(), again.GetRunID())
	kit.CalledOnce(h.s, "/before", 1)
	h.r.WaitsAt("review")
	calls := kit.CalledOnce(h.s, "/before", 2)
	require.Equal(t, []string{"0", "1"}, []string{calls[0].Header.Get("x-svc-attempt"), calls[1].Header.Get("x-svc-attempt")})
	require.Len(t, history(h.r, "step.completed"), 1)
	h.r.Decide("review", "ann", "approve")
	h.r.Ends("completed")
	require.NoError(t, again.Get(t.Context(), nil), "the run that was started closes")
	kit.CalledOnce(h.s, "/after", 1)
	h.AtRest()
}
