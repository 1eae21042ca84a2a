package tests

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"time"

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
	other := s.elsewhere().hooked()
	other.refusedAs("INVALID_ARGUMENT", listEndpoints, map[string]any{"iterator": *first.Iterator})
	for _, limit := range []any{0, 251, "10"} {
		s.refusedAs("INVALID_ARGUMENT", listEndpoints, map[string]any{"limit": limit})
	}
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
