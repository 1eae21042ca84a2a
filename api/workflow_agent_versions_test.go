package api_test

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// agentVersions is the data of a page of versions.
type agentVersions struct {
	Versions       []map[string]json.RawMessage
	CurrentVersion int
}

func versionsOf(env *kit.Env, data map[string]any) (list agentVersions, next string) {
	env.T.Helper()
	var page struct {
		Data          agentVersions
		NextPageToken string
	}
	env.Call(client.ListAgentVersions, data, &page)
	return page.Data, page.NextPageToken
}

// version makes or restores a version and returns its number.
func versionBy(env *kit.Env, operation string, data map[string]any) int {
	env.T.Helper()
	var made client.Wrapped[struct{ Version int }]
	env.Call(operation, data, &made)
	return made.Data.Version
}

func TestAgentVersions_ReplaceFieldsAndClearThem(t *testing.T) {
	env := newWorkspace(t)
	kit.Register(env, "checker", map[string]any{"instructions": "Look.", "scope": json.RawMessage(`{"n":1.10}`)})
	require.Equal(t, 2, versionBy(env, client.UpdateAgentVersion, map[string]any{"agentId": "checker", "instructions": nil, "phaseTimeoutMs": 7, "setup": map[string]any{"a": 1}}))
	require.Equal(t, 3, versionBy(env, client.UpdateAgentVersion, map[string]any{"agentId": "checker", "setup": map[string]any{"b": 2}}))
	all, next := versionsOf(env, map[string]any{"agentId": "checker"})
	require.Empty(t, next)
	require.Equal(t, 3, all.CurrentVersion)
	shown := func(v map[string]json.RawMessage) string {
		delete(v, "createdAt")
		keys := make([]string, 0, len(v))
		for key, value := range v {
			keys = append(keys, key+"="+string(value))
		}
		slices.Sort(keys)
		return strings.Join(keys, " ")
	}
	require.Equal(t, `id="v3" phaseTimeoutMs=7 scope={"n":1.10} setup={"b":2} version=3`, shown(all.Versions[0]))
	require.Equal(t, `id="v2" phaseTimeoutMs=7 scope={"n":1.10} setup={"a":1} version=2`, shown(all.Versions[1]))
	require.Equal(t, `id="v1" instructions="Look." scope={"n":1.10} version=1`, shown(all.Versions[2]))
	first, next := versionsOf(env, map[string]any{"agentId": "checker", "pageSize": 2})
	require.Len(t, first.Versions, 2)
	rest, next := versionsOf(env, map[string]any{"agentId": "checker", "pageSize": 2, "pageToken": next})
	require.Empty(t, next)
	require.Equal(t, `"v1"`, string(rest.Versions[0]["id"]))
}

func TestAgentVersions_3_BackToTheFirst(t *testing.T) {
	env := newWorkspace(t)
	kit.Register(env, "checker")
	checker := kit.AgentNamed("checker")
	for n := 2; n <= 4; n++ {
		require.Equal(t, n, versionBy(env, client.UpdateAgentVersion, kit.With(checker, map[string]any{"instructions": strconv.Itoa(n)})))
	}
	for _, want := range []int{3, 2, 1} {
		require.Equal(t, want, versionBy(env, client.RestoreAgentVersion, checker))
	}
	require.EqualValues(t, "first-version", env.RefusedAs("FAILED_PRECONDITION", client.RestoreAgentVersion, checker).Reason)
	require.Equal(t, 5, versionBy(env, client.UpdateAgentVersion, kit.With(checker, map[string]any{"rawInstructions": "x"})))
	all, _ := versionsOf(env, checker)
	require.NotContains(t, all.Versions[0], "instructions", "it goes on from the first")
	require.Equal(t, 2, versionBy(env, client.RestoreAgentVersion, kit.With(checker, map[string]any{"version": 2})))
	env.RefusedAs("NOT_FOUND", client.RestoreAgentVersion, kit.With(checker, map[string]any{"version": 6}))
}

