package workflow

import (
	"cmp"
	"context"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/cursor"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/guard"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/agent"
	"github.com/redline-svc/redline/models/workspace"
)

type agentStore interface {
	Create(ctx context.Context, workspaceID string, caller workspace.Caller, n agent.NewAgent) (agent.View, error)
	Get(ctx context.Context, workspaceID, agentID string) (agent.View, error)
	Catalog(ctx context.Context, workspaceID string, f agent.CatalogFilter, after *agent.CatalogPosition, size int) (*agent.CatalogPage, error)
	List(ctx context.Context, workspaceID string, disabled *bool, after *agent.Position, size int) (*agent.Page, error)
	Update(ctx context.Context, workspaceID string, caller workspace.Caller, agentID string, c agent.Change) (agent.View, error)
	Delete(ctx context.Context, workspaceID string, caller workspace.Caller, agentID string) error
}

// Agents are the operations on the registry of agents.
type Agents struct {
	store     agentStore
	addresses rpc.AddressChecker
	cursors   *cursor.Codec
}

// NewAgents makes the operations.
func NewAgents(store agentStore, addresses rpc.AddressChecker, cursors *cursor.Codec) *Agents {
	return &Agents{store: store, addresses: addresses, cursors: cursors}
}

// CreateAgent is the request of agents/create.
type CreateAgent struct {
	AgentID     string  `json:"agentId" pattern:"^[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}$"`
	Name        string  `json:"name" minLength:"1" maxLength:"200"`
	URL         string  `json:"url" minLength:"1" maxLength:"2000" doc:"https address that steps call"`
	Secret      string  `json:"secret" minLength:"16" maxLength:"512" doc:"signs what the agent is sent; no read returns it"`
	Description *string `json:"description,omitempty" maxLength:"2000" example:"Spelling, commas and the house style."`
	Switch
	BehaviourData
}

// Validate checks what tags cannot say.
func (r *CreateAgent) Validate() []fault.Issue { return r.Switch.Validate() }

// Switch reports whether steps may call an agent: by either of two keys, which mean the opposite.
type Switch struct {
	Disabled *bool `json:"disabled,omitempty" notNull:"true" example:"false" doc:"true: steps that would call it fail"`
	Enabled  *bool `json:"enabled,omitempty" notNull:"true" example:"true" doc:"the opposite of disabled"`
}

// Validate refuses both where they are not opposite.
func (s Switch) Validate() []fault.Issue {
	if s.Disabled == nil || s.Enabled == nil || *s.Disabled != *s.Enabled {
		return nil
	}
	return []fault.Issue{{Code: shape.Conflict, Path: []string{"enabled"}, Message: "is not the opposite of disabled"}}
}

// disabled is what is sent, nil where nothing is.
func (s Switch) disabled() *bool {
	if s.Enabled == nil {
		return s.Disabled
	}
	return new(!*s.Enabled)
}

// AgentView is an agent; what is not set is null. Times are epoch milliseconds.
type AgentView struct {
	AgentID     string  `json:"agentId"`
	Name        string  `json:"name"`
	Description *string `json:"description"`
	URL         string  `json:"url"`
	Disabled    bool    `json:"disabled"`
	Enabled     bool    `json:"enabled" doc:"the opposite of disabled"`
	CreatedAt   int64   `json:"createdAt"`
	UpdatedAt   int64   `json:"updatedAt"`
}

func viewAgent(a agent.View) AgentView {
	return AgentView{
		AgentID: a.ID, Name: a.Name, Description: a.Description, URL: a.URL, Disabled: a.Disabled, Enabled: !a.Disabled,
		CreatedAt: a.CreatedAt.UnixMilli(), UpdatedAt: a.UpdatedAt.UnixMilli(),
	}
}

// CheckCreate refuses an address that may not be called.
func (a *Agents) CheckCreate(ctx context.Context, req *CreateAgent) error {
	return a.mayCall(ctx, req.URL)
}

func (a *Agents) mayCall(ctx context.Context, address string) error {
	return rpc.CheckAddress(ctx, a.addresses, address, guard.Step, "url")
}

