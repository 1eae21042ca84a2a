package tests

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/receiver"
)

// With the engine away everything else is as ever; messages and mails wait.
func TestMails_WithTheEngineAwayOnlyTheyAndMessagesWait(t *testing.T) {
	l := newLab(t)
	s := l.begin(l.start("serve")).hooked()
	host, config := s.ownHost()
	require.NoError(t, host.Open())
	l.Engine.Down()

	e := s.endpointAt("/told", map[string]any{"filterTypes": []string{"comment.add"}})
	require.Len(t, s.endpoints(map[string]any{}).Endpoints, 1)
	s.mailBy(config)
	require.Nil(t, s.emails().LastFailure)
	to := mailbox()
	require.True(t, s.items("users/add", map[string]any{"organizationId": "acme", "users": []any{user("bob", "Bob", to)}})["bob"].Success)
	s.annotate(made("d", annotated("a", wrote("ann", "Hi {{bob}}", loud))))
	require.Equal(t, map[string][2]int{"d": {1, 1}}, s.counts("bob", "d"))
	require.Empty(t, s.attempts(of(e.ID)).Attempts)
	require.Empty(t, s.receiver().Requests("/told"))
	require.Empty(t, host.Letters())

	require.NoError(t, l.Engine.Up())
	request := s.arrived("/told", receiver.Count(1))[0]
	require.NoError(t, receiver.VerifyMessage(request, s.secretOf(e.ID)))
	message, err := request.Message()
	require.NoError(t, err)
	require.Equal(t, "comment.add", message.Event)
	eventually(t, "the mail", func() bool { return len(host.Letters()) > 0 })
	require.Equal(t, to, host.Letters()[0].To)
	require.Contains(t, host.Letters()[0].Body, "Hi Bob")
}
