package kit

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// CompletePath is where a receiver calls back.
const CompletePath = "/v2/workflow/webhook-callback/complete"

// Outsider is a receiver that calls back: it has nothing but the token of a step.
type Outsider struct {
	S       *Env
	Session *client.Session
	Token   string
}

// NewOutsider makes an Outsider that sends the token of a step in a header.
func NewOutsider(env *Env, header, token string) *Outsider {
	return &Outsider{env, env.Keyed.With(map[string]string{header: token}), token}
}

// Later returns an asynchronous webhook node.
func Later(nodeID, url string) redline.NodeInput {
	return client.With(client.Hook(nodeID, url), "mode", "async")
}

// LaterCall is what the receiver of an asynchronous step is sent of the callback.
type LaterCall struct {
	Callback struct {
		Path        string `json:"path"`
		URL         string `json:"url"`
		Token       string `json:"token"`
		TokenHeader string `json:"tokenHeader"`
		ExpiresAt   *int64 `json:"expiresAt"`
	} `json:"callback"`
}

// ReadLaterCall decodes a request of an asynchronous step and requires that its callback leads to
// CompletePath.
func ReadLaterCall(t *testing.T, request receiver.Request) LaterCall {
	t.Helper()
	var body LaterCall
	require.NoError(t, json.Unmarshal(request.Body, &body))
	require.Equal(t, CompletePath, body.Callback.Path)
	require.True(t, strings.HasSuffix(body.Callback.URL, CompletePath))
	return body
}

// CalledAt waits for the first request at a path of the receiver and returns who may call back
// for it.
func CalledAt(env *Env, path string) *Outsider {
	env.T.Helper()
	body := ReadLaterCall(env.T, env.Arrived(path, receiver.Count(1))[0])
	return NewOutsider(env, body.Callback.TokenHeader, body.Callback.Token)
}

// Completes calls back and returns status and code of the answer; a body that is no string is
// sent as JSON.
func (o *Outsider) Completes(body any) (int, string) {
	o.S.T.Helper()
	text, ok := body.(string)
	if !ok {
		encoded, err := json.Marshal(body)
		require.NoError(o.S.T, err)
		text = string(encoded)
	}
	reply, err := o.Session.Send(o.S.Ctx, CompletePath, []byte(text), nil)
	require.NoError(o.S.T, err)
	var answer struct {
		Code string `json:"code"`
	}
	require.NoError(o.S.T, json.Unmarshal(reply.Body, &answer), "%s", reply.Body)
	return reply.HTTP, answer.Code
}

// Accepted calls back and requires that it is accepted.
func (o *Outsider) Accepted(body any) {
	o.S.T.Helper()
	status, code := o.Completes(body)
	require.Equal(o.S.T, []any{200, "accepted"}, []any{status, code})
}
