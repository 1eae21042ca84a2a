package tests

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

	"github.com/redline-svc/redline/tests/client"
)

const (
	triggerPath   = "/v2/workflow/webhook-inbound/trigger"
	triggerSecret = "a-secret-of-the-trigger"
)

// inboundAnswer is what a sender outside gets.
type inboundAnswer struct {
	OK           bool   `json:"ok"`
	Code         string `json:"code"`
	ExecutionID  string `json:"executionId"`
	Deduplicated bool   `json:"deduplicated"`
}

// sender is a system outside: it knows an address and a secret, no credentials.
type sender struct {
	s       *scene
	session *client.Session
	query   url.Values
	secret  string
}

// triggered is a definition with the triggers and who sends to the first of them.
func (s *scene) triggered(triggers ...map[string]any) (id string, from *sender) {
	s.t.Helper()
	id = unique("definition")
	s.created(id, map[string]any{"triggers": triggers})
	trigger, _ := triggers[0]["triggerId"].(string)
	return id, &sender{
		s: s, session: s.keyed.With(nil), secret: triggerSecret,
		query: url.Values{"apiKey": {s.keyed.Headers["x-svc-api-key"]}, "definitionId": {id}, "triggerId": {trigger}},
	}
}

// inboundTrigger is a trigger that takes signed requests, unless settings say more.
func inboundTrigger(settings map[string]any) map[string]any {
	all := map[string]any{"authMode": "hmac", "secret": triggerSecret}
	maps.Copy(all, settings)
	return map[string]any{"triggerId": "hook", "inboundWebhook": all}
}

func signature(algorithm func() hash.Hash, secret, body string) string {
	mac := hmac.New(algorithm, []byte(secret))
	_, _ = mac.Write([]byte(body))
	return hex.EncodeToString(mac.Sum(nil))
}

// post sends a body with the headers as they are.
func (f *sender) post(body string, header map[string]string) (int, inboundAnswer) {
	f.s.t.Helper()
	reply, err := f.session.Send(f.s.ctx, triggerPath+"?"+f.query.Encode(), []byte(body), header)
	require.NoError(f.s.t, err)
	return f.read(reply)
}

func (f *sender) read(reply *client.Reply) (int, inboundAnswer) {
	f.s.t.Helper()
	var answer inboundAnswer
	require.NoError(f.s.t, json.Unmarshal(reply.Body, &answer), "%s", reply.Body)
	require.Equal(f.s.t, "application/json", reply.Header.Get("content-type"))
	return reply.HTTP, answer
}

// sign sends a body signed as our own senders sign.
func (f *sender) sign(body string, more map[string]string) (int, inboundAnswer) {
	f.s.t.Helper()
	header := map[string]string{"x-svc-signature": "sha256=" + signature(sha256.New, f.secret, body)}
	maps.Copy(header, more)
	return f.post(body, header)
}

// starts sends a signed body that has to be accepted.
func (f *sender) starts(body string, more map[string]string) *run {
	f.s.t.Helper()
	code, answer := f.sign(body, more)
	require.Equal(f.s.t, http.StatusOK, code, "%+v", answer)
	require.Equal(f.s.t, "accepted", answer.Code)
	require.True(f.s.t, answer.OK)
	return &run{s: f.s, id: answer.ExecutionID, deduplicated: answer.Deduplicated}
}

// answers asserts code and word of an answer.
func answers(t *testing.T, code int, word string, gotCode int, got inboundAnswer) {
	t.Helper()
	require.Equal(t, code, gotCode, "%+v", got)
	require.Equal(t, word, got.Code)
	require.Equal(t, word == "accepted", got.OK)
}

func TestInbound_AnExecutionStartsAndEnds(t *testing.T) {
	s := begin(t)
	id, from := s.triggered(inboundTrigger(nil), map[string]any{"triggerId": "label"})
	r := from.starts(`{"type":"go","payload":{"n":`+aboveDouble+`}}`, nil)
	require.JSONEq(t, `{"n":`+aboveDouble+`}`, contextOf(r))
	require.Contains(t, contextOf(r), aboveDouble)
	view := r.ends("completed")
	require.Equal(t, id, view.DefinitionID)
	require.Regexp(t, `^trig:hook:[0-9a-f]{64}$`, view.IdempotencyKey)
	again := from.starts(`{"type":"go","payload":{"n":`+aboveDouble+`}}`, nil)
	require.True(t, again.deduplicated, "a request that was recorded starts nothing again")
	require.Equal(t, r.id, again.id)
	require.NotEqual(t, r.id, s.dispatch(id, key(view.IdempotencyKey)).id, "a caller's key is another one")
}

func TestInbound_1_TheSignatureIsOverTheBytes(t *testing.T) {
	s := begin(t)
	_, from := s.triggered(inboundTrigger(nil))
	const body = `{"payload":{"a":1,"b":2}}`
	header := map[string]string{"x-svc-signature": "sha256=" + signature(sha256.New, triggerSecret, body)}
	for _, other := range []string{`{"payload": {"a":1,"b":2}}`, `{"payload":{"b":2,"a":1}}`, body + "\n"} {
		code, answer := from.post(other, header)
		answers(t, http.StatusUnauthorized, "unauthenticated", code, answer)
	}
	code, answer := from.post(body, header)
	answers(t, http.StatusOK, "accepted", code, answer)
}

// stalled is a body that never goes on.
type stalled struct{ until <-chan struct{} }

// Read waits for the end of the story.
func (r stalled) Read([]byte) (int, error) { <-r.until; return 0, io.ErrUnexpectedEOF }

func TestInbound_ADeletedDefinitionIsClosed(t *testing.T) {
	s := begin(t)
	id, from := s.triggered(inboundTrigger(nil))
	from.starts(`{"payload":{}}`, nil).ends("completed")
	s.call(deleteDefinition, map[string]any{"definitionId": id}, nil)
	code, answer := from.sign(`{"payload":{}}`, nil)
	answers(t, http.StatusUnauthorized, "unauthenticated", code, answer)
	failure := s.refusedAs("INVALID_ARGUMENT", createDefinition, simple(id, map[string]any{"triggers": []any{
		map[string]any{"triggerId": "hook", "inboundWebhook": map[string]any{"authMode": "hmac"}},
	}}))
	require.Equal(t, []string{"required at triggers.0.inboundWebhook.secret"}, found(failure.Issues))
}
