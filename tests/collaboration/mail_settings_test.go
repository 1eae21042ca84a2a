package collaboration

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestEmailSettingsGet_2_ARefusedLoginIsShown(t *testing.T) {
	env := kit.NewWorkspace(t)
	host, config := kit.OwnHost(env)
	require.NoError(t, host.Open())
	host.RefuseLogins()
	config["username"], config["password"] = "desk", "wrong"
	kit.MailBy(env, config)
	kit.Mention(env, "bob", kit.Mailbox())
	kit.RequireEventually(t, "the refused login is told", func() bool { return kit.Emails(env).LastFailure != nil })
	failure := kit.Emails(env).LastFailure
	require.Equal(t, "auth", failure.Class)
	require.Regexp(t, `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`, failure.At)
	require.Empty(t, host.Letters())
}

// What waits when the service is switched off is not sent when it is on again.
func TestEmailSettingsUpdate_5_SwitchingOffStopsWhatWaits(t *testing.T) {
	env := kit.NewWorkspace(t)
	rows := env.DB()
	host, config := kit.OwnHost(env)
	kit.MailBy(env, config)
	waits, later := kit.Mailbox(), kit.Mailbox()
	kit.Mention(env, "bob", waits)
	kit.RequireEventually(t, "the host was not reached", func() bool { return kit.Emails(env).LastFailure != nil })
	require.Equal(t, "unreachable", kit.Emails(env).LastFailure.Class)
	waiting := func() (n int) {
		require.NoError(t, rows.QueryRow(t.Context(), `SELECT count(*) FROM deliveries WHERE workspace_id = $1 AND state IN ('pending', 'sending')`, env.Workspace.ID).Scan(&n))
		return n
	}
	require.Equal(t, 1, waiting(), "for its next try, in a minute")
	env.Call(client.UpdateEmails, map[string]any{"useEmailService": false}, nil)
	require.NoError(t, host.Open())
	kit.Mention(env, "eve", kit.Mailbox())
	kit.RequireEventually(t, "nothing is left that could be sent later", func() bool { return waiting() == 0 })
	kit.MailBy(env, map[string]any{})
	kit.Mention(env, "carl", later)
	kit.RequireEventually(t, "the later mail is there", func() bool { return len(host.Letters()) > 0 })
	require.Equal(t, later, host.Letters()[0].To)
	require.Len(t, host.Letters(), 1)
}

// A host may not cost a worker its time: a login whose cost the host sets is not begun, the
// mail waits for its next try, and the next one goes through.
func TestMails_AHostThatOffersNoKnownLogin(t *testing.T) {
	env := kit.NewWorkspace(t)
	host, config := kit.OwnHost(env)
	require.NoError(t, host.Open())
	host.OfferUnknownLogins(true)
	config["username"], config["password"] = "user", "right"
	kit.MailBy(env, config)
	kit.Mention(env, "bob", kit.Mailbox())
	kit.RequireEventually(t, "the login is refused", func() bool { return kit.Emails(env).LastFailure != nil })
	require.Equal(t, "auth", kit.Emails(env).LastFailure.Class)
	require.Empty(t, host.Letters())
	host.OfferUnknownLogins(false)
	to := kit.Mailbox()
	kit.Mention(env, "bob", to)
	kit.RequireEventually(t, "the next mail is handed over", func() bool { return len(host.Letters()) > 0 })
	require.Equal(t, to, host.Letters()[0].To, "the first one waits")
}
