package api_test

import (
	"context"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestWebhookSettings_1to3_TheFirstUpdateMustEnable(t *testing.T) {
	env := newWorkspace(t)
	require.Equal(t, redline.WebhookSettings{}, kit.Hooks(env), "works before any update")
	failure := env.RefusedAs("FAILED_PRECONDITION", client.SetHooks, map[string]any{"encodeData": true})
	require.Equal(t, redline.ErrorDetailsReasonFirstUpdateMustEnable, failure.Reason)
	env.RefusedAs("INVALID_ARGUMENT", client.SetHooks, map[string]any{})
	env.RefusedAs("INVALID_ARGUMENT", client.SetHooks, map[string]any{"other": 1})
	env.RefusedAs("INVALID_ARGUMENT", client.SetHooks, map[string]any{"isEnabled": "true"})
	env.RefusedAs("INVALID_ARGUMENT", client.SetHooks, map[string]any{"isEnabled": nil})
	require.Equal(t, redline.WebhookSettings{}, kit.Hooks(env), "nothing is stored")
	kit.Hooked(kit.Hooked(env))
	var echoed redline.WebhookSettingsResult
	env.Call(client.SetHooks, map[string]any{"encodeData": true, "enableDataProtection": true}, &echoed)
	require.Equal(t, redline.WebhookSettings{IsEnabled: true, EncodeData: true, EnableDataProtection: true}, echoed.Data)
	require.Equal(t, echoed.Data, kit.Hooks(env))
	second := kit.SecondKey(env)
	seen, err := client.Call[redline.WebhookSettingsResult](env.Ctx, second, client.GetHooks, map[string]any{})
	require.NoError(t, err)
	require.Equal(t, echoed.Data, seen.Data, "the same for all keys of the workspace")
}

func TestWebhookSettings_KeysToEncryptTo(t *testing.T) {
	env := kit.Hooked(newWorkspace(t))
	private, public := kit.EncryptionKey(t)
	even, err := x509.MarshalPKIXPublicKey(&rsa.PublicKey{N: private.N, E: 65536})
	require.NoError(t, err)
	for _, faulty := range []any{"nonsense", "aGVsbG8=", 7, strings.Repeat("A", 9000), base64.StdEncoding.EncodeToString(even)} {
		env.RefusedAs("INVALID_ARGUMENT", client.SetHooks, map[string]any{"publicKey": faulty})
	}
	failure := env.RefusedAs("INVALID_ARGUMENT", client.SetHooks, map[string]any{"encryptData": true})
	require.Equal(t, []string{"encryptData"}, failure.Issues[0].Path)
	pem := "-----BEGIN PUBLIC KEY-----\n" + public[:64] + "\n" + public[64:] + "\n-----END PUBLIC KEY-----\n"
	env.Call(client.SetHooks, map[string]any{"publicKey": pem, "encryptData": true}, nil)
	require.Equal(t, public, kit.Hooks(env).PublicKey)
	env.RefusedAs("INVALID_ARGUMENT", client.SetHooks, map[string]any{"publicKey": ""})
	env.RefusedAs("INVALID_ARGUMENT", client.SetHooks, map[string]any{"publicKey": nil})
	env.Call(client.SetHooks, map[string]any{"publicKey": nil, "encryptData": false}, nil)
	require.Equal(t, redline.WebhookSettings{IsEnabled: true}, kit.Hooks(env))
}

func TestEndpoints_TheGate(t *testing.T) {
	env := newWorkspace(t)
	calls := map[string]map[string]any{
		client.CreateEndpoint: {"url": kit.Somewhere}, client.ListEndpoints: {}, client.UpdateEndpoint: {"endpointId": "no", "disabled": true}, client.DeleteEndpoint: kit.Of("no"),
		client.EndpointSecret: kit.Of("no"), client.TestEndpoint: kit.Of("no"), client.GetAttempts: kit.Of("no"),
		client.ResendMessage: {"endpointId": "no", "messageId": "no"}, client.RotateSecret: kit.Of("no"), client.GetMessages: kit.Of("no"),
		client.RecoverMissed: {"endpointId": "no", "since": time.Now().UnixMilli()}, client.GetRecovery: {"recoveryId": "no"},
	}
	reasons := func(want string) {
		for operation, data := range calls {
			require.Equal(t, want, string(env.RefusedAs("FAILED_PRECONDITION", operation, data).Reason), operation)
			env.RefusedAs("INVALID_ARGUMENT", operation, map[string]any{"limit": "x", "url": 7, "endpointId": 7, "recoveryId": 7})
		}
	}
	reasons("webhooks-not-configured")
	kit.Hooked(env)
	env.Call(client.SetHooks, map[string]any{"isEnabled": false}, nil)
	reasons("webhooks-disabled")
	var types redline.EventTypeListResult
	env.Call(client.GetEventTypes, map[string]any{}, &types)
	before := ""
	for _, e := range types.Data.EventTypes {
		require.Less(t, before, e.Name)
		require.EqualValues(t, e.Name, kit.ObjectOf(e.Sample)["event"])
		before = e.Name
	}
}

func TestEndpointsCreate_1to4and8_WhatIsRefused(t *testing.T) {
	env := kit.Hooked(newWorkspace(t))
	for name, faulty := range map[string][]any{
		"filterTypes": {[]string{}, []string{"a", "a"}, []string{"a b"}, []string{""}, []string{strings.Repeat("x", 129)}, "comment.add", kit.Many(201)},
		"channels":    {[]string{}, []string{"a", "a"}, []string{""}, []string{"a\nb"}, []string{strings.Repeat("x", 257)}, kit.Many(51)},
		"rateLimit":   {0, -1, 1.5, "10", 1_000_001},
		"description": {strings.Repeat("x", 1001), 7},
		"uid":         {"", strings.Repeat("x", 257), "a\tb", 7},
		"metadata":    {map[string]any{"a": 1}, map[string]any{"a": nil}, "x", map[string]any{"a": strings.Repeat("é", 2048)}, kit.Numbered(51)},
		"disabled":    {"true"},
		"url":         {"", " ", "/relative", "ftp://example.com", "https://", "http:///x", "https://" + strings.Repeat("a", 2048) + ".example.com", nil, 7},
	} {
		for _, value := range faulty {
			data := map[string]any{"url": kit.Somewhere}
			data[name] = value
			env.RefusedAs("INVALID_ARGUMENT", client.CreateEndpoint, data)
		}
	}
	require.Empty(t, kit.Endpoints(env, map[string]any{}).Endpoints)
	for _, accepted := range []map[string]any{
		{"url": "http://example.com:8080/a?b=c#d"},
		{"rateLimit": 10.0},
		{"rateLimit": json.Number("1e6")},
		{"filterTypes": kit.Many(200)},
		{"channels": kit.Many(50)},
		{"uid": strings.Repeat("é", 256), "description": nil},
		{"metadata": map[string]any{"a": strings.Repeat("x", 4095)}},
		{"metadata": kit.Numbered(50)},
	} {
		kit.Endpoint(env, kit.Somewhere, accepted)
	}
}

func TestEndpointsCreate_AddressesThatMayNotBeCalled(t *testing.T) {
	env := kit.Hooked(newWorkspace(t))
	made := kit.Endpoint(env, kit.Somewhere)
	for _, address := range []string{
		"https://example.com@169.254.169.254/", "http://169.254.169.254/latest", "http://10.0.0.1", "https://\uff11\uff10.0.0.1", "http://127.1:25",
		"http://0x7f000001", "https://METADATA.google.internal./x", "https://a.internal", "http://[::ffff:10.0.0.1]", "http://[64:ff9b::a00:1]",
		"https://intranet", "https://x.local", "https://example.com:22",
	} {
		for operation, data := range map[string]map[string]any{
			client.CreateEndpoint: {"url": address}, client.UpdateEndpoint: {"endpointId": made.ID, "url": address},
		} {
			failure := env.RefusedAs("INVALID_ARGUMENT", operation, data)
			assert.Equal(t, redline.ErrorDetailsReasonAddressRefused, failure.Reason, address)
			assert.Equal(t, "address-refused", failure.Issues[0].Code, address)
			assert.Equal(t, []string{"url"}, failure.Issues[0].Path, address)
		}
	}
	listed := kit.Endpoints(env, map[string]any{}).Endpoints
	require.Len(t, listed, 1)
	assert.Equal(t, kit.Somewhere, listed[0].URL, "the old address stays")
}

func TestEndpointsCreate_6and7_OneUIDAmongTheLiving(t *testing.T) {
	env := kit.Hooked(newWorkspace(t))
	var made, taken atomic.Int64
	kit.Concurrently(20, func(int) {
		_, err := client.Call[json.RawMessage](context.WithoutCancel(env.Ctx), env.Keyed, client.CreateEndpoint, map[string]any{"url": kit.Somewhere, "uid": "desk-1"})
		if failure := redline.AsError(err); failure != nil {
			assert.Equal(t, "ALREADY_EXISTS uid-taken", string(failure.Status)+" "+string(failure.Reason))
			taken.Add(1)
		} else if kit.NoError(t, err) {
			made.Add(1)
		}
	})
	require.Equal(t, []int64{1, 19}, []int64{made.Load(), taken.Load()})
	env.Call(client.DeleteEndpoint, kit.Of("desk-1"), nil)
	again := kit.Endpoint(env, kit.Somewhere, map[string]any{"uid": "desk-1"})
	clash := kit.Endpoint(env, kit.Somewhere, map[string]any{"uid": again.ID})
	var found redline.EndpointSecretResult
	env.Call(client.EndpointSecret, kit.Of(again.ID), &found)
	require.Equal(t, again.ID, found.Data.EndpointID, "an id goes before a uid that reads the same")
	env.Call(client.EndpointSecret, kit.Of(clash.ID), &found)
	require.Equal(t, clash.ID, found.Data.EndpointID)
}

func TestEndpointsCreate_TheQuota(t *testing.T) {
	env := kit.Hooked(newWorkspace(t))
	for range 50 {
		kit.Endpoint(env, kit.Somewhere)
	}
	failure := env.RefusedAs("RESOURCE_EXHAUSTED", client.CreateEndpoint, map[string]any{"url": kit.Somewhere})
	require.Equal(t, redline.ErrorDetailsReasonEndpointQuota, failure.Reason)
	require.Zero(t, failure.RetryAfter, "time does not lift it")
}
