package interpreter

import (
	"time"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/interpreter/event"
)

// startCall makes the call of a step due now.
func startCall(w *Interpreter, s *Step, _ *definition.Node) {
	s.Status, s.NextTryAt = StepRunning, w.now
	w.emit("step.started", s, nil)
}

func webhookLimit(node *definition.Node) time.Duration {
	return time.Duration(node.Webhook.TimeoutMs) * time.Millisecond
}

// refuseEmpty makes a reply without a body a failure where the node requires one.
func refuseEmpty(node *definition.Node, o *Outcome) {
	if o.Kind == Success && o.Empty && node.RequireNonEmptyOutput {
		o.Kind, o.Code, o.Message = Permanent, "webhook-node-empty-response", "the reply has no body and this node requires one"
	}
}

// webhookFailed returns the last answer, if there was one.
func webhookFailed(o Outcome, class string) any {
	return event.WebhookFailed{
		Error: event.Reason{Code: o.Code, Message: o.Message}, HTTPStatus: event.StatusOrNull(o.HTTPStatus), LatencyMs: o.LatencyMs, RetryClass: class,
	}
}

// webhookCompleted returns the answer with which the receiver took the call, if there was
// one, and what was decided.
func webhookCompleted(status int, decision string) any {
	return event.WebhookCompleted{HTTPStatus: event.StatusOrNull(status), Decision: decision}
}

// webhookAnswered ends a step whose receiver took the call, or lets it wait for the
// callback.
func webhookAnswered(w *Interpreter, s *Step, n *definition.Node, o Outcome) {
	if later(n) {
		w.park(s)
		return
	}
	s.Decision = o.Decision
	if o.Decision == RejectWord {
		s.rejection = &rejection{by: s.NodeID, mandatory: true}
	}
	w.end(s, StepCompleted, ByCall, "step.completed", webhookCompleted(o.HTTPStatus, o.Decision))
}
