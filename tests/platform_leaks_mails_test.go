package tests

import (
	"net/http"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
	"github.com/redline-svc/redline/tests/receiver"
)

// mails calls the operations on mails and lets one be refused and one arrive,
// between marked addresses and with a marked login.
func (l *leak) mails() {
	s := l.s
	s.t.Helper()
	host, config := s.ownHost()
	require.NoError(s.t, host.Open())
	host.RefuseLogins()
	config["username"], config["password"], config["fromCompany"] = mark, mark, mark
	config["fromEmail"] = mark + "@stories.example.com"
	l.twice(s.keyed, updateEmails, map[string]any{"useEmailService": true, "emailServiceConfig": config})
	l.twice(s.keyed, getEmails, map[string]any{})
	s.mention(mark, mark+unique("box")+"@stories.example.com")
	eventually(s.t, "the refused login is told", func() bool { return s.emails().LastFailure != nil })
	s.mailBy(map[string]any{"username": nil})
	to := mark + unique("box") + "@stories.example.com"
	s.mention(mark, to)
	eventually(s.t, "the mail is there", func() bool { return len(host.Letters()) > 0 })
	require.Equal(s.t, strings.ToLower(to), strings.ToLower(host.Letters()[0].To))
	l.notifications(host)
}

// notifications lets steps tell of marked values: one reaches nobody but one, one is
// refused by everybody.
func (l *leak) notifications(host *receiver.MailHost) {
	s := l.s
	s.t.Helper()
	trigger := input(map[string]any{"title": mark})
	body := mark + "{{execution.triggerContext.title}}"
	refused := mark + unique("box") + "@stories.example.com"
	host.RefuseRecipient(refused, 550)
	s.receiver().Answer("/slack", receiver.Answer{Status: http.StatusBadRequest, Body: mark})
	s.notifies(client.Letter("mail", body, refused, mark+unique("box")+"@stories.example.com").With("subjectTemplate", body), trigger).ends("completed")
	s.notifies(client.Letter("mail", body, refused), trigger).ends("failed")
	s.notifies(client.Slack("tell", body, s.receiver().URL("/slack?token="+mark)), trigger).ends("failed")
}
