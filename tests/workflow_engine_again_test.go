package tests

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	engine "go.temporal.io/sdk/client"
)

// start starts a run of an execution by hand, under an id.
func (o *operator) start(r *run, workflowID string) (engine.WorkflowRun, error) {
	in := map[string]string{"workspaceId": r.s.workspace.ID, "executionId": r.id}
	return o.ExecuteWorkflow(o.t.Context(), engine.StartWorkflowOptions{
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
func (o *operator) plan(workflowID, runID string) (plan shownPlan, known bool) {
	answer, err := o.QueryWorkflow(o.t.Context(), workflowID, runID, "state")
	return plan, err == nil && answer.Get(&plan) == nil
}

// leavesACallAlone waits until a run knows that the call of its only live step is
// under way elsewhere, and has begun none.
func (o *operator) leavesACallAlone(workflowID, runID string) {
	o.t.Helper()
	eventually(o.t, "the new run has seen that the call is held", func() bool {
		plan, known := o.plan(workflowID, runID)
		return known && len(plan.Live) == 1 && plan.Live[0].StartIn != nil && *plan.Live[0].StartIn > 1000 && len(plan.UnderWay) == 0
	})
}

// A run is terminated while a call of its execution is under way, and another one is
// started: by an operator, under the same id, or by the sweep that resync asks for. The
// call goes on in its process; the new run makes no other beside it and goes on from
// its outcome, which is the only one.
func TestEngine_TerminatedDuringACallAndStartedAgain(t *testing.T) {
	byHand := func(h *stuck, o *operator, workflowID, _ string) (runID string) {
		started, err := o.start(h.r, workflowID)
		require.NoError(h.t, err)
		return started.GetRunID()
	}
	byResync := func(h *stuck, o *operator, _, ended string) (runID string) {
		_, err := h.Run(h.t.Context(), "admin", "engine", "resync")
		require.NoError(h.t, err)
		return o.find(h.r, "another run", func(info *workflowpb.WorkflowExecutionInfo) bool {
			return isOpen(info) && info.GetExecution().GetRunId() != ended
		}).GetExecution().GetRunId()
	}
	for how, startAgain := range map[string]func(h *stuck, o *operator, workflowID, ended string) string{"ByHand": byHand, "ByResync": byResync} {
		t.Run(how, func(t *testing.T) { terminatedDuringACall(t, startAgain) })
	}
}

func terminatedDuringACall(t *testing.T, startAgain func(h *stuck, o *operator, workflowID, ended string) string) {
	h := serving(t)
	o := atTheEngine(t, h.Namespace)
	h.gate = h.s.receiver().Hold("/before")
	h.r = h.s.dispatch(h.s.pipelineWithin(time.Minute))
	reached(t, "the call", h.gate.Reached())
	of := o.open(h.r)
	require.NoError(t, o.TerminateWorkflow(t.Context(), of.GetWorkflowId(), of.GetRunId(), "a story"))
	o.closes(h.r, enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED)

	again := startAgain(h, o, of.GetWorkflowId(), of.GetRunId())
	o.leavesACallAlone(of.GetWorkflowId(), again)
	h.s.once("/before", 1)
	h.gate.Release()
	h.r.waitsAt("review")
	require.Len(t, h.r.history("step.completed"), 1, "one outcome of the call")
	require.Empty(t, h.r.history("step.retried"))
	h.r.decide("review", "ann", "approve")
	h.r.ends("completed")
	require.NoError(t, o.GetWorkflow(t.Context(), of.GetWorkflowId(), again).Get(t.Context(), nil), "the run that was started closes")
	h.s.once("/before", 1)
	h.s.once("/after", 1)
	h.atRest()
}

// A call whose worker dies together with its run begins again when its hold ends,
// and not when somebody starts the run.
func TestEngine_TerminatedWithTheWorkerOfACallAndStartedByHand(t *testing.T) {
	h := calling(t)
	o := atTheEngine(t, h.Namespace)
	h.process.Kill()
	of := o.open(h.r)
	require.NoError(t, o.TerminateWorkflow(t.Context(), of.GetWorkflowId(), of.GetRunId(), "a story"))
	again, err := o.start(h.r, of.GetWorkflowId())
	require.NoError(t, err)
	h.gate.Release()
	h.again(h.process)
	o.leavesACallAlone(of.GetWorkflowId(), again.GetRunID())
	h.s.once("/before", 1)
	h.r.waitsAt("review")
	calls := h.s.once("/before", 2)
	require.Equal(t, []string{"0", "1"}, []string{calls[0].Header.Get("x-svc-attempt"), calls[1].Header.Get("x-svc-attempt")})
	require.Len(t, h.r.history("step.completed"), 1)
	h.r.decide("review", "ann", "approve")
	h.r.ends("completed")
	require.NoError(t, again.Get(t.Context(), nil), "the run that was started closes")
	h.s.once("/after", 1)
	h.atRest()
}
