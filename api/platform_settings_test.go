package api_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestSettingsUpdate_1and4_WhatIsRefused(t *testing.T) {
	env := newWorkspace(t)
	before := kit.Settings(env)
	for _, data := range []map[string]any{
		{},
		{"other": true},
		{"requireAutoOrgUser": "true"},
		{"requireAutoOrgUser": nil},
		{"requireAutoOrgUser": true, "enablePrivateComments": nil},
		{"defaultDocumentAccessType": "private"},
	} {
		env.RefusedAs("INVALID_ARGUMENT", client.UpdateSettings, data)
	}
	require.Equal(t, before, kit.Settings(env))
}

func TestSettingsUpdate_2_AnUnknownKeyIsNamed(t *testing.T) {
	env := newWorkspace(t)
	reply, err := env.Keyed.Send(env.Ctx, "/v2/"+client.UpdateSettings, []byte(`{"data":{"requireAutoOrgUser":true,"other":1}}`), nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, reply.HTTP)
	require.Equal(t, "other", reply.Header.Get("x-svc-ignored-fields"))
	require.True(t, kit.Settings(env).RequireAutoOrgUser)
}

func TestSettingsUpdate_3_ParallelChangesOfDifferentFieldsSurvive(t *testing.T) {
	env := newWorkspace(t)
	fields := []string{"enablePrivateComments", "requireAutoOrgUser", "enableAdvancedQueries"}
	kit.Concurrently(len(fields), func(i int) {
		_, err := client.Call[json.RawMessage](env.Ctx, env.Keyed, client.UpdateSettings, map[string]any{fields[i]: i == 1})
		require.NoError(t, err)
	})
	after := kit.Settings(env)
	require.Equal(t, []bool{false, true, false}, []bool{after.IsPrivateCommentsEnabled, after.RequireAutoOrgUser, after.IsAdvancedQueriesEnabled})
}

func TestSettingsGet_2_TwoKeysDifferInTheirLabelOnly(t *testing.T) {
	env := newWorkspace(t)
	second := kit.SecondKey(env)
	seen, err := client.Call[redline.SettingsResult](env.Ctx, second, client.GetSettings, map[string]any{})
	require.NoError(t, err)
	require.Equal(t, "second@example.com", seen.Data.OwnerEmail)
	first := kit.Settings(env)
	first.OwnerEmail = seen.Data.OwnerEmail
	require.Equal(t, first, seen.Data)
}

func TestSettings_DefaultsAndChanges(t *testing.T) {
	env := newWorkspace(t)
	fresh := kit.Settings(env)
	require.Equal(t, []any{redline.PlanInfoTypeFree, redline.SettingsDefaultDocumentAccessTypePublic, true, false, true},
		[]any{fresh.PlanInfo.Type, fresh.DefaultDocumentAccessType, fresh.IsPrivateCommentsEnabled, fresh.RequireAutoOrgUser, fresh.IsAdvancedQueriesEnabled})
	require.Contains(t, fresh.OwnerEmail, "@")
	var after redline.SettingsResult
	env.Call(client.UpdateSettings, map[string]any{"defaultDocumentAccessType": "restricted", "enablePrivateComments": false}, &after)
	require.Equal(t, after.Data, kit.Settings(env))
	require.Equal(t, []any{redline.SettingsDefaultDocumentAccessTypeRestricted, false, true}, []any{after.Data.DefaultDocumentAccessType, after.Data.IsPrivateCommentsEnabled, after.Data.IsAdvancedQueriesEnabled})
}

func TestSettingsGet_1_APlanChangeShowsAtOnce(t *testing.T) {
	env := newWorkspace(t)
	for _, plan := range []string{"paid", "free", "paid"} {
		operate(env).SetPlan(env.Workspace.ID, plan)
		require.Equal(t, plan, string(kit.Settings(env).PlanInfo.Type))
	}
}
