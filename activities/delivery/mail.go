package delivery

import (
	"context"
	"time"

	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/delivery"
)

// Mailed is what became of handing a mail over.
type Mailed struct {
	// Class is webhook.OK for a mail that was taken, else why it was not.
	Class webhook.Class
	// Result is delivery.MailSent, MailFailed or MailDisabled when the mail has
	// ended, empty when it shall be tried again by the schedule of mails.
	Result string
	// Wait is after how long it is looked at again where nothing was tried, zero where something was.
	Wait time.Duration
}

// Mailer hands mails over to their relay.
type Mailer interface {
	// Send makes one attempt; ctx ends with the time of the attempt. mayStart is
	// asked when all is prepared: without its leave nothing is handed over, and the
	// class is webhook.Interrupted. It changes
	// neither the mail's row nor its delivery's: the outcome is recorded in them
	// in one transaction, and the text of a mail that ended is erased there. An
	// error says that no attempt was made: the mail is claimed again when its lock
	// ends and has used up no step of its schedule.
	Send(ctx context.Context, workspaceID, mailID string, mayStart func() bool) (Mailed, error)
}

// mails hands mails over to their relays.
type mails struct{ *Activities }

func (m mails) send(f flight) (delivery.Outcome, bool) {
	return f.attempt(func(ctx context.Context, _ time.Time) (delivery.Outcome, bool) {
		mailed, err := m.mailer.Send(ctx, f.WorkspaceID, f.MailID, func() bool { return m.mayStart(f) })
		if err != nil {
			m.log.Error("a mail could not be tried", "mail_id", f.MailID, "error", err)
		}
		return delivery.Outcome{Class: mailed.Class, MailResult: mailed.Result, MailWaits: mailed.Wait > 0, RetryAfter: mailed.Wait}, err == nil
	})
}
