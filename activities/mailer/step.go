package mailer

import (
	"context"
	"time"

	"github.com/redline-svc/redline/activities"
	"github.com/redline-svc/redline/internal/mail"
	"github.com/redline-svc/redline/internal/webhook"
	deliveries "github.com/redline-svc/redline/models/delivery"
	mails "github.com/redline-svc/redline/models/mail"
)

// stepMails is how many mails of steps a process hands over at once: while it waits for a host, one may have some MiB in memory.
const stepMails = 64

// StepRows is what mails of steps need of the rows beside those of all mails
// (*mail.Mails).
type StepRows interface {
	// Turn takes the turn of one mail, or returns after how long to ask again.
	Turn(ctx context.Context, workspaceID string) (wait time.Duration, err error)
	// PrepareStep decides which way a mail of a step goes, or that it does not.
	PrepareStep(ctx context.Context, m mails.StepMail) (*mails.Outgoing, error)
	// Settled returns what became of the mails that no later try has to send.
	Settled(ctx context.Context, workspaceID, executionID, stepID string) (map[int]webhook.Class, error)
	// Settle keeps what became of such a mail.
	Settle(ctx context.Context, m mails.StepMail, class webhook.Class) error
}

// Settled returns what became of those mails of a step that no later try has to send, by
// the position of the recipient.
func (m *Mailer) Settled(ctx context.Context, workspaceID, executionID, stepID string) (map[int]webhook.Class, error) {
	return m.rows.Settled(ctx, workspaceID, executionID, stepID)
}

// SendStep makes one try of the mail of a step to one recipient, in its turn among all
// mails of the workspace. It ends with ctx. Where the recipient was reached, or never
// will be, that is kept.
func (m *Mailer) SendStep(ctx context.Context, step mails.StepMail) mails.StepMailed {
	if err := m.awaitTurn(ctx, step.WorkspaceID); err != nil {
		return notBegun(ctx)
	}
	if err := m.slots.Acquire(ctx, step.WorkspaceID, 1); err != nil {
		return notBegun(ctx)
	}
	defer m.slots.Release(step.WorkspaceID, 1)
	out, err := m.rows.PrepareStep(ctx, step)
	if err != nil {
		return notBegun(ctx)
	}
	done := mails.StepMailed{Result: out.Result, Class: out.Class}
	if out.Result == "" && out.Wait == 0 {
		tried := m.try(ctx, out)
		done = mails.StepMailed{Result: tried.Result, Class: tried.Class}
	}
	m.count(out.Template, done.Result)
	m.settle(ctx, step, out.Message.ID, done)
	return done
}

// notBegun is a mail that was not tried: its time was over, or the rows are away.
func notBegun(ctx context.Context) mails.StepMailed {
	if ctx.Err() != nil {
		return mails.StepMailed{Class: webhook.Timeout}
	}
	return mails.StepMailed{Class: webhook.Interrupted}
}

// settle keeps what is final about the recipient, and why a try failed. Should that
// fail, a later try may send the mail again, under the same Message-ID.
func (m *Mailer) settle(ctx context.Context, step mails.StepMail, mailID string, done mails.StepMailed) {
	own, cancel := context.WithTimeout(context.WithoutCancel(ctx), activities.StoreLimit)
	defer cancel()
	switch done.Class {
	case webhook.OK, webhook.Class(mail.RecipientRefused), webhook.Class(mail.MessageRefused):
		if err := m.rows.Settle(own, step, done.Class); err != nil {
			m.log.Warn("what became of a mail could not be kept", "step_id", step.StepID, "error", err)
		}
	default:
	}
	if done.Result != deliveries.MailSent && done.Result != deliveries.MailDisabled {
		m.note(own, step.WorkspaceID, mailID, done.Class)
	}
}

// awaitTurn waits for the turn of a mail, at most as long as ctx lasts.
func (m *Mailer) awaitTurn(ctx context.Context, workspaceID string) error {
	for {
		wait, err := m.rows.Turn(ctx, workspaceID)
		if err != nil || wait == 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}
