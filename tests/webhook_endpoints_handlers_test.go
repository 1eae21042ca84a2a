package tests

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

	"github.com/redline-svc/redline/tests/client"
)

func TestWebhookSettings_1to3_TheFirstUpdateMustEnable(t *testing.T) {
	s := begin(t)
	require.Equal(t, hooksView{}, s.hooks(), "works before any update")
	failure := s.refusedAs("FAILED_PRECONDITION", setHooks, map[string]any{"encodeData": true})
	require.Equal(t, "first-update-must-enable", failure.Reason)
	s.refusedAs("INVALID_ARGUMENT", setHooks, map[string]any{})
	s.refusedAs("INVALID_ARGUMENT", setHooks, map[string]any{"other": 1})
	s.refusedAs("INVALID_ARGUMENT", setHooks, map[string]any{"isEnabled": "true"})
	s.refusedAs("INVALID_ARGUMENT", setHooks, map[string]any{"isEnabled": nil})
	require.Equal(t, hooksView{}, s.hooks(), "nothing is stored")
	s.hooked().hooked()
	var echoed client.Wrapped[hooksView]
	s.call(setHooks, map[string]any{"encodeData": true, "enableDataProtection": true}, &echoed)
	require.Equal(t, hooksView{IsEnabled: true, EncodeData: true, EnableDataProtection: true}, echoed.Data)
	require.Equal(t, echoed.Data, s.hooks())
	second := s.secondKey()
	seen, err := client.Call[client.Wrapped[hooksView]](s.ctx, second, getHooks, map[string]any{})
	require.NoError(t, err)
	require.Equal(t, echoed.Data, seen.Data, "the same for all keys of the workspace")
}

func TestWebhookSettings_KeysToEncryptTo(t *testing.T) {
	s := begin(t).hooked()
	private, public := encryptionKey(t)
	even, err := x509.MarshalPKIXPublicKey(&rsa.PublicKey{N: private.N, E: 65536})
	require.NoError(t, err)
	for _, faulty := range []any{"nonsense", "aGVsbG8=", 7, strings.Repeat("A", 9000), base64.StdEncoding.EncodeToString(even)} {
		s.refusedAs("INVALID_ARGUMENT", setHooks, map[string]any{"publicKey": faulty})
	}
	failure := s.refusedAs("INVALID_ARGUMENT", setHooks, map[string]any{"encryptData": true})
	require.Equal(t, []string{"encryptData"}, failure.Issues[0].Path)
	pem := "-----BEGIN PUBLIC KEY-----\n" + public[:64] + "\n" + public[64:] + "\n-----END PUBLIC KEY-----\n"
	s.call(setHooks, map[string]any{"publicKey": pem, "encryptData": true}, nil)
	require.Equal(t, public, s.hooks().PublicKey)
	s.refusedAs("INVALID_ARGUMENT", setHooks, map[string]any{"publicKey": ""})
	s.refusedAs("INVALID_ARGUMENT", setHooks, map[string]any{"publicKey": nil})
	s.call(setHooks, map[string]any{"publicKey": nil, "encryptData": false}, nil)
	require.Equal(t, hooksView{IsEnabled: true}, s.hooks())
}

func TestEndpoints_TheGate(t *testing.T) {
	s := begin(t)
	calls := map[string]map[string]any{
		createEndpoint: {"url": somewhere}, listEndpoints: {}, updateEndpoint: {"endpointId": "no", "disabled": true}, deleteEndpoint: of("no"),
		endpointSecret: of("no"), testEndpoint: of("no"), getAttempts: of("no"),
		resendMessage: {"endpointId": "no", "messageId": "no"}, rotateSecret: of("no"), getMessages: of("no"),
		recoverMissed: {"endpointId": "no", "since": time.Now().UnixMilli()}, getRecovery: {"recoveryId": "no"},
	}
	reasons := func(want string) {
		for operation, data := range calls {
			require.Equal(t, want, s.refusedAs("FAILED_PRECONDITION", operation, data).Reason, operation)
			s.refusedAs("INVALID_ARGUMENT", operation, map[string]any{"limit": "x", "url": 7, "endpointId": 7, "recoveryId": 7})
		}
	}
	reasons("webhooks-not-configured")
	s.hooked()
	s.call(setHooks, map[string]any{"isEnabled": false}, nil)
	reasons("webhooks-disabled")
	var types client.Wrapped[struct {
		EventTypes []struct {
			Name, Description, Group string
			Sample                   map[string]any
		}
	}]
	s.call("workspace/advancedwebhook/eventtypes/get", map[string]any{}, &types)
	before := ""
	for _, e := range types.Data.EventTypes {
		require.Less(t, before, e.Name)
		require.Equal(t, e.Name, e.Sample["event"])
		before = e.Name
	}
}

