package kit

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash"
	"io"
	"maps"
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit/client"
)

const (
	TriggerPath   = "/v2/workflow/webhook-inbound/trigger"
	TriggerSecret = "a-secret-of-the-trigger"
)

// InboundAnswer is what a sender outside gets.
type InboundAnswer struct {
	OK           bool   `json:"ok"`
	Code         string `json:"code"`
	ExecutionID  string `json:"executionId"`
	Deduplicated bool   `json:"deduplicated"`
}

// sender is a system outside: it knows an address and a secret, no credentials.
type sender struct {
	S       *Env
	Session *client.Session
	Query   url.Values
	Secret  string
}

// Triggered is a definition with the triggers and who sends to the first of them.
func Triggered(env *Env, triggers ...map[string]any) (id string, from *sender) {
	env.T.Helper()
	id = Unique("definition")
	Created(env, id, map[string]any{"triggers": triggers})
	trigger, _ := triggers[0]["triggerId"].(string)
	return id, &sender{
		S: env, Session: env.Keyed.With(nil), Secret: TriggerSecret,
		Query: url.Values{"apiKey": {env.Keyed.Headers["x-svc-api-key"]}, "definitionId": {id}, "triggerId": {trigger}},
	}
}

// InboundTrigger is a trigger that takes signed requests, unless settings say more.
func InboundTrigger(settings map[string]any) map[string]any {
	all := map[string]any{"authMode": "hmac", "secret": TriggerSecret}
	maps.Copy(all, settings)
	return map[string]any{"triggerId": "hook", "inboundWebhook": all}
}

func Signature(algorithm func() hash.Hash, secret, body string) string {
	mac := hmac.New(algorithm, []byte(secret))
	_, _ = mac.Write([]byte(body))
	return hex.EncodeToString(mac.Sum(nil))
}

// Post sends a body with the headers as they are.
func (f *sender) Post(body string, header map[string]string) (int, InboundAnswer) {
	f.S.T.Helper()
	reply, err := f.Session.Send(f.S.Ctx, TriggerPath+"?"+f.Query.Encode(), []byte(body), header)
	require.NoError(f.S.T, err)
	return f.Read(reply)
}

func (f *sender) Read(reply *client.Reply) (int, InboundAnswer) {
	f.S.T.Helper()
	var answer InboundAnswer
	require.NoError(f.S.T, json.Unmarshal(reply.Body, &answer), "%s", reply.Body)
	require.Equal(f.S.T, "application/json", reply.Header.Get("content-type"))
	return reply.HTTP, answer
}

// Sign sends a body signed as our own senders sign.
func (f *sender) Sign(body string, more map[string]string) (int, InboundAnswer) {
	f.S.T.Helper()
	header := map[string]string{"x-svc-signature": "sha256=" + Signature(sha256.New, f.Secret, body)}
	maps.Copy(header, more)
	return f.Post(body, header)
}

// Starts sends a signed body that has to be accepted.
func (f *sender) Starts(body string, more map[string]string) *Run {
	f.S.T.Helper()
	code, answer := f.Sign(body, more)
	require.Equal(f.S.T, http.StatusOK, code, "%+v", answer)
	require.Equal(f.S.T, "accepted", answer.Code)
	require.True(f.S.T, answer.OK)
	return &Run{S: f.S, ID: answer.ExecutionID, Deduplicated: answer.Deduplicated}
}

// Answers asserts code and word of an answer.
func Answers(t *testing.T, code int, word string, gotCode int, got InboundAnswer) {
	t.Helper()
	require.Equal(t, code, gotCode, "%+v", got)
	require.Equal(t, word, got.Code)
	require.Equal(t, word == "accepted", got.OK)
}

// Stalled is a body that never goes on.
type Stalled struct{ Until <-chan struct{} }

// Read waits for the end of the test.
func (r Stalled) Read([]byte) (int, error) { <-r.Until; return 0, io.ErrUnexpectedEOF }
