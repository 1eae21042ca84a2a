package workspace

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/cursor"
	"github.com/redline-svc/redline/internal/domain"
	"github.com/redline-svc/redline/internal/email"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/workspace"
)

// APIKeys are the operations on API keys and their tokens.
type APIKeys struct {
	store   keyStore
	cursors *cursor.Codec
}

type keyStore interface {
	Create(ctx context.Context, workspaceID string, caller workspace.Caller, n workspace.NewKey) (keyID, token string, err error)
	Rename(ctx context.Context, workspaceID string, caller workspace.Caller, keyID, name string) error
	List(ctx context.Context, workspaceID string, ids []string, after *workspace.KeyPosition, size int) (*workspace.KeyPage, error)
	Tokens(ctx context.Context, workspaceID string, caller workspace.Caller, keyID string) ([]workspace.AuthToken, error)
	Reset(ctx context.Context, workspaceID string, caller workspace.Caller, keyID string) (*workspace.AuthToken, error)
	Ensure(ctx context.Context, workspaceID string, caller workspace.Caller, keyID string) (token string, created bool, err error)
	Own(ctx context.Context, workspaceID string, caller workspace.Caller) (token string, err error)
	CopyDomains(ctx context.Context, workspaceID string, caller workspace.Caller, from, to string) error
}

// NewAPIKeys makes the operations.
func NewAPIKeys(store keyStore, cursors *cursor.Codec) *APIKeys {
	return &APIKeys{store: store, cursors: cursors}
}

// CreateAPIKey is the request of workspace/apikey/create.
type CreateAPIKey struct {
	OwnerEmail      string   `json:"ownerEmail" maxLength:"254" doc:"an e-mail address; a label of the key"`
	Type            string   `json:"type" enum:"testing,production"`
	APIKeyName      string   `json:"apiKeyName,omitempty" minLength:"1" maxLength:"200" notBlank:"true" example:"Desk" doc:"default: made from ownerEmail and type"`
	CreateAuthToken *bool    `json:"createAuthToken,omitempty" example:"true" doc:"default true"`
	AllowedDomains  []string `json:"allowedDomains,omitempty" maxItems:"100" minLength:"1" maxLength:"300" doc:"hosts whose pages may call from a browser"`
	AddLocalHost    bool     `json:"addLocalHostToAllowedDomains,omitempty" example:"true" doc:"adds localhost and 127.0.0.1"`
}

// Validate checks the address and the domains.
func (r *CreateAPIKey) Validate() []fault.Issue {
	_, issues := normalDomains("allowedDomains", r.AllowedDomains)
	return append(checkEmail("ownerEmail", r.OwnerEmail), issues...)
}

// normalDomains returns the normal forms in order, and an issue for every entry that
// has none.
func normalDomains(field string, entries []string) (normal []string, issues []fault.Issue) {
	for i, entry := range entries {
		name, err := domain.Normalise(entry)
		if err != nil {
			issues = append(issues, fault.Issue{
				Code: shape.Format, Path: []string{field, strconv.Itoa(i)}, Message: err.Error(),
			})
			continue
		}
		normal = append(normal, name)
	}
	return normal, issues
}

// eachOnce returns names in order, without those that were there before.
func eachOnce(names []string) (once []string) {
	for _, name := range names {
		if !slices.Contains(once, name) {
			once = append(once, name)
		}
	}
	return once
}

// localHosts are what addLocalHostToAllowedDomains adds.
var localHosts = []string{"localhost", "127.0.0.1"}

func (r *CreateAPIKey) newKey() (workspace.NewKey, error) {
	address, err := email.Parse(r.OwnerEmail)
	if err != nil {
		return workspace.NewKey{}, fault.InvalidArgument(r.Validate()...)
	}
	entries := slices.Clone(r.AllowedDomains)
	if r.AddLocalHost {
		entries = append(entries, localHosts...)
	}
	domains, issues := normalDomains("allowedDomains", entries)
	if len(issues) > 0 {
		return workspace.NewKey{}, fault.InvalidArgument(issues...)
	}
	n := workspace.NewKey{Owner: address, Type: r.Type, Name: r.APIKeyName, Domains: eachOnce(domains)}
	n.WithToken = r.CreateAuthToken == nil || *r.CreateAuthToken
	if n.Name == "" {
		n.Name = workspace.DefaultKeyName(address, r.Type)
	}
	return n, nil
}

// CreatedAPIKey is what workspace/apikey/create answers.
type CreatedAPIKey struct {
	APIKey    string  `json:"apiKey" doc:"the id of the key"`
	AuthToken *string `json:"authToken" doc:"null when none was asked for"`
}

// Create makes a key.
func (k *APIKeys) Create(ctx context.Context, req *CreateAPIKey) (*rpc.Success[CreatedAPIKey], error) {
	n, err := req.newKey()
	if err != nil {
		return nil, err
	}
	caller := rpc.CallerFrom(ctx)
	keyID, token, err := k.store.Create(ctx, caller.WorkspaceID, caller, n)
	if err != nil {
		return nil, err
	}
	created := CreatedAPIKey{APIKey: keyID}
	if n.WithToken {
		created.AuthToken = &token
	}
	return rpc.Succeed("API key created.", created), nil
}

// UpdateAPIKey is the request of workspace/apikey/update.
type UpdateAPIKey struct {
	APIKey     string `json:"apiKey" minLength:"1" maxLength:"200"`
	APIKeyName string `json:"apiKeyName" minLength:"1" maxLength:"200" notBlank:"true"`
}

// Update gives a key another name.
func (k *APIKeys) Update(ctx context.Context, req *UpdateAPIKey) (*rpc.Success[*rpc.NoData], error) {
	caller := rpc.CallerFrom(ctx)
	if err := k.store.Rename(ctx, caller.WorkspaceID, caller, req.APIKey, req.APIKeyName); err != nil {
		return nil, err
	}
	return rpc.Succeed[*rpc.NoData]("API key updated.", nil), nil
}

// ListAPIKeys is the request of workspace/apikeys/get.
type ListAPIKeys struct {
	APIKeys   []string `json:"apiKeys,omitempty" minItems:"1" maxItems:"100" minLength:"1" maxLength:"200" example:"ak_01jd8p3y5t7c2m0w9x4v6k8r1q" doc:"only these; unknown ones are left out"`
	PageSize  int      `json:"pageSize,omitempty" minimum:"1" maximum:"100" doc:"default 100"`
	PageToken string   `json:"pageToken,omitempty" minLength:"1" example:"8mNq2v5yBxE0hKjRlTnZpQ" doc:"nextPageToken of the page before"`
}

// Of a list of keys: the name in its page tokens, and the size of a page.
const (
	keyList     = "workspace/apikeys"
	keyPageSize = 100
)

// List returns the keys of the workspace, newest first.
func (k *APIKeys) List(ctx context.Context, req *ListAPIKeys) (*rpc.Success[[]APIKeyView], error) {
	workspaceID := rpc.CallerFrom(ctx).WorkspaceID
	filter := slices.Sorted(slices.Values(req.APIKeys))
	pages := rpc.Pages{Codec: k.cursors, Field: "pageToken", WorkspaceID: workspaceID, List: keyList, Filters: filter}
	found, next, err := rpc.List(pages, req.PageToken, viewAPIKey, func(after *workspace.KeyPosition) (*workspace.KeyPage, error) {
		return k.store.List(ctx, workspaceID, filter, after, cmp.Or(req.PageSize, keyPageSize))
	})
	return rpc.Found("API keys found.", found, next, err)
}
