package interpreter

import (
	"time"

	"github.com/redline-svc/redline/internal/definition"
)

// kind is what the interpreter has to know of a type of node. A type that makes no call has
// only start and byHand.
type kind struct {
	// start begins the work of a step.
	start func(w *Interpreter, s *Step, n *definition.Node)
	// callLimit is how long one call may take.
	callLimit func(n *definition.Node) time.Duration
	// refine may turn an outcome into another one before it is recorded; nil for none.
	refine func(s *Step, n *definition.Node, o *Outcome)
	// spare goes on without the call where it is not needed any more; nil for never.
	spare func(w *Interpreter, s *Step, n *definition.Node) bool
	// succeed says what follows when a call succeeded.
	succeed func(w *Interpreter, s *Step, n *definition.Node, o Outcome)
	// failed is the data of step.failed after the last call; class is transient or permanent.
	failed func(o Outcome, class string) any
	// byHand adds to the data of the event of a step that an operator ends; got is what its
	// output tells so far.
	byHand func(data map[string]any, s *Step, n *definition.Node, got answered, failed bool)
}

// kindOf is the table of the types of nodes.
func kindOf(t definition.NodeType) kind {
	switch t {
	case definition.HumanNode:
		return kind{start: startPeople, byHand: forcedPeople}
	case definition.AgentNode:
		return kind{start: startAgent, callLimit: agentLimit, refine: takeKept, spare: spareAgent, succeed: agentAnswered, failed: agentFailed, byHand: forcedAgent}
	case definition.NotificationNode:
		return kind{start: startCall, callLimit: notificationLimit, refine: nameChannel, succeed: notificationSent, failed: notificationFailed, byHand: forcedNotification}
	default: // definition.WebhookNode
		return kind{start: startCall, callLimit: webhookLimit, refine: refineWebhook, spare: spareWebhook, succeed: webhookAnswered, failed: webhookFailed, byHand: forcedWebhook}
	}
}
