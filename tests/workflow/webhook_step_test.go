package workflow

import (
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// nodeKeyLength is the length of the key that a webhook node signs with.
const nodeKeyLength = 32

// nodeKey is what a node signs with, derived from the secret of the execution's
// receiver.
func nodeKey(t *testing.T, of, nodeID string) string {
	t.Helper()
	derived, err := hkdf.Key(sha256.New, []byte(of), nil, "webhook-node:"+nodeID, nodeKeyLength)
	require.NoError(t, err)
	return "whsec_" + base64.StdEncoding.EncodeToString(derived)
}

func TestWebhookStepSignsWithTheNodesOwnKey(t *testing.T) {
	env := kit.NewWorkspace(t)
	hook := client.With(client.With(client.Hook("call", env.Receiver().URL("/signed")), "authMode", "hmac"), "requestHeaders", map[string]string{"X-Own": "value"})
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{hook}), kit.WithReceiver(env, "/events"))
	view := r.Ends("completed")
	request := env.Receiver().Requests("/signed")[0]
	require.NoError(t, receiver.Verify(request, nodeKey(t, kit.Secret, "call")))
	require.Error(t, receiver.Verify(request, kit.Secret), "never with the receiver's own secret")
	require.Equal(t, view.Steps[0].StepID, request.Header.Get("x-svc-event-id"))
	require.Equal(t, "0", request.Header.Get("x-svc-attempt"))
	require.Equal(t, "value", request.Header.Get("X-Own"))

	var body map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(request.Body, &body))
	for _, field := range []string{
		"executionId", "definitionId", "definitionVersion", "stepId", "nodeId", "iteration", "attempt", "correlationId",
		"organizationId", "documentId", "folderId", "triggerContext", "input",
	} {
		assert.Contains(t, body, field)
	}
	require.NotContains(t, body, "callback")
}

func TestWebhookStepWithoutASecretFails(t *testing.T) {
	env := kit.NewWorkspace(t)
	definition := kit.Define(env, []redline.NodeInput{client.With(client.Hook("call", env.Receiver().URL("/never")), "authMode", "hmac")})
	view := kit.Dispatch(env, definition).Ends("failed")
	require.Equal(t, "webhook-secret-missing", view.Steps[0].Error.Code)
	token := kit.Define(env, []redline.NodeInput{client.With(client.With(client.Hook("call", env.Receiver().URL("/never")), "authMode", "token"), "authTokenHeader", "X-Token")})
	view = kit.Dispatch(env, token).Ends("failed")
	require.Equal(t, "webhook-auth-token-missing", view.Steps[0].Error.Code)
	require.Empty(t, env.Receiver().Requests("/never"))
}

func TestWebhookStepMethodsAndBodies(t *testing.T) {
	env := kit.NewWorkspace(t)
	get := client.With(client.With(client.Hook("get", env.Receiver().URL("/get")), "method", "GET"), "bodyTemplate", "none")
	pass := client.With(client.Hook("pass", env.Receiver().URL("/pass")), "bodyTemplate", "pass-through")
	env.Receiver().Answer("/get", receiver.Answer{Status: 200, Body: "plain text", Header: map[string]string{"content-type": "text/plain", "x-secret": "hidden", "etag": `"e1"`}})
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{get, pass}, client.Always("get", "pass")))
	view := r.Ends("completed")
	request := env.Receiver().Requests("/get")[0]
	require.Equal(t, "GET", request.Method)
	require.Empty(t, request.Body)

	found := output(t, view.Steps[0])
	require.Equal(t, "plain text", found["responseText"])
	require.EqualValues(t, 200, found["httpStatus"])
	headers, _ := found["responseHeaders"].(map[string]any)
	require.Equal(t, `"e1"`, headers["etag"])
	require.NotContains(t, headers, "x-secret")
	require.NotContains(t, found, "decision")
	require.JSONEq(t, string(view.Steps[0].Output), string(env.Receiver().Requests("/pass")[0].Body), "the input as it is")
}

func TestWebhookStepTriesAgainWhatMayPass(t *testing.T) {
	env := kit.NewWorkspace(t)
	env.Receiver().AnswerBy("/shaky", func(n int, _ receiver.Request) receiver.Answer {
		if n == 1 {
			return receiver.Answer{Status: 503, Body: "busy"}
		}
		return receiver.JSON(`{"done":true}`)
	})
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.Hook("call", env.Receiver().URL("/shaky"))}))
	view := r.Ends("completed")
	requests := env.Receiver().Requests("/shaky")
	require.Len(t, requests, 2)
	require.Equal(t, "0", requests[0].Header.Get("x-svc-attempt"))
	require.Equal(t, "1", requests[1].Header.Get("x-svc-attempt"))
	require.Equal(t, requests[0].Header.Get("x-svc-event-id"), requests[1].Header.Get("x-svc-event-id"))
	require.Contains(t, string(view.Steps[0].Output), "done")
	require.EqualValues(t, 2000, nextTryIn(r))
	require.Empty(t, r.Events("step.retried"), "an internal event")
}

