package walk

import (
	"encoding/json"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/walk/output"
)

// actMark is who did something to a step, and why; null where they did not say.
type actMark struct {
	ActorID string  `json:"actorId"`
	Action  Action  `json:"action,omitempty"`
	Reason  *string `json:"reason"`
}

func (o *Override) mark() *actMark { return &actMark{o.ActorID, o.Action, output.Optional(o.Reason)} }

// answered is what the output of a step tells of the answers that it got.
type answered struct {
	AgentExecutionID *string `json:"agentExecutionId"`
	HTTPStatus       *int    `json:"httpStatus"`
	Delivered        int     `json:"delivered"`
}

// overriddenData is the data of the end event of a step that ends by hand: that of its
// type of node, and who ended it.
func (w *Walk) overriddenData(s *Step, o *Override) map[string]any {
	data := map[string]any{"overridden": o.mark()}
	failed := o.Action == ForceFail
	if failed {
		data["retryClass"] = "permanent"
	} else if s.Decision != "" {
		data["decision"] = s.Decision
	}
	var got answered
	_ = json.Unmarshal(s.Output, &got)
	switch node := w.graph.Node(s.NodeID); node.Type {
	case definition.WebhookNode:
		data["httpStatus"] = got.HTTPStatus
		if failed {
			data["latencyMs"] = 0
		}
	case definition.NotificationNode:
		data["channel"] = node.Notification.Channel
		if !failed {
			data["delivered"] = got.Delivered
		}
	default:
		delete(data, "retryClass")
		if !failed {
			addWaiting(data, s, node, got)
		}
	}
	return data
}

// addWaiting adds what the end of a step tells that waited for people or for an agent.
func addWaiting(data map[string]any, s *Step, node *definition.Node, got answered) {
	switch {
	case node.Agent != nil:
		data["agentId"], data["agentExecutionId"] = node.Agent.AgentID, got.AgentExecutionID
		data["agentExecutionStatus"], data["source"] = string(Completed), "operator"
	case node.Human != nil:
		data["aggregatorStatus"], data["nodeType"] = s.aggregated(), s.NodeType
	}
}
