package workflow

import (
	"crypto/sha256"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestInbound_AnExecutionStartsAndEnds(t *testing.T) {
	env := kit.NewWorkspace(t)
	id, from := kit.Triggered(env, kit.InboundTrigger(nil), map[string]any{"triggerId": "label"})
	r := from.Starts(`{"type":"go","payload":{"n":`+aboveDouble+`}}`, nil)
	require.JSONEq(t, `{"n":`+aboveDouble+`}`, kit.ContextOf(r))
	require.Contains(t, kit.ContextOf(r), aboveDouble)
	view := r.Ends("completed")
	require.Equal(t, id, view.DefinitionID)
	require.Regexp(t, `^trig:hook:[0-9a-f]{64}$`, view.IdempotencyKey)
	again := from.Starts(`{"type":"go","payload":{"n":`+aboveDouble+`}}`, nil)
	require.True(t, again.Deduplicated, "a request that was recorded starts nothing again")
	require.Equal(t, r.ID, again.ID)
	require.NotEqual(t, r.ID, kit.Dispatch(env, id, kit.Key(view.IdempotencyKey)).ID, "a caller's key is another one")
}

func TestInbound_1_TheSignatureIsOverTheBytes(t *testing.T) {
	env := kit.NewWorkspace(t)
	_, from := kit.Triggered(env, kit.InboundTrigger(nil))
	const body = `{"payload":{"a":1,"b":2}}`
	header := map[string]string{"x-svc-signature": "sha256=" + kit.Signature(sha256.New, kit.TriggerSecret, body)}
	for _, other := range []string{`{"payload": {"a":1,"b":2}}`, `{"payload":{"b":2,"a":1}}`, body + "\n"} {
		code, answer := from.Post(other, header)
		kit.Answers(t, http.StatusUnauthorized, "unauthenticated", code, answer)
	}
	code, answer := from.Post(body, header)
	kit.Answers(t, http.StatusOK, "accepted", code, answer)
}

func TestInbound_ADeletedDefinitionIsClosed(t *testing.T) {
	env := kit.NewWorkspace(t)
	id, from := kit.Triggered(env, kit.InboundTrigger(nil))
	from.Starts(`{"payload":{}}`, nil).Ends("completed")
	env.Call(client.DeleteDefinition, map[string]any{"definitionId": id}, nil)
	code, answer := from.Sign(`{"payload":{}}`, nil)
	kit.Answers(t, http.StatusUnauthorized, "unauthenticated", code, answer)
	failure := env.RefusedAs("INVALID_ARGUMENT", client.CreateDefinition, kit.Simple(id, map[string]any{"triggers": []any{
		map[string]any{"triggerId": "hook", "inboundWebhook": map[string]any{"authMode": "hmac"}},
	}}))
	require.Equal(t, []string{"required at triggers.0.inboundWebhook.secret"}, kit.Found(failure.Issues))
}
