package webhook

import (
	"context"
	"strings"
	"time"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/envelope"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/delivery"
)

// CreateEndpoint is the request of endpoints/create.
type CreateEndpoint struct {
	URL         string            `json:"url" minLength:"1" maxLength:"2048" doc:"absolute http or https address that is told"`
	Description *string           `json:"description,omitempty" maxLength:"1000"`
	FilterTypes []string          `json:"filterTypes,omitempty" minItems:"1" maxItems:"200" uniqueItems:"true" pattern:"^[A-Za-z0-9_.-]{1,128}$" doc:"names of event types; default: all"`
	Channels    []string          `json:"channels,omitempty" minItems:"1" maxItems:"50" uniqueItems:"true" minLength:"1" maxLength:"256" format:"caller-id" doc:"tags of events, such as document:<id>; default: all events"`
	Disabled    bool              `json:"disabled,omitempty" example:"false"`
	RateLimit   *int              `json:"rateLimit,omitempty" minimum:"1" maximum:"1000000" example:"10" doc:"attempts a second at most"`
	UID         *string           `json:"uid,omitempty" minLength:"1" maxLength:"256" format:"caller-id" doc:"your own id of it, unique among the endpoints there are"`
	Metadata    map[string]string `json:"metadata,omitempty" maxProperties:"50" doc:"at most 4096 bytes together"`
}

// maxMetadata bounds the names and values of an endpoint's metadata together, in
// bytes.
const maxMetadata = 4096

// Validate bounds the metadata.
func (r *CreateEndpoint) Validate() []fault.Issue { return metadataIssues(r.Metadata) }

func metadataIssues(metadata map[string]string) []fault.Issue {
	size := 0
	for name, value := range metadata {
		size += len(name) + len(value)
	}
	if size > maxMetadata {
		return []fault.Issue{{Code: shape.Length, Path: []string{"metadata"}, Message: "must be at most 4096 bytes together"}}
	}
	return nil
}

// EndpointMetadata is the callers' own data of an endpoint; null where unset.
type EndpointMetadata map[string]string

// EndpointView is an endpoint; what is not set is null.
type EndpointView struct {
	ID          string   `json:"id"`
	URL         string   `json:"url" doc:"as it was sent"`
	Description *string  `json:"description"`
	FilterTypes []string `json:"filterTypes" nullable:"true"`
	Channels    []string `json:"channels" nullable:"true"`
	Disabled    bool     `json:"disabled"`
	RateLimit   *int     `json:"rateLimit"`
	UID         *string  `json:"uid"`
	CreatedAt   string   `json:"createdAt" format:"date-time"`
	UpdatedAt   string   `json:"updatedAt" format:"date-time"`
	// Metadata is there only where it was asked for, null where unset.
	Metadata *EndpointMetadata `json:"metadata,omitempty"`
}

func viewEndpoint(e delivery.Endpoint) EndpointView {
	return EndpointView{
		ID: e.ID, URL: e.URL, Description: e.Description, FilterTypes: e.FilterTypes, Channels: e.Channels, Disabled: e.Disabled,
		RateLimit: e.RateLimit, UID: e.UID, CreatedAt: rpc.FormatTime(e.CreatedAt), UpdatedAt: rpc.FormatTime(e.UpdatedAt),
	}
}

// CheckCreate refuses an address that may not be called.
func (e *Endpoints) CheckCreate(ctx context.Context, req *CreateEndpoint) error {
	return e.mayCall(ctx, req.URL)
}

// Create makes an endpoint.
func (e *Endpoints) Create(ctx context.Context, req *CreateEndpoint) (*rpc.Success[EndpointView], error) {
	caller := rpc.CallerFrom(ctx)
	made, err := e.store.Create(ctx, caller.WorkspaceID, caller, delivery.NewEndpoint{
		URL: req.URL, Description: req.Description, FilterTypes: req.FilterTypes, Channels: req.Channels, Disabled: req.Disabled,
		RateLimit: req.RateLimit, UID: req.UID, Metadata: req.Metadata,
	})
	if err != nil {
		return nil, err
	}
	nameUnknownTypes(ctx, req.FilterTypes)
	return rpc.Succeed("Endpoint created.", viewEndpoint(made)), nil
}

// headerUnknownTypes lists the filter types that no event has. maxUnknownTypes
// bounds it, in bytes.
const (
	headerUnknownTypes = "X-Svc-Unknown-Event-Types"
	maxUnknownTypes    = 8 << 10
)

// nameUnknownTypes shows a caller the names that may be misspelt; they are kept.
func nameUnknownTypes(ctx context.Context, types []string) {
	var unknown strings.Builder
	for _, name := range types {
		if _, known := envelope.Find(name); known || unknown.Len()+len(name) >= maxUnknownTypes {
			continue
		}
		if unknown.Len() > 0 {
			unknown.WriteByte(',')
		}
		unknown.WriteString(name)
	}
	if unknown.Len() > 0 {
		rpc.SetHeader(ctx, headerUnknownTypes, unknown.String())
	}
}

// EndpointRef names an endpoint.
type EndpointRef struct {
	EndpointID string `json:"endpointId" minLength:"1" maxLength:"256" doc:"its id or its uid"`
}

