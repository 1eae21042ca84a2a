package workspace

import (
	"context"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/envelope"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/guard"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/workspace"
)

type simpleReceiverStore interface {
	Simple(ctx context.Context, workspaceID string) (delivery.SimpleReceiver, error)
	ConfigureSimple(ctx context.Context, workspaceID string, caller workspace.Caller, c delivery.SimpleChange) (delivery.SimpleReceiver, error)
}

// SimpleReceivers are the operations on the one receiver of a workspace that is told of its comments in a simple
// form; every key of it sees and changes the same settings.
type SimpleReceivers struct {
	store     simpleReceiverStore
	addresses rpc.AddressChecker
}

// NewSimpleReceivers makes the operations.
func NewSimpleReceivers(store simpleReceiverStore, addresses rpc.AddressChecker) *SimpleReceivers {
	return &SimpleReceivers{store, addresses}
}

// GetSimpleReceiver is the request of webhookconfig/get.
type GetSimpleReceiver struct{}

// CommentTriggers says for each event about comments whether somebody is told of it, or shall be.
type CommentTriggers struct {
	AnnotationAdd    *bool `json:"comment_annotation.add,omitempty" notNull:"true" example:"true"`
	AnnotationUpdate *bool `json:"comment_annotation.update,omitempty" notNull:"true" example:"true"`
	StatusChange     *bool `json:"comment_annotation.status_change,omitempty" notNull:"true" example:"true"`
	Assign           *bool `json:"comment_annotation.assign,omitempty" notNull:"true" example:"true"`
	PriorityChange   *bool `json:"comment_annotation.priority_change,omitempty" notNull:"true" example:"true"`
	SuggestionAccept *bool `json:"comment_annotation.suggestion_accept,omitempty" notNull:"true" example:"true"`
	SuggestionReject *bool `json:"comment_annotation.suggestion_reject,omitempty" notNull:"true" example:"true"`
	CommentAdd       *bool `json:"comment.add,omitempty" notNull:"true" example:"true"`
	CommentUpdate    *bool `json:"comment.update,omitempty" notNull:"true" example:"true"`
	CommentDelete    *bool `json:"comment.delete,omitempty" notNull:"true" example:"true"`
}

// byEvent are the triggers by the names of their events.
func (t *CommentTriggers) byEvent() map[string]**bool {
	return map[string]**bool{
		envelope.AnnotationAdd: &t.AnnotationAdd, envelope.AnnotationUpdate: &t.AnnotationUpdate, envelope.StatusChange: &t.StatusChange,
		envelope.AnnotationAssign: &t.Assign, envelope.PriorityChange: &t.PriorityChange,
		envelope.SuggestionAccept: &t.SuggestionAccept, envelope.SuggestionReject: &t.SuggestionReject,
		envelope.CommentAdd: &t.CommentAdd, envelope.CommentUpdate: &t.CommentUpdate, envelope.CommentDelete: &t.CommentDelete,
	}
}

// WebhookServiceConfig is where the receiver is and what it is told, without its token.
type WebhookServiceConfig struct {
	URL      string          `json:"rawNotificationUrl" doc:"as it was sent, empty without one"`
	HasToken bool            `json:"hasAuthToken" doc:"the token itself is never shown"`
	Triggers CommentTriggers `json:"triggers"`
}

// SimpleReceiverView is the state.
type SimpleReceiverView struct {
	Use        bool                 `json:"useWebhookService"`
	Config     WebhookServiceConfig `json:"webhookServiceConfig"`
	EndpointID *string              `json:"endpointId" nullable:"true" doc:"names the receiver in endpoints/secret/get and rotate; null until something is set"`
}

func viewSimpleReceiver(s delivery.SimpleReceiver) SimpleReceiverView {
	view := SimpleReceiverView{Use: s.Enabled, Config: WebhookServiceConfig{URL: s.URL, HasToken: s.HasToken}}
	if s.EndpointID != "" {
		view.EndpointID = &s.EndpointID
	}
	show(view.Config.Triggers.byEvent(), s.Off)
	return view
}

