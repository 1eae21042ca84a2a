package mail_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/mail"
	"github.com/redline-svc/redline/models/modelstest"
)

// A mail does not leave once its document or organization was deleted, also when
// another one has the id by then.
func TestMailsOfWhatWasDeletedDoNotLeave(t *testing.T) {
	t.Parallel()
	p := newOutgoing(t)
	p.Adds(modelstest.Acme, withEmail("bob", "bob@example.com"))
	p.on(mail.SettingsChange{})
	mention := p.mentions(modelstest.Note("a", modelstest.Says("ann", "Hi {{bob}}", modelstest.Flagged("bob"))))
	p.Exec(`INSERT INTO mails (id, workspace_id, template, recipient, user_id, organization_id, subject, body_text, body_html)
VALUES ('eml_review', $1, 'review', 'bob@example.com', 'bob', 'acme', 's', 't', 'h')`, modelstest.Workspace)
	ended := func(mailID string) []string {
		out := p.prepare(mailID)
		return []string{out.Result, string(out.Class)}
	}
	none := []string{"", ""}
	require.Equal(t, [][]string{none, none}, [][]string{ended(mention), ended("eml_review")})

	_, err := directory.NewDocuments(p.DB).Delete(t.Context(), modelstest.Workspace, "acme", []string{"d"})
	require.NoError(t, err)
	for range 2 {
		require.Equal(t, []string{delivery.MailDisabled, string(mail.ClassNotVisible)}, ended(mention))
		require.Equal(t, none, ended("eml_review"), "the organization is there")
		p.Add("d")
	}
	_, err = directory.NewOrganizations(p.DB).Delete(t.Context(), modelstest.Workspace, []string{"acme"})
	require.NoError(t, err)
	for range 2 {
		gone := []string{delivery.MailDisabled, string(mail.ClassRecipientGone)}
		require.Equal(t, [][]string{gone, gone}, [][]string{ended(mention), ended("eml_review")})
		p.Adds(modelstest.Acme, withEmail("bob", "bob@example.com"))
	}
}
