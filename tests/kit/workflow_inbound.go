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
	// TriggerPath is where senders start executions.
	TriggerPath = "/v2/workflow/webhook-inbound/trigger"
	// TriggerSecret is the secret of triggers for which a test sets no other.
	TriggerSecret = "a-secret-of-the-trigger"
)

// InboundAnswer is what a sender outside is answered.
type InboundAnswer struct {
	OK           bool   `json:"ok"`
	Code         string `json:"code"`
	ExecutionID  string `json:"executionId"`
	Deduplicated bool   `json:"deduplicated"`
}

// Sender is a system outside: it knows an address and a secret, no credentials.
type Sender struct {
	S       *Env
	Session *client.Session
	Query   url.Values
	Secret  string
}

// Triggered creates a definition with the triggers and returns its id and a sender to the first of
// them.
func Triggered(env *Env, triggers ...map[string]any) (id string, from *Sender) {
	env.T.Helper()
	id = Unique("definition")
	Created(env, id, map[string]any{"triggers": triggers})
	trigger, _ := triggers[0]["triggerId"].(string)
	return id, &Sender{
		S: env, Session: env.Keyed.With(nil), Secret: TriggerSecret,
		Query: url.Values{"apiKey": {env.Keyed.Headers["x-svc-api-key"]}, "definitionId": {id}, "triggerId": {trigger}},
	}
}

// InboundTrigger returns a trigger that takes signed requests; settings may change it.
func InboundTrigger(settings map[string]any) map[string]any {
	all := map[string]any{"authMode": "hmac", "secret": TriggerSecret}
	maps.Copy(all, settings)
	return map[string]any{"triggerId": "hook", "inboundWebhook": all}
}

// Signature returns the HMAC of a body in hex.
func Signature(algorithm func() hash.Hash, secret, body string) string {
	mac := hmac.New(algorithm, []byte(secret))
	_, _ = mac.Write([]byte(body))
	return hex.EncodeToString(mac.Sum(nil))
}

// Post sends a body with the headers as they are and returns status and answer.
func (f *Sender) Post(body string, header map[string]string) (int, InboundAnswer) {
	f.S.T.Helper()
	reply, err := f.Session.Send(f.S.Ctx, TriggerPath+"?"+f.Query.Encode(), []byte(body), header)
	require.NoError(f.S.T, err)
	return f.Read(reply)
}

// Read decodes an answer to a sender and returns it with its status.
func (f *Sender) Read(reply *client.Reply) (int, InboundAnswer) {
	f.S.T.Helper()
	var answer InboundAnswer
	require.NoError(f.S.T, json.Unmarshal(reply.Body, &answer), "%s", reply.Body)
	require.Equal(f.S.T, "application/json", reply.Header.Get("content-type"))
	return reply.HTTP, answer
}

// Sign is Post of a body signed with the secret.
func (f *Sender) Sign(body string, more map[string]string) (int, InboundAnswer) {
	f.S.T.Helper()
	header := map[string]string{"x-svc-signature": "sha256=" + Signature(sha256.New, f.Secret, body)}
	maps.Copy(header, more)
	return f.Post(body, header)
}

// Starts sends a signed body, requires that it is accepted and returns the execution.
func (f *Sender) Starts(body string, more map[string]string) *Run {
	f.S.T.Helper()
	code, answer := f.Sign(body, more)
	require.Equal(f.S.T, http.StatusOK, code, "%+v", answer)
	require.Equal(f.S.T, "accepted", answer.Code)
	require.True(f.S.T, answer.OK)
	return &Run{S: f.S, ID: answer.ExecutionID, Deduplicated: answer.Deduplicated}
}

// Answers requires status and code of an answer.
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
