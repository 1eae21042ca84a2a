package interpreter

import (
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/interpreter/event"
)

// Pause keeps anything of the execution from starting until Resume. People, agents
// and receivers are still listened to, and a call under way ends. A repetition
// changes nothing. Errors: FAILED_PRECONDITION for one that has ended.
func (w *Interpreter) Pause(actor, reason string) *fault.Error {
	if err := w.open(); err != nil || w.state.PausedAt != 0 {
		return err
	}
	w.state.PausedAt, w.touched = w.now, true
	for _, s := range w.state.Steps {
		if s.QueuedAt != 0 { // the slot goes to a call that may begin
			s.QueuedAt, s.changed = 0, true
		}
	}
	w.emit("execution.paused", nil, event.By{ActorID: actor, Reason: reason})
	return nil
}

// Resume lets a paused execution go on: what became due meanwhile starts, in the
// order of its creation, and every deadline and next try is as far away as it was.
// One that is pending starts when its run asks. A repetition changes nothing. Errors:
// FAILED_PRECONDITION for one that has ended.
func (w *Interpreter) Resume(actor, reason string) *fault.Error {
	if err := w.open(); err != nil || w.state.PausedAt == 0 {
		return err
	}
	stopped := w.now - w.state.PausedAt
	w.state.PausedAt, w.touched = 0, true
	w.emit("execution.resumed", nil, event.By{ActorID: actor, Reason: reason})
	for _, s := range w.state.Steps {
		if s.Status.Live() {
			s.postpone(stopped)
		}
	}
	if w.state.Status == Running {
		w.startPending()
	}
	w.settle()
	return nil
}

// open refuses an execution that has ended.
func (w *Interpreter) open() *fault.Error {
	if w.state.Status.Final() {
		return fault.FailedPrecondition("execution-ended", "the execution is "+string(w.state.Status))
	}
	return nil
}

// clock is the time by which deadlines and next tries are set: it stands still
// while the execution is paused, so Resume may move all of them by the same time.
func (w *Interpreter) clock() int64 {
	if w.state.PausedAt != 0 {
		return w.state.PausedAt
	}
	return w.now
}

// postpone moves the moments at which something happens by itself.
func (s *Step) postpone(by int64) {
	for _, at := range []*int64{&s.DueAt, &s.TimeoutAt, &s.NextTryAt} {
		if *at != 0 {
			*at += by
			s.changed = true
		}
	}
}

// startPending starts the steps that could not start when they were made.
func (w *Interpreter) startPending() {
	for _, s := range append([]*Step(nil), w.state.Steps...) {
		if s.Status == StepPending && !w.over() {
			w.start(s, w.graph.Node(s.NodeID))
		}
	}
}
