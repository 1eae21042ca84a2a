package mailer

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/activities/delivery"
	"github.com/redline-svc/redline/internal/guard"
	"github.com/redline-svc/redline/internal/mail"
	"github.com/redline-svc/redline/internal/telemetry"
	"github.com/redline-svc/redline/internal/webhook"
	deliveries "github.com/redline-svc/redline/models/delivery"
	mailstore "github.com/redline-svc/redline/models/mail"
)

// counter plays the rows and the relay, and counts.
type counter struct {
	out      mailstore.Outgoing
	err      error
	prepared int
	failed   []webhook.Class
	sent     []mail.Host
	from     []string
	answer   error
	panics   bool
	// turns is how often a mail of a step has to wait for its turn.
	turns   int
	settled []webhook.Class
}

func (c *counter) Prepare(context.Context, string, string) (*mailstore.Outgoing, error) {
	c.prepared++
	out := c.out
	return &out, c.err
}

func (c *counter) Failed(_ context.Context, _ string, class webhook.Class) error {
	c.failed = append(c.failed, class)
	return errors.New("the database is away")
}

func (c *counter) Send(_ context.Context, h mail.Host, m mail.Message) error {
	c.sent, c.from = append(c.sent, h), append(c.from, m.FromName+" "+m.From)
	if c.panics {
		panic("what the host says is too much for ann@example.com")
	}
	return c.answer
}

func (c *counter) mails(relay *Relay) (*Mailer, *strings.Builder) {
	text := &strings.Builder{}
	return New(Parts{
		Rows: c, Client: c, Relay: relay, Metrics: telemetry.NewMetrics(), Log: slog.New(slog.NewTextHandler(text, nil)),
		Listed: func(host string, _ int) bool { return host == "listed.test" },
	}), text
}

// atOnce lets everything start.
func atOnce() bool { return true }

func TestAMailThatMayNotStartIsNotHandedOver(t *testing.T) {
	t.Parallel()
	desk := &counter{out: mailstore.Outgoing{Template: mail.Mention, Host: mail.Host{Name: "h", Username: "u", Password: "p"}, SenderConfirmed: true}}
	mails, _ := desk.mails(nil)
	asked := 0
	got, err := mails.Send(t.Context(), "ws_1", "eml_1", func() bool {
		asked++
		assert.Equal(t, 1, desk.prepared, "asked last")
		return false
	})
	require.NoError(t, err)
	assert.Equal(t, delivery.Mailed{Class: webhook.Interrupted}, got)
	assert.Equal(t, 1, asked)
	assert.Empty(t, desk.sent)
	assert.Empty(t, desk.failed, "it was not tried")
}

