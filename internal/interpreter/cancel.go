package interpreter

import (
	"slices"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/interpreter/event"
	"github.com/redline-svc/redline/internal/interpreter/output"
)

// CancelStep ends a step for an operator. None of its edges fires; the other branches
// go on. When no branch is left that came to its end, the execution is cancelled with
// it. A repetition by the same actor is no error. Errors: NOT_FOUND,
// FAILED_PRECONDITION for a step that has ended otherwise.
func (w *Interpreter) CancelStep(stepID, actor, reason string) *fault.Error {
	s := w.step(stepID)
	switch {
	case s == nil:
		return fault.NotFound("step")
	case s.endedAs(cancelling, actor):
		return nil
	case !s.Status.Live():
		return fault.FailedPrecondition("step-ended", "the step is "+string(s.Status))
	}
	s.EndAction, s.EndActor = cancelling, actor
	w.operator = event.By{ActorID: actor, Reason: reason}
	w.end(s, StepCancelled, ByOperator, "step.cancelled", event.Act{ActorID: actor, Reason: output.Optional(reason)})
	w.settle()
	return nil
}

// abandoned reports whether nothing lives any more in an execution and operators ended
// every branch of it. What counts of a node is its latest attempt in an iteration.
func (w *Interpreter) abandoned() bool {
	latest := make(map[stepKey]*Step, len(w.state.Steps))
	for _, s := range w.state.Steps {
		latest[stepKey{node: s.NodeID, iteration: s.Iteration}] = s
	}
	cancelled := false
	for _, s := range latest {
		if (s.Status == StepCompleted || s.Status == StepSkipped) && !w.ledOn(s) {
			return false // the end of a branch
		}
		cancelled = cancelled || s.EndAction == cancelling
	}
	return cancelled
}

// ledOn reports whether something followed the end of a step, or of the group that took it.
func (w *Interpreter) ledOn(s *Step) bool {
	group := w.graph.Group(s.GroupID)
	if !s.Routed || group == nil || s.Iteration < w.iteration(s.NodeID) {
		return s.Routed
	}
	return slices.ContainsFunc(append(w.graph.LeadingOn(group), w.graph.From(s.NodeID)...), func(e definition.Edge) bool {
		return w.latest(e.To, w.iteration(e.To)) != nil
	})
}

// cancelled ends the execution as cancelled.
func (w *Interpreter) cancelled(by event.By) {
	w.state.Status, w.state.CancelledAt, w.state.PausedAt = Cancelled, w.now, 0
	w.emit("execution.cancelled", nil, by)
}
