package output

import (
	"encoding/json"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/shape"
)

// mock is what the agent that only approves leaves behind: the keys that every agent
// leaves, of which nothing ran, looked at a page or took time.
type mock struct {
	AgentID              string  `json:"agentId"`
	Synthetic            bool    `json:"synthetic"`
	AgentExecutionID     *string `json:"agentExecutionId"`
	AgentExecutionStatus string  `json:"agentExecutionStatus"`
	Resolution           string  `json:"resolution"`
	ResolvedURL          *string `json:"resolvedUrl"`
	AgentDurationMs      int64   `json:"agentDurationMs"`
	Decision             string  `json:"decision"`
	Approved             bool    `json:"approved"`
}

// Mock is the output of the agent that only approves.
func Mock(status, resolution string) json.RawMessage {
	return shape.Encode(mock{
		AgentID: definition.MockAgent, Synthetic: true, AgentExecutionStatus: status,
		Resolution: resolution, Decision: string(definition.Approve), Approved: true,
	})
}

// Agent is what the service itself says in the output of an agent's step; what is not
// known before its end is absent until then.
type Agent struct {
	AgentID              string  `json:"agentId"`
	AgentExecutionID     *string `json:"agentExecutionId"`
	AgentExecutionStatus string  `json:"agentExecutionStatus"`
	Resolution           string  `json:"resolution,omitempty"`
	ResolvedURL          *string `json:"resolvedUrl"`
	AgentDurationMs      *int64  `json:"agentDurationMs,omitempty"`
	Decision             string  `json:"decision,omitempty"`
	Approved             *bool   `json:"approved,omitempty"`
	RejectedBy           string  `json:"rejectedBy,omitempty"`
	RejectorMandatory    bool    `json:"rejectorMandatory,omitempty"`
	RejectionReason      string  `json:"rejectionReason,omitempty"`
}

// agentKeys are the keys of an agent's output that only the service writes.
var agentKeys = []string{
	"agentId", "agentExecutionId", "agentExecutionStatus", "resolution", "resolvedUrl", "agentDurationMs", "decision", "approved",
	"rejectedBy", "rejectorMandatory", "rejectionReason",
}

// agentStatus is the key that says how the agent's run stands.
const agentStatus = "agentExecutionStatus"

// AgentEnded is the output of an agent's step that has ended: where it still says the first
// status it says the second one from now on.
func AgentEnded(written json.RawMessage, from, to string) json.RawMessage {
	if shape.Text(written, agentStatus) != from {
		return written
	}
	keys := Members(written)
	keys[agentStatus] = shape.Encode(to)
	return Joined(keys)
}

// Encode writes the output with what the agent sent, a JSON object or nil, which never
// replaces what the service says.
func (a Agent) Encode(sent json.RawMessage) json.RawMessage {
	return beside(shape.Encode(a), sent, agentKeys)
}
