package tests

import (
	"fmt"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

// run is one execution of a story.
type run struct {
	s             *scene
	id            string
	correlationID string
	deduplicated  bool
}

// through is the same execution reached by another scene, that is process.
func (r *run) through(s *scene) *run {
	return &run{s: s, id: r.id, correlationID: r.correlationID, deduplicated: r.deduplicated}
}

// view is executions/get.
func (r *run) view() client.Execution {
	r.s.t.Helper()
	view, err := r.s.workspace.Get(r.s.ctx, r.id)
	require.NoError(r.s.t, err, "get")
	return view
}

// glance is view for polls: a process that is being restarted is no failure.
func (r *run) glance() (client.Execution, bool) {
	view, err := r.s.workspace.Get(r.s.ctx, r.id)
	return view, err == nil
}

// steps are those of a node, oldest first.
func steps(view client.Execution, nodeID string) []client.Step {
	var found []client.Step
	for _, step := range view.Steps {
		if step.NodeID == nodeID {
			found = append(found, step)
		}
	}
	return found
}

// step is the only step of a node.
func (r *run) step(nodeID string) client.Step {
	r.s.t.Helper()
	found := steps(r.view(), nodeID)
	require.Len(r.s.t, found, 1, "steps of %s", nodeID)
	return found[0]
}

// waitsAt waits until the node's step has the status and returns it.
func (r *run) reaches(nodeID, status string) client.Step {
	r.s.t.Helper()
	var step client.Step
	eventually(r.s.t, fmt.Sprintf("%s: %s is %s", r.id, nodeID, status), func() bool {
		view, ok := r.glance()
		if !ok {
			return false
		}
		for _, found := range steps(view, nodeID) {
			if step = found; found.Status == status {
				return true
			}
		}
		return false
	})
	return step
}

// waitsAt is reaches for a person's turn.
func (r *run) waitsAt(nodeID string) client.Step {
	r.s.t.Helper()
	return r.reaches(nodeID, "waiting")
}

// runs waits until the engine drives the execution.
func (r *run) runs() *run {
	r.s.t.Helper()
	eventually(r.s.t, r.id+" is running", func() bool {
		view, ok := r.glance()
		return ok && view.Status == "running"
	})
	return r
}

// ends waits for the final status, which must be the expected one.
func (r *run) ends(status string) client.Execution {
	r.s.t.Helper()
	var last client.Execution
	ended := holdsWithin(patience, func() bool {
		view, ok := r.glance()
		last = view
		return ok && final(view.Status)
	})
	require.True(r.s.t, ended, "%s has not ended within %s: %+v", r.id, patience, last)
	require.Equal(r.s.t, status, last.Status, "how %s ended: %+v", r.id, last.FailureReason)
	return last
}

func final(status string) bool {
	return status == "completed" || status == "failed" || status == "cancelled"
}

// decide records a decision, which has to be answered.
func (r *run) decide(nodeID, reviewer, decision string, reason ...string) client.Decided {
	r.s.t.Helper()
	answer, err := r.s.workspace.Decide(r.s.ctx, r.decision(r.step(nodeID).StepID, reviewer, decision, reason...))
	require.NoError(r.s.t, err, "decision")
	return answer
}

func (r *run) decision(stepID, reviewer, decision string, reason ...string) client.Decision {
	data := client.Decision{ExecutionID: r.id, StepID: stepID, ReviewerID: reviewer, Decision: decision}
	if len(reason) > 0 {
		data.Reason = reason[0]
	}
	return data
}

// cancel asks for the end and tells whether it is cancelled now.
func (r *run) cancel() bool {
	r.s.t.Helper()
	var answer struct {
		Cancelled   bool   `json:"cancelled"`
		ExecutionID string `json:"executionId"`
	}
	r.s.call("workflow/executions/cancel", map[string]any{"executionId": r.id}, &answer)
	require.Equal(r.s.t, r.id, answer.ExecutionID)
	return answer.Cancelled
}

// events are the external ones so far, of the given types if any are given.
func (r *run) events(types ...string) []client.Event {
	r.s.t.Helper()
	all, err := r.s.workspace.AllEvents(r.s.ctx, r.id, false)
	require.NoError(r.s.t, err, "getEvents")
	return ofType(all, types...)
}

// history are all events, internal ones too.
func (r *run) history(types ...string) []client.Event {
	r.s.t.Helper()
	all, err := r.s.workspace.AllEvents(r.s.ctx, r.id, true)
	require.NoError(r.s.t, err, "getEvents")
	return ofType(all, types...)
}

func ofType(events []client.Event, types ...string) []client.Event {
	if len(types) == 0 {
		return events
	}
	var found []client.Event
	for _, event := range events {
		for _, wanted := range types {
			if event.Type == wanted {
				found = append(found, event)
			}
		}
	}
	return found
}

// names are the types of events in their order.
func names(events []client.Event) []string {
	found := make([]string, len(events))
	for i, event := range events {
		found[i] = event.Type
	}
	return found
}
