package workflow

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/agent"
)

// GetAgent is the request of agents/get: one agent, or those that fields narrow, built-in ones among them.
type GetAgent struct {
	AgentID string `json:"agentId,omitempty" minLength:"1" maxLength:"200" doc:"reads this one; excludes the other fields"`
	Filter  string `json:"filter,omitempty" enum:"customOnly,defaultOnly" doc:"only registered ones, or only built-in ones"`
	GroupID string `json:"groupId,omitempty" minLength:"1" maxLength:"200" example:"grp_01kdvm9w00abcdefghjkmnpqrs" doc:"those of the group, in its order"`
	ListAgents
}

// Validate lets an agentId stand alone.
func (r *GetAgent) Validate() (issues []fault.Issue) {
	if r.AgentID == "" {
		return nil
	}
	for _, other := range []struct {
		name string
		sent bool
	}{
		{"filter", r.Filter != ""}, {"groupId", r.GroupID != ""}, {"disabled", r.Disabled != nil}, {"pageSize", r.PageSize != 0}, {"cursor", r.Cursor != ""},
	} {
		if other.sent {
			issues = append(issues, fault.Issue{Code: shape.Conflict, Path: []string{other.name}, Message: "is not for one agent"})
		}
	}
	return issues
}

// BuiltInAgent is an agent of the service that no registered one of its id replaces.
type BuiltInAgent struct {
	AgentID string `json:"agentId"`
	Name    string `json:"name"`
	BuiltIn bool   `json:"builtIn"`
}

// RegisteredFields are those of an AgentView that a built-in agent has not.
type RegisteredFields struct {
	Description *json.RawMessage `json:"description,omitempty" doc:"a text, or null"`
	URL         *string          `json:"url,omitempty"`
	Disabled    *bool            `json:"disabled,omitempty"`
	Enabled     *bool            `json:"enabled,omitempty" doc:"the opposite of disabled"`
	CreatedAt   *int64           `json:"createdAt,omitempty" doc:"epoch ms"`
	UpdatedAt   *int64           `json:"updatedAt,omitempty"`
}

// CatalogAgent is a registered agent, written as an AgentView, or a built-in one. Its fields document both.
type CatalogAgent struct {
	AgentID string `json:"agentId"`
	Name    string `json:"name"`
	BuiltIn *bool  `json:"builtIn,omitempty" doc:"true of an agent of the service, which has no further fields"`
	RegisteredFields

	written `json:"-"`
}

// FoundAgents is what agents/get answers: an agent, or a page of them, registered ones first, newest first, or those of a group in
// its order. Its fields document both.
type FoundAgents struct {
	AgentID *string `json:"agentId,omitempty" doc:"with agentId: the agent; without: a page of agents"`
	Name    *string `json:"name,omitempty"`
	RegisteredFields
	Items      []CatalogAgent   `json:"items,omitempty"`
	NextCursor *json.RawMessage `json:"nextCursor,omitempty" doc:"a text, or null on the last page"`
	HasMore    *bool            `json:"hasMore,omitempty"`

	written `json:"-"`
}

// written is what an answer of several forms is written as.
type written struct {
	as any `json:"-"`
}

// MarshalJSON writes it.
func (w written) MarshalJSON() ([]byte, error) { return json.Marshal(w.as) }

// UnmarshalJSON keeps it as it is.
func (w *written) UnmarshalJSON(text []byte) error {
	w.as = json.RawMessage(bytes.Clone(text))
	return nil
}

const agentCatalog = "agents/get"

// Get reads an agent, or a page of those that the fields narrow.
func (a *Agents) Get(ctx context.Context, req *GetAgent) (*FoundAgents, error) {
	workspaceID := rpc.CallerFrom(ctx).WorkspaceID
	if req.AgentID != "" {
		one, err := shownAgent(a.store.Get(ctx, workspaceID, req.AgentID))
		return &FoundAgents{written: written{one}}, err
	}
	filter := agent.CatalogFilter{Only: req.Filter, GroupID: req.GroupID, Disabled: req.Disabled}
	pages := pagesOf(a.cursors, workspaceID, agentCatalog, filter)
	page, err := pageOf(rpc.List(pages, req.Cursor, viewEntry, func(after *agent.CatalogPosition) (*agent.CatalogPage, error) {
		return a.store.Catalog(ctx, workspaceID, filter, after, cmp.Or(req.PageSize, pageSize))
	}))
	return &FoundAgents{written: written{page}}, err
}

func viewEntry(e agent.Entry) CatalogAgent {
	if e.Registered == nil {
		return CatalogAgent{written: written{BuiltInAgent{e.ID, agent.BuiltIn[e.ID], true}}}
	}
	return CatalogAgent{written: written{viewAgent(*e.Registered)}}
}
