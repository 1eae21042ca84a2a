package interpreter

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/interpreter/event"
	"github.com/redline-svc/redline/internal/interpreter/resolution"
)

// Ask is Temporal's question for the plan. The first one makes a pending
// execution run: its steps start in the order in which they were created. Deadlines
// that have passed take effect.
func (w *Interpreter) Ask() {
	if w.state.Status.Final() || w.state.Halted() {
		return
	}
	if w.state.Status == Pending {
		w.state.Status, w.touched = Running, true
		w.startPending()
	}
	w.endAgentsInTime()
	w.breachOverdue()
	w.settle()
}

// Cancel ends the execution for a caller or for somebody at Temporal. It
// reports whether the execution is cancelled now or was before.
func (w *Interpreter) Cancel(actor, reason string) bool {
	if w.state.Status.Final() {
		return w.state.Status == Cancelled
	}
	w.cancelLive("system:execution-cancelled", "execution-cancelled")
	w.cancelled(event.By{ActorID: actor, Reason: reason})
	return true
}

// LockMargin is added to a call's own limit: while that time lasts no other
// activity begins the same call.
const LockMargin = 10 * time.Second

// Begin numbers a call and holds its step for limit and LockMargin. It returns
// the number, counted from 0, and false when the call must not begin now: the
// step has ended, another call holds it, its next try is later, the execution
// is paused or stopped. Without a free slot the call is put into the queue instead.
func (w *Interpreter) Begin(stepID string, limit time.Duration, freeSlot bool) (int, bool) {
	s := w.calling(stepID)
	if s == nil || w.state.Halted() || s.LockedUntil > w.now || s.NextTryAt > w.now || s.QueuedAt != 0 {
		return 0, false
	}
	s.changed, w.touched = true, true
	node := w.graph.Node(s.NodeID)
	if spare := kindOf(node.Type).spare; spare != nil && spare(w, s, node) {
		w.settle()
		return 0, false
	}
	if !freeSlot {
		s.QueuedAt = w.now
		return 0, false
	}
	s.Calls++
	s.LockedUntil = w.now + (limit + LockMargin).Milliseconds()
	return s.Calls - 1, true
}

// CallLimit is how long one call of a step may take, zero for a step that makes
// none or has ended.
func (w *Interpreter) CallLimit(stepID string) time.Duration {
	s := w.calling(stepID)
	if s == nil {
		return 0
	}
	node := w.graph.Node(s.NodeID)
	if limit := kindOf(node.Type).callLimit; limit != nil {
		return limit(node)
	}
	return 0
}

// Unqueue grants a waiting call its slot.
func (w *Interpreter) Unqueue(stepID string) {
	if s := w.step(stepID); s != nil && s.QueuedAt != 0 {
		s.QueuedAt, s.changed = 0, true
	}
}

// OutcomeKind says what a call led to.
type OutcomeKind string

// Success ends a step as completed, Transient is tried again, Permanent fails.
const (
	Success   OutcomeKind = "success"
	Transient OutcomeKind = "transient"
	Permanent OutcomeKind = "permanent"
)

// Outcome is how one call ended. Call is its number from Begin; HTTPStatus is 0
// when no answer came; Output is a JSON object or nil.
type Outcome struct {
	Call         int
	Kind         OutcomeKind
	Code         string
	Message      string
	HTTPStatus   int
	LatencyMs    int64
	RetryAfterMs int64
	Output       json.RawMessage
	// Decision is the reply's top-level decision, if it is one of the two words.
	Decision string
	// Empty says that the reply had no body.
	Empty bool
	// Agent is what the answer of an agent carried.
	Agent resolution.Reply
	// Channel is that of a notification, Delivered how many recipients it has reached.
	Channel   string
	Delivered int
}

// retryDelays are the waits before the automatic tries of a call, in
// milliseconds: 2, 8, 32 and 128 s. After the last one the step fails.
var retryDelays = []int64{2_000, 8_000, 32_000, 128_000}

// maxRetryAfter is how much of a receiver's retry-after counts: 300 s.
const maxRetryAfter = 300_000

// Finish records the outcome of a call. One for a step that has ended is
// dropped whole; a success counts from any call, a failure only from the
// newest.
func (w *Interpreter) Finish(stepID string, o Outcome) {
	s := w.calling(stepID)
	if s == nil {
		return
	}
	node := w.graph.Node(s.NodeID)
	if refine := kindOf(node.Type).refine; refine != nil {
		refine(s, node, &o)
	}
	if o.Kind != Success && (o.Call != s.Calls-1 || s.LockedUntil == 0) {
		return // without a hold the failure of this call is recorded already
	}
	s.keepOutput(o.Output)
	switch {
	case o.Kind == Success:
		kindOf(node.Type).succeed(w, s, node, o)
	case o.Kind == Transient && s.Retries < len(retryDelays):
		w.retryLater(s, o)
	default:
		w.failStep(s, o)
	}
	w.settle()
}

// keepOutput takes what a call gave; a step that was called has some output.
func (s *Step) keepOutput(output json.RawMessage) {
	if output != nil {
		s.Output = output
	} else if s.Output == nil {
		s.Output = json.RawMessage(`{}`)
	}
}

func (w *Interpreter) retryLater(s *Step, o Outcome) {
	wait := max(retryDelays[s.Retries], min(o.RetryAfterMs, maxRetryAfter))
	s.Retries++
	s.LockedUntil, s.NextTryAt, s.changed = 0, w.clock()+wait, true
	w.emit("step.retried", s, event.Retried{Error: event.Reason{Code: o.Code, Message: o.Message}, RetryCount: s.Retries, NextTryAt: w.now + wait})
}

func (w *Interpreter) failStep(s *Step, o Outcome) {
	class := "permanent"
	if o.Kind == Transient {
		class = "transient"
		o.Message = fmt.Sprintf("%s (after %d tries)", o.Message, s.Retries+1)
	}
	s.ErrorCode, s.ErrorMessage = o.Code, o.Message
	w.end(s, StepFailed, ByCall, "step.failed", kindOf(definition.NodeType(s.NodeType)).failed(o, class))
}

// calling is the step if Temporal has to make its call, else nil. Calls are asked
// about long after their step has ended: a worker that died had recorded the end
// and not reported it. The execution may have ended with it, and of one that ended
// there is no graph.
func (w *Interpreter) calling(id string) *Step {
	s := w.step(id)
	if s == nil || !s.Calling() || w.state.Status.Final() {
		return nil
	}
	return s
}

func (w *Interpreter) step(id string) *Step { return w.state.Step(id) }
