package tests

import (
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
	"github.com/redline-svc/redline/tests/receiver"
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
	s := begin(t)
	hook := client.Hook("call", s.receiver().URL("/signed")).With("authMode", "hmac").With("requestHeaders", map[string]string{"X-Own": "value"})
	r := s.dispatch(s.define([]client.Node{hook}), s.withReceiver("/events"))
	view := r.ends("completed")
	request := s.receiver().Requests("/signed")[0]
	require.NoError(t, receiver.Verify(request, nodeKey(t, secret, "call")))
	require.Error(t, receiver.Verify(request, secret), "never with the receiver's own secret")
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
	s := begin(t)
	definition := s.define([]client.Node{client.Hook("call", s.receiver().URL("/never")).With("authMode", "hmac")})
	view := s.dispatch(definition).ends("failed")
	require.Equal(t, "webhook-secret-missing", view.Steps[0].Error.Code)
	token := s.define([]client.Node{client.Hook("call", s.receiver().URL("/never")).With("authMode", "token").With("authTokenHeader", "X-Token")})
	view = s.dispatch(token).ends("failed")
	require.Equal(t, "webhook-auth-token-missing", view.Steps[0].Error.Code)
	require.Empty(t, s.receiver().Requests("/never"))
}

func TestWebhookStepMethodsAndBodies(t *testing.T) {
	s := begin(t)
	get := client.Hook("get", s.receiver().URL("/get")).With("method", "GET").With("bodyTemplate", "none")
	pass := client.Hook("pass", s.receiver().URL("/pass")).With("bodyTemplate", "pass-through")
	s.receiver().Answer("/get", receiver.Answer{Status: 200, Body: "plain text", Header: map[string]string{"content-type": "text/plain", "x-secret": "hidden", "etag": `"e1"`}})
	r := s.dispatch(s.define([]client.Node{get, pass}, client.Always("get", "pass")))
	view := r.ends("completed")
	request := s.receiver().Requests("/get")[0]
	require.Equal(t, "GET", request.Method)
	require.Empty(t, request.Body)

	found := output(t, view.Steps[0])
	require.Equal(t, "plain text", found["responseText"])
	require.EqualValues(t, 200, found["httpStatus"])
	headers, _ := found["responseHeaders"].(map[string]any)
	require.Equal(t, `"e1"`, headers["etag"])
	require.NotContains(t, headers, "x-secret")
	require.NotContains(t, found, "decision")
	require.JSONEq(t, string(view.Steps[0].Output), string(s.receiver().Requests("/pass")[0].Body), "the input as it is")
}

func TestWebhookStepTriesAgainWhatMayPass(t *testing.T) {
	s := begin(t)
	s.receiver().AnswerBy("/shaky", func(n int, _ receiver.Request) receiver.Answer {
		if n == 1 {
			return receiver.Answer{Status: 503, Body: "busy"}
		}
		return receiver.JSON(`{"done":true}`)
	})
	r := s.dispatch(s.define([]client.Node{client.Hook("call", s.receiver().URL("/shaky"))}))
	view := r.ends("completed")
	requests := s.receiver().Requests("/shaky")
	require.Len(t, requests, 2)
	require.Equal(t, "0", requests[0].Header.Get("x-svc-attempt"))
	require.Equal(t, "1", requests[1].Header.Get("x-svc-attempt"))
	require.Equal(t, requests[0].Header.Get("x-svc-event-id"), requests[1].Header.Get("x-svc-event-id"))
	require.Contains(t, string(view.Steps[0].Output), "done")
	require.EqualValues(t, 2000, r.nextTryIn())
	require.Empty(t, r.events("step.retried"), "an internal event")
}

// nextTryIn is the pause in milliseconds that the only failed try was given.
func (r *run) nextTryIn() int64 {
	r.s.t.Helper()
	retried := r.history("step.retried")
	require.Len(r.s.t, retried, 1)
	var data struct {
		RetryCount int   `json:"retryCount"`
		NextTryAt  int64 `json:"nextTryAt"`
	}
	require.NoError(r.s.t, json.Unmarshal(retried[0].Data, &data))
	require.Equal(r.s.t, 1, data.RetryCount)
	return data.NextTryAt - retried[0].Timestamp
}

