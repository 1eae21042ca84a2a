package annotation

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/agent"
	"github.com/redline-svc/redline/models/internal/pg"
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

// find gives an agent of the service its name and type; false where it is not known.
func (n *Agent) find(registered map[string]string) bool {
	if name, known := registered[n.ID]; known {
		n.Name, n.kind = name, agentTypeCustom
		return true
	}
	n.Name, n.kind = agent.BuiltIn[n.ID], agentTypeBuiltIn
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

// block is the agent as it is stored; nothing for a person.
func (n *Agent) block() json.RawMessage {
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

// findingID is reason.findingId of the agent of a root comment.
func (n *Agent) findingID() string {
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

// serviceAgents are the agents of the service among the authors of comments.
func (a *authorship) serviceAgents() []*Agent {
	var found []*Agent
	for _, c := range a.sent {
		if c.Agent != nil && c.Agent.Source == AgentOfService {
			found = append(found, c.Agent)
		}
	}
	return found
}

// checkAgents names the agents of the service, and refuses those that are neither
// registered nor built in. A registered one counts before a built-in one of its id.
func (a *authorship) checkAgents(ctx context.Context, tx *pg.Tx) error {
	agents := a.serviceAgents()
	ids := make([]string, len(agents))
	for i, author := range agents {
		ids[i] = author.ID
	}
	registered, err := agent.Names(ctx, tx, a.change.workspaceID, ids)
	if err != nil {
		return err
	}
	var unknown []string
	for _, author := range agents {
		if !author.find(registered) && !slices.Contains(unknown, author.ID) {
			unknown = append(unknown, author.ID)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	missing := fault.NotFoundResource("agent", unknown[0])
	missing.Details.AgentIDs = unknown
	return missing
}
