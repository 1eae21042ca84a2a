package interpreter

import (
	"cmp"
	"encoding/json"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/interpreter/event"
	"github.com/redline-svc/redline/internal/interpreter/output"
	"github.com/redline-svc/redline/internal/shape"
)

// Callback is what the receiver of an asynchronous webhook step says of its work. Code and
// Message are those of a failure, empty where the receiver gave none; Output is a JSON
// object or nil.
type Callback struct {
	Failed  bool            `json:"failed,omitempty"`
	Code    string          `json:"code,omitempty"`
	Message string          `json:"message,omitempty"`
	Output  json.RawMessage `json:"output,omitempty"`
}

// codeCallback is the code of a failure that names none.
const codeCallback = "callback-failed"

// AnswersLater reports whether who is called for a step may answer after the call.
func (w *Interpreter) AnswersLater(stepID string) bool {
	s := w.step(stepID)
	if s == nil || w.graph == nil {
		return false
	}
	node := w.graph.Node(s.NodeID)
	return node.Agent != nil || later(node)
}

func later(node *definition.Node) bool { return node.Webhook != nil && node.Webhook.Mode == "async" }

// Complete records a callback. One that comes while the call is under way is kept until
// the call has ended. It reports false when the step has ended or one was recorded before:
// then nothing changes. Errors: UNAUTHENTICATED for a step of another kind.
func (w *Interpreter) Complete(stepID string, c Callback) (bool, *fault.Error) {
	s := w.step(stepID)
	if s == nil || s.NodeType != string(definition.WebhookNode) {
		return false, fault.Unauthenticated()
	}
	if w.state.Status.Final() || !s.Status.Live() || s.Callback != nil {
		return false, nil
	}
	s.Callback, s.changed, w.touched = &c, true, true
	if s.Status == StepWaiting {
		w.emit("step.resumed", s, nil)
		w.called(s)
		w.settle()
	}
	return true, nil
}

// noAnswer is the output of a call that the receiver took without saying so.
var noAnswer = json.RawMessage(`{}`)

// refineWebhook makes a failure of a call that was called back one that the receiver
// took, and a reply without a body a failure where the node requires one.
func refineWebhook(s *Step, node *definition.Node, o *Outcome) {
	switch {
	case !later(node):
		refuseEmpty(node, o)
	case s.Callback != nil && o.Kind != Success:
		*o = Outcome{Call: o.Call, Kind: Success, Output: noAnswer}
	}
}

// spareWebhook takes the step as called where its callback came although the call was cut
// off.
func spareWebhook(w *Interpreter, s *Step, _ *definition.Node) bool {
	if s.Callback == nil {
		return false
	}
	s.Output = noAnswer // nor does an answer to an earlier try say how it was taken
	w.called(s)
	return true
}

// park lets a step wait for its callback, or ends it where that has come.
func (w *Interpreter) park(s *Step) {
	s.LockedUntil, s.NextTryAt, s.QueuedAt, s.changed = 0, 0, 0, true
	if s.Callback != nil {
		w.called(s)
		return
	}
	s.Status = StepWaiting
	w.emit("step.awaiting-approval", s, event.AwaitingCallback{CallbackExpected: true})
}

// called ends a step by its callback.
func (w *Interpreter) called(s *Step) {
	var reply struct {
		HTTPStatus int `json:"httpStatus"`
	}
	_ = json.Unmarshal(s.Output, &reply) // empty before the receiver has answered
	c, result := *s.Callback, output.Callback{HTTPStatus: reply.HTTPStatus}
	s.Callback.Output = nil // the output of the step has it
	if c.Failed {
		s.Output = result.Encode(c.Output)
		s.ErrorCode, s.ErrorMessage = cmp.Or(c.Code, codeCallback), c.Message
		o := Outcome{Code: s.ErrorCode, Message: c.Message, HTTPStatus: reply.HTTPStatus}
		w.end(s, StepFailed, ByCallback, "step.failed", webhookFailed(o, "permanent"))
		return
	}
	switch s.Decision = shape.Text(c.Output, "decision"); s.Decision {
	case ApproveWord:
	case RejectWord:
		s.rejection = &rejection{by: s.NodeID, mandatory: true}
		result.RejectedBy, result.RejectorMandatory = s.NodeID, true
	default:
		s.Decision = ""
	}
	result.Decision = s.Decision
	s.Output = result.Encode(c.Output)
	w.end(s, StepCompleted, ByCallback, "step.completed", webhookCompleted(reply.HTTPStatus, s.Decision))
}
