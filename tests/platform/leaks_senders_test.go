package platform

import (
	"net/http"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
)

// senders has somebody outside start an execution, and then send what is refused: another
// body than the signed one, and one that is no object.
func (l *leak) senders() {
	t, env := l.s.T, l.s
	t.Helper()
	secret := kit.Mark + "-secret-of-the-trigger"
	_, from := kit.Triggered(env, kit.InboundTrigger(map[string]any{"secret": secret, "allowedEvents": []string{kit.Mark}}))
	from.Secret = secret
	from.Query.Set("query", kit.Mark)
	l.called[kit.TriggerPath] = true
	from.Starts(`{"type":"`+kit.Mark+`","payload":{"note":"`+kit.Mark+`"}}`, nil).Ends("completed")
	for body, header := range map[string]map[string]string{
		`{"payload":{"note":"` + kit.Mark + `"}}`: {"x-svc-signature": "sha256=" + kit.Mark}, kit.Mark: {"authorization": "Bearer " + kit.Mark},
	} {
		reply, err := from.Session.Send(env.Ctx, kit.TriggerPath+"?"+from.Query.Encode(), []byte(body), header)
		require.NoError(t, err)
		require.NotEqual(t, http.StatusOK, reply.HTTP)
		l.refused.add(reply.Body)
	}
}
