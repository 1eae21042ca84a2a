package workflow

import (
	"context"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/agent"
)

type agentGroupStore interface {
	CreateGroup(ctx context.Context, workspaceID string, g agent.Group) (agent.Group, error)
	Group(ctx context.Context, workspaceID, groupID string) (agent.Group, error)
	Groups(ctx context.Context, workspaceID string) ([]agent.Group, error)
	UpdateGroup(ctx context.Context, workspaceID, groupID string, c agent.GroupChange) (agent.Group, error)
	AddToGroup(ctx context.Context, workspaceID, groupID string, agentIDs []string) (agent.Group, error)
	RemoveFromGroup(ctx context.Context, workspaceID, groupID string, agentIDs []string) (agent.Group, error)
	DeleteGroup(ctx context.Context, workspaceID, groupID string) error
}

// AgentGroups are the operations on groups of agents.
type AgentGroups struct{ store agentGroupStore }

// NewAgentGroups makes the operations.
func NewAgentGroups(store agentGroupStore) *AgentGroups { return &AgentGroups{store} }

// CreateAgentGroup is the request of groups/create.
type CreateAgentGroup struct {
	Name        string       `json:"name" minLength:"1" maxLength:"200"`
	Description *string      `json:"description,omitempty" maxLength:"2000" example:"What checks copy."`
	AgentIDs    []string     `json:"agentIds,omitempty" maxItems:"100" minLength:"1" maxLength:"200" doc:"registered or built-in ones"`
	Metadata    shape.Object `json:"metadata,omitempty" maxBytes:"8192" storable:"true" doc:"fixed"`
}

// AgentGroupHead is what all views of a group have.
type AgentGroupHead struct {
	ID          string       `json:"id"`
	Name        string       `json:"name"`
	Description *string      `json:"description"`
	Metadata    shape.Object `json:"metadata"`
	CreatedAt   int64        `json:"createdAt"`
	UpdatedAt   int64        `json:"updatedAt"`
}

// AgentGroupView is a group with its agents in the order in which they joined. Times are epoch
// milliseconds.
type AgentGroupView struct {
	AgentGroupHead
	AgentIDs []string `json:"agentIds"`
}

// ListedAgentGroup is a group with the number of its agents.
type ListedAgentGroup struct {
	AgentGroupHead
	AgentCount int `json:"agentCount"`
}

// OneAgentGroup is the data of an answer with one group.
type OneAgentGroup struct {
	Group AgentGroupView `json:"group"`
}

func headOf(g agent.Group) AgentGroupHead {
	return AgentGroupHead{
		ID: g.ID, Name: g.Name, Description: g.Description, Metadata: shape.Object(g.Metadata),
		CreatedAt: g.CreatedAt.UnixMilli(), UpdatedAt: g.UpdatedAt.UnixMilli(),
	}
}

func shownAgentGroup(message string, g agent.Group, err error) (*rpc.Success[OneAgentGroup], error) {
	if err != nil {
		return nil, err
	}
	return rpc.Succeed(message, OneAgentGroup{AgentGroupView{headOf(g), append([]string{}, g.AgentIDs...)}}), nil
}

// Create makes a group.
func (a *AgentGroups) Create(ctx context.Context, req *CreateAgentGroup) (*rpc.Success[OneAgentGroup], error) {
	made, err := a.store.CreateGroup(ctx, rpc.CallerFrom(ctx).WorkspaceID, agent.Group{
		Name: req.Name, Description: req.Description, AgentIDs: req.AgentIDs, Metadata: []byte(req.Metadata),
	})
	return shownAgentGroup("Agent group created.", made, err)
}

// AgentGroupRef names a group.
type AgentGroupRef struct {
	GroupID string `json:"groupId" minLength:"1" maxLength:"200"`
}

// GetAgentGroup is the request of groups/get.
type GetAgentGroup struct{ AgentGroupRef }

