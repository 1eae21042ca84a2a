package activities

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/guard"
	"github.com/redline-svc/redline/internal/mail"
	"github.com/redline-svc/redline/internal/telemetry"
	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models"
)

// counter is the place where mails are handed over.
type counter struct {
	out      models.Outgoing
	err      error
	prepared int
	failed   []webhook.Class
	sent     []mail.Host
	from     []string
	answer   error
}

func (c *counter) Prepare(context.Context, string, string) (*models.Outgoing, error) {
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
	return c.answer
}

func (c *counter) mails(relay *Relay) (*Mails, *strings.Builder) {
	text := &strings.Builder{}
	return NewMails(MailParts{
		Rows: c, Postman: c, Relay: relay, Metrics: telemetry.NewMetrics(), Log: slog.New(slog.NewTextHandler(text, nil)),
		Listed: func(host string, _ int) bool { return host == "listed.test" },
	}), text
}

// atOnce gives leave to start.
func atOnce() bool { return true }

func TestAMailThatMayNotStartIsNotHandedOver(t *testing.T) {
	t.Parallel()
	place := &counter{out: models.Outgoing{Template: mail.Mention, Host: mail.Host{Name: "h"}}}
	mails, _ := place.mails(nil)
	asked := 0
	got, err := mails.Send(t.Context(), "ws_1", "eml_1", func() bool {
		asked++
		assert.Equal(t, 1, place.prepared, "asked last")
		return false
	})
	require.NoError(t, err)
	assert.Equal(t, Mailed{Class: webhook.Interrupted}, got)
	assert.Equal(t, 1, asked)
	assert.Empty(t, place.sent)
	assert.Empty(t, place.failed, "it was not tried")
}

func TestWhatBecomesOfATryOfAMail(t *testing.T) {
	t.Parallel()
	// refused gives what the package mail itself answers for a host that the guard refuses.
	strict, err := guard.New(guard.Options{})
	require.NoError(t, err)
	refused := mail.NewClient(strict, "x").Send(t.Context(), mail.Host{Name: "10.0.0.1", Port: 25}, mail.Message{})
	require.Error(t, refused)
	unknown := errors.New("something else about ann@example.com")
	for name, c := range map[string]struct {
		host   mail.Host
		relay  *Relay
		answer error
		want   Mailed
		sent   int
	}{
		"taken":             {host: mail.Host{Name: "h"}, want: Mailed{webhook.OK, models.MailSent}, sent: 1},
		"refused by policy": {host: mail.Host{Name: "h"}, answer: refused, want: Mailed{webhook.RefusedByPolicy, models.MailFailed}, sent: 1},
		"to come again":     {host: mail.Host{Name: "h"}, answer: &mail.Error{Class: mail.Temporary}, want: Mailed{"temporary", ""}, sent: 1},
		"recipient refused": {host: mail.Host{Name: "h"}, answer: &mail.Error{Class: mail.RecipientRefused}, want: Mailed{"recipient-refused", models.MailFailed}, sent: 1},
		"unknown error":     {host: mail.Host{Name: "h"}, answer: unknown, want: Mailed{"unreachable", ""}, sent: 1},
		"password gone":     {host: mail.Host{Name: "h", Username: "u"}, want: Mailed{"auth", ""}},
		"bare and unlisted": {host: mail.Host{Name: "h", Security: "none"}, want: Mailed{webhook.RefusedByPolicy, models.MailFailed}},
		"bare and listed":   {host: mail.Host{Name: "listed.test", Security: "none"}, want: Mailed{webhook.OK, models.MailSent}, sent: 1},
		"relay gone":        {host: mail.Host{Operators: true}, want: Mailed{models.ClassNoRelay, ""}},
		"relay": {
			host: mail.Host{Operators: true}, relay: &Relay{Host: mail.Host{Operators: true, Name: "relay", Security: "none"}, From: "a@b.test", FromName: "A"},
			want: Mailed{webhook.OK, models.MailSent}, sent: 1,
		},
	} {
		place := &counter{out: models.Outgoing{Template: mail.Mention, Host: c.host}, answer: c.answer}
		mails, log := place.mails(c.relay)
		got, err := mails.Send(t.Context(), "ws_1", "eml_1", atOnce)
		require.NoError(t, err, name)
		assert.Equal(t, c.want, got, name)
		assert.Len(t, place.sent, c.sent, name)
		if got.Result == models.MailSent {
			assert.Empty(t, place.failed, name)
		} else {
			assert.Equal(t, []webhook.Class{got.Class}, place.failed, name)
		}
		assert.NotContains(t, log.String(), "ann@", name)
		if name == "relay" {
			assert.Equal(t, []string{"A a@b.test"}, place.from)
			assert.Equal(t, "relay", place.sent[0].Name)
		}
	}
}

func TestAMailThatEndsWithoutATry(t *testing.T) {
	t.Parallel()
	place := &counter{out: models.Outgoing{Result: models.MailDisabled, Class: webhook.MailsDisabled}}
	mails, _ := place.mails(nil)
	got, err := mails.Send(t.Context(), "ws_1", "eml_1", atOnce)
	require.NoError(t, err)
	assert.Equal(t, Mailed{webhook.MailsDisabled, models.MailDisabled}, got)
	assert.Empty(t, place.failed, "what is switched off has not failed")
	place.out = models.Outgoing{Result: models.MailFailed, Class: models.ClassRelayQuota}
	_, err = mails.Send(t.Context(), "ws_1", "eml_1", atOnce)
	require.NoError(t, err)
	assert.Equal(t, []webhook.Class{models.ClassRelayQuota}, place.failed)
	assert.Empty(t, place.sent)
	place.err = errors.New("the database is away")
	_, err = mails.Send(t.Context(), "ws_1", "eml_1", atOnce)
	require.Error(t, err, "no try was made")
}
