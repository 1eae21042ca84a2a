package workspace

import (
	"context"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/notification"
	"github.com/redline-svc/redline/models/workspace"
)

type notificationSettingsStore interface {
	Settings(ctx context.Context, workspaceID string) (*notification.Settings, error)
	Configure(ctx context.Context, workspaceID string, caller workspace.Caller, c notification.SettingsChange) (*notification.Settings, error)
}

// NotificationSettings are the operations on what a workspace has set for its notifications; every key of it sees and
// changes the same settings.
type NotificationSettings struct{ store notificationSettingsStore }

// NewNotificationSettings makes the operations.
func NewNotificationSettings(store notificationSettingsStore) *NotificationSettings {
	return &NotificationSettings{store}
}

// GetNotificationSettings is the request of notificationconfig/get.
type GetNotificationSettings struct{}

// NotificationTriggers says for each reason whether it names anybody, or shall.
type NotificationTriggers struct {
	Mention    *bool `json:"mention,omitempty" notNull:"true" example:"true"`
	Reply      *bool `json:"reply,omitempty" notNull:"true" example:"true"`
	Assignment *bool `json:"assignment,omitempty" notNull:"true" example:"true"`
	All        *bool `json:"all,omitempty" notNull:"true" example:"true"`
}

func (t *NotificationTriggers) byReason() map[string]**bool {
	return map[string]**bool{
		notification.ReasonMention: &t.Mention, notification.ReasonReply: &t.Reply,
		notification.ReasonAssignment: &t.Assignment, notification.ReasonAll: &t.All,
	}
}

// DelayConfig says whether mails about comments wait before they leave, or shall.
type DelayConfig struct {
	IsEnabled    *bool `json:"isEnabled,omitempty" notNull:"true"`
	DelaySeconds *int  `json:"delaySeconds,omitempty" notNull:"true" minimum:"10" maximum:"15552000"`
}

// BatchConfig says whether mails about comments leave together, or shall.
type BatchConfig struct {
	IsEnabled          *bool `json:"isEnabled,omitempty" notNull:"true" example:"true"`
	BatchWindowSeconds *int  `json:"batchWindowSeconds,omitempty" notNull:"true" minimum:"10" maximum:"604800" example:"300" doc:"from the first one on"`
	MaxActivities      *int  `json:"maxActivities,omitempty" notNull:"true" minimum:"2" maximum:"50" example:"10"`
}

func (c *BatchConfig) change() (change notification.BatchChange) {
	if c != nil {
		change = notification.BatchChange{Enabled: c.IsEnabled, WindowSeconds: c.BatchWindowSeconds, Most: c.MaxActivities}
	}
	return change
}

func viewBatch(b notification.Batch) *BatchConfig {
	return &BatchConfig{IsEnabled: &b.Enabled, BatchWindowSeconds: &b.WindowSeconds, MaxActivities: &b.Most}
}

// BatchConfigs joins the mails to one person: about one document, and in one organization, which counts where both do.
type BatchConfigs struct {
	Document *BatchConfig `json:"document,omitempty" notNull:"true"`
	User     *BatchConfig `json:"user,omitempty" notNull:"true"`
}

// NotificationServiceConfig is what is set, or shall be.
type NotificationServiceConfig struct {
	Triggers *NotificationTriggers `json:"triggers,omitempty" notNull:"true" doc:"off: that reason names nobody, the next one may"`
	Delay    *DelayConfig          `json:"delayConfig,omitempty" notNull:"true"`
	Batch    *BatchConfigs         `json:"batchConfig,omitempty" notNull:"true"`
}

// NotificationSettingsView is the state.
type NotificationSettingsView struct {
	Use    bool                      `json:"useNotificationService"`
	Config NotificationServiceConfig `json:"notificationServiceConfig"`
}

func viewNotificationSettings(s *notification.Settings) NotificationSettingsView {
	view := NotificationSettingsView{s.Enabled, NotificationServiceConfig{
		Triggers: &NotificationTriggers{}, Delay: &DelayConfig{&s.Delayed, &s.DelaySeconds},
		Batch: &BatchConfigs{viewBatch(s.Document), viewBatch(s.User)},
	}}
	show(view.Config.Triggers.byReason(), s.Off)
	return view
}

// Get returns the settings.
func (n *NotificationSettings) Get(ctx context.Context, _ *GetNotificationSettings) (*rpc.Success[NotificationSettingsView], error) {
	found, err := n.store.Settings(ctx, rpc.CallerFrom(ctx).WorkspaceID)
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Notification settings found.", viewNotificationSettings(found)), nil
}

// UpdateNotificationSettings is the request of notificationconfig/update; at least one field.
type UpdateNotificationSettings struct {
	Use    *bool                      `json:"useNotificationService,omitempty" notNull:"true" example:"true" doc:"off: comments notify nobody, whatever their flags, and notifications/add is refused"`
	Config *NotificationServiceConfig `json:"notificationServiceConfig,omitempty" notNull:"true"`
}

func (r *UpdateNotificationSettings) change() notification.SettingsChange {
	c := notification.SettingsChange{Enabled: r.Use}
	if r.Config == nil {
		return c
	}
	if r.Config.Triggers != nil {
		c.Triggers = switched(r.Config.Triggers.byReason())
	}
	if d := r.Config.Delay; d != nil {
		c.Delayed, c.DelaySeconds = d.IsEnabled, d.DelaySeconds
	}
	if b := r.Config.Batch; b != nil {
		c.Document, c.User = b.Document.change(), b.User.change()
	}
	return c
}

// Validate wants something to change.
func (r *UpdateNotificationSettings) Validate() []fault.Issue {
	if !r.change().IsEmpty() {
		return nil
	}
	return []fault.Issue{{Code: shape.Required, Path: []string{}, Message: "at least one setting is required"}}
}

// Update changes settings.
func (n *NotificationSettings) Update(ctx context.Context, req *UpdateNotificationSettings) (*rpc.Success[NotificationSettingsView], error) {
	caller := rpc.CallerFrom(ctx)
	after, err := n.store.Configure(ctx, caller.WorkspaceID, caller, req.change())
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Notification settings updated.", viewNotificationSettings(after)), nil
}

// Examples of the operations on activities and notifications of the workspace.
const (
	ExampleActivitySettings = `{"status":"success","message":"Activity settings updated.","data":{"activityServiceConfig":{"isEnabled":true,"enabledTime":1767225600000,
"immutable":true,"triggers":{"comment_annotation.add":true,"comment_annotation.update":true,"comment_annotation.delete":true,"comment_annotation.status_change":true,
"comment_annotation.assign":true,"comment_annotation.priority_change":true,"comment_annotation.suggestion_accept":true,"comment_annotation.suggestion_reject":true,
"comment.add":false,"comment.update":true,"comment.delete":true}}}}`
	ExampleNotificationSettings = `{"status":"success","message":"Notification settings updated.","data":{"useNotificationService":true,"notificationServiceConfig":{
"triggers":{"mention":true,"reply":true,"assignment":true,"all":true},"delayConfig":{"isEnabled":true,"delaySeconds":60},"batchConfig":{
"document":{"isEnabled":false,"batchWindowSeconds":300,"maxActivities":10},"user":{"isEnabled":false,"batchWindowSeconds":300,"maxActivities":10}}}}}`
)
