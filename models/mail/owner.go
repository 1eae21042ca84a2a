package mail

import (
	"context"
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/email"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/internal/mail"
	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/workspace"
)

// ConfirmPath is where owners confirm their address, each under a token of its workspace.
const ConfirmPath = "/v2/workspace/owner/confirm/"

const (
	// ownerUse is the use of the key that signs the addresses of ConfirmPath.
	ownerUse = "redline/owner-confirmation/v1"
	// ownerLife is for how long such an address is good.
	ownerLife = 24 * time.Hour
	// ownerMailsPerDay is how many mails a day ask the owner of a workspace, and
	// ownerMailsPerAddress one address for all its workspaces.
	ownerMailsPerDay     = 3
	ownerMailsPerAddress = 5
)

// Addresses makes and reads the addresses at which owners confirm theirs.
type Addresses struct {
	box       *secret.Box
	publicURL string
}

// NewAddresses makes it; publicURL is under which callers reach the service.
func NewAddresses(box *secret.Box, publicURL string) Addresses {
	return Addresses{box, strings.TrimSuffix(publicURL, "/")}
}

// Of returns the address for a workspace, good until then.
func (a Addresses) Of(workspaceID string, until time.Time) string {
	said := workspaceID + "." + strconv.FormatInt(until.Unix(), 10)
	return a.publicURL + ConfirmPath + said + "." + signature(a.box.MAC(ownerUse, []byte(said)))
}

func signature(mac []byte) string { return base64.RawURLEncoding.EncodeToString(mac) }

// read returns the workspace of a token. Error: NOT_FOUND of one that was not signed here or
// is over.
func (a Addresses) read(token string) (workspaceID string, err error) {
	cut := strings.LastIndexByte(token, '.')
	workspaceID, until, _ := strings.Cut(token[:max(cut, 0)], ".")
	signed := false
	for _, mac := range a.box.MACs(ownerUse, []byte(token[:max(cut, 0)])) {
		signed = secret.Equal([]byte(signature(mac)), []byte(token[cut+1:])) || signed
	}
	seconds, err := strconv.ParseInt(until, 10, 64)
	if !signed || err != nil || time.Now().Unix() >= seconds {
		return "", fault.NotFound("confirmation")
	}
	return workspaceID, nil
}

// Owners asks the owners of workspaces to confirm their address.
type Owners struct {
	db        *pg.DB
	addresses Addresses
	// hasRelay says that the operator set a relay, confirmed that all owners count as confirmed.
	hasRelay, confirmed bool
}

// NewOwners makes the store; hasRelay says that the operator set a relay, confirmed that
// owners count as confirmed from the start.
func NewOwners(db *pg.DB, addresses Addresses, hasRelay, confirmed bool) *Owners {
	return &Owners{db: db, addresses: addresses, hasRelay: hasRelay, confirmed: confirmed}
}

// Get returns how far the owner has confirmed the address.
func (o *Owners) Get(ctx context.Context, workspaceID string) (*workspace.Confirmation, error) {
	found, err := workspace.ReadConfirmation(ctx, o.db.Pool, workspaceID)
	if err == nil && o.confirmed && found.ConfirmedAt == nil {
		found.ConfirmedAt = &found.CreatedAt
	}
	return found, err
}

// Send queues the mail that asks the owner to confirm the address, and reports whether it
// did: none goes where it is confirmed already. Errors: FAILED_PRECONDITION (no-mail-relay);
// RESOURCE_EXHAUSTED (confirmation-quota).
func (o *Owners) Send(ctx context.Context, workspaceID string, caller workspace.Caller) (sent bool, err error) {
	found, err := o.Get(ctx, workspaceID)
	if err != nil || found.ConfirmedAt != nil {
		return false, err
	}
	if !o.hasRelay {
		return false, fault.FailedPrecondition("no-mail-relay", "the operator has set no mail relay, which would send the mail")
	}
	return true, o.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := countOwnerMail(ctx, tx, workspaceID, found.OwnerEmail); err != nil {
			return err
		}
		b := &pgx.Batch{}
		workspace.QueueConfirmationSent(b, workspaceID)
		if err := queueAlways(ctx, tx, b, workspaceID, id.New(id.Mail), Draft{Template: mail.OwnerConfirmation, Recipient: found.OwnerEmail}); err != nil {
			return err
		}
		caller.Audit(workspaceID, "confirmationSentAt").Queue(b)
		return tx.SendBatch(ctx, b).Close()
	})
}

// countOwnerMail counts a mail for its workspace and its address.
func countOwnerMail(ctx context.Context, tx *pg.Tx, workspaceID, address string) error {
	if parsed, err := email.Parse(address); err == nil {
		address = parsed.Mailbox()
	}
	for _, window := range []struct {
		name string
		most int
	}{{"owner-mail/" + workspaceID, ownerMailsPerDay}, {"owner-mail-to/" + address, ownerMailsPerAddress}} {
		wait, err := workspace.EnterWindow(ctx, tx, window.name, day, window.most)
		if err != nil {
			return err
		}
		if wait > 0 {
			return confirmationQuota(wait)
		}
	}
	return nil
}

// askOwner fills the mail that asks the owner. Nothing that a caller wrote stands in it, since anybody
// may have made the workspace, and it is none of those that the plan is allowed.
func (s *Mails) askOwner(workspaceID string, d *dueMail) {
	until := d.out.Message.At.Add(ownerLife)
	if !time.Now().Before(until) {
		d.out.Result, d.out.Class = delivery.MailFailed, ClassOver
		return
	}
	d.out.Host.Operators = true
	d.out.Message.Content = mail.AskOwner(workspaceID, s.addresses.Of(workspaceID, until))
}

// Find returns the workspace that a token leads to. Error: NOT_FOUND of one that was not
// signed here or is over, or whose workspace is closed.
func (o *Owners) Find(ctx context.Context, token string) (workspaceID string, confirmed bool, err error) {
	if workspaceID, err = o.addresses.read(token); err != nil {
		return "", false, err
	}
	found, err := o.Get(ctx, workspaceID)
	if err != nil || found.Closed {
		return "", false, fault.NotFound("confirmation")
	}
	return workspaceID, found.ConfirmedAt != nil, nil
}

// Confirm notes that the owner of a workspace has confirmed the address, and reports whether
// nobody had before.
func (o *Owners) Confirm(ctx context.Context, workspaceID string, caller workspace.Caller) (changed bool, err error) {
	err = o.db.InTx(ctx, func(tx *pg.Tx) error {
		if changed, err = workspace.Confirm(ctx, tx, workspaceID); err != nil || !changed {
			return err
		}
		b := &pgx.Batch{}
		caller.Audit(workspaceID, "confirmedAt").Queue(b)
		return tx.SendBatch(ctx, b).Close()
	})
	return changed, err
}
