package tests

import (
	"net/http"

	"github.com/stretchr/testify/require"
)

// senders has somebody outside start an execution, and then send what is refused: another
// body than the signed one, and one that is no object.
func (l *leak) senders() {
	t, s := l.s.t, l.s
	t.Helper()
	secret := mark + "-secret-of-the-trigger"
	_, from := s.triggered(inboundTrigger(map[string]any{"secret": secret, "allowedEvents": []string{mark}}))
	from.secret = secret
	from.query.Set("query", mark)
	l.called[triggerPath] = true
	from.starts(`{"type":"`+mark+`","payload":{"note":"`+mark+`"}}`, nil).ends("completed")
	for body, header := range map[string]map[string]string{
		`{"payload":{"note":"` + mark + `"}}`: {"x-svc-signature": "sha256=" + mark}, mark: {"authorization": "Bearer " + mark},
	} {
		reply, err := from.session.Send(s.ctx, triggerPath+"?"+from.query.Encode(), []byte(body), header)
		require.NoError(t, err)
		require.NotEqual(t, http.StatusOK, reply.HTTP)
		l.refused.add(reply.Body)
	}
}
