package workspace

import (
	"context"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/email"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/limit"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/workspace"
)

// Workspaces are the operations on workspaces themselves.
type Workspaces struct {
	store      workspaceStore
	disposable disposableDomains
	creations  creationCounter
}

type workspaceStore interface {
	Create(ctx context.Context, caller workspace.Caller, n workspace.NewWorkspace) (*workspace.Workspace, error)
	Get(ctx context.Context, workspaceID string, caller workspace.Caller) (*workspace.Workspace, error)
}

// disposableDomains knows the domains of throw-away addresses.
type disposableDomains interface{ Has(domain string) bool }

// creationCounter counts creations in the sliding hour of a client address.
type creationCounter interface {
	Enter(ctx context.Context, class limit.Class, ip string) (limit.Use, error)
}

// NewWorkspaces makes the operations.
func NewWorkspaces(store workspaceStore, disposable disposableDomains, creations creationCounter) *Workspaces {
	return &Workspaces{store: store, disposable: disposable, creations: creations}
}

// CreateWorkspace is the request of workspace/create.
type CreateWorkspace struct {
	OwnerEmail    string  `json:"ownerEmail" maxLength:"254" doc:"the owner's e-mail address; a label, it is not verified"`
	Name          *string `json:"name,omitempty" minLength:"1" maxLength:"200" notBlank:"true" doc:"the owner's name; default: ownerEmail"`
	WorkspaceName *string `json:"workspaceName,omitempty" minLength:"1" maxLength:"200" notBlank:"true" example:"Desk" doc:"default: the owner's name and the word workspace"`
	Avatar        *string `json:"avatar,omitempty" maxLength:"2000" format:"http-url" example:"https://example.com/desk.png" doc:"an absolute http or https URL; never fetched"`
}

// Validate checks the address.
func (r *CreateWorkspace) Validate() []fault.Issue { return checkEmail("ownerEmail", r.OwnerEmail) }

// checkEmail holds an address against the rules that tags cannot say.
func checkEmail(field, address string) []fault.Issue {
	if _, err := email.Parse(address); err != nil {
		return []fault.Issue{{Code: shape.Format, Path: []string{field}, Message: err.Error()}}
	}
	return nil
}

// GetWorkspace is the request of workspace/get.
type GetWorkspace struct{}

// WorkspaceView is a workspace as its owner sees it.
type WorkspaceView struct {
	ID         string     `json:"id"`
	Name       string     `json:"name"`
	Owner      OwnerView  `json:"owner"`
	AuthToken  string     `json:"authToken" doc:"the workspace's token, for the header x-svc-workspace-auth-token"`
	APIKeyList APIKeyList `json:"apiKeyList"`
	Plan       string     `json:"plan" enum:"free,paid"`
	CreatedAt  string     `json:"createdAt" format:"date-time"`
}

// OwnerView is the owner of a workspace. ID is the same in all of an owner's
// workspaces, the rest is what this one was made with.
type OwnerView struct {
	Email  string  `json:"email" doc:"as it was sent"`
	ID     string  `json:"id"`
	Name   string  `json:"name"`
	Avatar *string `json:"avatar"`
}

func viewWorkspace(w *workspace.Workspace) WorkspaceView {
	return WorkspaceView{
		ID: w.ID, Name: w.Name, AuthToken: w.AuthToken, Plan: w.Plan, CreatedAt: rpc.FormatTime(w.CreatedAt),
		Owner:      OwnerView{Email: w.Owner.Email, ID: w.Owner.ID, Name: w.Owner.Name, Avatar: w.Owner.Avatar},
		APIKeyList: rpc.Each(w.Keys, viewAPIKey),
	}
}

// Create makes a workspace for an e-mail address.
func (w *Workspaces) Create(ctx context.Context, req *CreateWorkspace) (*rpc.Success[WorkspaceView], error) {
	address, err := email.Parse(req.OwnerEmail)
	if err != nil {
		return nil, fault.InvalidArgument(checkEmail("ownerEmail", req.OwnerEmail)...)
	}
	if w.disposable.Has(address.Domain) {
		return nil, fault.InvalidReason("disposable-domain", "ownerEmail: addresses of this domain are for one-time use")
	}
	caller := rpc.CallerFrom(ctx)
	use, err := w.creations.Enter(ctx, limit.Create, caller.IP)
	if err != nil {
		return nil, err
	}
	made, err := w.store.Create(ctx, caller, workspace.NewWorkspace{
		Email: address, OwnerName: req.Name, Name: req.WorkspaceName, Avatar: req.Avatar,
	})
	if err != nil {
		return nil, giveBack(ctx, use, err)
	}
	return rpc.Succeed("Workspace created.", viewWorkspace(made)), nil
}

// giveBack returns a counted creation when the fault was the server's. Where
// that fails too, the store is away and one creation of the hour is lost.
func giveBack(ctx context.Context, use limit.Use, err error) error {
	switch fault.From(err).Status {
	case fault.StatusInternal, fault.StatusUnavailable, fault.StatusDeadlineExceeded:
		_ = use.GiveBack(ctx)
	default:
	}
	return err
}

// Get returns the caller's workspace with its token and keys.
func (w *Workspaces) Get(ctx context.Context, _ *GetWorkspace) (*rpc.Success[WorkspaceView], error) {
	caller := rpc.CallerFrom(ctx)
	found, err := w.store.Get(ctx, caller.WorkspaceID, caller)
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Workspace found.", viewWorkspace(found)), nil
}
