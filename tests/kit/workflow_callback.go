package kit

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

const CompletePath = "/v2/workflow/webhook-callback/complete"

// Outsider is a receiver that calls back: it has nothing but the token of a step.
type Outsider struct {
	S       *Env
	Session *client.Session
	Token   string
}

func NewOutsider(env *Env, header, token string) *Outsider {
	return &Outsider{env, env.Keyed.With(map[string]string{header: token}), token}
}

// Later is an asynchronous webhook node.
func Later(nodeID, url string) client.Node { return client.Hook(nodeID, url).With("mode", "async") }

// laterCall is what the receiver of an asynchronous step is sent of the callback.
type laterCall struct {
	Callback struct {
		Path, URL, Token, TokenHeader string
		ExpiresAt                     *int64
	}
}

func ReadLaterCall(t *testing.T, request receiver.Request) laterCall {
	t.Helper()
	var body laterCall
	require.NoError(t, json.Unmarshal(request.Body, &body))
	require.Equal(t, CompletePath, body.Callback.Path)
	require.True(t, strings.HasSuffix(body.Callback.URL, CompletePath))
	return body
}

// CalledAt is what the receiver at a path was told of the callback, by its first request.
func CalledAt(env *Env, path string) *Outsider {
	env.T.Helper()
	body := ReadLaterCall(env.T, env.Arrived(path, receiver.Count(1))[0])
	return NewOutsider(env, body.Callback.TokenHeader, body.Callback.Token)
}

// Says calls back and returns status and code of the answer.
func (o *Outsider) Says(body any) (int, string) {
	o.S.T.Helper()
	text, ok := body.(string)
	if !ok {
		encoded, err := json.Marshal(body)
		require.NoError(o.S.T, err)
		text = string(encoded)
	}
	reply, err := o.Session.Send(o.S.Ctx, CompletePath, []byte(text), nil)
	require.NoError(o.S.T, err)
	var said struct{ Code string }
	require.NoError(o.S.T, json.Unmarshal(reply.Body, &said), "%s", reply.Body)
	return reply.HTTP, said.Code
}

func (o *Outsider) Accepted(body any) {
	o.S.T.Helper()
	status, code := o.Says(body)
	require.Equal(o.S.T, []any{200, "accepted"}, []any{status, code})
}