// UpdateEndpoint is the request of endpoints/update; at least one field beside
// endpointId. Null unsets, except url and disabled.
type UpdateEndpoint struct {
	EndpointRef
	URL         *string           `json:"url,omitempty" notNull:"true" minLength:"1" maxLength:"2048" example:"https://hooks.example.com/redline"`
	Description *string           `json:"description,omitempty" nullable:"true" maxLength:"1000"`
	FilterTypes []string          `json:"filterTypes,omitempty" nullable:"true" minItems:"1" maxItems:"200" uniqueItems:"true" pattern:"^[A-Za-z0-9_.-]{1,128}$" example:"comment.add"`
	Channels    []string          `json:"channels,omitempty" nullable:"true" minItems:"1" maxItems:"50" uniqueItems:"true" minLength:"1" maxLength:"256" format:"caller-id" example:"document:spring"`
	Disabled    *bool             `json:"disabled,omitempty" notNull:"true" example:"false" doc:"true ends what waits for it, false begins its health again"`
	RateLimit   *int              `json:"rateLimit,omitempty" nullable:"true" minimum:"1" maximum:"1000000" example:"10"`
	Metadata    map[string]string `json:"metadata,omitempty" maxProperties:"50" example:"{\"team\":\"desk\"}" doc:"replaces all of it"`
	Cleared     shape.Nulls       `json:"-"`
}

// Validate wants something to change.
func (r *UpdateEndpoint) Validate() []fault.Issue {
	if r.change().Empty() {
		return []fault.Issue{{Code: shape.Required, Path: []string{}, Message: "at least one field beside endpointId is required"}}
	}
	return metadataIssues(r.Metadata)
}

func (r *UpdateEndpoint) change() delivery.EndpointChange {
	return delivery.EndpointChange{
		URL: r.URL, Description: r.Description, FilterTypes: r.FilterTypes, Channels: r.Channels, Disabled: r.Disabled, RateLimit: r.RateLimit,
		Metadata: r.Metadata, Cleared: delivery.Cleared{
			Description: r.Cleared.Null("description"), FilterTypes: r.Cleared.Null("filterTypes"), Channels: r.Cleared.Null("channels"),
			RateLimit: r.Cleared.Null("rateLimit"), Metadata: r.Cleared.Null("metadata"),
		},
	}
}

// CheckUpdate refuses a new address that may not be called.
func (e *Endpoints) CheckUpdate(ctx context.Context, req *UpdateEndpoint) error {
	if req.URL == nil {
		return nil
	}
	return e.mayCall(ctx, *req.URL)
}

// Update changes an endpoint.
func (e *Endpoints) Update(ctx context.Context, req *UpdateEndpoint) (*rpc.Success[EndpointView], error) {
	caller := rpc.CallerFrom(ctx)
	changed, err := e.store.Update(ctx, caller.WorkspaceID, caller, req.EndpointID, req.change())
	if err != nil {
		return nil, err
	}
	nameUnknownTypes(ctx, req.FilterTypes)
	return rpc.Succeed("Endpoint updated.", viewEndpoint(changed)), nil
}

// DeleteEndpoint is the request of endpoints/delete.
type DeleteEndpoint struct{ EndpointRef }

// DeletedEndpoint is what endpoints/delete answers.
type DeletedEndpoint struct {
	EndpointID string `json:"endpointId"`
	Deleted    bool   `json:"deleted"`
}

// Delete ends an endpoint.
func (e *Endpoints) Delete(ctx context.Context, req *DeleteEndpoint) (*rpc.Success[DeletedEndpoint], error) {
	caller := rpc.CallerFrom(ctx)
	endpointID, err := e.store.Delete(ctx, caller.WorkspaceID, caller, req.EndpointID)
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Endpoint deleted.", DeletedEndpoint{endpointID, true}), nil
}

// GetEndpointSecret is the request of endpoints/secret/get.
type GetEndpointSecret struct{ EndpointRef }

// EndpointSecret is the secret that signs what an endpoint is sent.
type EndpointSecret struct {
	EndpointID string `json:"endpointId"`
	Secret     string `json:"secret" doc:"whsec_ and base64 of the key"`
}

// Secret returns the newest secret of an endpoint.
func (e *Endpoints) Secret(ctx context.Context, req *GetEndpointSecret) (*rpc.Success[EndpointSecret], error) {
	caller := rpc.CallerFrom(ctx)
	endpointID, plain, err := e.store.Secret(ctx, caller.WorkspaceID, caller, req.EndpointID)
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Secret found.", EndpointSecret{endpointID, plain}), nil
}

// RotateEndpointSecret is the request of endpoints/secret/rotate.
type RotateEndpointSecret struct {
	EndpointRef
	GracePeriodSeconds *int `json:"gracePeriodSeconds,omitempty" minimum:"0" maximum:"604800" doc:"for how long the secrets of before sign as well, default 86400"`
}

// defaultGrace is for how long former secrets sign where the caller says nothing.
const defaultGrace = 24 * time.Hour

func (r *RotateEndpointSecret) grace() time.Duration {
	if r.GracePeriodSeconds == nil {
		return defaultGrace
	}
	return time.Duration(*r.GracePeriodSeconds) * time.Second
}

// RotatedSecret is the new secret of an endpoint.
type RotatedSecret struct {
	EndpointSecret
	PreviousSecretsExpireAt *string `json:"previousSecretsExpireAt" format:"date-time" doc:"null where none of them signs any more"`
}

// Rotate makes a new secret for an endpoint.
func (e *Endpoints) Rotate(ctx context.Context, req *RotateEndpointSecret) (*rpc.Success[RotatedSecret], error) {
	caller := rpc.CallerFrom(ctx)
	rotated, err := e.store.Rotate(ctx, caller.WorkspaceID, caller, req.EndpointID, req.grace())
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Secret rotated.", RotatedSecret{EndpointSecret{rotated.EndpointID, rotated.Secret}, optionalTime(rotated.FormerUntil)}), nil
}

// optionalTime writes a time, nil where there is none.
func optionalTime(at *time.Time) *string {
	if at == nil {
		return nil
	}
	return new(rpc.FormatTime(*at))
}
