package collaboration

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// With Temporal away everything else is as ever; messages and mails wait.
func TestMails_WithTemporalAwayOnlyTheyAndMessagesWait(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	env := kit.Hooked(isolated.NewWorkspace(isolated.StartProcess("serve")))
	host, config := kit.OwnHost(env)
	require.NoError(t, host.Open())
	isolated.Temporal.Down()

	e := kit.EndpointAt(env, "/told", map[string]any{"filterTypes": []string{"comment.add"}})
	require.Len(t, kit.Endpoints(env, map[string]any{}).Endpoints, 1)
	kit.MailBy(env, config)
	require.Nil(t, kit.Emails(env).LastFailure)
	to := kit.Mailbox()
	require.True(t, kit.Items(env, client.AddUsers, map[string]any{"organizationId": "acme", "users": []any{kit.User("bob", "Bob", to)}})["bob"].Success)
	kit.Annotate(env, kit.Made("d", kit.Annotated("a", kit.Wrote("ann", "Hi {{bob}}", kit.Loud))))
	require.Equal(t, map[string][2]int{"d": {1, 1}}, kit.Counts(env, "bob", "d"))
	require.Empty(t, kit.Attempts(env, kit.Of(e.ID)).Attempts)
	require.Empty(t, env.Receiver().Requests("/told"))
	require.Empty(t, host.Letters())

	require.NoError(t, isolated.Temporal.Up())
	request := env.Arrived("/told", receiver.Count(1))[0]
	require.NoError(t, receiver.VerifyMessage(request, kit.SecretOf(env, e.ID)))
	message, err := request.Message()
	require.NoError(t, err)
	require.Equal(t, "comment.add", message.Event)
	kit.RequireEventually(t, "the mail", func() bool { return len(host.Letters()) > 0 })
	require.Equal(t, to, host.Letters()[0].To)
	require.Contains(t, host.Letters()[0].Body, "Hi Bob")
}
