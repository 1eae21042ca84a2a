package walk

import (
	"time"

	"github.com/redline-svc/redline/internal/definition"
)

// startCall makes the call of a step due now.
func startCall(w *Walk, s *Step, _ *definition.Node) {
	s.Status, s.NextTryAt = StepRunning, w.now
	w.emit("step.started", s, nil)
}

func webhookLimit(node *definition.Node) time.Duration {
	return time.Duration(node.Webhook.TimeoutMs) * time.Millisecond
}

// refuseEmpty makes a reply without a body a failure where the node requires one.
func refuseEmpty(_ *Step, node *definition.Node, o *Outcome) {
	if o.Kind == Success && o.Empty && node.RequireNonEmptyOutput {
		o.Kind, o.Code, o.Message = Permanent, "webhook-node-empty-response", "the reply has no body and this node requires one"
	}
}

// webhookFailed tells of the last answer, if there was one.
func webhookFailed(o Outcome, class string) any {
	data := webhookFailedData{Error: reasonData{o.Code, o.Message}, LatencyMs: o.LatencyMs, RetryClass: class}
	if o.HTTPStatus != 0 {
		data.HTTPStatus = &o.HTTPStatus
	}
	return data
}

// webhookAnswered ends a step whose receiver took the call.
func webhookAnswered(w *Walk, s *Step, _ *definition.Node, o Outcome) {
	s.Decision = o.Decision
	if o.Decision == RejectWord {
		s.rejection = &rejection{by: s.NodeID, mandatory: true}
	}
	w.end(s, StepCompleted, ByCall, "step.completed", webhookCompletedData{o.HTTPStatus, o.Decision})
}
