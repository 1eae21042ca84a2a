package workspace

import (
	"context"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/workspace"
)

type settingsStore interface {
	Get(ctx context.Context, workspaceID string, caller workspace.Caller) (*workspace.SettingsView, error)
	Update(ctx context.Context, workspaceID string, caller workspace.Caller, c workspace.SettingsChange) (*workspace.SettingsView, error)
}

// Settings are the operations on what a workspace has set for itself; every key
// of it sees and changes the same settings.
type Settings struct{ store settingsStore }

// NewSettings makes the operations.
func NewSettings(store settingsStore) *Settings { return &Settings{store: store} }

// GetSettings is the request of apikeyconfig/get.
type GetSettings struct{}

// PlanInfo names the plan of a workspace.
type PlanInfo struct {
	Type string `json:"type" enum:"free,paid"`
}

// SettingsView is the settings as a key sees them.
type SettingsView struct {
	OwnerEmail                string   `json:"ownerEmail" doc:"the label of the calling key"`
	PlanInfo                  PlanInfo `json:"planInfo"`
	DefaultDocumentAccessType string   `json:"defaultDocumentAccessType" enum:"public,organizationPrivate,restricted"`
	IsPrivateCommentsEnabled  bool     `json:"isPrivateCommentsEnabled"`
	RequireAutoOrgUser        bool     `json:"requireAutoOrgUser"`
	IsAdvancedQueriesEnabled  bool     `json:"isAdvancedQueriesEnabled"`
}

func viewSettings(s *workspace.SettingsView) SettingsView {
	return SettingsView{
		OwnerEmail: s.OwnerEmail, PlanInfo: PlanInfo{s.Plan}, DefaultDocumentAccessType: s.DefaultAccess,
		IsPrivateCommentsEnabled: s.PrivateComments, RequireAutoOrgUser: s.AutoMembers, IsAdvancedQueriesEnabled: s.AdvancedQueries,
	}
}

// Get returns the settings.
func (s *Settings) Get(ctx context.Context, _ *GetSettings) (*rpc.Success[SettingsView], error) {
	caller := rpc.CallerFrom(ctx)
	found, err := s.store.Get(ctx, caller.WorkspaceID, caller)
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Settings found.", viewSettings(found)), nil
}

// UpdateSettings is the request of apikeyconfig/update; at least one field. A
// setting has no empty value, so null is a fault.
type UpdateSettings struct {
	EnablePrivateComments     *bool   `json:"enablePrivateComments,omitempty" notNull:"true" example:"true"`
	RequireAutoOrgUser        *bool   `json:"requireAutoOrgUser,omitempty" notNull:"true" doc:"authors of comments become members"`
	EnableAdvancedQueries     *bool   `json:"enableAdvancedQueries,omitempty" notNull:"true" example:"true"`
	DefaultDocumentAccessType *string `json:"defaultDocumentAccessType,omitempty" notNull:"true" enum:"public,organizationPrivate,restricted" example:"organizationPrivate" doc:"of documents and folders made from now on"`
}

// Validate wants something to change.
func (r *UpdateSettings) Validate() []fault.Issue {
	if r.EnablePrivateComments != nil || r.RequireAutoOrgUser != nil || r.EnableAdvancedQueries != nil || r.DefaultDocumentAccessType != nil {
		return nil
	}
	return []fault.Issue{{Code: shape.Required, Path: []string{}, Message: "at least one setting is required"}}
}

// Update changes settings.
func (s *Settings) Update(ctx context.Context, req *UpdateSettings) (*rpc.Success[SettingsView], error) {
	caller := rpc.CallerFrom(ctx)
	after, err := s.store.Update(ctx, caller.WorkspaceID, caller, workspace.SettingsChange{
		DefaultAccess: req.DefaultDocumentAccessType, PrivateComments: req.EnablePrivateComments,
		AutoMembers: req.RequireAutoOrgUser, AdvancedQueries: req.EnableAdvancedQueries,
	})
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Settings updated.", viewSettings(after)), nil
}
