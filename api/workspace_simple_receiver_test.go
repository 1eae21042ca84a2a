package api_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// receives is the data of an update of the receiver's own fields.
func receives(fields map[string]any) map[string]any { return in(fields, "webhookServiceConfig") }

func TestSimpleReceiver_WhatIsSetIsMerged(t *testing.T) {
	env := newWorkspace(t)
	untouched := kit.SimpleState(env)
	triggers, err := json.Marshal(untouched.WebhookServiceConfig.Triggers)
	require.NoError(t, err)
	var on map[string]bool
	require.NoError(t, json.Unmarshal(triggers, &on))
	require.Equal(t, map[string]bool{
		"comment_annotation.add": true, "comment_annotation.assign": true, "comment_annotation.status_change": true,
		"comment_annotation.priority_change": true, "comment_annotation.update": true, "comment_annotation.suggestion_accept": false,
		"comment_annotation.suggestion_reject": false, "comment.add": true, "comment.update": true, "comment.delete": true,
	}, on)
	require.False(t, untouched.UseWebhookService)
	require.Nil(t, untouched.EndpointID)

	made := kit.SetSimple(env, false, map[string]any{"triggers": map[string]any{"comment.add": false, "comment_annotation.suggestion_accept": true}})
	require.Equal(t, made, kit.SimpleState(env))
	require.NotNil(t, made.EndpointID)
	made = kit.SetSimple(env, true, map[string]any{"rawNotificationUrl": kit.Somewhere, "authToken": "b3Blbg=="})
	config := made.WebhookServiceConfig
	require.True(t, made.UseWebhookService && config.HasAuthToken)
	require.Equal(t, kit.Somewhere, config.RawNotificationURL)
	require.Equal(t, []bool{false, true, true}, []bool{*config.Triggers.CommentAdd, *config.Triggers.CommentAnnotationSuggestionAccept, *config.Triggers.CommentUpdate})
	env.Call(client.UpdateSimpleReceiver, receives(map[string]any{"authToken": nil}), nil)
	require.False(t, kit.SimpleState(env).WebhookServiceConfig.HasAuthToken, "null clears")
	require.True(t, kit.SimpleState(env).UseWebhookService)

	none := map[string]any{}
	for _, name := range []string{
		"comment_annotation.add", "comment_annotation.assign", "comment_annotation.status_change", "comment_annotation.priority_change", "comment_annotation.update",
		"comment_annotation.suggestion_accept", "comment_annotation.suggestion_reject", "comment.add", "comment.update", "comment.delete",
	} {
		none[name] = false
	}
	env.Call(client.UpdateSimpleReceiver, receives(map[string]any{"triggers": none}), nil)
	require.False(t, *kit.SimpleState(env).WebhookServiceConfig.Triggers.CommentDelete, "all of them may be off")
}

func TestSimpleReceiver_WhatIsRefused(t *testing.T) {
	env := newWorkspace(t)
	kit.SetSimple(env, true, map[string]any{"rawNotificationUrl": kit.Somewhere})
	before := kit.SimpleState(env)
	config := "webhookServiceConfig"
	for _, c := range []struct {
		data map[string]any
		code string
		path []string
	}{
		{map[string]any{}, "required", []string{}},
		{receives(map[string]any{}), "required", []string{}},
		{receives(map[string]any{"triggers": map[string]any{}}), "required", []string{}},
		{map[string]any{"useWebhookService": nil}, "type", []string{"useWebhookService"}},
		{map[string]any{"useWebhookService": true, "encryptData": true}, "unknown-key", []string{"encryptData"}},
		{map[string]any{"useWebhookService": true, "publicKey": ""}, "unknown-key", []string{"publicKey"}},
		{receives(map[string]any{"encodeData": true}), "unknown-key", []string{config, "encodeData"}},
		{receives(map[string]any{"processedNotificationUrl": kit.Somewhere}), "unknown-key", []string{config, "processedNotificationUrl"}},
		{receives(map[string]any{"triggers": map[string]any{"comment_annotation.delete": true}}), "unknown-key", []string{config, "triggers", "comment_annotation.delete"}},
		{receives(map[string]any{"triggers": map[string]any{"comment.add": nil}}), "type", []string{config, "triggers", "comment.add"}},
		{receives(map[string]any{"rawNotificationUrl": nil}), "type", []string{config, "rawNotificationUrl"}},
		{receives(map[string]any{"rawNotificationUrl": "https://169.254.169.254/"}), "address-refused", []string{config, "rawNotificationUrl"}},
		{receives(map[string]any{"rawNotificationUrl": "ftp://hooks.example.com"}), "address-refused", []string{config, "rawNotificationUrl"}},
		{receives(map[string]any{"authToken": strings.Repeat("t", 513)}), "length", []string{config, "authToken"}},
		{receives(map[string]any{"authToken": "a\r\nx-mine: b"}), "pattern", []string{config, "authToken"}},
	} {
		failure := env.RefusedAs("INVALID_ARGUMENT", client.UpdateSimpleReceiver, c.data)
		assert.Equal(t, c.code, failure.Issues[0].Code, "%v", c.data)
		assert.Equal(t, c.path, failure.Issues[0].Path, "%v", c.data)
	}
	refused := env.RefusedAs("INVALID_ARGUMENT", client.UpdateSimpleReceiver, receives(map[string]any{"rawNotificationUrl": "http://localhost.localdomain/"}))
	require.Equal(t, "address-refused", string(refused.Reason))
	require.Equal(t, "no-webhook-url", string(env.RefusedAs("FAILED_PRECONDITION", client.UpdateSimpleReceiver, receives(map[string]any{"rawNotificationUrl": ""})).Reason),
		"it would be on without an address")
	require.Equal(t, before, kit.SimpleState(env), "nothing has changed")
	env.Call(client.UpdateSimpleReceiver, map[string]any{"useWebhookService": true, "webhookServiceConfig": map[string]any{"processedNotificationUrl": ""}}, nil)
	kit.SetSimple(env, false, map[string]any{"rawNotificationUrl": ""})
	require.Equal(t, "no-webhook-url", string(env.RefusedAs("FAILED_PRECONDITION", client.UpdateSimpleReceiver, map[string]any{"useWebhookService": true}).Reason))
}

