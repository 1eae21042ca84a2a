package tests

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

	"github.com/redline-svc/redline/tests/client"
)

func TestInbound_2_TenOfOneIDAtOnce(t *testing.T) {
	s := begin(t)
	_, from := s.triggered(inboundTrigger(map[string]any{"idempotencyHeader": "x-delivery"}))
	var mu sync.Mutex
	executions, firsts := map[string]int{}, 0
	together(10, func(i int) {
		body := fmt.Sprintf(`{"payload":{"i":%d}}`, i)
		reply, err := from.session.Send(s.ctx, triggerPath+"?"+from.query.Encode(), []byte(body), map[string]string{
			"x-svc-signature": "sha256=" + signature(sha256.New, triggerSecret, body), "x-delivery": "one",
		})
		var answer inboundAnswer
		if !fine(t, err) || !fine(t, json.Unmarshal(reply.Body, &answer)) || !assert.Equal(t, http.StatusOK, reply.HTTP) {
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
	s := begin(t)
	_, from := s.triggered(inboundTrigger(nil))
	const payload = `{"webhookUrl":"http://169.254.169.254/","url":"https://127.0.0.1/x"}`
	r := from.starts(`{"payload":`+payload+`}`, nil)
	require.JSONEq(t, payload, contextOf(r))
}

func TestInbound_4_ABodyIsReadToTheLimitAndParsedAfterItsProof(t *testing.T) {
	s := begin(t)
	_, from := s.triggered(inboundTrigger(nil))
	for body, word := range map[string]string{
		`{"payload":`: "invalid-body", `[]`: "invalid-body", `{"payload":{}} {}`: "invalid-body", ``: "invalid-body", `{"payload":7}`: "invalid-body",
		"{\"payload\":{\"a\":\"\xff\"}}": "invalid-body",
	} {
		code, answer := from.sign(body, nil)
		answers(t, http.StatusBadRequest, word, code, answer)
		code, answer = from.post(body, map[string]string{"x-svc-signature": "sha256=00"})
		answers(t, http.StatusUnauthorized, "unauthenticated", code, answer)
	}
	deep := strings.Repeat("[", 1<<20-20)
	code, answer := from.sign(deep, nil)
	answers(t, http.StatusBadRequest, "invalid-body", code, answer)

	whole := `{"payload":{"a":"` + strings.Repeat("x", 1<<20-len(`{"payload":{"a":""}}`)) + `"}}`
	require.Len(t, whole, 1<<20)
	code, answer = from.sign(whole, nil)
	answers(t, http.StatusRequestEntityTooLarge, "trigger-context-too-large", code, answer)
	code, answer = from.sign(whole+" ", nil)
	answers(t, http.StatusRequestEntityTooLarge, "body-too-large", code, answer)

	endless := io.MultiReader(bytes.NewReader([]byte(whole)), strings.NewReader("  "), stalled{s.ctx.Done()})
	reply, err := from.session.Do(s.ctx, http.MethodPost, triggerPath+"?"+from.query.Encode(), endless, nil)
	require.NoError(t, err, "it is answered before the sender has ended")
	code, answer = from.read(reply)
	answers(t, http.StatusRequestEntityTooLarge, "body-too-large", code, answer)
	require.Empty(t, everyPage[client.Execution](s, "workflow/executions/list", nil), "nothing has started")
}

func TestInbound_4_TheLargestContextFits(t *testing.T) {
	s := begin(t)
	_, from := s.triggered(inboundTrigger(nil))
	for n, word := range map[int]string{256 << 10: "accepted", 256<<10 + 1: "trigger-context-too-large"} {
		payload := `{"a":"` + strings.Repeat("x", n-len(`{"a":""}`)) + `"}`
		code, answer := from.sign(`{"payload":`+payload+`}`, nil)
		require.Equal(t, word, answer.Code, "%d", code)
	}
}

func TestInbound_5_UpperCaseHexAndAMissingPrefix(t *testing.T) {
	s := begin(t)
	_, from := s.triggered(inboundTrigger(nil))
	const body = `{"payload":{}}`
	hexed := signature(sha256.New, triggerSecret, body)
	code, answer := from.post(body, map[string]string{"x-svc-signature": "sha256=" + strings.ToUpper(hexed)})
	answers(t, http.StatusOK, "accepted", code, answer)
	first := answer.ExecutionID
	code, answer = from.post(body, map[string]string{"x-svc-signature": hexed})
	answers(t, http.StatusUnauthorized, "unauthenticated", code, answer)
	code, answer = from.post(body, map[string]string{"x-svc-signature": "sha256=" + hexed})
	answers(t, http.StatusOK, "accepted", code, answer)
	require.Equal(t, first, answer.ExecutionID, "it is the same signature")
}

func TestInbound_6_ANewSecretHoldsFromItsCommitOn(t *testing.T) {
	s := begin(t)
	id, from := s.triggered(inboundTrigger(nil))
	from.starts(`{"payload":{"n":1}}`, nil)
	kept := inboundTrigger(map[string]any{"allowedEvents": []string{"go"}})
	settings, _ := kept["inboundWebhook"].(map[string]any)
	delete(settings, "secret")
	s.call(updateDefinition, simple(id, map[string]any{"ifVersion": 1, "triggers": []any{kept}}), nil)
	from.starts(`{"type":"go","payload":{"n":2}}`, nil)

	s.call(updateDefinition, simple(id, map[string]any{"ifVersion": 2, "triggers": []any{inboundTrigger(map[string]any{"secret": "another-secret-of-it"})}}), nil)
	code, answer := from.sign(`{"payload":{"n":3}}`, nil)
	answers(t, http.StatusUnauthorized, "unauthenticated", code, answer)
	from.secret = "another-secret-of-it"
	from.starts(`{"payload":{"n":4}}`, nil)

	s.refusedAs("FAILED_PRECONDITION", updateDefinition, simple(id, map[string]any{"ifVersion": 2, "triggers": []any{inboundTrigger(nil)}}))
	from.starts(`{"payload":{"n":5}}`, nil)
}

func TestUpdateDefinition_5_GetThenUpdateKeepsTheSecretsOfTriggers(t *testing.T) {
	s := begin(t)
	id, from := s.triggered(inboundTrigger(nil))
	read := s.got(id)
	text, err := json.Marshal(read)
	require.NoError(t, err)
	require.NotContains(t, string(text), triggerSecret)
	for _, field := range []string{"version", "createdAt", "updatedAt", "status", "compiled"} {
		delete(read, field)
	}
	copied := maps.Clone(read)
	copied["definitionId"] = unique("definition")
	failure := s.refusedAs("INVALID_ARGUMENT", createDefinition, copied)
	require.Equal(t, []string{"required at triggers.0.inboundWebhook.secret"}, found(failure.Issues))
	read["ifVersion"] = 1
	s.call(updateDefinition, read, nil)
	from.starts(`{"payload":{}}`, nil)

	read["ifVersion"], read["triggers"] = 2, nil
	s.call(updateDefinition, read, nil)
	code, answer := from.sign(`{"payload":{"n":1}}`, nil)
	answers(t, http.StatusUnauthorized, "unauthenticated", code, answer)
}

func TestInbound_WhateverIsUnknownIsAnsweredAlike(t *testing.T) {
	s := begin(t)
	id, from := s.triggered(inboundTrigger(nil), map[string]any{"triggerId": "label"})
	other := s.elsewhere()
	gone, _ := s.triggered(inboundTrigger(nil))
	s.call(deleteDefinition, map[string]any{"definitionId": gone}, nil)
	const body = `{"payload":{}}`
	right := from.query
	for name, change := range map[string][2]string{
		"no key": {"apiKey", ""}, "an unknown key": {"apiKey", "ak_unknown"}, "another workspace's key": {"apiKey", other.keyed.Headers["x-svc-api-key"]},
		"an unknown definition": {"definitionId", "unknown"}, "a deleted definition": {"definitionId", gone}, "an unknown trigger": {"triggerId", "unknown"},
		"a label": {"triggerId", "label"}, "a NUL": {"triggerId", "\x00"}, "no text": {"definitionId", "\xff"}, "a long id": {"definitionId", strings.Repeat("a", 5000)},
		"200 emoji": {"triggerId", strings.Repeat("😀", 200)},
	} {
		from.query = maps.Clone(right)
		from.query.Set(change[0], change[1])
		reply, err := from.session.Send(s.ctx, triggerPath+"?"+from.query.Encode(), []byte(body),
			map[string]string{"x-svc-signature": "sha256=" + signature(sha256.New, triggerSecret, body)})
		require.NoError(t, err)
		require.Equal(t, http.StatusUnauthorized, reply.HTTP, name)
		require.Equal(t, `{"ok":false,"code":"unauthenticated"}`, string(reply.Body), name)
	}
	from.query = right
	from.starts(body, nil)
	require.Len(t, everyPage[client.Execution](s, "workflow/executions/list", map[string]any{"definitionId": id}), 1)
}

func TestInbound_OurOwnSendersNameTheTriggerInTheBody(t *testing.T) {
	s := begin(t)
	id, from := s.triggered(inboundTrigger(nil))
	other, _ := s.triggered(inboundTrigger(nil))
	from.query = url.Values{}
	header := map[string]string{"x-svc-api-key": s.keyed.Headers["x-svc-api-key"]}
	r := from.starts(`{"payload":{"n":1},"definitionId":"`+id+`","triggerId":"hook"}`, header)
	require.Equal(t, id, r.view().DefinitionID)
	from.query.Set("definitionId", other)
	r = from.starts(`{"payload":{"n":2},"definitionId":"`+id+`","triggerId":"hook"}`, header)
	require.Equal(t, other, r.view().DefinitionID, "the address wins")
	from.query = url.Values{}
	code, answer := from.sign(`{"payload":{"n":3},"triggerId":"hook"}`, header)
	answers(t, http.StatusUnauthorized, "unauthenticated", code, answer)
}

func TestInbound_TheSecretItself(t *testing.T) {
	s := begin(t)
	_, from := s.triggered(inboundTrigger(map[string]any{"authMode": "bearer"}))
	header := map[string]string{"authorization": "Bearer " + triggerSecret}
	seen := map[string]bool{}
	for range 2 {
		code, answer := from.post(`{"payload":{}}`, header)
		answers(t, http.StatusOK, "accepted", code, answer)
		require.False(t, answer.Deduplicated)
		seen[answer.ExecutionID] = true
	}
	require.Len(t, seen, 2, "every request is new")
	code, answer := from.post(`{"payload":{}}`, map[string]string{"authorization": "Bearer " + triggerSecret + "x"})
	answers(t, http.StatusUnauthorized, "unauthenticated", code, answer)
}

func TestInbound_GitHub(t *testing.T) {
	s := begin(t)
	_, from := s.triggered(map[string]any{
		"triggerId": "hook", "filters": map[string]any{"source.ref": []string{"refs/heads/main", "refs/heads/next"}},
		"inboundWebhook": map[string]any{
			"authMode": "hmac", "secret": triggerSecret, "provider": "github", "allowedEvents": []string{"push"},
			"idempotencyHeader": "x-github-delivery", "payloadMapping": "wrap",
		},
	})
	send := func(event, delivery, body string) (int, inboundAnswer) {
		return from.post(body, map[string]string{
			"x-hub-signature-256": "sha256=" + signature(sha256.New, triggerSecret, body), "x-github-event": event, "x-github-delivery": delivery,
		})
	}
	const push = `{"ref":"refs/heads/main","commits":[]}`
	code, answer := send("push", "one", push)
	answers(t, http.StatusOK, "accepted", code, answer)
	r := &run{s: s, id: answer.ExecutionID}
	require.JSONEq(t, `{"source":`+push+`}`, contextOf(r))
	require.Equal(t, "trig:hook:one", r.view().IdempotencyKey)
	for body, event := range map[string]string{`{"ref":"refs/heads/other"}`: "push", `{}`: "push", push: "ping", push + " ": ""} {
		code, answer = send(event, "two", body)
		answers(t, http.StatusOK, "event-ignored", code, answer)
	}
	code, answer = send("ping", "one", `{"ref":"another"}`)
	answers(t, http.StatusOK, "accepted", code, answer)
	require.True(t, answer.Deduplicated, "a known id is answered before it is looked at")
	require.Equal(t, r.id, answer.ExecutionID)
	code, answer = from.post(push, map[string]string{"x-hub-signature-256": "sha1=" + signature(sha1.New, triggerSecret, push), "x-github-event": "push"})
	answers(t, http.StatusUnauthorized, "unauthenticated", code, answer)
}

func TestInbound_ASenderOfItsOwnKind(t *testing.T) {
	s := begin(t)
	_, from := s.triggered(inboundTrigger(map[string]any{
		"provider": "custom", "signatureHeader": "x-shop-sign", "signatureAlgorithm": "sha1", "eventNameHeader": "x-shop-topic",
		"allowedEvents": []string{"order"}, "idempotencyBodyPath": "order.id",
	}))
	const body = `{"order":{"id":12}}`
	header := map[string]string{"x-shop-sign": signature(sha1.New, triggerSecret, body), "x-shop-topic": "order"}
	code, answer := from.post(body, header)
	answers(t, http.StatusOK, "accepted", code, answer)
	require.Equal(t, "trig:hook:12", (&run{s: s, id: answer.ExecutionID}).view().IdempotencyKey)
	delete(header, "x-shop-topic")
	const second = `{"order":{"id":13}}`
	header["x-shop-sign"] = signature(sha1.New, triggerSecret, second)
	code, answer = from.post(second, header)
	answers(t, http.StatusOK, "event-ignored", code, answer)
}

func TestInbound_TheScopeIsTheDefinitions(t *testing.T) {
	s := begin(t)
	id := unique("definition")
	s.created(id, map[string]any{
		"scope":    map[string]any{"level": "document", "organizationId": "acme", "documentId": "spring"},
		"triggers": []any{inboundTrigger(nil)},
	})
	_, from := s.triggered(inboundTrigger(nil))
	from.query.Set("definitionId", id)
	r := from.starts(`{"payload":{"organizationId":"other","documentId":"other"}}`, nil)
	require.Equal(t, []string{"acme", "spring"}, []string{*r.view().OrganizationID, *r.view().DocumentID})
}
