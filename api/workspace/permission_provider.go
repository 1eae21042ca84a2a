package workspace

import (
	"context"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/guard"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/workspace"
)

type providerStore interface {
	Get(ctx context.Context, workspaceID string) (workspace.Provider, error)
	Update(ctx context.Context, workspaceID string, caller workspace.Caller, c workspace.ProviderChange) (workspace.Provider, error)
}

// Providers are the operations on the permission provider of a workspace; every key of it
// sees and changes the same settings.
type Providers struct {
	store     providerStore
	addresses rpc.AddressChecker
}

// NewProviders makes the operations.
func NewProviders(store providerStore, addresses rpc.AddressChecker) *Providers {
	return &Providers{store, addresses}
}

// GetProvider is the request of permissionproviderconfig/get.
type GetProvider struct{}

// ProviderConfig is where the provider is, without its token.
type ProviderConfig struct {
	URL      string `json:"permissionProviderUrl"`
	HasToken bool   `json:"hasAuthToken" doc:"the token itself is never shown"`
}

// ProviderView is the permission provider of a workspace.
type ProviderView struct {
	Use    bool           `json:"usePermissionProvider"`
	Config ProviderConfig `json:"permissionProviderConfig"`
}

func viewProvider(p workspace.Provider) ProviderView {
	return ProviderView{p.Enabled, ProviderConfig{p.URL, p.HasToken}}
}

// Get returns the settings.
func (p *Providers) Get(ctx context.Context, _ *GetProvider) (*rpc.Success[ProviderView], error) {
	found, err := p.store.Get(ctx, rpc.CallerFrom(ctx).WorkspaceID)
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Permission provider found.", viewProvider(found)), nil
}

// UpdateProvider is the request of permissionproviderconfig/update; at least one field.
type UpdateProvider struct {
	Use    *bool               `json:"usePermissionProvider,omitempty" notNull:"true" doc:"on: the provider says whether authors may write, where verifyUserPermissions asks"`
	Config *ProviderConfigData `json:"permissionProviderConfig,omitempty" notNull:"true"`
}

// providerConfig and providerURL are where the address stands in the request.
const providerConfig, providerURL = "permissionProviderConfig", "permissionProviderUrl"

// ProviderConfigData is what shall change.
type ProviderConfigData struct {
	URL     *string     `json:"permissionProviderUrl,omitempty" notNull:"true" maxLength:"2048" doc:"https; an empty one clears it; another host drops the stored token"`
	Token   *string     `json:"authToken,omitempty" maxLength:"512" pattern:"^[!-~]*$" doc:"write-only, sent as bearer token; null clears it"`
	Cleared shape.Nulls `json:"-"`
}

// Validate wants something to change.
func (r *UpdateProvider) Validate() []fault.Issue {
	if r.Use == nil && (r.Config == nil || r.Config.URL == nil && r.Config.Token == nil && !r.Config.Cleared.Null("authToken")) {
		return []fault.Issue{{Code: shape.Required, Path: []string{}, Message: "usePermissionProvider or permissionProviderConfig with a field is required"}}
	}
	return nil
}

func (r *UpdateProvider) change() workspace.ProviderChange {
	change := workspace.ProviderChange{Enabled: r.Use}
	if c := r.Config; c != nil {
		change.URL, change.Token = c.URL, c.Token
		if c.Cleared.Null("authToken") {
			change.Token = new(string)
		}
	}
	return change
}

// CheckUpdate refuses an address that may not be called.
func (p *Providers) CheckUpdate(ctx context.Context, r *UpdateProvider) error {
	if r.Config == nil {
		return nil
	}
	return rpc.CheckAddress(ctx, p.addresses, rpc.TextOf(r.Config.URL), guard.Provider, providerConfig, providerURL)
}

// Update changes settings.
func (p *Providers) Update(ctx context.Context, req *UpdateProvider) (*rpc.Success[ProviderView], error) {
	caller := rpc.CallerFrom(ctx)
	after, err := p.store.Update(ctx, caller.WorkspaceID, caller, req.change())
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Permission provider updated.", viewProvider(after)), nil
}
