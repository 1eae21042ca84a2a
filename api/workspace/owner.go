package workspace

import (
	"context"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/models/mail"
	"github.com/redline-svc/redline/models/workspace"
)

type ownerStore interface {
	Get(ctx context.Context, workspaceID string) (*workspace.Confirmation, error)
	Send(ctx context.Context, workspaceID string, caller workspace.Caller) (sent bool, err error)
	Find(ctx context.Context, token string) (workspaceID string, confirmed bool, err error)
	Confirm(ctx context.Context, workspaceID string, caller workspace.Caller) (changed bool, err error)
}

// Owners are the operations by which the owner of a workspace confirms the address that it
// was made with.
type Owners struct{ store ownerStore }

// NewOwners makes the operations.
func NewOwners(store ownerStore) *Owners { return &Owners{store} }

// ConfirmPath is where owners confirm, followed by {token}.
const ConfirmPath = mail.ConfirmPath

// GetOwner is the request of owner/get.
type GetOwner struct{}

// OwnerConfirmation is how far the owner has confirmed the address.
type OwnerConfirmation struct {
	OwnerEmail  string  `json:"ownerEmail"`
	ConfirmedAt *string `json:"confirmedAt" format:"date-time" doc:"null: not yet"`
	SentAt      *string `json:"sentAt" format:"date-time" doc:"when a mail last asked for it; null: never"`
}

// Get says how far the owner has confirmed the address.
func (o *Owners) Get(ctx context.Context, _ *GetOwner) (*rpc.Success[OwnerConfirmation], error) {
	found, err := o.store.Get(ctx, rpc.CallerFrom(ctx).WorkspaceID)
	if err != nil {
		return nil, err
	}
	view := OwnerConfirmation{OwnerEmail: found.OwnerEmail}
	if found.ConfirmedAt != nil {
		view.ConfirmedAt = new(rpc.FormatTime(*found.ConfirmedAt))
	}
	if found.SentAt != nil {
		view.SentAt = new(rpc.FormatTime(*found.SentAt))
	}
	return rpc.Succeed("Owner found.", view), nil
}

// SendOwnerConfirmation is the request of owner/send-confirmation.
type SendOwnerConfirmation struct{}

// ConfirmationAsked is what owner/send-confirmation answers.
type ConfirmationAsked struct {
	Status  string `json:"status" enum:"success"`
	Message string `json:"message" doc:"a short sentence, not part of the contract"`
}

// Send has a mail sent that asks the owner to confirm the address.
func (o *Owners) Send(ctx context.Context, _ *SendOwnerConfirmation) (*ConfirmationAsked, error) {
	caller := rpc.CallerFrom(ctx)
	sent, err := o.store.Send(ctx, caller.WorkspaceID, caller)
	if err != nil {
		return nil, err
	}
	if !sent {
		return &ConfirmationAsked{"success", "The address is confirmed already."}, nil
	}
	return &ConfirmationAsked{"success", "A mail to the owner is on its way."}, nil
}

// confirmed is the page of an address that is confirmed.
func confirmed(text string) rpc.Page { return rpc.Page{Title: "Confirmed", Text: text} }

// already is what it says where nothing was left to do.
const already = "This address is confirmed already. Nothing was changed."

// Ask is the page with the button. It changes nothing, since programs that check mails open
// it as well.
func (o *Owners) Ask(ctx context.Context, token string) (*rpc.Shown, error) {
	workspaceID, done, err := o.store.Find(ctx, token)
	if err != nil {
		return nil, err
	}
	return &rpc.Shown{WorkspaceID: workspaceID, Show: func(context.Context) (rpc.Page, error) {
		if done {
			return confirmed(already), nil
		}
		return rpc.Page{Title: "Confirm your e-mail address", Text: "The workspace " + workspaceID + " was made with it.", Button: "Confirm"}, nil
	}}, nil
}

// Confirm is what the button does.
func (o *Owners) Confirm(ctx context.Context, token string) (*rpc.Shown, error) {
	workspaceID, done, err := o.store.Find(ctx, token)
	if err != nil {
		return nil, err
	}
	return &rpc.Shown{WorkspaceID: workspaceID, Show: func(ctx context.Context) (rpc.Page, error) {
		changed := false
		if !done {
			changed, err = o.store.Confirm(ctx, workspaceID, rpc.CallerFrom(ctx))
		}
		if err != nil || !changed {
			return confirmed(already), err
		}
		return confirmed("The address of the workspace " + workspaceID + " is confirmed. You may close this page."), nil
	}}, nil
}