// Create registers an agent.
func (a *Agents) Create(ctx context.Context, req *CreateAgent) (*AgentView, error) {
	caller := rpc.CallerFrom(ctx)
	disabled := req.disabled()
	return shownAgent(a.store.Create(ctx, caller.WorkspaceID, caller, agent.NewAgent{
		ID: req.AgentID, Name: req.Name, URL: req.URL, Secret: req.Secret, Description: req.Description, Disabled: disabled != nil && *disabled,
		Behaviour: behaviourOf(req.BehaviourData, nil),
	}))
}

func shownAgent(found agent.View, err error) (*AgentView, error) {
	if err != nil {
		return nil, err
	}
	view := viewAgent(found)
	return &view, nil
}

// AgentRef names an agent.
type AgentRef struct {
	AgentID string `json:"agentId" minLength:"1" maxLength:"200"`
}

// ListAgents narrows the list; all fields are optional.
type ListAgents struct {
	Disabled *bool  `json:"disabled,omitempty" example:"false" doc:"only those that are, or only those that are not"`
	PageSize int    `json:"pageSize,omitempty" minimum:"1" maximum:"500" doc:"default 50"`
	Cursor   string `json:"cursor,omitempty" maxLength:"4000" example:"8mNq2v5yBxE0hKjRlTnZpQ"`
}

// AgentList is a page of agents, newest first.
type AgentList = CursorPage[AgentView]

const agentsCursor = "agents/list"

// List reads a page of the agents.
func (a *Agents) List(ctx context.Context, req *ListAgents) (*AgentList, error) {
	workspaceID := rpc.CallerFrom(ctx).WorkspaceID
	pages := pagesOf(a.cursors, workspaceID, agentsCursor, req.Disabled)
	return pageOf(rpc.List(pages, req.Cursor, viewAgent, func(after *agent.Position) (*agent.Page, error) {
		return a.store.List(ctx, workspaceID, req.Disabled, after, cmp.Or(req.PageSize, pageSize))
	}))
}

// UpdateAgent is the request of agents/update; what is omitted stays. Null unsets
// the description.
type UpdateAgent struct {
	AgentRef
	Name        *string `json:"name,omitempty" notNull:"true" minLength:"1" maxLength:"200" example:"Copy checker"`
	URL         *string `json:"url,omitempty" notNull:"true" minLength:"1" maxLength:"2000" example:"https://agents.example.com/copy"`
	Secret      *string `json:"secret,omitempty" notNull:"true" minLength:"16" maxLength:"512" example:"a secret of the agent" doc:"the former one signs beside it for 24 hours"`
	Description *string `json:"description,omitempty" nullable:"true" maxLength:"2000" example:"Spelling, commas and the house style."`
	Switch
	Cleared shape.Nulls `json:"-"`
}

// CheckUpdate refuses a new address that may not be called.
func (a *Agents) CheckUpdate(ctx context.Context, req *UpdateAgent) error {
	if req.URL == nil {
		return nil
	}
	return a.mayCall(ctx, *req.URL)
}

// Update changes an agent.
func (a *Agents) Update(ctx context.Context, req *UpdateAgent) (*AgentView, error) {
	caller := rpc.CallerFrom(ctx)
	return shownAgent(a.store.Update(ctx, caller.WorkspaceID, caller, req.AgentID, agent.Change{
		Name: req.Name, URL: req.URL, Secret: req.Secret, Description: req.Description, Disabled: req.disabled(),
		ClearsDescription: req.Cleared.Null("description"),
	}))
}

// DeleteAgent is the request of agents/delete.
type DeleteAgent struct{ AgentRef }

// DeletedAgent is what agents/delete answers.
type DeletedAgent struct {
	Deleted bool   `json:"deleted"`
	AgentID string `json:"agentId"`
}

// Delete removes an agent from the registry.
func (a *Agents) Delete(ctx context.Context, req *DeleteAgent) (*DeletedAgent, error) {
	caller := rpc.CallerFrom(ctx)
	if err := a.store.Delete(ctx, caller.WorkspaceID, caller, req.AgentID); err != nil {
		return nil, err
	}
	return &DeletedAgent{true, req.AgentID}, nil
}
