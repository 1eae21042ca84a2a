package workspace

import (
	"context"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/shape"
)

// CopyAPIKey is the request of workspace/apikey/copy.
type CopyAPIKey struct {
	SourceAPIKey string `json:"sourceApiKey" minLength:"1" maxLength:"200"`
	TargetAPIKey string `json:"targetApiKey" minLength:"1" maxLength:"200" doc:"another key; its token, name and type stay"`
}

// Validate wants two keys.
func (r *CopyAPIKey) Validate() []fault.Issue {
	if r.SourceAPIKey == "" || r.SourceAPIKey != r.TargetAPIKey {
		return nil
	}
	return []fault.Issue{{Code: shape.Conflict, Path: []string{"targetApiKey"}, Message: "is the source"}}
}

// CopiedAPIKey says what the target has from the source.
type CopiedAPIKey struct {
	SourceAPIKey string   `json:"sourceApiKey"`
	TargetAPIKey string   `json:"targetApiKey"`
	Copied       []string `json:"copied" doc:"what a key has of its own beside name and token: allowedDomains"`
}

// Copy makes the settings of one key those of another.
func (k *APIKeys) Copy(ctx context.Context, req *CopyAPIKey) (*rpc.Success[CopiedAPIKey], error) {
	caller := rpc.CallerFrom(ctx)
	if err := k.store.CopyDomains(ctx, caller.WorkspaceID, caller, req.SourceAPIKey, req.TargetAPIKey); err != nil {
		return nil, err
	}
	return rpc.Succeed("API key copied.", CopiedAPIKey{req.SourceAPIKey, req.TargetAPIKey, []string{"allowedDomains"}}), nil
}
