package annotation

import (
	"encoding/json"
	"slices"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/shape"
)

// builtInAgents are the agents of the service that need no registration, with
// their names.
var builtInAgents = map[string]string{
	definition.MockAgent:    "Mock",
	"spell-check":           "Spell check",
	"grammar-check":         "Grammar check",
	"broken-links":          "Broken links",
	"pii-detection":         "PII detection",
	"profanity-filter":      "Profanity filter",
	"sensitive-data":        "Sensitive data",
	"lighthouse":            "Lighthouse",
	"accessibility-checker": "Accessibility checker",
	"og-image-checker":      "OG image checker",
	"lorem-ipsum":           "Lorem ipsum",
}

// Types of agents as read.
const (
	agentTypeBuiltIn  = "built-in"
	agentTypeExternal = "external"
)

// checkAgents refuses agents of the service that are not known.
func (a Addition) checkAgents() error {
	var unknown []string
	for i := range a.Annotations {
		for _, c := range a.Annotations[i].Comments {
			if c.Agent == nil || c.Agent.Source != AgentOfService || builtInAgents[c.Agent.ID] != "" || slices.Contains(unknown, c.Agent.ID) {
				continue
			}
			unknown = append(unknown, c.Agent.ID)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	missing := fault.MissingResource("agent", unknown[0])
	missing.Details.AgentIDs = unknown
	return missing
}

// agentBlock is an agent as stored and read: the name is that of the time of
// writing.
type agentBlock struct {
	AgentID     string          `json:"agentId,omitempty"`
	AgentName   string          `json:"agentName"`
	AgentType   string          `json:"agentType"`
	AgentSource string          `json:"agentSource"`
	ExecutionID string          `json:"executionId,omitempty"`
	URL         string          `json:"url,omitempty"`
	Reason      json.RawMessage `json:"reason"`
}

func (n *NewAgent) block() json.RawMessage {
	if n == nil {
		return nil
	}
	b := agentBlock{
		AgentID: n.ID, AgentName: n.Name, AgentType: agentTypeExternal, AgentSource: n.Source, ExecutionID: n.ExecutionID, URL: n.URL,
		Reason: n.Reason,
	}
	if n.Source == AgentOfService {
		b.AgentName, b.AgentType = builtInAgents[n.ID], agentTypeBuiltIn
	}
	text, _ := json.Marshal(b) // the reason was read as JSON
	return text
}

// findingID is reason.findingId of the agent of a root comment.
func (n *NewAgent) findingID() string {
	if n == nil {
		return ""
	}
	return shape.Text(n.Reason, "findingId")
}
