package webhook

import (
	"context"
	"time"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/cursor"
	"github.com/redline-svc/redline/internal/envelope"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/guard"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models"
	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/workspace"
)

type endpointStore interface {
	Config(ctx context.Context, workspaceID string) (delivery.Settings, error)
	Configure(ctx context.Context, workspaceID string, caller workspace.Caller, c delivery.SettingsChange) (delivery.Settings, error)
	Create(ctx context.Context, workspaceID string, caller workspace.Caller, n delivery.NewEndpoint) (delivery.Endpoint, error)
	Update(ctx context.Context, workspaceID string, caller workspace.Caller, ref string, c delivery.EndpointChange) (delivery.Endpoint, error)
	Delete(ctx context.Context, workspaceID string, caller workspace.Caller, ref string) (string, error)
	List(ctx context.Context, workspaceID string, mark *models.Position, size int) (*models.Page[delivery.Endpoint], error)
	Secret(ctx context.Context, workspaceID string, caller workspace.Caller, ref string) (endpointID, plain string, err error)
	Rotate(ctx context.Context, workspaceID string, caller workspace.Caller, ref string, grace time.Duration) (delivery.Rotated, error)
	Find(ctx context.Context, workspaceID, ref string) (string, error)
	Test(ctx context.Context, workspaceID string, caller workspace.Caller, ref string, event envelope.Event) (string, error)
	Resend(ctx context.Context, workspaceID string, caller workspace.Caller, messageID, ref string) (string, error)
	Messages(ctx context.Context, workspaceID string, f delivery.MessageFilter, payload bool, mark *models.Position, size int) (*models.Page[delivery.Message], error)
	Recover(ctx context.Context, workspaceID string, caller workspace.Caller, ref string, since time.Time, until *time.Time) (delivery.Recovery, error)
	Recovery(ctx context.Context, workspaceID, recoveryID string) (delivery.Recovery, error)
	Attempts(ctx context.Context, workspaceID string, f delivery.AttemptFilter, mark *models.Position, size int) (*models.Page[delivery.Attempt], error)
}

// Endpoints are the operations on a workspace's webhook endpoints, and on what is
// set for all of them; every key of it sees and changes the same ones.
type Endpoints struct {
	store     endpointStore
	addresses rpc.AddressChecker
	calls     rpc.Limiter
	cursors   *cursor.Codec
	kept      time.Duration
}

// NewEndpoints makes the operations; payloadDays is for how long payloads are kept.
func NewEndpoints(store endpointStore, addresses rpc.AddressChecker, calls rpc.Limiter, cursors *cursor.Codec, payloadDays int) *Endpoints {
	return &Endpoints{store: store, addresses: addresses, calls: calls, cursors: cursors, kept: time.Duration(payloadDays) * 24 * time.Hour}
}

// GetWebhookSettings is the request of advancedwebhookconfig/get.
type GetWebhookSettings struct{}

// WebhookSettingsView is what a workspace set for all its endpoints.
type WebhookSettingsView struct {
	IsEnabled            bool   `json:"isEnabled"`
	EncryptData          bool   `json:"encryptData"`
	EncodeData           bool   `json:"encodeData"`
	PublicKey            string `json:"publicKey" doc:"DER in base64, empty without one"`
	EnableDataProtection bool   `json:"enableDataProtection"`
}

func viewWebhookSettings(s delivery.Settings) WebhookSettingsView {
	return WebhookSettingsView{s.Enabled, s.Encrypted, s.Encoded, s.PublicKey, s.Protected}
}

// Settings returns the settings.
func (e *Endpoints) Settings(ctx context.Context, _ *GetWebhookSettings) (*rpc.Success[WebhookSettingsView], error) {
	state, err := e.store.Config(ctx, rpc.CallerFrom(ctx).WorkspaceID)
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Webhook settings found.", viewWebhookSettings(state)), nil
}

// UpdateWebhookSettings is the request of advancedwebhookconfig/update; at least
// one field.
type UpdateWebhookSettings struct {
	IsEnabled            *bool       `json:"isEnabled,omitempty" notNull:"true" doc:"the first update must carry true; false ends what waits for the endpoints"`
	EncryptData          *bool       `json:"encryptData,omitempty" notNull:"true" example:"true" doc:"bodies are encrypted to publicKey: AES-256-CBC, the key wrapped by RSA-OAEP with SHA-256"`
	EncodeData           *bool       `json:"encodeData,omitempty" notNull:"true" example:"true" doc:"bodies are base64 in encodedPayload, unless they are encrypted"`
	PublicKey            *string     `json:"publicKey,omitempty" maxLength:"8000" example:"MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEApC8iMicKJKBMBUK9miS5X+px56LYXuXikZdzZQaCrWahjtcf++wnKp+1hOyIdMrFvVmJHesAyilvE/s9qGB81kGieM028VQPMyu6mWozkFD3duFTLgqof+E7Aib1pFvn8WFr9n3WsLCsDznvkPOrCnCRksGoEjYNMo1iRFlYaYDdMB+iwSujZknygSnoL9heTW1hMD6dGw9UX4CTCRVvo5EVx5cA/xvAHEd0Amz34Y/S9UlhWKMRkvzddgmJamOZSR99mRrxxettUb2uvs//99FrPapPDKhlxh4vsv6zR5uEnc1BK+PCKCSGgS9B80vu90nOSRagVmNVeKWlmbajuQIDAQAB" doc:"RSA of 2048 to 4096 bits, DER in base64; lines of PEM are stripped; empty clears"`
	EnableDataProtection *bool       `json:"enableDataProtection,omitempty" notNull:"true" example:"true" doc:"names, addresses, texts and your own data are left out of bodies"`
	Cleared              shape.Nulls `json:"-"`
}

// Validate wants something to change, and a key that can be used.
func (r *UpdateWebhookSettings) Validate() []fault.Issue {
	if r.change().Empty() {
		return []fault.Issue{{Code: shape.Required, Path: []string{}, Message: "at least one setting is required"}}
	}
	if r.PublicKey != nil && *r.PublicKey != "" {
		if _, _, err := envelope.ParseKey(*r.PublicKey); err != nil {
			return []fault.Issue{{Code: shape.Format, Path: []string{"publicKey"}, Message: err.Error()}}
		}
	}
	return nil
}

func (r *UpdateWebhookSettings) change() delivery.SettingsChange {
	c := delivery.SettingsChange{Enabled: r.IsEnabled, Encrypted: r.EncryptData, Encoded: r.EncodeData, Protected: r.EnableDataProtection}
	key := ""
	if r.PublicKey != nil && *r.PublicKey != "" {
		if _, bare, err := envelope.ParseKey(*r.PublicKey); err == nil {
			key = bare
		}
	}
	if r.PublicKey != nil || r.Cleared.Null("publicKey") {
		c.PublicKey = &key
	}
	return c
}

// UpdateSettings changes settings.
func (e *Endpoints) UpdateSettings(ctx context.Context, req *UpdateWebhookSettings) (*rpc.Success[WebhookSettingsView], error) {
	caller := rpc.CallerFrom(ctx)
	state, err := e.store.Configure(ctx, caller.WorkspaceID, caller, req.change())
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Webhook settings updated.", viewWebhookSettings(state)), nil
}

// mayCall refuses an endpoint's address that may not be called.
func (e *Endpoints) mayCall(ctx context.Context, address string) error {
	return rpc.MayCall(ctx, e.addresses, address, guard.Endpoint, "url")
}
