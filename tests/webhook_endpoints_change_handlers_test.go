package tests

import (
	"encoding/json"
	"maps"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

func TestEndpointsUpdate_3and4_WhatIsSentChanges(t *testing.T) {
	s := begin(t).hooked()
	made := s.endpoint(somewhere, map[string]any{
		"uid": "desk-1", "description": "d", "filterTypes": []string{"comment.add"}, "channels": []string{"c"}, "rateLimit": 5,
		"metadata": map[string]any{"a": "1", "b": "2"},
	})
	s.refusedAs("INVALID_ARGUMENT", updateEndpoint, of(made.ID))
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
		s.refusedAs("INVALID_ARGUMENT", updateEndpoint, faulty)
	}
	changed := s.change("desk-1", map[string]any{"filterTypes": nil, "rateLimit": 7, "metadata": map[string]any{"c": "3"}})
	assert.Equal(t, made.ID, changed.ID)
	assert.Nil(t, changed.FilterTypes, "all types again")
	assert.Equal(t, 7, *changed.RateLimit)
	assert.Equal(t, []string{"c"}, changed.Channels)
	assert.Greater(t, changed.UpdatedAt, made.UpdatedAt)
	assert.Equal(t, made.CreatedAt, changed.CreatedAt)
	assert.Equal(t, map[string]string{"c": "3"}, s.endpoints(map[string]any{"includeMetadata": true}).Endpoints[0].Metadata, "replaced whole")
	bare := s.change(made.ID, map[string]any{"description": nil, "channels": nil, "rateLimit": nil, "metadata": nil})
	assert.True(t, bare.Description == nil && bare.Channels == nil && bare.RateLimit == nil, "%+v", bare)

	body, err := json.Marshal(map[string]any{"data": map[string]any{"endpointId": made.ID, "uid": "other", "disabled": true, "filterTypes": []string{"mine"}}})
	require.NoError(t, err)
	reply, err := s.keyed.Send(s.ctx, "/v2/"+updateEndpoint, body, nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, reply.HTTP, "%s", reply.Body)
	assert.Equal(t, "uid", reply.Header.Get("x-svc-ignored-fields"))
	assert.Equal(t, "mine", reply.Header.Get("x-svc-unknown-event-types"))
	after := s.endpoints(map[string]any{}).Endpoints[0]
	assert.Equal(t, "desk-1", *after.UID, "a uid cannot change")
	assert.True(t, after.Disabled)
}

func TestEndpointsUpdate_5_ParallelUpdatesOfDifferentFieldsSurvive(t *testing.T) {
	s := begin(t).hooked()
	made := s.endpoint(somewhere)
	changes := []map[string]any{
		{"description": "d"}, {"rateLimit": 3}, {"channels": []string{"c"}}, {"filterTypes": []string{"comment.add"}}, {"disabled": true},
	}
	together(len(changes), func(i int) {
		data := of(made.ID)
		maps.Copy(data, changes[i])
		_, err := client.Call[json.RawMessage](s.ctx, s.keyed, updateEndpoint, data)
		fine(t, err)
	})
	e := s.endpoints(map[string]any{}).Endpoints[0]
	require.True(t, *e.Description == "d" && *e.RateLimit == 3 && len(e.Channels) == 1 && len(e.FilterTypes) == 1 && e.Disabled, "%+v", e)
}

func TestEndpointsDelete_1to3_GoneIsGone(t *testing.T) {
	s := begin(t).hooked()
	gone, stays := s.endpoint(somewhere, map[string]any{"uid": "u"}), s.endpoint(somewhere)
	var deleted client.Wrapped[map[string]any]
	s.call(deleteEndpoint, of("u"), &deleted)
	require.Equal(t, map[string]any{"endpointId": gone.ID, "deleted": true}, deleted.Data)
	for _, ref := range []string{gone.ID, "u", "unknown"} {
		for operation, more := range map[string]map[string]any{
			deleteEndpoint: {}, updateEndpoint: {"disabled": true}, endpointSecret: {}, rotateSecret: {}, testEndpoint: {}, resendMessage: {"messageId": "msg_any"}, recoverMissed: {"since": time.Now().UnixMilli()},
		} {
			data := of(ref)
			maps.Copy(data, more)
			s.refusedAs("NOT_FOUND", operation, data)
		}
	}
	require.Equal(t, []string{stays.ID}, idsOf(s.endpoints(map[string]any{})))
	other := s.elsewhere().hooked()
	other.refusedAs("NOT_FOUND", deleteEndpoint, of(stays.ID))
	other.refusedAs("NOT_FOUND", endpointSecret, of(stays.ID))
	other.refusedAs("NOT_FOUND", rotateSecret, of(stays.ID))
	other.refusedAs("NOT_FOUND", updateEndpoint, map[string]any{"endpointId": stays.ID, "disabled": true})
}

func TestEndpointSecret_2to4_OnePerEndpoint(t *testing.T) {
	s := begin(t).hooked()
	first, second := s.endpoint(somewhere), s.endpoint(somewhere, map[string]any{"disabled": true})
	secret := s.secretOf(first.ID)
	require.Regexp(t, `^whsec_[A-Za-z0-9+/]{43}=$`, secret)
	require.Equal(t, secret, s.secretOf(first.ID))
	require.NotEqual(t, secret, s.secretOf(second.ID), "readable for a disabled endpoint, and another one")
	answer, err := client.Call[client.Wrapped[map[string]any]](s.ctx, s.secondKey(), endpointSecret, of(first.ID))
	require.NoError(t, err)
	require.Equal(t, secret, answer.Data["secret"], "every key of the workspace sees the same")
}
