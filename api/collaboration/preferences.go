package collaboration

import (
	"context"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/notification"
)

// PreferenceData is what users want to be told of: every comment, what concerns them, or
// nothing.
type PreferenceData struct {
	Inbox string `json:"inbox,omitempty" enum:"ALL,MINE,NONE"`
	Email string `json:"email,omitempty" enum:"ALL,MINE,NONE" example:"MINE"`
	Slack string `json:"slack,omitempty" enum:"ALL,MINE,NONE" example:"MINE" doc:"for a sender of the caller's own; the service sends nothing there"`
}

// SetPreferences is the request of notifications/config/set.
type SetPreferences struct {
	OrganizationID string         `json:"organizationId" minLength:"1" maxLength:"200" format:"caller-id"`
	UserIDs        []string       `json:"userIds" minItems:"1" maxItems:"100" minLength:"1" maxLength:"200" format:"caller-id"`
	DocumentIDs    []string       `json:"documentIds,omitempty" maxItems:"30" minLength:"1" maxLength:"200" format:"caller-id" doc:"default the organization: all documents without a preference of their own"`
	Config         PreferenceData `json:"config" doc:"at least one; what is absent stays"`
}

// Validate wants something to be set.
func (r *SetPreferences) Validate() []fault.Issue {
	if r.Config == (PreferenceData{}) {
		return []fault.Issue{{Code: shape.Required, Path: []string{"config", "inbox"}, Message: "inbox, email or slack is required"}}
	}
	return nil
}

// PreferenceSet says what is set for a user.
type PreferenceSet struct {
	Success     bool     `json:"success"`
	UserID      string   `json:"userId"`
	DocumentIDs []string `json:"documentIds" doc:"empty where it is the organization's"`
	Message     string   `json:"message" doc:"a short sentence, not part of the contract"`
}

// SetConfig sets what users want to be told of, all or nothing.
func (n *Notifications) SetConfig(ctx context.Context, req *SetPreferences) (*rpc.Success[rpc.Keyed[PreferenceSet]], error) {
	setting := notification.Setting{
		OrganizationID: req.OrganizationID, DocumentIDs: once(req.DocumentIDs), UserIDs: once(req.UserIDs), Preference: notification.Preference(req.Config),
	}
	if err := n.store.Set(ctx, rpc.CallerFrom(ctx).WorkspaceID, setting); err != nil {
		return nil, err
	}
	show := func(user string) rpc.KeyedEntry[PreferenceSet] {
		return rpc.KeyedEntry[PreferenceSet]{Key: user, Value: PreferenceSet{true, user, setting.DocumentIDs, "Preference set."}}
	}
	return rpc.Succeed("Preferences set.", rpc.Keyed[PreferenceSet](rpc.Each(setting.UserIDs, show))), nil
}

// GetPreferences is the request of notifications/config/get.
type GetPreferences struct {
	OrganizationID        string   `json:"organizationId" minLength:"1" maxLength:"200" format:"caller-id"`
	UserID                string   `json:"userId" minLength:"1" maxLength:"200" format:"caller-id"`
	DocumentIDs           []string `json:"documentIds,omitempty" maxItems:"30" minLength:"1" maxLength:"200" format:"caller-id"`
	GetOrganizationConfig bool     `json:"getOrganizationConfig,omitempty" example:"true" doc:"what holds in documents without a preference of their own"`
}

// Validate wants documents or the organization.
func (r *GetPreferences) Validate() []fault.Issue {
	if len(r.DocumentIDs) == 0 && !r.GetOrganizationConfig {
		return []fault.Issue{{Code: shape.Required, Path: []string{"documentIds"}, Message: "documentIds or getOrganizationConfig is required"}}
	}
	return nil
}

// PreferenceView is what holds for a user.
type PreferenceView struct {
	Config   HeldPreference     `json:"config"`
	Metadata PreferenceMetadata `json:"metadata"`
}

// HeldPreference is what a user is told of: every comment, what concerns them, or nothing.
type HeldPreference struct {
	Inbox string `json:"inbox" enum:"ALL,MINE,NONE"`
	Email string `json:"email" enum:"ALL,MINE,NONE"`
	Slack string `json:"slack,omitempty" enum:"ALL,MINE,NONE" doc:"absent until it is set"`
}

// PreferenceMetadata says for whom and where something holds.
type PreferenceMetadata struct {
	OrganizationID string `json:"organizationId"`
	DocumentID     string `json:"documentId,omitempty"`
	UserID         string `json:"userId"`
}

// GetConfig reads what a user is told of, in the organization and in documents.
func (n *Notifications) GetConfig(ctx context.Context, req *GetPreferences) (*rpc.Success[[]PreferenceView], error) {
	held, err := n.store.Get(ctx, rpc.CallerFrom(ctx).WorkspaceID, notification.PreferenceFilter{
		OrganizationID: req.OrganizationID, UserID: req.UserID, DocumentIDs: once(req.DocumentIDs), Organization: req.GetOrganizationConfig,
	})
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Preferences found.", rpc.Each(held, func(h notification.Held) PreferenceView {
		return PreferenceView{HeldPreference(h.Preference), PreferenceMetadata{req.OrganizationID, h.DocumentID, req.UserID}}
	})), nil
}
