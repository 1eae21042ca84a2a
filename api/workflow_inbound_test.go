package api_test

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestInbound_2_TenOfOneIDAtOnce(t *testing.T) {
	env := newWorkspace(t)
	_, from := kit.Triggered(env, kit.InboundTrigger(map[string]any{"idempotencyHeader": "x-delivery"}))
	var mu sync.Mutex
	executions, firsts := map[string]int{}, 0
	kit.Concurrently(10, func(i int) {
		body := fmt.Sprintf(`{"payload":{"i":%d}}`, i)
		reply, err := from.Session.Send(env.Ctx, kit.TriggerPath+"?"+from.Query.Encode(), []byte(body), map[string]string{
			"x-svc-signature": "sha256=" + kit.Signature(sha256.New, kit.TriggerSecret, body), "x-delivery": "one",
		})
		var answer kit.InboundAnswer
		if !kit.NoError(t, err) || !kit.NoError(t, json.Unmarshal(reply.Body, &answer)) || !assert.Equal(t, http.StatusOK, reply.HTTP) {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		executions[answer.ExecutionID]++
		if !answer.Deduplicated {
			firsts++
		}
	})
	require.Len(t, executions, 1)
	require.Equal(t, 1, firsts)
}

func TestInbound_3_AnAddressInThePayloadIsData(t *testing.T) {
	env := newWorkspace(t)
	_, from := kit.Triggered(env, kit.InboundTrigger(nil))
	const payload = `{"webhookUrl":"http://169.254.169.254/","url":"https://127.0.0.1/x"}`
	r := from.Starts(`{"payload":`+payload+`}`, nil)
	require.JSONEq(t, payload, kit.ContextOf(r))
}

func TestInbound_4_ABodyIsReadToTheLimitAndParsedAfterItsProof(t *testing.T) {
	env := newWorkspace(t)
	_, from := kit.Triggered(env, kit.InboundTrigger(nil))
	for body, word := range map[string]string{
		`{"payload":`: "invalid-body", `[]`: "invalid-body", `{"payload":{}} {}`: "invalid-body", ``: "invalid-body", `{"payload":7}`: "invalid-body",
		"{\"payload\":{\"a\":\"\xff\"}}": "invalid-body",
	} {
		code, answer := from.Sign(body, nil)
		kit.Answers(t, http.StatusBadRequest, word, code, answer)
		code, answer = from.Post(body, map[string]string{"x-svc-signature": "sha256=00"})
		kit.Answers(t, http.StatusUnauthorized, "unauthenticated", code, answer)
	}
	deep := strings.Repeat("[", 1<<20-20)
	code, answer := from.Sign(deep, nil)
	kit.Answers(t, http.StatusBadRequest, "invalid-body", code, answer)

	whole := `{"payload":{"a":"` + strings.Repeat("x", 1<<20-len(`{"payload":{"a":""}}`)) + `"}}`
	require.Len(t, whole, 1<<20)
	code, answer = from.Sign(whole, nil)
	kit.Answers(t, http.StatusRequestEntityTooLarge, "trigger-context-too-large", code, answer)
	code, answer = from.Sign(whole+" ", nil)
	kit.Answers(t, http.StatusRequestEntityTooLarge, "body-too-large", code, answer)

	endless := io.MultiReader(bytes.NewReader([]byte(whole)), strings.NewReader("  "), kit.Stalled{Until: env.Ctx.Done()})
	reply, err := from.Session.Do(env.Ctx, http.MethodPost, kit.TriggerPath+"?"+from.Query.Encode(), endless, nil)
	require.NoError(t, err, "it is answered before the sender has ended")
	code, answer = from.Read(reply)
	kit.Answers(t, http.StatusRequestEntityTooLarge, "body-too-large", code, answer)
	require.Empty(t, kit.EveryPage[redline.Execution](env, client.ListExecutions, nil), "nothing has started")
}

func TestInbound_4_TheLargestContextFits(t *testing.T) {
	env := newWorkspace(t)
	_, from := kit.Triggered(env, kit.InboundTrigger(nil))
	for n, word := range map[int]string{256 << 10: "accepted", 256<<10 + 1: "trigger-context-too-large"} {
		payload := `{"a":"` + strings.Repeat("x", n-len(`{"a":""}`)) + `"}`
		code, answer := from.Sign(`{"payload":`+payload+`}`, nil)
		require.Equal(t, word, answer.Code, "%d", code)
	}
}

func TestInbound_5_UpperCaseHexAndAMissingPrefix(t *testing.T) {
	env := newWorkspace(t)
	_, from := kit.Triggered(env, kit.InboundTrigger(nil))
	const body = `{"payload":{}}`
	hexed := kit.Signature(sha256.New, kit.TriggerSecret, body)
	code, answer := from.Post(body, map[string]string{"x-svc-signature": "sha256=" + strings.ToUpper(hexed)})
	kit.Answers(t, http.StatusOK, "accepted", code, answer)
	first := answer.ExecutionID
	code, answer = from.Post(body, map[string]string{"x-svc-signature": hexed})
	kit.Answers(t, http.StatusUnauthorized, "unauthenticated", code, answer)
	code, answer = from.Post(body, map[string]string{"x-svc-signature": "sha256=" + hexed})
	kit.Answers(t, http.StatusOK, "accepted", code, answer)
	require.Equal(t, first, answer.ExecutionID, "it is the same signature")
}

func TestInbound_6_ANewSecretHoldsFromItsCommitOn(t *testing.T) {
	env := newWorkspace(t)
	id, from := kit.Triggered(env, kit.InboundTrigger(nil))
	from.Starts(`{"payload":{"n":1}}`, nil)
	kept := kit.InboundTrigger(map[string]any{"allowedEvents": []string{"go"}})
	settings, _ := kept["inboundWebhook"].(map[string]any)
	delete(settings, "secret")
	env.Call(client.UpdateDefinition, kit.Simple(id, map[string]any{"ifVersion": 1, "triggers": []any{kept}}), nil)
	from.Starts(`{"type":"go","payload":{"n":2}}`, nil)

	env.Call(client.UpdateDefinition, kit.Simple(id, map[string]any{"ifVersion": 2, "triggers": []any{kit.InboundTrigger(map[string]any{"secret": "another-secret-of-it"})}}), nil)
	code, answer := from.Sign(`{"payload":{"n":3}}`, nil)
	kit.Answers(t, http.StatusUnauthorized, "unauthenticated", code, answer)
	from.Secret = "another-secret-of-it"
	from.Starts(`{"payload":{"n":4}}`, nil)

	env.RefusedAs("FAILED_PRECONDITION", client.UpdateDefinition, kit.Simple(id, map[string]any{"ifVersion": 2, "triggers": []any{kit.InboundTrigger(nil)}}))
	from.Starts(`{"payload":{"n":5}}`, nil)
}

func TestUpdateDefinition_5_GetThenUpdateKeepsTheSecretsOfTriggers(t *testing.T) {
	env := newWorkspace(t)
	id, from := kit.Triggered(env, kit.InboundTrigger(nil))
	read := kit.GetDefinitionView(env, id)
	text, err := json.Marshal(read)
	require.NoError(t, err)
	require.NotContains(t, string(text), kit.TriggerSecret)
	for _, field := range []string{"version", "createdAt", "updatedAt", "status", "compiled"} {
		delete(read, field)
	}
	copied := maps.Clone(read)
	copied["definitionId"] = kit.Unique("definition")
	failure := env.RefusedAs("INVALID_ARGUMENT", client.CreateDefinition, copied)
	require.Equal(t, []string{"required at triggers.0.inboundWebhook.secret"}, kit.Found(failure.Issues))
	read["ifVersion"] = 1
	env.Call(client.UpdateDefinition, read, nil)
	from.Starts(`{"payload":{}}`, nil)

	read["ifVersion"], read["triggers"] = 2, nil
	env.Call(client.UpdateDefinition, read, nil)
	code, answer := from.Sign(`{"payload":{"n":1}}`, nil)
	kit.Answers(t, http.StatusUnauthorized, "unauthenticated", code, answer)
}

func TestInbound_WhateverIsUnknownIsAnsweredAlike(t *testing.T) {
	env := newWorkspace(t)
	id, from := kit.Triggered(env, kit.InboundTrigger(nil), map[string]any{"triggerId": "label"})
	other := kit.Elsewhere(env)
	gone, _ := kit.Triggered(env, kit.InboundTrigger(nil))
	env.Call(client.DeleteDefinition, map[string]any{"definitionId": gone}, nil)
	const body = `{"payload":{}}`
	right := from.Query
	for name, change := range map[string][2]string{
		"no key": {"apiKey", ""}, "an unknown key": {"apiKey", "ak_unknown"}, "another workspace's key": {"apiKey", other.Keyed.Headers["x-svc-api-key"]},
		"an unknown definition": {"definitionId", "unknown"}, "a deleted definition": {"definitionId", gone}, "an unknown trigger": {"triggerId", "unknown"},
		"a label": {"triggerId", "label"}, "a NUL": {"triggerId", "\x00"}, "no text": {"definitionId", "\xff"}, "a long id": {"definitionId", strings.Repeat("a", 5000)},
		"200 emoji": {"triggerId", strings.Repeat("😀", 200)},
	} {
		from.Query = maps.Clone(right)
		from.Query.Set(change[0], change[1])
		reply, err := from.Session.Send(env.Ctx, kit.TriggerPath+"?"+from.Query.Encode(), []byte(body),
			map[string]string{"x-svc-signature": "sha256=" + kit.Signature(sha256.New, kit.TriggerSecret, body)})
		require.NoError(t, err)
		require.Equal(t, http.StatusUnauthorized, reply.HTTP, name)
		require.Equal(t, `{"ok":false,"code":"unauthenticated"}`, string(reply.Body), name)
	}
	from.Query = right
	from.Starts(body, nil)
	require.Len(t, kit.EveryPage[redline.Execution](env, client.ListExecutions, map[string]any{"definitionId": id}), 1)
}

func TestInbound_OurOwnSendersNameTheTriggerInTheBody(t *testing.T) {
	env := newWorkspace(t)
	id, from := kit.Triggered(env, kit.InboundTrigger(nil))
	other, _ := kit.Triggered(env, kit.InboundTrigger(nil))
	from.Query = url.Values{}
	header := map[string]string{"x-svc-api-key": env.Keyed.Headers["x-svc-api-key"]}
	r := from.Starts(`{"payload":{"n":1},"definitionId":"`+id+`","triggerId":"hook"}`, header)
	require.Equal(t, id, r.View().DefinitionID)
	from.Query.Set("definitionId", other)
	r = from.Starts(`{"payload":{"n":2},"definitionId":"`+id+`","triggerId":"hook"}`, header)
	require.Equal(t, other, r.View().DefinitionID, "the address wins")
	from.Query = url.Values{}
	code, answer := from.Sign(`{"payload":{"n":3},"triggerId":"hook"}`, header)
	kit.Answers(t, http.StatusUnauthorized, "unauthenticated", code, answer)
}

func TestInbound_TheSecretItself(t *testing.T) {
	env := newWorkspace(t)
	_, from := kit.Triggered(env, kit.InboundTrigger(map[string]any{"authMode": "bearer"}))
	header := map[string]string{"authorization": "Bearer " + kit.TriggerSecret}
	seen := map[string]bool{}
	for range 2 {
		code, answer := from.Post(`{"payload":{}}`, header)
		kit.Answers(t, http.StatusOK, "accepted", code, answer)
		require.False(t, answer.Deduplicated)
		seen[answer.ExecutionID] = true
	}
	require.Len(t, seen, 2, "every request is new")
	code, answer := from.Post(`{"payload":{}}`, map[string]string{"authorization": "Bearer " + kit.TriggerSecret + "x"})
	kit.Answers(t, http.StatusUnauthorized, "unauthenticated", code, answer)
}

func TestInbound_GitHub(t *testing.T) {
	env := newWorkspace(t)
	_, from := kit.Triggered(env, map[string]any{
		"triggerId": "hook", "filters": map[string]any{"source.ref": []string{"refs/heads/main", "refs/heads/next"}},
		"inboundWebhook": map[string]any{
			"authMode": "hmac", "secret": kit.TriggerSecret, "provider": "github", "allowedEvents": []string{"push"},
			"idempotencyHeader": "x-github-delivery", "payloadMapping": "wrap",
		},
	})
	send := func(event, delivery, body string) (int, kit.InboundAnswer) {
		return from.Post(body, map[string]string{
			"x-hub-signature-256": "sha256=" + kit.Signature(sha256.New, kit.TriggerSecret, body), "x-github-event": event, "x-github-delivery": delivery,
		})
	}
	const push = `{"ref":"refs/heads/main","commits":[]}`
	code, answer := send("push", "one", push)
	kit.Answers(t, http.StatusOK, "accepted", code, answer)
	r := &kit.Run{S: env, ID: answer.ExecutionID}
	require.JSONEq(t, `{"source":`+push+`}`, kit.ContextOf(r))
	require.Equal(t, "trig:hook:one", r.View().IdempotencyKey)
	for body, event := range map[string]string{`{"ref":"refs/heads/other"}`: "push", `{}`: "push", push + "  ": "ping", push + " ": ""} {
		code, answer = send(event, "two", body)
		kit.Answers(t, http.StatusOK, "event-ignored", code, answer)
	}
	code, answer = send("ping", "one", `{"ref":"another"}`)
	kit.Answers(t, http.StatusOK, "accepted", code, answer)
	require.True(t, answer.Deduplicated, "a known id is answered before it is looked at")
	require.Equal(t, r.ID, answer.ExecutionID)
	code, answer = from.Post(push, map[string]string{"x-hub-signature-256": "sha1=" + kit.Signature(sha1.New, kit.TriggerSecret, push), "x-github-event": "push"})
	kit.Answers(t, http.StatusUnauthorized, "unauthenticated", code, answer)
}

func TestInbound_Vercel(t *testing.T) {
	env := newWorkspace(t)
	_, from := kit.Triggered(env, kit.InboundTrigger(map[string]any{"provider": "vercel", "allowedEvents": []string{"deployment.succeeded"}}))
	const body = `{"id":"ev_1","type":"deployment.succeeded","payload":{"n":1.10}}`
	signed := func(signature, body string) (int, kit.InboundAnswer) {
		return from.Post(body, map[string]string{"x-vercel-signature": signature})
	}
	code, answer := signed(kit.Signature(sha256.New, kit.TriggerSecret, body), body)
	kit.Answers(t, http.StatusUnauthorized, "unauthenticated", code, answer)
	code, answer = signed("sha1="+kit.Signature(sha1.New, kit.TriggerSecret, body), body)
	kit.Answers(t, http.StatusUnauthorized, "unauthenticated", code, answer)
	code, answer = signed(kit.Signature(sha1.New, kit.TriggerSecret, body), body)
	kit.Answers(t, http.StatusOK, "accepted", code, answer)
	require.JSONEq(t, body, kit.ContextOf(&kit.Run{S: env, ID: answer.ExecutionID}), "the whole body")
	const other = `{"type":"deployment.error"}`
	code, answer = signed(kit.Signature(sha1.New, kit.TriggerSecret, other), other)
	kit.Answers(t, http.StatusOK, "event-ignored", code, answer)
}

func TestInbound_ASenderOfItsOwnKind(t *testing.T) {
	env := newWorkspace(t)
	_, from := kit.Triggered(env, kit.InboundTrigger(map[string]any{
		"provider": "custom", "signatureHeader": "x-shop-sign", "signatureAlgorithm": "sha1", "eventNameHeader": "x-shop-topic",
		"allowedEvents": []string{"order"}, "idempotencyBodyPath": "order.id",
	}))
	const body = `{"order":{"id":12}}`
	header := map[string]string{"x-shop-sign": kit.Signature(sha1.New, kit.TriggerSecret, body), "x-shop-topic": "order"}
	code, answer := from.Post(body, header)
	kit.Answers(t, http.StatusOK, "accepted", code, answer)
	require.Equal(t, "trig:hook:12", (&kit.Run{S: env, ID: answer.ExecutionID}).View().IdempotencyKey)
	delete(header, "x-shop-topic")
	const second = `{"order":{"id":13}}`
	header["x-shop-sign"] = kit.Signature(sha1.New, kit.TriggerSecret, second)
	code, answer = from.Post(second, header)
	kit.Answers(t, http.StatusOK, "event-ignored", code, answer)
}

func TestInbound_TheScopeIsTheDefinitions(t *testing.T) {
	env := newWorkspace(t)
	id := kit.Unique("definition")
	kit.Created(env, id, map[string]any{
		"scope":    map[string]any{"level": "document", "organizationId": "acme", "documentId": "spring"},
		"triggers": []any{kit.InboundTrigger(nil)},
	})
	_, from := kit.Triggered(env, kit.InboundTrigger(nil))
	from.Query.Set("definitionId", id)
	r := from.Starts(`{"payload":{"organizationId":"other","documentId":"other"}}`, nil)
	require.Equal(t, []string{"acme", "spring"}, []string{*r.View().OrganizationID, *r.View().DocumentID})
}

// Whoever has recorded a request starts nothing by sending it under another id.
func TestInbound_ASignatureThatWasTakenBeforeIsAnsweredAsItWas(t *testing.T) {
	env := newWorkspace(t)
	_, from := kit.Triggered(env, kit.InboundTrigger(map[string]any{"idempotencyHeader": "x-delivery"}))
	const body = `{"payload":{"n":1}}`
	first := from.Starts(body, map[string]string{"x-delivery": "one"})
	for _, header := range []map[string]string{{"x-delivery": "two"}, {}} {
		again := from.Starts(body, header)
		require.Equal(t, first.ID, again.ID)
		require.True(t, again.Deduplicated)
	}
	second := from.Starts(`{"payload":{"n":2}}`, map[string]string{"x-delivery": "one"})
	require.Equal(t, first.ID, second.ID, "a resend of a known id")
	third := from.Starts(`{"payload":{"n":3}}`, nil)
	require.NotEqual(t, first.ID, third.ID)
	require.Equal(t, third.ID, from.Starts(`{"payload":{"n":3}}`, map[string]string{"x-delivery": "three"}).ID, "sent without an id before")
	_, other := kit.Triggered(env, kit.InboundTrigger(map[string]any{"idempotencyHeader": "x-delivery"}))
	require.NotEqual(t, first.ID, other.Starts(body, map[string]string{"x-delivery": "one"}).ID, "at another trigger it is another request")
}

func TestInbound_ASuspendedWorkspaceStartsNothingNew(t *testing.T) {
	env := newWorkspace(t)
	_, from := kit.Triggered(env, kit.InboundTrigger(nil))
	const body = `{"payload":{"n":1}}`
	from.Starts(body, nil)
	operate(env).Suspend(env.Workspace.ID)
	for _, body := range []string{body, `{"payload":{"n":2}}`, `no body`} {
		code, answer := from.Sign(body, nil)
		kit.Answers(t, http.StatusForbidden, "suspended", code, answer)
		code, answer = from.Post(body, map[string]string{"x-svc-signature": "sha256=" + kit.Signature(sha256.New, "another-secret-of-it", body)})
		kit.Answers(t, http.StatusUnauthorized, "unauthenticated", code, answer)
	}
	operate(env).Resume(env.Workspace.ID)
	require.Len(t, kit.EveryPage[redline.Execution](env, client.ListExecutions, nil), 1)
}
