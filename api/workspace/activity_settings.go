package workspace

import (
	"context"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/envelope"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/activity"
	"github.com/redline-svc/redline/models/workspace"
)

type activitySettingsStore interface {
	Settings(ctx context.Context, workspaceID string) (*activity.Settings, error)
	Configure(ctx context.Context, workspaceID string, caller workspace.Caller, c activity.SettingsChange) (*activity.Settings, error)
}

// ActivitySettings are the operations on what a workspace has set for its activities; every key of it sees and changes
// the same settings.
type ActivitySettings struct{ store activitySettingsStore }

// NewActivitySettings makes the operations.
func NewActivitySettings(store activitySettingsStore) *ActivitySettings {
	return &ActivitySettings{store}
}

// GetActivitySettings is the request of activityconfig/get.
type GetActivitySettings struct{}

// ActivityTriggers says for each action whether the service writes a record of it, or shall.
type ActivityTriggers struct {
	CommentTriggers

	AnnotationDelete *bool `json:"comment_annotation.delete,omitempty" notNull:"true" example:"true"`
}

// byAction are the triggers by their actions.
func (t *ActivityTriggers) byAction() map[string]**bool {
	triggers := t.byEvent()
	triggers[envelope.AnnotationDelete] = &t.AnnotationDelete
	return triggers
}

// switched are the triggers that were sent, by name.
func switched(triggers map[string]**bool) map[string]bool {
	sent := map[string]bool{}
	for name, on := range triggers {
		if *on != nil {
			sent[name] = **on
		}
	}
	return sent
}

// show fills triggers: all are on but those.
func show(triggers map[string]**bool, off []string) {
	for _, on := range triggers {
		*on = new(true)
	}
	for _, name := range off {
		*triggers[name] = new(bool)
	}
}

// ActivityServiceConfig is what is set.
type ActivityServiceConfig struct {
	IsEnabled   bool             `json:"isEnabled"`
	EnabledTime *int64           `json:"enabledTime" nullable:"true" doc:"epoch milliseconds, when it was last switched on; null where it never was off"`
	Immutable   bool             `json:"immutable" doc:"nobody changes or deletes what the service writes from now on"`
	Triggers    ActivityTriggers `json:"triggers"`
}

// ActivitySettingsView is the state.
type ActivitySettingsView struct {
	Config ActivityServiceConfig `json:"activityServiceConfig"`
}

func viewActivitySettings(s *activity.Settings) ActivitySettingsView {
	view := ActivitySettingsView{ActivityServiceConfig{IsEnabled: s.Enabled, Immutable: s.Immutable}}
	if s.EnabledAt != nil {
		view.Config.EnabledTime = new(s.EnabledAt.UnixMilli())
	}
	show(view.Config.Triggers.byAction(), s.Off)
	return view
}

// Get returns the settings.
func (a *ActivitySettings) Get(ctx context.Context, _ *GetActivitySettings) (*rpc.Success[ActivitySettingsView], error) {
	found, err := a.store.Settings(ctx, rpc.CallerFrom(ctx).WorkspaceID)
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Activity settings found.", viewActivitySettings(found)), nil
}

// UpdateActivitySettings is the request of activityconfig/update; at least one field.
type UpdateActivitySettings struct {
	Config *ActivityServiceConfigData `json:"activityServiceConfig" notNull:"true"`
}

// ActivityServiceConfigData is what shall change.
type ActivityServiceConfigData struct {
	IsEnabled *bool             `json:"isEnabled,omitempty" notNull:"true" example:"true" doc:"off: no record is written, and activities/add is refused"`
	Immutable *bool             `json:"immutable,omitempty" notNull:"true" example:"true"`
	Triggers  *ActivityTriggers `json:"triggers,omitempty" notNull:"true"`
}

func (r *UpdateActivitySettings) change() (c activity.SettingsChange) {
	if r.Config == nil {
		return c
	}
	c.Enabled, c.Immutable = r.Config.IsEnabled, r.Config.Immutable
	if r.Config.Triggers != nil {
		c.Triggers = switched(r.Config.Triggers.byAction())
	}
	return c
}

// Validate wants something to change.
func (r *UpdateActivitySettings) Validate() []fault.Issue {
	if c := r.change(); c.Enabled == nil && c.Immutable == nil && len(c.Triggers) == 0 {
		return []fault.Issue{{Code: shape.Required, Path: []string{"activityServiceConfig"}, Message: "at least one field is required"}}
	}
	return nil
}

// Update changes settings.
func (a *ActivitySettings) Update(ctx context.Context, req *UpdateActivitySettings) (*rpc.Success[ActivitySettingsView], error) {
	caller := rpc.CallerFrom(ctx)
	after, err := a.store.Configure(ctx, caller.WorkspaceID, caller, req.change())
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Activity settings updated.", viewActivitySettings(after)), nil
}