func TestAgentVersions_WhatIsRefused(t *testing.T) {
	env := newWorkspace(t)
	kit.Register(env, "checker")
	checker := kit.AgentNamed("checker")
	env.RefusedAs("INVALID_ARGUMENT", client.UpdateAgentVersion, checker)
	large := map[string]any{"text": strings.Repeat("x", 33<<10)}
	versionBy(env, client.UpdateAgentVersion, kit.With(checker, map[string]any{"setup": large}))
	env.RefusedAs("INVALID_ARGUMENT", client.UpdateAgentVersion, kit.With(checker, map[string]any{"scope": large}))
	env.RefusedAs("INVALID_ARGUMENT", client.CreateAgent, kit.AnAgent("another", map[string]any{"setup": large, "scope": large}))
	for field, wrong := range map[string]any{"phaseTimeoutMs": 0, "instructions": strings.Repeat("x", 32_001), "response": []int{1}} {
		require.Equal(t, []string{field}, env.RefusedAs("INVALID_ARGUMENT", client.UpdateAgentVersion, kit.With(checker, map[string]any{field: wrong})).Issues[0].Path)
	}
	for _, operation := range []string{client.UpdateAgentVersion, client.ListAgentVersions, client.RestoreAgentVersion} {
		data := kit.AgentNamed("nobody")
		if operation == client.UpdateAgentVersion {
			data["instructions"] = "x"
		}
		env.RefusedAs("NOT_FOUND", operation, data)
	}
	_, err := env.DB().Exec(env.Ctx, `INSERT INTO agent_versions (workspace_id, agent_id, version, behaviour) VALUES ($1, 'checker', 1000, '{}')`, env.Workspace.ID)
	require.NoError(t, err)
	require.EqualValues(t, "agent-version-quota", env.RefusedAs("RESOURCE_EXHAUSTED", client.UpdateAgentVersion, kit.With(checker, map[string]any{"instructions": "x"})).Reason)
}

// listed are the ids of all agents that agents/get lists, page by page.
func catalog(env *kit.Env, data map[string]any) (ids []string) {
	env.T.Helper()
	for {
		var page client.Page[struct {
			AgentID, Name string
			BuiltIn       bool
		}]
		env.Call(client.GetAgent, data, &page)
		for _, a := range page.Items {
			require.NotEmpty(env.T, a.Name)
			if a.BuiltIn {
				a.AgentID += "*"
			}
			ids = append(ids, a.AgentID)
		}
		if !page.HasMore {
			return ids
		}
		data = kit.With(data, map[string]any{"cursor": *page.NextCursor})
	}
}

func TestAgentsGet_RegisteredOnesAndBuiltInOnes(t *testing.T) {
	env := newWorkspace(t)
	for _, id := range []string{"first", "spell-check", "third"} {
		kit.Register(env, id, map[string]any{"disabled": id == "third"})
	}
	builtIn := []string{
		"__mock__*", "accessibility-checker*", "broken-links*", "grammar-check*", "lighthouse*", "lorem-ipsum*", "og-image-checker*", "pii-detection*",
		"profanity-filter*", "sensitive-data*",
	}
	registered := []string{"third", "spell-check", "first"}
	for size := 1; size <= 14; size++ {
		require.Equal(t, slices.Concat(registered, builtIn), catalog(env, map[string]any{"pageSize": size}), "pages of %d", size)
		require.Equal(t, builtIn, catalog(env, map[string]any{"pageSize": size, "filter": "defaultOnly"}))
		require.Equal(t, registered, catalog(env, map[string]any{"pageSize": size, "filter": "customOnly"}))
	}
	require.Equal(t, []string{"third"}, catalog(env, map[string]any{"disabled": true}))
	require.Equal(t, slices.Concat(registered[1:], builtIn), catalog(env, map[string]any{"disabled": false}))
	group := groupOf(env, "lighthouse", "third", "spell-check")
	for size := 1; size <= 3; size++ {
		require.Equal(t, []string{"lighthouse*", "third", "spell-check"}, catalog(env, map[string]any{"groupId": group, "pageSize": size}))
	}
	require.Equal(t, []string{"lighthouse*"}, catalog(env, map[string]any{"groupId": group, "filter": "defaultOnly"}))
	env.RefusedAs("NOT_FOUND", client.GetAgent, map[string]any{"groupId": "grp_none"})
	for field, value := range map[string]any{"filter": "customOnly", "groupId": group, "pageSize": 1, "disabled": true} {
		failure := env.RefusedAs("INVALID_ARGUMENT", client.GetAgent, map[string]any{"agentId": "first", field: value})
		require.Equal(t, []redline.Issue{{Code: "conflict", Path: []string{field}, Message: "is not for one agent"}}, failure.Issues)
	}
}

func TestAgentsGet_AThousandAndTheBuiltInOnesEachOnce(t *testing.T) {
	env := newWorkspace(t)
	_, err := env.DB().Exec(env.Ctx, `INSERT INTO agents (workspace_id, agent_id, name, url, disabled)
SELECT $1, 'agent-' || n, 'Agent', 'https://agents.example.com', false FROM generate_series(1, 1000) n`, env.Workspace.ID)
	require.NoError(t, err)
	all := catalog(env, map[string]any{"pageSize": 500})
	require.Len(t, all, 1011)
	slices.Sort(all)
	require.Len(t, slices.Compact(all), 1011)
}
