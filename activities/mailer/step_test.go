package mailer

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/mail"
	"github.com/redline-svc/redline/internal/webhook"
	deliveries "github.com/redline-svc/redline/models/delivery"
	mailstore "github.com/redline-svc/redline/models/mail"
)

func (c *counter) Turn(context.Context, string) (time.Duration, error) {
	if c.turns > 0 {
		c.turns--
		return 100 * time.Millisecond, nil
	}
	return 0, nil
}

func (c *counter) PrepareStep(context.Context, mailstore.StepMail) (*mailstore.Outgoing, error) {
	return c.Prepare(context.Background(), "", "")
}

func (c *counter) Settled(context.Context, string, string, string) (map[int]webhook.Class, error) {
	return map[int]webhook.Class{7: webhook.OK}, nil
}

func (c *counter) Settle(_ context.Context, _ mailstore.StepMail, class webhook.Class) error {
	c.settled = append(c.settled, class)
	return errors.New("the database is away")
}

func TestWhatIsFinalAboutARecipientIsKept(t *testing.T) {
	t.Parallel()
	sent := mailstore.StepMailed{Result: deliveries.MailSent, Class: webhook.OK}
	for name, c := range map[string]struct {
		answer error
		want   mailstore.StepMailed
		kept   []webhook.Class
	}{
		"taken":             {nil, sent, []webhook.Class{webhook.OK}},
		"recipient refused": {&mail.Error{Class: mail.RecipientRefused}, mailstore.StepMailed{Result: deliveries.MailFailed, Class: "recipient-refused"}, []webhook.Class{"recipient-refused"}},
		"mail refused":      {&mail.Error{Class: mail.MessageRefused}, mailstore.StepMailed{Result: deliveries.MailFailed, Class: "message-refused"}, []webhook.Class{"message-refused"}},
		"to come again":     {&mail.Error{Class: mail.Temporary}, mailstore.StepMailed{Class: "temporary"}, nil},
	} {
		desk := &counter{out: mailstore.Outgoing{Template: mail.Notification, Host: mail.Host{Name: "h", Username: "u", Password: "p"}, SenderConfirmed: true}, answer: c.answer}
		mails, log := desk.mails(nil)
		require.Equal(t, c.want, mails.SendStep(t.Context(), mailstore.StepMail{To: "ann@example.com", StepID: "step"}), name)
		require.Equal(t, c.kept, desk.settled, name)
		require.Equal(t, c.want.Result != deliveries.MailSent, len(desk.failed) > 0, name)
		require.NotContains(t, log.String(), "ann@", name)
	}
}

func TestAMailOfAStepThatIsNotTried(t *testing.T) {
	t.Parallel()
	desk := &counter{out: mailstore.Outgoing{Result: deliveries.MailDisabled, Class: webhook.MailsDisabled}}
	mails, _ := desk.mails(nil)
	require.Equal(t, mailstore.StepMailed{Result: deliveries.MailDisabled, Class: webhook.MailsDisabled}, mails.SendStep(t.Context(), mailstore.StepMail{}))
	require.Empty(t, desk.failed, "what is switched off has not failed")
	desk.err = errors.New("the database is away")
	require.Equal(t, mailstore.StepMailed{Class: webhook.Interrupted}, mails.SendStep(t.Context(), mailstore.StepMail{}))
	require.Empty(t, desk.sent)
	require.Empty(t, desk.settled)
}

func TestAMailOfAStepWaitsForItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		desk := &counter{out: mailstore.Outgoing{Host: mail.Host{Name: "h", Username: "u", Password: "p"}, SenderConfirmed: true}, turns: 3}
		mails, _ := desk.mails(nil)
		began := time.Now()
		require.Equal(t, deliveries.MailSent, mails.SendStep(t.Context(), mailstore.StepMail{}).Result)
		require.Equal(t, 300*time.Millisecond, time.Since(began))

		desk.turns = 1000
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.Equal(t, mailstore.StepMailed{Class: webhook.Timeout}, mails.SendStep(ctx, mailstore.StepMail{}))
		require.Len(t, desk.sent, 1)
		require.Len(t, desk.settled, 1)
	})
}

// A host that takes no mail to its end holds up the mails of its own workspace alone.
func TestMailsOfStepsLeaveSlotsToOtherWorkspaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		desk := &counter{out: mailstore.Outgoing{Host: mail.Host{Name: "h", Username: "u", Password: "p"}, SenderConfirmed: true}}
		mails, _ := desk.mails(nil)
		held := mails.slots.Take("ws_hanging", stepMails)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.Equal(t, mailstore.StepMailed{Class: webhook.Timeout}, mails.SendStep(ctx, mailstore.StepMail{WorkspaceID: "ws_hanging"}))
		require.Equal(t, deliveries.MailSent, mails.SendStep(t.Context(), mailstore.StepMail{WorkspaceID: "ws_other"}).Result)
		require.Len(t, desk.sent, 1)
		mails.slots.Release("ws_hanging", int64(held))
		require.EqualValues(t, stepMails, mails.slots.Free())
	})
}
