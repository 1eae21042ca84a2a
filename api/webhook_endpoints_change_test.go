package api_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestEndpointsUpdate_3and4_WhatIsSentChanges(t *testing.T) {
	env := kit.Hooked(newWorkspace(t))
	made := kit.Endpoint(env, kit.Somewhere, map[string]any{
		"uid": "desk-1", "description": "d", "filterTypes": []string{"comment.add"}, "channels": []string{"c"}, "rateLimit": 5,
		"metadata": map[string]any{"a": "1", "b": "2"},
	})
	env.RefusedAs("INVALID_ARGUMENT", client.UpdateEndpoint, kit.Of(made.ID))
	for _, faulty := range []map[string]any{
		{"url": nil},
		{"disabled": nil},
		{"filterTypes": []string{}},
		{"channels": []string{}},
		{"rateLimit": 0},
		{"metadata": map[string]any{"a": nil}},
		{"description": "x", "url": ""},
	} {
		faulty["endpointId"] = made.ID
		env.RefusedAs("INVALID_ARGUMENT", client.UpdateEndpoint, faulty)
	}
	changed := kit.Change(env, "desk-1", map[string]any{"filterTypes": nil, "rateLimit": 7, "metadata": map[string]any{"c": "3"}})
	assert.Equal(t, made.ID, changed.ID)
	assert.Nil(t, changed.FilterTypes, "all types again")
	assert.Equal(t, int64(7), *changed.RateLimit)
	assert.Equal(t, []string{"c"}, changed.Channels)
	assert.Greater(t, changed.UpdatedAt, made.UpdatedAt)
	assert.Equal(t, made.CreatedAt, changed.CreatedAt)
	assert.Equal(t, map[string]string{"c": "3"}, kit.Endpoints(env, map[string]any{"includeMetadata": true}).Endpoints[0].Metadata, "replaced whole")
	bare := kit.Change(env, made.ID, map[string]any{"description": nil, "channels": nil, "rateLimit": nil, "metadata": nil})
	assert.True(t, bare.Description == nil && bare.Channels == nil && bare.RateLimit == nil, "%+v", bare)

	body, err := json.Marshal(map[string]any{"data": map[string]any{"endpointId": made.ID, "uid": "other", "disabled": true, "filterTypes": []string{"mine"}}})
	require.NoError(t, err)
	reply, err := env.Keyed.Send(env.Ctx, "/v2/"+client.UpdateEndpoint, body, nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, reply.HTTP, "%s", reply.Body)
	assert.Equal(t, "uid", reply.Header.Get("x-svc-ignored-fields"))
	assert.Equal(t, "mine", reply.Header.Get("x-svc-unknown-event-types"))
	after := kit.Endpoints(env, map[string]any{}).Endpoints[0]
	assert.Equal(t, "desk-1", *after.UID, "a uid cannot change")
	assert.True(t, after.Disabled)
}

func TestEndpointsUpdate_5_ParallelUpdatesOfDifferentFieldsSurvive(t *testing.T) {
	env := kit.Hooked(newWorkspace(t))
	made := kit.Endpoint(env, kit.Somewhere)
	changes := []map[string]any{
		{"description": "d"}, {"rateLimit": 3}, {"channels": []string{"c"}}, {"filterTypes": []string{"comment.add"}}, {"disabled": true},
	}
	kit.Concurrently(len(changes), func(i int) {
		data := kit.Of(made.ID)
		maps.Copy(data, changes[i])
		_, err := client.Call[json.RawMessage](env.Ctx, env.Keyed, client.UpdateEndpoint, data)
		kit.NoError(t, err)
	})
	e := kit.Endpoints(env, map[string]any{}).Endpoints[0]
	require.True(t, *e.Description == "d" && *e.RateLimit == 3 && len(e.Channels) == 1 && len(e.FilterTypes) == 1 && e.Disabled, "%+v", e)
}

