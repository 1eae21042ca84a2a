package tests

import (
	"strings"

	"github.com/stretchr/testify/require"
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
}