func TestEndpointsCreate_1to4and8_WhatIsRefused(t *testing.T) {
	s := begin(t).hooked()
	for name, faulty := range map[string][]any{
		"filterTypes": {[]string{}, []string{"a", "a"}, []string{"a b"}, []string{""}, []string{strings.Repeat("x", 129)}, "comment.add", many(201)},
		"channels":    {[]string{}, []string{"a", "a"}, []string{""}, []string{"a\nb"}, []string{strings.Repeat("x", 257)}, many(51)},
		"rateLimit":   {0, -1, 1.5, "10", 1_000_001},
		"description": {strings.Repeat("x", 1001), 7},
		"uid":         {"", strings.Repeat("x", 257), "a\tb", 7},
		"metadata":    {map[string]any{"a": 1}, map[string]any{"a": nil}, "x", map[string]any{"a": strings.Repeat("é", 2048)}, numbered(51)},
		"disabled":    {"true"},
		"url":         {"", " ", "/relative", "ftp://example.com", "https://", "http:///x", "https://" + strings.Repeat("a", 2048) + ".example.com", nil, 7},
	} {
		for _, value := range faulty {
			data := map[string]any{"url": somewhere}
			data[name] = value
			s.refusedAs("INVALID_ARGUMENT", createEndpoint, data)
		}
	}
	require.Empty(t, s.endpoints(map[string]any{}).Endpoints)
	for _, accepted := range []map[string]any{
		{"url": "http://example.com:8080/a?b=c#d"},
		{"rateLimit": 10.0},
		{"rateLimit": json.Number("1e6")},
		{"filterTypes": many(200)},
		{"channels": many(50)},
		{"uid": strings.Repeat("é", 256), "description": nil},
		{"metadata": map[string]any{"a": strings.Repeat("x", 4095)}},
		{"metadata": numbered(50)},
	} {
		s.endpoint(somewhere, accepted)
	}
}

func TestEndpointsCreate_AddressesThatMayNotBeCalled(t *testing.T) {
	s := begin(t).hooked()
	made := s.endpoint(somewhere)
	for _, address := range []string{
		"https://example.com@169.254.169.254/", "http://169.254.169.254/latest", "http://10.0.0.1", "https://\uff11\uff10.0.0.1", "http://127.1:25",
		"http://0x7f000001", "https://METADATA.google.internal./x", "https://a.internal", "http://[::ffff:10.0.0.1]", "http://[64:ff9b::a00:1]",
		"https://intranet", "https://x.local", "https://example.com:22",
	} {
		for operation, data := range map[string]map[string]any{
			createEndpoint: {"url": address}, updateEndpoint: {"endpointId": made.ID, "url": address},
		} {
			failure := s.refusedAs("INVALID_ARGUMENT", operation, data)
			assert.Equal(t, "address-refused", failure.Reason, address)
			assert.Equal(t, "address-refused", failure.Issues[0].Code, address)
			assert.Equal(t, []string{"url"}, failure.Issues[0].Path, address)
		}
	}
	listed := s.endpoints(map[string]any{}).Endpoints
	require.Len(t, listed, 1)
	assert.Equal(t, somewhere, listed[0].URL, "the old address stays")
}

func TestEndpointsCreate_6and7_OneUIDAmongTheLiving(t *testing.T) {
	s := begin(t).hooked()
	var made, taken atomic.Int64
	together(20, func(int) {
		_, err := client.Call[json.RawMessage](context.WithoutCancel(s.ctx), s.keyed, createEndpoint, map[string]any{"url": somewhere, "uid": "desk-1"})
		if failure := client.Refusal(err); failure != nil {
			assert.Equal(t, "ALREADY_EXISTS uid-taken", failure.Status+" "+failure.Reason)
			taken.Add(1)
		} else if fine(t, err) {
			made.Add(1)
		}
	})
	require.Equal(t, []int64{1, 19}, []int64{made.Load(), taken.Load()})
	s.call(deleteEndpoint, of("desk-1"), nil)
	again := s.endpoint(somewhere, map[string]any{"uid": "desk-1"})
	clash := s.endpoint(somewhere, map[string]any{"uid": again.ID})
	var found client.Wrapped[struct{ EndpointID string }]
	s.call(endpointSecret, of(again.ID), &found)
	require.Equal(t, again.ID, found.Data.EndpointID, "an id goes before a uid that reads the same")
	s.call(endpointSecret, of(clash.ID), &found)
	require.Equal(t, clash.ID, found.Data.EndpointID)
}

func TestEndpointsCreate_TheQuota(t *testing.T) {
	s := begin(t).hooked()
	for range 50 {
		s.endpoint(somewhere)
	}
	failure := s.refusedAs("RESOURCE_EXHAUSTED", createEndpoint, map[string]any{"url": somewhere})
	require.Equal(t, "endpoint-quota", failure.Reason)
	require.Empty(t, failure.Header.Get("retry-after"), "time does not lift it")
}