// Get returns the settings.
func (s *SimpleReceivers) Get(ctx context.Context, _ *GetSimpleReceiver) (*rpc.Success[SimpleReceiverView], error) {
	found, err := s.store.Simple(ctx, rpc.CallerFrom(ctx).WorkspaceID)
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Webhook receiver found.", viewSimpleReceiver(found)), nil
}

// UpdateSimpleReceiver is the request of webhookconfig/update; at least one field.
type UpdateSimpleReceiver struct {
	Use    *bool                     `json:"useWebhookService,omitempty" notNull:"true" doc:"off ends what waits for the receiver; the switch of advancedwebhookconfig does not matter to it"`
	Config *WebhookServiceConfigData `json:"webhookServiceConfig,omitempty" notNull:"true"`
}

// Where the addresses stand in the request.
const (
	simpleConfig = "webhookServiceConfig"
	rawURL       = "rawNotificationUrl"
	processedURL = "processedNotificationUrl"
)

// WebhookServiceConfigData is what shall change.
type WebhookServiceConfigData struct {
	URL          *string          `json:"rawNotificationUrl,omitempty" notNull:"true" maxLength:"2048" doc:"absolute http or https address that is told; an empty one clears it; another scheme, host or port drops the stored token"`
	ProcessedURL *string          `json:"processedNotificationUrl,omitempty" maxLength:"2048" example:"" doc:"there is none: only an empty one is taken"`
	Token        *string          `json:"authToken,omitempty" nullable:"true" maxLength:"512" format:"caller-id" doc:"write-only, sent as authorization: Basic and the token as it is; null clears it"`
	Triggers     *CommentTriggers `json:"triggers,omitempty" notNull:"true" doc:"the events of which the receiver is told; default: all but suggestions that are decided"`
	Cleared      shape.Nulls      `json:"-"`
}

func (r *UpdateSimpleReceiver) change() delivery.SimpleChange {
	change := delivery.SimpleChange{Enabled: r.Use}
	c := r.Config
	if c == nil {
		return change
	}
	change.URL, change.Token = c.URL, c.Token
	if c.Cleared.Null("authToken") {
		change.Token = new(string)
	}
	if c.Triggers != nil {
		change.Triggers = switched(c.Triggers.byEvent())
	}
	return change
}

// Validate wants something to change, and nothing that would leave in another form.
func (r *UpdateSimpleReceiver) Validate() []fault.Issue {
	if r.Config != nil && rpc.TextOf(r.Config.ProcessedURL) != "" {
		return []fault.Issue{{Code: shape.UnknownKey, Path: []string{simpleConfig, processedURL}, Message: "is not known here; only rawNotificationUrl is told"}}
	}
	if c := r.change(); c.Enabled == nil && c.URL == nil && c.Token == nil && len(c.Triggers) == 0 {
		return []fault.Issue{{Code: shape.Required, Path: []string{}, Message: "useWebhookService or webhookServiceConfig with a field is required"}}
	}
	return nil
}

// CheckUpdate refuses an address that may not be called.
func (s *SimpleReceivers) CheckUpdate(ctx context.Context, r *UpdateSimpleReceiver) error {
	if r.Config == nil {
		return nil
	}
	return rpc.MayCall(ctx, s.addresses, rpc.TextOf(r.Config.URL), guard.Endpoint, simpleConfig, rawURL)
}

// Update changes settings.
func (s *SimpleReceivers) Update(ctx context.Context, req *UpdateSimpleReceiver) (*rpc.Success[SimpleReceiverView], error) {
	caller := rpc.CallerFrom(ctx)
	after, err := s.store.ConfigureSimple(ctx, caller.WorkspaceID, caller, req.change())
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Webhook receiver updated.", viewSimpleReceiver(after)), nil
}
