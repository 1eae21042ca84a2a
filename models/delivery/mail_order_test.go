package delivery_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/mail"
	"github.com/redline-svc/redline/models/modelstest"
)

// Statements that end several mails lock them in the order of their ids, whatever
// order the rows lie in: one that waits for the first of them has locked no other.
func TestMailsAreEndedInOneOrder(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(p *post, destination string) error{
		"who leaves": func(p *post, _ string) error {
			b := &pgx.Batch{}
			mail.ForgetUsers(b, sender, "acme", []string{"bob"})
			return p.db.Pool.SendBatch(p.t.Context(), b).Close()
		},
		"what was tried": func(p *post, destination string) error {
			rows := p.claimMails(destination)
			p.exec(`UPDATE destinations SET paced_until = NULL`)
			tried := outcomes(webhook.OK, append(rows, p.claimMails(destination)...))
			for i := range tried {
				tried[i].MailResult = delivery.MailSent
			}
			_, err := p.Record(p.t.Context(), tried)
			return err
		},
		"what is cancelled": func(p *post, destination string) error {
			_, err := p.CancelWaiting(p.t.Context(), sender, destination)
			return err
		},
	} {
		p := newPost(t)
		var destination string
		for _, mailID := range []string{"eml_b", "eml_a"} {
			destination = p.mail(mailID)
		}
		p.exec(`UPDATE mails SET user_id = 'bob', organization_id = 'acme'`)
		p.lock(destination)
		other, err := p.db.Pool.Begin(t.Context())
		require.NoError(t, err)
		defer func() { _ = other.Rollback(context.WithoutCancel(t.Context())) }() // the pool closes once it is back
		_, err = other.Exec(t.Context(), `SELECT FROM mails WHERE id = 'eml_a' FOR UPDATE`)
		require.NoError(t, err)
		ended := make(chan error, 1)
		go func() { ended <- end(p, destination) }()
		modelstest.AwaitWaiting(t, p.db, 1)
		_, err = other.Exec(t.Context(), `SELECT FROM mails WHERE id = 'eml_b' FOR UPDATE NOWAIT`)
		require.NoError(t, err, "%s has locked the second before the first", name)
		require.NoError(t, other.Rollback(t.Context()))
		require.NoError(t, <-ended, name)
		require.Zero(t, p.number(`SELECT count(*) FROM mails WHERE result IS NULL`), name)
	}
}