func TestEndpointsDelete_1to3_GoneIsGone(t *testing.T) {
	env := kit.Hooked(newWorkspace(t))
	gone, stays := kit.Endpoint(env, kit.Somewhere, map[string]any{"uid": "u"}), kit.Endpoint(env, kit.Somewhere)
	var deleted client.Wrapped[map[string]any]
	env.Call(client.DeleteEndpoint, kit.Of("u"), &deleted)
	require.Equal(t, map[string]any{"endpointId": gone.ID, "deleted": true}, deleted.Data)
	for _, ref := range []string{gone.ID, "u", "unknown"} {
		for operation, more := range map[string]map[string]any{
			client.DeleteEndpoint: {}, client.UpdateEndpoint: {"disabled": true}, client.EndpointSecret: {}, client.RotateSecret: {}, client.TestEndpoint: {}, client.ResendMessage: {"messageId": "msg_any"}, client.RecoverMissed: {"since": time.Now().UnixMilli()},
		} {
			data := kit.Of(ref)
			maps.Copy(data, more)
			env.RefusedAs("NOT_FOUND", operation, data)
		}
	}
	require.Equal(t, []string{stays.ID}, kit.IDsOf(kit.Endpoints(env, map[string]any{})))
	other := kit.Hooked(kit.Elsewhere(env))
	other.RefusedAs("NOT_FOUND", client.DeleteEndpoint, kit.Of(stays.ID))
	other.RefusedAs("NOT_FOUND", client.EndpointSecret, kit.Of(stays.ID))
	other.RefusedAs("NOT_FOUND", client.RotateSecret, kit.Of(stays.ID))
	other.RefusedAs("NOT_FOUND", client.UpdateEndpoint, map[string]any{"endpointId": stays.ID, "disabled": true})
}

func TestEndpointSecret_2to4_OnePerEndpoint(t *testing.T) {
	env := kit.Hooked(newWorkspace(t))
	first, second := kit.Endpoint(env, kit.Somewhere), kit.Endpoint(env, kit.Somewhere, map[string]any{"disabled": true})
	secret := kit.SecretOf(env, first.ID)
	require.Regexp(t, `^whsec_[A-Za-z0-9+/]{43}=$`, secret)
	require.Equal(t, secret, kit.SecretOf(env, first.ID))
	require.NotEqual(t, secret, kit.SecretOf(env, second.ID), "readable for a disabled endpoint, and another one")
	answer, err := client.Call[client.Wrapped[map[string]any]](env.Ctx, kit.SecondKey(env), client.EndpointSecret, kit.Of(first.ID))
	require.NoError(t, err)
	require.Equal(t, secret, answer.Data["secret"], "every key of the workspace sees the same")
}

func TestEndpointTest_WhatIsRefused(t *testing.T) {
	env := kit.Hooked(newWorkspace(t))
	made := kit.Endpoint(env, env.Receiver().URL("/told"))
	for _, unknown := range []any{"no.such", "", "comment.*", 7} {
		env.RefusedAs("INVALID_ARGUMENT", client.TestEndpoint, map[string]any{"endpointId": made.ID, "eventType": unknown})
	}
	other := kit.Endpoint(env, env.Receiver().URL("/other"))
	var refused *redline.Error
	taken := 0
	kit.RequireEventually(t, "the limit of an endpoint is reached", func() bool {
		for range 10 {
			_, err := client.Call[json.RawMessage](env.Ctx, env.Keyed, client.TestEndpoint, kit.Of(made.ID))
			if refused = redline.AsError(err); refused != nil {
				return true
			}
			require.NoError(t, err)
			taken++
		}
		return false
	})
	require.GreaterOrEqual(t, taken, 10, "ten a minute, and more where that took longer")
	require.Equal(t, redline.ProblemStatusResourceExhausted, refused.Status)
	require.Positive(t, refused.RetryAfter)
	env.Call(client.TestEndpoint, kit.Of(other.ID), nil)
}