func TestWebhookStepHonoursRetryAfter(t *testing.T) {
	s := begin(t)
	s.receiver().AnswerBy("/later", func(n int, _ receiver.Request) receiver.Answer {
		if n == 1 {
			return receiver.Answer{Status: 429, Header: map[string]string{"retry-after": "4"}}
		}
		return receiver.Status(200)
	})
	r := s.dispatch(s.define([]client.Node{client.Hook("call", s.receiver().URL("/later"))}))
	r.ends("completed")
	require.Len(t, s.receiver().Requests("/later"), 2)
	require.EqualValues(t, 4000, r.nextTryIn())
}

func TestWebhookStepAnswersThatFailForGood(t *testing.T) {
	s := begin(t)
	ear := s.receiver()
	ear.Answer("/gone", receiver.Answer{Status: 410, Body: `{"why":"gone"}`, Header: map[string]string{"content-type": "application/json"}})
	ear.Answer("/moved", receiver.Answer{Status: 302, Header: map[string]string{"location": ear.URL("/target")}})
	ear.Answer("/unexpected", receiver.Status(200))
	ear.Answer("/empty", receiver.Status(204))
	empty := client.Hook("call", ear.URL("/empty"))
	empty.RequireNonEmptyOutput = true
	for path, expected := range map[string]struct {
		node client.Node
		code string
	}{
		"/gone":       {client.Hook("call", ear.URL("/gone")), "webhook-http-status"},
		"/moved":      {client.Hook("call", ear.URL("/moved")), "webhook-http-status"},
		"/unexpected": {client.Hook("call", ear.URL("/unexpected")).With("expectedStatusCodes", []int{202}), "webhook-http-status"},
		"/empty":      {empty, "webhook-node-empty-response"},
	} {
		r := s.dispatch(s.define([]client.Node{expected.node}))
		view := r.ends("failed")
		assert.Equal(t, expected.code, view.Steps[0].Error.Code, path)
		assert.Len(t, ear.Requests(path), 1, path)
		var data struct {
			RetryClass string `json:"retryClass"`
			HTTPStatus int    `json:"httpStatus"`
		}
		require.NoError(t, json.Unmarshal(r.events("step.failed")[0].Data, &data))
		assert.Equal(t, "permanent", data.RetryClass, path)
		if path == "/gone" {
			assert.Contains(t, string(view.Steps[0].Output), "gone", "the output of the last answer stays")
			assert.Equal(t, 410, data.HTTPStatus)
		}
	}
	require.Empty(t, ear.Requests("/target"), "redirects are never followed")

	ear.Answer("/expected", receiver.Status(404))
	s.dispatch(s.define([]client.Node{client.Hook("call", ear.URL("/expected")).With("expectedStatusCodes", []int{404})})).ends("completed")
}

func TestWebhookStepOutputIsCutAndMarked(t *testing.T) {
	s := begin(t)
	s.receiver().Answer("/long", receiver.Answer{Status: 200, Body: strings.Repeat("long text ", 10_000), Header: map[string]string{"content-type": "text/plain"}})
	view := s.dispatch(s.define([]client.Node{client.Hook("call", s.receiver().URL("/long"))})).ends("completed")
	require.LessOrEqual(t, len(view.Steps[0].Output), 64<<10)
	require.Equal(t, true, output(t, view.Steps[0])["responseTruncated"])
}

func TestWebhookStepTimesOutAndTriesAgain(t *testing.T) {
	s := begin(t)
	gate := s.receiver().HoldFirst("/hangs")
	r := s.dispatch(s.define([]client.Node{client.Hook("call", s.receiver().URL("/hangs")).With("timeoutMs", 5000)}))
	reached(t, "the first call", gate.Reached())
	r.ends("completed")
	require.Len(t, r.history("step.retried"), 1, "the first try has failed")
	require.Len(t, s.receiver().Requests("/hangs"), 2)
}