func TestWhatBecomesOfATryOfAMail(t *testing.T) {
	t.Parallel()
	// refused gives what the package mail itself answers for a host that the guard refuses.
	strict, err := guard.New(guard.Options{})
	require.NoError(t, err)
	refused := mail.NewClient(strict, "x").Send(t.Context(), mail.Host{Name: "10.0.0.1", Port: 25}, mail.Message{})
	require.Error(t, refused)
	unknown := errors.New("something else about ann@example.com")
	open := mail.Host{Name: "h", Username: "u", Password: "p"}
	for name, c := range map[string]struct {
		host        mail.Host
		unconfirmed bool
		relay       *Relay
		answer      error
		want        delivery.Mailed
		sent        int
	}{
		"taken":              {host: open, want: delivery.Mailed{Class: webhook.OK, Result: deliveries.MailSent}, sent: 1},
		"refused by policy":  {host: open, answer: refused, want: delivery.Mailed{Class: webhook.RefusedByPolicy, Result: deliveries.MailFailed}, sent: 1},
		"to come again":      {host: open, answer: &mail.Error{Class: mail.Temporary}, want: delivery.Mailed{Class: "temporary", Result: ""}, sent: 1},
		"recipient refused":  {host: open, answer: &mail.Error{Class: mail.RecipientRefused}, want: delivery.Mailed{Class: "recipient-refused", Result: deliveries.MailFailed}, sent: 1},
		"unknown error":      {host: open, answer: unknown, want: delivery.Mailed{Class: "unreachable", Result: ""}, sent: 1},
		"password gone":      {host: mail.Host{Name: "h", Username: "u"}, want: delivery.Mailed{Class: "auth", Result: ""}},
		"bare and unlisted":  {host: mail.Host{Name: "h", Security: "none"}, want: delivery.Mailed{Class: webhook.RefusedByPolicy, Result: deliveries.MailFailed}},
		"no login":           {host: mail.Host{Name: "h", Security: "tls"}, want: delivery.Mailed{Class: webhook.RefusedByPolicy, Result: deliveries.MailFailed}},
		"bare and listed":    {host: mail.Host{Name: "listed.test", Security: "none"}, want: delivery.Mailed{Class: webhook.OK, Result: deliveries.MailSent}, sent: 1},
		"sender unconfirmed": {host: open, unconfirmed: true, want: delivery.Mailed{Class: mailstore.ClassSenderUnconfirmed, Result: deliveries.MailFailed}},
		"listed host":        {host: mail.Host{Name: "listed.test", Username: "u", Password: "p"}, unconfirmed: true, want: delivery.Mailed{Class: webhook.OK, Result: deliveries.MailSent}, sent: 1},
		"relay gone":         {host: mail.Host{Operators: true}, want: delivery.Mailed{Class: mailstore.ClassNoRelay, Result: ""}},
		"relay": {
			host: mail.Host{Operators: true}, relay: &Relay{Host: mail.Host{Operators: true, Name: "relay", Security: "none"}, From: "a@b.test", FromName: "A"},
			want: delivery.Mailed{Class: webhook.OK, Result: deliveries.MailSent}, sent: 1,
		},
	} {
		desk := &counter{out: mailstore.Outgoing{Template: mail.Mention, Host: c.host, SenderConfirmed: !c.unconfirmed}, answer: c.answer}
		mails, log := desk.mails(c.relay)
		got, err := mails.Send(t.Context(), "ws_1", "eml_1", atOnce)
		require.NoError(t, err, name)
		assert.Equal(t, c.want, got, name)
		assert.Len(t, desk.sent, c.sent, name)
		if got.Result == deliveries.MailSent {
			assert.Empty(t, desk.failed, name)
		} else {
			assert.Equal(t, []webhook.Class{got.Class}, desk.failed, name)
		}
		assert.NotContains(t, log.String(), "ann@", name)
		if name == "relay" {
			assert.Equal(t, []string{"A a@b.test"}, desk.from)
			assert.Equal(t, "relay", desk.sent[0].Name)
		}
	}
}

func TestATryThatPanicsHasReachedNobody(t *testing.T) {
	t.Parallel()
	desk := &counter{out: mailstore.Outgoing{Template: mail.Mention, Host: mail.Host{Name: "h", Username: "u", Password: "p"}, SenderConfirmed: true}, panics: true}
	mails, log := desk.mails(nil)
	got, err := mails.Send(t.Context(), "ws_1", "eml_1", atOnce)
	require.NoError(t, err)
	assert.Equal(t, delivery.Mailed{Class: webhook.Class(guard.ClassUnreachable)}, got, "it is tried again by the schedule")
	assert.Contains(t, log.String(), "has panicked")
}

func TestAMailThatEndsWithoutATry(t *testing.T) {
	t.Parallel()
	desk := &counter{out: mailstore.Outgoing{Result: deliveries.MailDisabled, Class: webhook.MailsDisabled}}
	mails, _ := desk.mails(nil)
	got, err := mails.Send(t.Context(), "ws_1", "eml_1", atOnce)
	require.NoError(t, err)
	assert.Equal(t, delivery.Mailed{Class: webhook.MailsDisabled, Result: deliveries.MailDisabled}, got)
	assert.Empty(t, desk.failed, "what is switched off has not failed")
	desk.out = mailstore.Outgoing{Result: deliveries.MailFailed, Class: mailstore.ClassRelayQuota}
	_, err = mails.Send(t.Context(), "ws_1", "eml_1", atOnce)
	require.NoError(t, err)
	assert.Equal(t, []webhook.Class{mailstore.ClassRelayQuota}, desk.failed)
	assert.Empty(t, desk.sent)
	desk.err = errors.New("the database is away")
	_, err = mails.Send(t.Context(), "ws_1", "eml_1", atOnce)
	require.Error(t, err, "no try was made")
}
