package client

import (
	"context"
	"errors"
	"fmt"

	redline "github.com/redline-svc/redline/clients/go"
)

// Credentials opens a workspace: its id and token, and its first key.
type Credentials struct {
	ID        string `json:"id"`
	Token     string `json:"token"`
	APIKey    string `json:"apiKey"`
	AuthToken string `json:"authToken"`
}

// Workspace is a tenant with its secrets and a session for each level.
type Workspace struct {
	Credentials

	// Owner has the workspace's credentials, Keyed those of its first key.
	Owner, Keyed *Session
}

// Wrapped is the result of operations that put their data beside a message.
type Wrapped[T any] struct {
	Status  string `json:"status"`
	Message string `json:"message"`
	Data    T      `json:"data"`
	// NextPageToken is empty on the last page of a list.
	NextPageToken string `json:"nextPageToken"`
}

// CreateWorkspace makes a tenant and fetches the token of its first key, all
// over the published interface.
func CreateWorkspace(ctx context.Context, baseURL, ownerEmail string) (*Workspace, error) {
	created, err := Call[redline.WorkspaceResult](ctx, Public(baseURL), WorkspaceCreate, redline.CreateWorkspaceRequest{OwnerEmail: ownerEmail})
	if err != nil {
		return nil, fmt.Errorf("create workspace: %w", err)
	}
	c := Credentials{ID: created.Data.ID, Token: created.Data.AuthToken}
	for key := range created.Data.APIKeyList {
		c.APIKey = key
	}
	owner := OpenWorkspace(baseURL, c).Owner
	tokens, err := Call[redline.KeyTokensResult](ctx, owner, GetTokens, redline.GetAuthTokensRequest{APIKey: c.APIKey})
	if err != nil {
		return nil, fmt.Errorf("fetch the key's token: %w", err)
	}
	if len(tokens.Data.AuthTokens) != 1 {
		return nil, errors.New("a new workspace's key has not exactly one token")
	}
	c.AuthToken = tokens.Data.AuthTokens[0].Token
	return OpenWorkspace(baseURL, c), nil
}

// OpenWorkspace returns the tenant with these credentials.
func OpenWorkspace(baseURL string, c Credentials) *Workspace {
	public := Public(baseURL)
	return &Workspace{
		Credentials: c,
		Owner:       public.With(map[string]string{"x-svc-workspace-id": c.ID, "x-svc-workspace-auth-token": c.Token}),
		Keyed:       public.With(map[string]string{"x-svc-api-key": c.APIKey, "x-svc-auth-token": c.AuthToken}),
	}
}

// At returns the same tenant reached through another process.
func (w *Workspace) At(baseURL string) *Workspace {
	moved := *w
	moved.Owner, moved.Keyed = w.Owner.At(baseURL), w.Keyed.At(baseURL)
	return &moved
}
