package interpreter

import (
	"encoding/json"
	"fmt"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/interpreter/event"
	"github.com/redline-svc/redline/internal/interpreter/output"
)

// create makes the step of a node once per iteration and attempt, and starts it
// unless the execution is pending, paused or about to fail. A node that has its step
// already absorbs the edge, be it of an earlier attempt, and so does a member of a group
// that is over. It returns the step, or nil when there is no new one.
func (w *Interpreter) create(node *definition.Node, input json.RawMessage) *Step {
	if w.latest(node.ID, w.iteration(node.ID)) != nil || w.state.Status.Final() {
		return nil
	}
	if g := w.graph.Group(node.GroupID); g != nil && w.closed(g) {
		return nil
	}
	if len(w.state.Steps) >= MaxSteps {
		w.fail(stepLimit, fmt.Sprintf("the execution would need more than %d steps", MaxSteps))
		return nil
	}
	return w.add(node, input)
}

// add makes the step of a node in this attempt.
func (w *Interpreter) add(node *definition.Node, input json.RawMessage) *Step {
	at := stepKey{node.ID, w.iteration(node.ID), w.state.Attempt}
	s := &Step{
		ID: StepID(w.state.ExecutionID, node.ID, at.iteration, w.state.Attempt), NodeID: node.ID,
		NodeType: string(node.Type), NodeName: node.Label(), GroupID: node.GroupID, LoopID: w.graph.LoopIDAround(node.ID), Iteration: at.iteration, Attempt: w.state.Attempt,
		Ordinal: len(w.state.Steps) + 1, Status: StepPending, Input: input, CreatedAt: w.now, isNew: true,
		Reviewers: w.reviewersOf(node),
	}
	w.state.Steps = append(w.state.Steps, s)
	w.started[at] = s
	w.emit("step.scheduled", s, nil)
	if w.state.Status == Running && w.state.PausedAt == 0 && !w.over() {
		w.start(s, node)
	}
	return s
}

// start begins the work of a step, as its type of node does, and its deadline.
func (w *Interpreter) start(s *Step, node *definition.Node) {
	s.changed, s.StartedAt = true, w.now
	if node.SLAMs > 0 {
		s.DueAt = w.now + node.SLAMs
	}
	kindOf(node.Type).start(w, s, node)
}

// end ends a step, emits its event, and follows its edges.
func (w *Interpreter) end(s *Step, status StepStatus, by Ended, kind string, data any) {
	w.close(s, status, by)
	w.emit(kind, s, data)
	w.follow(s)
}

// close marks the end of a step; nothing of it is driven any more.
func (w *Interpreter) close(s *Step, status StepStatus, by Ended) {
	s.Status, s.EndedBy, s.CompletedAt, s.changed = status, by, w.now, true
	s.LockedUntil, s.NextTryAt, s.QueuedAt = 0, 0, 0
	if s.Agent != nil {
		s.Output = output.AgentEnded(s.Output, string(Running), string(status))
	}
}

// cancelLive ends every live step for a reason of the service's own.
func (w *Interpreter) cancelLive(actor, reason string) {
	for _, s := range w.state.Steps {
		w.cancelStep(s, actor, reason)
	}
}

// cancelStep ends a step for a reason of the service's own, if it lives.
func (w *Interpreter) cancelStep(s *Step, actor, reason string) {
	by := BySystem
	if actor == failureActor {
		by = ByFailure
	}
	if s.Status.Live() {
		w.close(s, StepCancelled, by)
		w.emit("step.cancelled", s, event.Cancelled{ActorID: actor, Reason: reason})
	}
}
