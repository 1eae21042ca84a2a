package interpreter

import (
	"encoding/json"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/interpreter/event"
	"github.com/redline-svc/redline/internal/interpreter/output"
)

func (o *Override) mark() *event.Act {
	return &event.Act{ActorID: o.ActorID, Action: string(o.Action), Reason: output.Optional(o.Reason)}
}

// answered is what the output of a step tells of the answers that it got.
type answered struct {
	AgentExecutionID *string `json:"agentExecutionId"`
	HTTPStatus       *int    `json:"httpStatus"`
	Delivered        int     `json:"delivered"`
}

// overriddenData is the data of the end event of a step that ends by hand: that of its
// type of node, and who ended it.
func (w *Interpreter) overriddenData(s *Step, o *Override) map[string]any {
	data := map[string]any{"overridden": o.mark()}
	failed := o.Action == ForceFail
	if !failed && s.Decision != "" {
		data["decision"] = s.Decision
	}
	var got answered
	_ = json.Unmarshal(s.Output, &got)
	node := w.graph.Node(s.NodeID)
	kindOf(node.Type).byHand(data, s, node, got, failed)
	return data
}

// forcedPeople is what is told of people whose step ends by hand.
func forcedPeople(data map[string]any, s *Step, _ *definition.Node, _ answered, failed bool) {
	if !failed {
		data["aggregatorStatus"], data["nodeType"] = s.aggregated(), s.NodeType
	}
}

// forcedAgent is what is told of an agent whose step ends by hand.
func forcedAgent(data map[string]any, _ *Step, node *definition.Node, got answered, failed bool) {
	if !failed {
		data["agentId"], data["agentExecutionId"] = node.Agent.AgentID, got.AgentExecutionID
		data["agentExecutionStatus"], data["source"] = string(Completed), "operator"
	}
}

// forcedWebhook is what is told of a webhook whose step ends by hand.
func forcedWebhook(data map[string]any, _ *Step, _ *definition.Node, got answered, failed bool) {
	data["httpStatus"] = got.HTTPStatus
	if failed {
		data["latencyMs"], data["retryClass"] = 0, "permanent"
	}
}

// forcedNotification is what is told of a notification whose step ends by hand.
func forcedNotification(data map[string]any, _ *Step, node *definition.Node, got answered, failed bool) {
	data["channel"] = node.Notification.Channel
	if failed {
		data["retryClass"] = "permanent"
	} else {
		data["delivered"] = got.Delivered
	}
}
