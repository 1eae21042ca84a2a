package change

import (
	"cmp"
	"encoding/json"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/shape"
)

// Sources of agents: known to the service, or somebody else's.
const (
	AgentOfService = "svc"
	AgentExternal  = "external"
)

// Agent marks a comment as an agent's. Reason is the caller's object.
type Agent struct {
	Source, ID, Name, ExecutionID, URL string
	Reason                             json.RawMessage

	// Kind is the type as read; for an agent of the service it is found with its name.
	kind string
}

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
	agentTypeCustom   = "custom"
	agentTypeExternal = "external"
)

// AgentTypes are the types of the agents of a source; of all where none is named.
func AgentTypes(source string) []string {
	switch source {
	case AgentOfService:
		return []string{agentTypeBuiltIn, agentTypeCustom}
	case AgentExternal:
		return []string{agentTypeExternal}
	default:
		return []string{agentTypeBuiltIn, agentTypeCustom, agentTypeExternal}
	}
}

// Find gives an agent of the service its name and type; false where it is not known.
func (n *Agent) Find(registered map[string]string) bool {
	if name, known := registered[n.ID]; known {
		n.Name, n.kind = name, agentTypeCustom
		return true
	}
	n.Name, n.kind = builtInAgents[n.ID], agentTypeBuiltIn
	return n.Name != ""
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

// Block is the agent as it is stored; nothing for a person.
func (n *Agent) Block() json.RawMessage {
	if n == nil {
		return nil
	}
	b := agentBlock{
		AgentID: n.ID, AgentName: n.Name, AgentType: cmp.Or(n.kind, agentTypeExternal), AgentSource: n.Source, ExecutionID: n.ExecutionID, URL: n.URL,
		Reason: n.Reason,
	}
	text, _ := json.Marshal(b) // the reason was read as JSON
	return text
}

// FindingID is reason.findingId of the agent of a root comment.
func (n *Agent) FindingID() string {
	if n == nil {
		return ""
	}
	return shape.Text(n.Reason, "findingId")
}

// storedAgent is the agent of a stored comment, nil for a person.
func storedAgent(block json.RawMessage) *Agent {
	if block == nil {
		return nil
	}
	var b agentBlock
	_ = json.Unmarshal(block, &b) // it was written from one
	return &Agent{
		Source: b.AgentSource, ID: b.AgentID, Name: b.AgentName, ExecutionID: b.ExecutionID, URL: b.URL, Reason: b.Reason, kind: b.AgentType,
	}
}
