package kit

import (
	"fmt"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

// Run is one execution of a test.
type Run struct {
	S             *Env
	ID            string
	CorrelationID string
	Deduplicated  bool
}

// Through returns the same execution reached by another Env, that is by another process.
func (r *Run) Through(env *Env) *Run {
	return &Run{S: env, ID: r.ID, CorrelationID: r.CorrelationID, Deduplicated: r.Deduplicated}
}

// View returns what executions/get returns.
func (r *Run) View() redline.Execution {
	r.S.T.Helper()
	view, err := r.S.Workspace.Get(r.S.Ctx, r.ID)
	require.NoError(r.S.T, err, "get")
	return view
}

// Glance is View for polls and reports whether it was answered: a process that is being
// restarted does not fail the test.
func (r *Run) Glance() (redline.Execution, bool) {
	view, err := r.S.Workspace.Get(r.S.Ctx, r.ID)
	return view, err == nil
}

// Steps returns the steps of a node, oldest first.
func Steps(view redline.Execution, nodeID string) []redline.Step {
	var found []redline.Step
	for _, step := range view.Steps {
		if step.NodeID == nodeID {
			found = append(found, step)
		}
	}
	return found
}

// Step returns the only step of a node.
func (r *Run) Step(nodeID string) redline.Step {
	r.S.T.Helper()
	found := Steps(r.View(), nodeID)
	require.Len(r.S.T, found, 1, "steps of %s", nodeID)
	return found[0]
}

// Reaches waits until a step of the node has the status and returns it.
func (r *Run) Reaches(nodeID, status string) redline.Step {
	r.S.T.Helper()
	return r.stepThat(nodeID, "is "+status, func(step redline.Step) bool { return string(step.Status) == status })
}

// WaitsOrEnded waits until a step of the node waits or is over, as a short deadline may have ended
// it by the time that it is seen, and returns it.
func (r *Run) WaitsOrEnded(nodeID string) redline.Step {
	r.S.T.Helper()
	return r.stepThat(nodeID, "waits or has ended", func(step redline.Step) bool { return step.Status == "waiting" || step.CompletedAt != nil })
}

// stepThat waits for a step of the node of which something holds.
func (r *Run) stepThat(nodeID, what string, holds func(step redline.Step) bool) (step redline.Step) {
	r.S.T.Helper()
	RequireEventually(r.S.T, fmt.Sprintf("%s: %s %s", r.ID, nodeID, what), func() bool {
		view, ok := r.Glance()
		if !ok {
			return false
		}
		for _, found := range Steps(view, nodeID) {
			if step = found; holds(found) {
				return true
			}
		}
		return false
	})
	return step
}

// WaitsAt waits until a step of the node waits for people and returns it.
func (r *Run) WaitsAt(nodeID string) redline.Step {
	r.S.T.Helper()
	return r.Reaches(nodeID, "waiting")
}

// Runs waits until Temporal drives the execution.
func (r *Run) Runs() *Run {
	r.S.T.Helper()
	RequireEventually(r.S.T, r.ID+" is running", func() bool {
		view, ok := r.Glance()
		return ok && view.Status == "running"
	})
	return r
}

// Ends waits until the execution has ended, requires its status and returns it.
func (r *Run) Ends(status string) redline.Execution {
	r.S.T.Helper()
	var last redline.Execution
	ended := HoldsWithin(Patience, func() bool {
		view, ok := r.Glance()
		last = view
		return ok && Final(string(view.Status))
	})
	require.True(r.S.T, ended, "%s has not ended within %s: %+v", r.ID, Patience, last)
	require.Equal(r.S.T, status, string(last.Status), "how %s ended: %+v", r.ID, last.FailureReason)
	return last
}

// Final reports whether an execution with the status has ended.
func Final(status string) bool {
	return status == "completed" || status == "failed" || status == "cancelled"
}

// Decide requires that a decision at the only step of a node is recorded, and returns the answer.
func (r *Run) Decide(nodeID, reviewer, decision string, reason ...string) redline.DecideResult {
	r.S.T.Helper()
	answer, err := r.S.Workspace.Decide(r.S.Ctx, r.Decision(r.Step(nodeID).StepID, reviewer, decision, reason...))
	require.NoError(r.S.T, err, "decision")
	return answer
}

// Decision returns the data of a request that records a decision.
func (r *Run) Decision(stepID, reviewer, decision string, reason ...string) redline.DecideStepRequest {
	data := redline.DecideStepRequest{ExecutionID: r.ID, StepID: stepID, ReviewerID: reviewer, Decision: redline.DecideStepRequestDecision(decision)}
	if len(reason) > 0 {
		data.Reason = client.Given(reason[0])
	}
	return data
}

// Cancel asks for the end and reports whether it is cancelled now.
func (r *Run) Cancel() bool {
	r.S.T.Helper()
	var answer redline.CancelResult
	r.S.Call(client.CancelExecution, map[string]any{"executionId": r.ID}, &answer)
	require.Equal(r.S.T, r.ID, answer.ExecutionID)
	return answer.Cancelled
}

// Events returns the external events so far, of the types if any are given.
func (r *Run) Events(types ...string) []redline.Event {
	r.S.T.Helper()
	all, err := r.S.Workspace.AllEvents(r.S.Ctx, r.ID, false)
	require.NoError(r.S.T, err, "getEvents")
	return OfType(all, types...)
}

// OfType returns the events of the types, all if none is given.
func OfType(events []redline.Event, types ...string) []redline.Event {
	if len(types) == 0 {
		return events
	}
	var found []redline.Event
	for _, event := range events {
		for _, wanted := range types {
			if event.Type == wanted {
				found = append(found, event)
			}
		}
	}
	return found
}