// Get reads a group.
func (a *AgentGroups) Get(ctx context.Context, req *GetAgentGroup) (*rpc.Success[OneAgentGroup], error) {
	found, err := a.store.Group(ctx, rpc.CallerFrom(ctx).WorkspaceID, req.GroupID)
	return shownAgentGroup("Agent group found.", found, err)
}

// AgentGroupList is the data of groups/list, newest first.
type AgentGroupList struct {
	Groups []ListedAgentGroup `json:"groups"`
}

// ListAgentGroups is the request of groups/list.
type ListAgentGroups struct{}

// List reads all groups.
func (a *AgentGroups) List(ctx context.Context, _ *ListAgentGroups) (*rpc.Success[AgentGroupList], error) {
	found, err := a.store.Groups(ctx, rpc.CallerFrom(ctx).WorkspaceID)
	if err != nil {
		return nil, err
	}
	listed := rpc.Each(found, func(g agent.Group) ListedAgentGroup { return ListedAgentGroup{headOf(g), len(g.AgentIDs)} })
	return rpc.Succeed("Agent groups found.", AgentGroupList{listed}), nil
}

// UpdateAgentGroup is the request of groups/update: at least one field; null unsets the
// description.
type UpdateAgentGroup struct {
	AgentGroupRef
	Name        *string     `json:"name,omitempty" notNull:"true" minLength:"1" maxLength:"200" example:"Checkers"`
	Description *string     `json:"description,omitempty" nullable:"true" maxLength:"2000" example:"What checks copy."`
	Cleared     shape.Nulls `json:"-"`
}

// Validate refuses an update of nothing.
func (r *UpdateAgentGroup) Validate() []fault.Issue {
	if r.Name != nil || r.Description != nil || r.Cleared.Null("description") {
		return nil
	}
	return []fault.Issue{{Code: shape.Required, Path: []string{}, Message: "name or description is required"}}
}

// Update changes the name or the description of a group.
func (a *AgentGroups) Update(ctx context.Context, req *UpdateAgentGroup) (*rpc.Success[OneAgentGroup], error) {
	changed, err := a.store.UpdateGroup(ctx, rpc.CallerFrom(ctx).WorkspaceID, req.GroupID, agent.GroupChange{
		Name: req.Name, Description: req.Description, ClearsDescription: req.Cleared.Null("description"),
	})
	return shownAgentGroup("Agent group updated.", changed, err)
}

// AgentGroupMembers is the request of groups/add-agents and groups/remove-agents.
type AgentGroupMembers struct {
	AgentGroupRef
	AgentIDs []string `json:"agentIds" minItems:"1" maxItems:"100" minLength:"1" maxLength:"200"`
}

// Add puts agents into a group.
func (a *AgentGroups) Add(ctx context.Context, req *AgentGroupMembers) (*rpc.Success[OneAgentGroup], error) {
	changed, err := a.store.AddToGroup(ctx, rpc.CallerFrom(ctx).WorkspaceID, req.GroupID, req.AgentIDs)
	return shownAgentGroup("Agents added.", changed, err)
}

// Remove takes agents out of a group.
func (a *AgentGroups) Remove(ctx context.Context, req *AgentGroupMembers) (*rpc.Success[OneAgentGroup], error) {
	changed, err := a.store.RemoveFromGroup(ctx, rpc.CallerFrom(ctx).WorkspaceID, req.GroupID, req.AgentIDs)
	return shownAgentGroup("Agents removed.", changed, err)
}

// DeleteAgentGroup is the request of groups/delete.
type DeleteAgentGroup struct{ AgentGroupRef }

// DeletedAgentGroup is the data of groups/delete.
type DeletedAgentGroup struct {
	GroupID string `json:"groupId"`
}

// Delete deletes a group.
func (a *AgentGroups) Delete(ctx context.Context, req *DeleteAgentGroup) (*rpc.Success[DeletedAgentGroup], error) {
	if err := a.store.DeleteGroup(ctx, rpc.CallerFrom(ctx).WorkspaceID, req.GroupID); err != nil {
		return nil, err
	}
	return rpc.Succeed("Agent group deleted.", DeletedAgentGroup{req.GroupID}), nil
}
