package tests

import (
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

func (s *scene) change(endpointID string, fields map[string]any) endpointView {
	s.t.Helper()
	data := of(endpointID)
	maps.Copy(data, fields)
	var changed client.Wrapped[endpointView]
	s.call(updateEndpoint, data, &changed)
	return changed.Data
}

func (s *scene) secretOf(endpointID string) string {
	s.t.Helper()
	var found client.Wrapped[struct{ EndpointID, Secret string }]
	s.call(endpointSecret, of(endpointID), &found)
	return found.Data.Secret
}

func idsOf(page endpointPage) []string {
	ids := []string{}
	for _, e := range page.Endpoints {
		ids = append(ids, e.ID)
	}
	return ids
}

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

func TestEndpointsGet_1to5_AListThatIsWalkedBothWays(t *testing.T) {
	s := begin(t).hooked()
	var want []string
	for range 7 {
		want = append([]string{s.endpoint(somewhere).ID}, want...)
	}
	first := s.endpoints(map[string]any{"limit": 3})
	require.Equal(t, want[:3], idsOf(first), "newest first")
	require.True(t, first.PrevIterator == nil && !first.Done)
	s.call(deleteEndpoint, of(want[4]), nil)
	newest := s.endpoint(somewhere).ID
	second := s.endpoints(map[string]any{"limit": 3, "iterator": *first.Iterator})
	require.Equal(t, []string{want[3], want[5], want[6]}, idsOf(second), "deleted ones never show, new ones move nothing")
	require.True(t, second.Done && second.Iterator == nil)
	before := s.endpoints(map[string]any{"limit": 3, "iterator": *second.PrevIterator})
	require.Equal(t, want[:3], idsOf(before), "the page before in the same order")
	require.NotNil(t, before.PrevIterator)
	top := s.endpoints(map[string]any{"limit": 3, "iterator": *before.PrevIterator})
	require.Equal(t, []string{newest}, idsOf(top))
	require.Nil(t, top.PrevIterator)
	require.False(t, top.Done)

	for _, damaged := range []any{*first.Iterator + "x", "nonsense", "", 7} {
		failure := s.refusedAs("INVALID_ARGUMENT", listEndpoints, map[string]any{"iterator": damaged})
		require.Equal(t, []string{"iterator"}, failure.Issues[0].Path)
	}
	other := enter(t, shared.URL()).hooked()
	other.refusedAs("INVALID_ARGUMENT", listEndpoints, map[string]any{"iterator": *first.Iterator})
	for _, limit := range []any{0, 251, "10"} {
		s.refusedAs("INVALID_ARGUMENT", listEndpoints, map[string]any{"limit": limit})
	}
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
	other := enter(t, shared.URL()).hooked()
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

func TestEndpointTest_WhatIsRefused(t *testing.T) {
	s := begin(t).hooked()
	made := s.endpoint(s.receiver().URL("/told"))
	for _, unknown := range []any{"no.such", "", "comment.*", 7} {
		s.refusedAs("INVALID_ARGUMENT", testEndpoint, map[string]any{"endpointId": made.ID, "eventType": unknown})
	}
	other := s.endpoint(s.receiver().URL("/other"))
	var refused *client.Failure
	taken := 0
	eventually(t, "the limit of an endpoint is reached", func() bool {
		for range 10 {
			_, err := client.Call[json.RawMessage](s.ctx, s.keyed, testEndpoint, of(made.ID))
			if refused = client.Refusal(err); refused != nil {
				return true
			}
			require.NoError(t, err)
			taken++
		}
		return false
	})
	require.GreaterOrEqual(t, taken, 10, "ten a minute, and more where that took longer")
	require.Equal(t, "RESOURCE_EXHAUSTED", refused.Status)
	require.NotEmpty(t, refused.Header.Get("retry-after"))
	s.call(testEndpoint, of(other.ID), nil)
}

// Every change of what belongs to the workspace leaves a row, and so does every
// look at a secret; other reads leave none.
func TestAudit_WebhooksSettingsAndMails(t *testing.T) {
	s := begin(t).hooked()
	made := s.endpoint(somewhere)
	s.change(made.ID, map[string]any{"description": "x", "rateLimit": 5})
	s.secretOf(made.ID)
	s.rotate(made.ID)
	s.resend(s.try(made.ID, "webhook.test"), made.ID)
	s.recover(made.ID, time.Now())
	s.endpoints(map[string]any{})
	s.attempts(of(made.ID))
	s.hooks()
	s.call(deleteEndpoint, of(made.ID), nil)
	s.call(updateSettings, map[string]any{"requireAutoOrgUser": true, "enablePrivateComments": false}, nil)
	s.settings()
	s.call(updateEmails, map[string]any{"emailServiceConfig": map[string]any{"host": "mail.example.com", "username": "desk", "password": "secret"}}, nil)
	s.emails()
	type line struct{ actor, operation, target, fields, outcome string }
	var got []line
	for _, row := range audited(t, operate(t, "audit", "--json", "--workspace", s.workspace.ID)) {
		if operation, found := strings.CutPrefix(row.Operation, "/v2/workspace/"); found && row.Actor == s.workspace.APIKey {
			got = append([]line{{row.Actor, operation, row.TargetID, strings.Join(row.ChangedFields, ","), row.Outcome}}, got...)
		}
	}
	key, id := s.workspace.APIKey, s.workspace.ID
	require.Equal(t, []line{
		{key, "advancedwebhookconfig/update", id, "isEnabled", "success"},
		{key, "advancedwebhook/endpoints/create", made.ID, "endpoint,secret", "success"},
		{key, "advancedwebhook/endpoints/update", made.ID, "description,rateLimit", "success"},
		{key, "advancedwebhook/endpoints/secret/get", made.ID, "", "success"},
		{key, "advancedwebhook/endpoints/secret/rotate", made.ID, "secret", "success"},
		{key, "advancedwebhook/endpoints/test", made.ID, "test", "success"},
		{key, "advancedwebhook/messages/resend", made.ID, "resend", "success"},
		{key, "advancedwebhook/endpoints/recover", made.ID, "recovery", "success"},
		{key, "advancedwebhook/endpoints/delete", made.ID, "endpoint,secret", "success"},
		{key, "apikeyconfig/update", id, "enablePrivateComments,requireAutoOrgUser", "success"},
		{key, "emailconfig/update", id, "emailServiceConfig.host,emailServiceConfig.username,emailServiceConfig.password", "success"},
	}, got)
}