func TestSimpleReceiver_1_AnotherHostWithoutATokenClearsIt(t *testing.T) {
	env := newWorkspace(t)
	has := func(fields map[string]any) bool {
		env.Call(client.UpdateSimpleReceiver, receives(fields), nil)
		return kit.SimpleState(env).WebhookServiceConfig.HasAuthToken
	}
	require.True(t, has(map[string]any{"authToken": "t"}), "it may come before the address")
	require.True(t, has(map[string]any{"rawNotificationUrl": kit.Somewhere}))
	require.True(t, has(map[string]any{"rawNotificationUrl": kit.Somewhere + "/else"}), "the same host")
	require.False(t, has(map[string]any{"rawNotificationUrl": "https://other.example.com/told"}))
	require.True(t, has(map[string]any{"rawNotificationUrl": kit.Somewhere, "authToken": "t"}), "another host with a token")
	require.False(t, has(map[string]any{"rawNotificationUrl": ""}))
	require.False(t, has(map[string]any{"rawNotificationUrl": "https://other.example.com/told"}), "not by a step between either")
}

// It is no endpoint among the others: no list, no quota, no switch of theirs, and no operation that changes them.
func TestSimpleReceiver_IsNoneOfTheEndpoints(t *testing.T) {
	env := newWorkspace(t)
	id := *kit.SetSimple(env, true, map[string]any{"rawNotificationUrl": kit.Somewhere}).EndpointID
	secret := kit.SecretOf(env, id)
	require.NotEqual(t, secret, kit.Rotate(env, id).Secret, "without the gate")
	require.Equal(t, "webhooks-not-configured", string(env.RefusedAs("FAILED_PRECONDITION", client.EndpointSecret, kit.Of("ep_none")).Reason))
	require.Equal(t, redline.WebhookSettings{}, kit.Hooks(env))
	require.Equal(t, "first-update-must-enable", string(env.RefusedAs("FAILED_PRECONDITION", client.SetHooks, map[string]any{"encodeData": true}).Reason))
	kit.Hooked(env)
	require.Empty(t, kit.Endpoints(env, map[string]any{}).Endpoints)
	env.RefusedAs("NOT_FOUND", client.UpdateEndpoint, map[string]any{"endpointId": id, "url": "https://other.example.com/"})
	env.RefusedAs("NOT_FOUND", client.DeleteEndpoint, kit.Of(id))
	env.RefusedAs("NOT_FOUND", client.TestEndpoint, kit.Of(id))
	var counted int
	require.NoError(t, env.DB().QueryRow(t.Context(), `SELECT count(*) FROM rate_buckets WHERE bucket LIKE '%' || $1 || '%'`, id).Scan(&counted))
	require.Zero(t, counted, "what is not tested takes nothing of its rate")
	for range 50 {
		kit.Endpoint(env, kit.Somewhere)
	}
	require.Equal(t, "endpoint-quota", string(env.RefusedAs("RESOURCE_EXHAUSTED", client.CreateEndpoint, map[string]any{"url": kit.Somewhere}).Reason))
	env.Call(client.SetHooks, map[string]any{"isEnabled": false}, nil)
	require.True(t, kit.SimpleState(env).UseWebhookService)
	second := kit.SecondKey(env)
	seen, err := client.Call[redline.SimpleReceiverResult](env.Ctx, second, client.GetSimpleReceiver, map[string]any{})
	require.NoError(t, err)
	require.Equal(t, kit.SimpleState(env), seen.Data, "the same for all keys of the workspace")
}

func TestSimpleReceiver_TwoFirstChangesAtOnceBothSurvive(t *testing.T) {
	env := newWorkspace(t)
	changes := []map[string]any{
		{"rawNotificationUrl": kit.Somewhere}, {"authToken": "t"}, {"triggers": map[string]any{"comment.add": false}}, {"triggers": map[string]any{"comment.delete": false}},
	}
	kit.Concurrently(len(changes), func(i int) {
		_, err := client.Call[redline.SimpleReceiverResult](env.Ctx, env.Keyed, client.UpdateSimpleReceiver, receives(changes[i]))
		kit.NoError(t, err)
	})
	config := kit.SimpleState(env).WebhookServiceConfig
	require.True(t, config.HasAuthToken)
	require.Equal(t, kit.Somewhere, config.RawNotificationURL)
	require.False(t, *config.Triggers.CommentAdd || *config.Triggers.CommentDelete)
}
