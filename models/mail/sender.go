package mail

import (
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/internal/mail"
	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/notifier"
	"github.com/redline-svc/redline/models/workspace"
)

// senderCode is what was sent to the address of a sender, to prove that it is the
// workspace's. The code itself is in no row: it follows from the id of its mail.
type senderCode struct {
	mailID string
	// live says that its time is not over, asks that its mail is still to be queued.
	live, asks bool
	misses     int
}

const (
	// senderCodeUse is the use of the key that makes codes.
	senderCodeUse = "redline/sender-code/v1"
	// mostMisses is how many wrong codes end the right one.
	mostMisses = 5
	// codesPerDay is how many codes a workspace has sent a day.
	codesPerDay = 5
	// day is the length of the window in which what asks for a confirmation is counted.
	day = 24 * time.Hour
)

// codesOf are six digits for a mail, by each of the hash keys, the one that writes first.
func codesOf(box *secret.Box, workspaceID, mailID string) []string {
	var codes []string
	for _, mac := range box.MACs(senderCodeUse, []byte(workspaceID), []byte(mailID)) {
		codes = append(codes, fmt.Sprintf("%06d", binary.BigEndian.Uint64(mac)%1_000_000))
	}
	return codes
}

// confirmationQuota refuses a mail that asks for a confirmation, for so long.
func confirmationQuota(wait time.Duration) error {
	return fault.ResourceExhausted("confirmation-quota", "as many mails that ask for a confirmation were sent as one day allows", wait)
}

// mustConfirm reports whether the address of the sender has to be confirmed before mails
// leave with it.
func (s *SettingsStore) mustConfirm(state *Settings) bool {
	return state.Relay == RelayWorkspace && state.confirmedAt == nil && !s.hosts.Listed(state.Host, state.Port)
}

// askAnew voids what was confirmed of another host, user or address, and notes that a code
// is to be sent where one is wanted. Error: RESOURCE_EXHAUSTED confirmation-quota.
func (s *SettingsStore) askAnew(ctx context.Context, tx *pg.Tx, workspaceID string, before, after *Settings, c SettingsChange) error {
	if after.Host != before.Host || after.Username != before.Username || after.FromEmail != before.FromEmail {
		after.confirmedAt, after.code = nil, senderCode{}
	}
	named := c.Host != nil || c.Username != nil || c.FromEmail != nil || c.Relay != nil && !after.code.live
	if !named || !s.mustConfirm(after) {
		return nil
	}
	wait, err := workspace.EnterWindow(ctx, tx, "sender-code/"+workspaceID, day, codesPerDay)
	if err == nil && wait > 0 {
		err = confirmationQuota(wait)
	}
	after.code = senderCode{mailID: id.New(id.Mail), asks: true}
	return err
}

// queueCode adds the mail with the code to the batch. It goes whether the service is on or not.
func (s *Settings) queueCode(ctx context.Context, tx *pg.Tx, b *pgx.Batch, workspaceID string) error {
	return queueAlways(ctx, tx, b, workspaceID, s.code.mailID, Draft{Template: mail.SenderCode, Recipient: s.FromEmail})
}

// queueAlways adds a mail to the batch that no setting stops.
func queueAlways(ctx context.Context, tx *pg.Tx, b *pgx.Batch, workspaceID, mailID string, draft Draft) error {
	destination, err := delivery.DestinationOfMail(ctx, tx, workspaceID)
	if err != nil {
		return err
	}
	tx.Notify(notifier.Destinations, destination)
	return queueMails(b, workspaceID, destination, []namedDraft{{draft, mailID}}, 0)
}

// askSender fills the mail with the code, by the workspace's own host; one whose code is over
// ends.
func (s *Mails) askSender(workspaceID string, d *dueMail) error {
	if d.code.mailID != d.out.Message.ID || !d.code.live {
		d.out.Result, d.out.Class = delivery.MailFailed, ClassOver
		return nil
	}
	d.out.Message.Content = mail.AskSender(codesOf(s.box, workspaceID, d.code.mailID)[0])
	d.out.Message.From, d.out.SenderConfirmed = d.FromEmail, true
	return s.address(workspaceID, d)
}

// ConfirmSender confirms the address of the sender with the code that was sent to it, and
// returns the state. The fifth wrong code ends the right one. Errors: INVALID_ARGUMENT
// (wrong-code); FAILED_PRECONDITION (nothing-to-confirm).
func (s *SettingsStore) ConfirmSender(ctx context.Context, workspaceID string, caller workspace.Caller, code string) (*Settings, error) {
	var state *Settings
	var refused error
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		var err error
		if state, err = takeSettings(ctx, tx, workspaceID, " FOR UPDATE"); err != nil {
			return err
		}
		if !state.code.live {
			return fault.FailedPrecondition("nothing-to-confirm", "no code waits to be confirmed; an update of host, username or fromEmail sends one")
		}
		if !s.right(workspaceID, state.code, code) {
			refused = fault.InvalidReason("wrong-code", "code: it is not the one that was sent; the fifth wrong one ends it")
			_, err = tx.Exec(ctx, missCode, workspaceID, mostMisses)
			return err
		}
		if err := tx.QueryRow(ctx, keepConfirmed, workspaceID).Scan(&state.confirmedAt); err != nil {
			return err
		}
		b := &pgx.Batch{}
		caller.Audit(workspaceID, configField+".senderConfirmed").Queue(b)
		return tx.SendBatch(ctx, b).Close()
	})
	if err == nil {
		err = refused
	}
	if err != nil {
		return nil, err
	}
	return s.shown(state), nil
}

func (s *SettingsStore) right(workspaceID string, sent senderCode, code string) bool {
	right := false
	for _, each := range codesOf(s.box, workspaceID, sent.mailID) {
		right = secret.Equal([]byte(each), []byte(code)) || right
	}
	return right
}

// missCode counts a wrong code of a workspace, with how many are too many.
const missCode = `
UPDATE email_settings SET code_misses = code_misses + 1, code_mail = CASE WHEN code_misses + 1 < $2 THEN code_mail END,
       code_sent_at = CASE WHEN code_misses + 1 < $2 THEN code_sent_at END WHERE workspace_id = $1`

const keepConfirmed = `
UPDATE email_settings SET sender_confirmed_at = clock_timestamp(), code_mail = NULL, code_sent_at = NULL, code_misses = 0
WHERE workspace_id = $1 RETURNING sender_confirmed_at`
