package platform

import (
	"net/http"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// mails calls the operations on mails and lets one be refused and one arrive,
// between marked addresses and with a marked login.
func (l *leak) mails() {
	env := l.s
	env.T.Helper()
	host, config := kit.OwnHost(env)
	require.NoError(env.T, host.Open())
	host.RefuseLogins()
	config["username"], config["password"], config["fromCompany"] = kit.Mark, kit.Mark, kit.Mark
	config["fromEmail"] = kit.Mark + "@tests.example.com"
	l.twice(env.Keyed, client.UpdateEmails, map[string]any{"useEmailService": true, "emailServiceConfig": config})
	l.twice(env.Keyed, client.GetEmails, map[string]any{})
	l.called[kit.PathOf(client.ConfirmSender)] = true
	l.refuse(env.Keyed, client.ConfirmSender, map[string]any{"code": kit.Mark})
	kit.Mention(env, kit.Mark, kit.Mark+kit.Unique("box")+"@tests.example.com")
	kit.RequireEventually(env.T, "the refused login is told", func() bool { return kit.Emails(env).LastFailure != nil })
	kit.MailBy(env, map[string]any{"username": nil})
	to := kit.Mark + kit.Unique("box") + "@tests.example.com"
	kit.Mention(env, kit.Mark, to)
	kit.RequireEventually(env.T, "the mail is there", func() bool { return len(host.Letters()) > 0 })
	require.Equal(env.T, strings.ToLower(to), strings.ToLower(host.Letters()[0].To))
	l.notifications(host)
}

// notifications lets steps tell of marked values: one reaches nobody but one, one is
// refused by everybody.
func (l *leak) notifications(host *receiver.MailHost) {
	env := l.s
	env.T.Helper()
	trigger := kit.Input(map[string]any{"title": kit.Mark})
	body := kit.Mark + "{{execution.triggerContext.title}}"
	refused := kit.Mark + kit.Unique("box") + "@tests.example.com"
	host.RefuseRecipient(refused, 550)
	env.Receiver().Answer("/slack", receiver.Answer{Status: http.StatusBadRequest, Body: kit.Mark})
	kit.Notifies(env, client.With(client.Letter("mail", body, refused, kit.Mark+kit.Unique("box")+"@tests.example.com"), "subjectTemplate", body), trigger).Ends("completed")
	kit.Notifies(env, client.Letter("mail", body, refused), trigger).Ends("failed")
	kit.Notifies(env, client.Slack("tell", body, env.Receiver().URL("/slack?token="+kit.Mark)), trigger).Ends("failed")
}
