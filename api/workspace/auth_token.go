package workspace

import (
	"context"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/models/workspace"
)

// GetAuthTokens is the request of workspace/authtokens/get.
type GetAuthTokens struct {
	APIKey string `json:"apiKey" minLength:"1" maxLength:"200"`
}

// AuthTokenView is the live token of a key.
type AuthTokenView struct {
	Token   string   `json:"token" doc:"for the header x-svc-auth-token"`
	Name    string   `json:"name"`
	Domains []string `json:"domains" doc:"the key's allowed domains"`
}

func viewAuthToken(token workspace.AuthToken) AuthTokenView {
	return AuthTokenView{Token: token.Token, Name: token.Name, Domains: token.Domains}
}

// KeyTokens is what workspace/authtokens/get answers.
type KeyTokens struct {
	APIKey     string          `json:"apiKey"`
	AuthTokens []AuthTokenView `json:"authTokens" doc:"none or one"`
}

// Tokens returns the live token of a key.
func (k *APIKeys) Tokens(ctx context.Context, req *GetAuthTokens) (*rpc.Success[KeyTokens], error) {
	caller := rpc.CallerFrom(ctx)
	tokens, err := k.store.Tokens(ctx, caller.WorkspaceID, caller, req.APIKey)
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Auth tokens found.", KeyTokens{APIKey: req.APIKey, AuthTokens: rpc.Each(tokens, viewAuthToken)}), nil
}

// ResetAuthToken is the request of workspace/authtoken/reset.
type ResetAuthToken struct {
	APIKey string `json:"apiKey" minLength:"1" maxLength:"200"`
}

// NewAuthToken is what workspace/authtoken/reset answers.
type NewAuthToken struct {
	APIKey       string        `json:"apiKey"`
	NewAuthToken AuthTokenView `json:"newAuthToken"`
}

// Reset replaces the token of a key; the old one is dead before the answer.
func (k *APIKeys) Reset(ctx context.Context, req *ResetAuthToken) (*rpc.Success[NewAuthToken], error) {
	caller := rpc.CallerFrom(ctx)
	token, err := k.store.Reset(ctx, caller.WorkspaceID, caller, req.APIKey)
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Auth token reset.", NewAuthToken{APIKey: req.APIKey, NewAuthToken: viewAuthToken(*token)}), nil
}

// EnsureAuthToken is the request of workspace/authtoken/ensure.
type EnsureAuthToken struct {
	APIKey string `json:"apiKey,omitempty" minLength:"1" maxLength:"200" doc:"without it the workspace's own token"`
}

// EnsuredAuthToken is what workspace/authtoken/ensure answers.
type EnsuredAuthToken struct {
	APIKey    *string `json:"apiKey" doc:"null for the workspace's own token"`
	AuthToken string  `json:"authToken"`
	Created   bool    `json:"created" doc:"the key had none"`
}

// Ensure returns a token that works: a key's, made if it has none and never replaced, or the
// workspace's own.
func (k *APIKeys) Ensure(ctx context.Context, req *EnsureAuthToken) (*rpc.Success[EnsuredAuthToken], error) {
	caller := rpc.CallerFrom(ctx)
	var result EnsuredAuthToken
	var err error
	if req.APIKey == "" {
		result.AuthToken, err = k.store.Own(ctx, caller.WorkspaceID, caller)
	} else {
		result.APIKey = &req.APIKey
		result.AuthToken, result.Created, err = k.store.Ensure(ctx, caller.WorkspaceID, caller, req.APIKey)
	}
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Auth token found.", result), nil
}