// nextTryIn is the pause in milliseconds that the only failed try was given.
func nextTryIn(r *kit.Run) int64 {
	r.S.T.Helper()
	retried := history(r, "step.retried")
	require.Len(r.S.T, retried, 1)
	var data struct {
		RetryCount int   `json:"retryCount"`
		NextTryAt  int64 `json:"nextTryAt"`
	}
	require.NoError(r.S.T, json.Unmarshal(retried[0].Data, &data))
	require.Equal(r.S.T, 1, data.RetryCount)
	return data.NextTryAt - retried[0].Timestamp
}

func TestWebhookStepHonoursRetryAfter(t *testing.T) {
	env := kit.NewWorkspace(t)
	env.Receiver().AnswerBy("/later", func(n int, _ receiver.Request) receiver.Answer {
		if n == 1 {
			return receiver.Answer{Status: 429, Header: map[string]string{"retry-after": "4"}}
		}
		return receiver.Status(200)
	})
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.Hook("call", env.Receiver().URL("/later"))}))
	r.Ends("completed")
	require.Len(t, env.Receiver().Requests("/later"), 2)
	require.EqualValues(t, 4000, nextTryIn(r))
}

func TestWebhookStepAnswersThatFailForGood(t *testing.T) {
	env := kit.NewWorkspace(t)
	target := env.Receiver()
	target.Answer("/gone", receiver.Answer{Status: 410, Body: `{"why":"gone"}`, Header: map[string]string{"content-type": "application/json"}})
	target.Answer("/moved", receiver.Answer{Status: 302, Header: map[string]string{"location": target.URL("/target")}})
	target.Answer("/unexpected", receiver.Status(200))
	target.Answer("/empty", receiver.Status(204))
	empty := client.Hook("call", target.URL("/empty"))
	empty.RequireNonEmptyOutput = new(true)
	for path, expected := range map[string]struct {
		node redline.NodeInput
		code string
	}{
		"/gone":       {client.Hook("call", target.URL("/gone")), "webhook-http-status"},
		"/moved":      {client.Hook("call", target.URL("/moved")), "webhook-http-status"},
		"/unexpected": {client.With(client.Hook("call", target.URL("/unexpected")), "expectedStatusCodes", []int{202}), "webhook-http-status"},
		"/empty":      {empty, "webhook-node-empty-response"},
	} {
		r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{expected.node}))
		view := r.Ends("failed")
		assert.Equal(t, expected.code, view.Steps[0].Error.Code, path)
		assert.Len(t, target.Requests(path), 1, path)
		var data struct {
			RetryClass string `json:"retryClass"`
			HTTPStatus int    `json:"httpStatus"`
		}
		require.NoError(t, json.Unmarshal(r.Events("step.failed")[0].Data, &data))
		assert.Equal(t, "permanent", data.RetryClass, path)
		if path == "/gone" {
			assert.Contains(t, string(view.Steps[0].Output), "gone", "the output of the last answer stays")
			assert.Equal(t, 410, data.HTTPStatus)
		}
	}
	require.Empty(t, target.Requests("/target"), "redirects are never followed")

	target.Answer("/expected", receiver.Status(404))
	kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.With(client.Hook("call", target.URL("/expected")), "expectedStatusCodes", []int{404})})).Ends("completed")
}

func TestWebhookStepOutputIsCutAndMarked(t *testing.T) {
	env := kit.NewWorkspace(t)
	env.Receiver().Answer("/long", receiver.Answer{Status: 200, Body: strings.Repeat("long text ", 10_000), Header: map[string]string{"content-type": "text/plain"}})
	view := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.Hook("call", env.Receiver().URL("/long"))})).Ends("completed")
	require.LessOrEqual(t, len(view.Steps[0].Output), 64<<10)
	require.Equal(t, true, output(t, view.Steps[0])["responseTruncated"])
}

func TestWebhookStepTimesOutAndTriesAgain(t *testing.T) {
	env := kit.NewWorkspace(t)
	gate := env.Receiver().HoldFirst("/hangs")
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.With(client.Hook("call", env.Receiver().URL("/hangs")), "timeoutMs", 5000)}))
	kit.RequireReached(t, "the first call", gate.Reached())
	r.Ends("completed")
	require.Len(t, history(r, "step.retried"), 1, "the first try has failed")
	require.Len(t, env.Receiver().Requests("/hangs"), 2)
}
