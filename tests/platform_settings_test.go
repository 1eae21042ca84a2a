package tests

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

type settingsView struct {
	OwnerEmail string `json:"ownerEmail"`
	PlanInfo   struct {
		Type string `json:"type"`
	} `json:"planInfo"`
	DefaultAccess   string `json:"defaultDocumentAccessType"`
	PrivateComments bool   `json:"isPrivateCommentsEnabled"`
	AutoMembers     bool   `json:"requireAutoOrgUser"`
	AdvancedQueries bool   `json:"isAdvancedQueriesEnabled"`
}

const (
	getSettings    = "workspace/apikeyconfig/get"
	updateSettings = "workspace/apikeyconfig/update"
)

func (s *scene) settings() settingsView {
	s.t.Helper()
	var found client.Wrapped[settingsView]
	s.call(getSettings, map[string]any{}, &found)
	require.Equal(s.t, "success", found.Status)
	return found.Data
}

func TestSettings_DefaultsAndChanges(t *testing.T) {
	s := begin(t)
	fresh := s.settings()
	require.Equal(t, []any{"free", "public", true, false, true},
		[]any{fresh.PlanInfo.Type, fresh.DefaultAccess, fresh.PrivateComments, fresh.AutoMembers, fresh.AdvancedQueries})
	require.Contains(t, fresh.OwnerEmail, "@")
	var after client.Wrapped[settingsView]
	s.call(updateSettings, map[string]any{"defaultDocumentAccessType": "restricted", "enablePrivateComments": false}, &after)
	require.Equal(t, after.Data, s.settings())
	require.Equal(t, []any{"restricted", false, true}, []any{after.Data.DefaultAccess, after.Data.PrivateComments, after.Data.AdvancedQueries})
}

func TestSettingsUpdate_1and4_WhatIsRefused(t *testing.T) {
	s := begin(t)
	before := s.settings()
	for _, data := range []map[string]any{
		{},
		{"other": true},
		{"requireAutoOrgUser": "true"},
		{"requireAutoOrgUser": nil},
		{"requireAutoOrgUser": true, "enablePrivateComments": nil},
		{"defaultDocumentAccessType": "private"},
	} {
		s.refusedAs("INVALID_ARGUMENT", updateSettings, data)
	}
	require.Equal(t, before, s.settings())
}

func TestSettingsUpdate_2_AnUnknownKeyIsNamed(t *testing.T) {
	s := begin(t)
	reply, err := s.keyed.Send(s.ctx, "/v2/"+updateSettings, []byte(`{"data":{"requireAutoOrgUser":true,"other":1}}`), nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, reply.HTTP)
	require.Equal(t, "other", reply.Header.Get("x-svc-ignored-fields"))
	require.True(t, s.settings().AutoMembers)
}

func TestSettingsUpdate_3_ParallelChangesOfDifferentFieldsSurvive(t *testing.T) {
	s := begin(t)
	fields := []string{"enablePrivateComments", "requireAutoOrgUser", "enableAdvancedQueries"}
	together(len(fields), func(i int) {
		_, err := client.Call[json.RawMessage](s.ctx, s.keyed, updateSettings, map[string]any{fields[i]: i == 1})
		require.NoError(t, err)
	})
	after := s.settings()
	require.Equal(t, []bool{false, true, false}, []bool{after.PrivateComments, after.AutoMembers, after.AdvancedQueries})
}

// secondKey is another key of the workspace, labelled second@example.com.
func (s *scene) secondKey() *client.Session {
	t := s.t
	t.Helper()
	var key client.Wrapped[struct {
		APIKey    string `json:"apiKey"`
		AuthToken string `json:"authToken"`
	}]
	raw, err := client.Call[json.RawMessage](s.ctx, s.owner, "workspace/apikey/create",
		map[string]any{"ownerEmail": "second@example.com", "type": "testing", "createAuthToken": true})
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &key))
	var tokens client.Wrapped[client.AuthTokensView]
	raw, err = client.Call[json.RawMessage](s.ctx, s.owner, "workspace/authtokens/get", map[string]any{"apiKey": key.Data.APIKey})
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &tokens))
	return s.keyed.With(map[string]string{"x-svc-api-key": key.Data.APIKey, "x-svc-auth-token": tokens.Data.AuthTokens[0].Token})
}

func TestSettingsGet_2_TwoKeysDifferInTheirLabelOnly(t *testing.T) {
	s := begin(t)
	second := s.secondKey()
	seen, err := client.Call[client.Wrapped[settingsView]](s.ctx, second, getSettings, map[string]any{})
	require.NoError(t, err)
	require.Equal(t, "second@example.com", seen.Data.OwnerEmail)
	first := s.settings()
	first.OwnerEmail = seen.Data.OwnerEmail
	require.Equal(t, first, seen.Data)
}

func TestSettingsGet_1_APlanChangeShowsAtOnce(t *testing.T) {
	s := begin(t)
	for _, plan := range []string{"paid", "free", "paid"} {
		operate(t, "workspace", "set-plan", s.workspace.ID, plan)
		require.Equal(t, plan, s.settings().PlanInfo.Type)
	}
}
