package api_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// mockRun is the data of a run of the agent that only approves.
func mockRun(more map[string]any) map[string]any {
	return kit.With(map[string]any{"agentId": "__mock__", "url": "https://pages.example.com/"}, more)
}

func startRun(env *kit.Env, data map[string]any) string {
	env.T.Helper()
	var started client.Wrapped[struct{ ExecutionID string }]
	env.Call(client.RunAgent, data, &started)
	return started.Data.ExecutionID
}

// runIDs are the ids of all runs that a call lists, page by page.
func runIDs(env *kit.Env, data map[string]any) (ids []string) {
	env.T.Helper()
	for {
		var page client.Wrapped[struct {
			Executions    []struct{ ID string }
			NextPageToken string
		}]
		env.Call(client.ListAgentRuns, data, &page)
		for _, r := range page.Data.Executions {
			ids = append(ids, r.ID)
		}
		if page.Data.NextPageToken == "" {
			return ids
		}
		data = kit.With(data, map[string]any{"pageToken": page.Data.NextPageToken})
	}
}

func TestAgentRuns_1_OneKeyOneRun(t *testing.T) {
	env := newWorkspace(t)
	ids := make([]string, 100)
	kit.Concurrently(len(ids), func(i int) {
		started, err := client.Call[client.Wrapped[struct{ ExecutionID string }]](env.Ctx, env.Keyed, client.RunAgent, mockRun(map[string]any{"idempotencyKey": "one"}))
		kit.NoError(t, err)
		ids[i] = started.Data.ExecutionID
	})
	for _, id := range ids {
		require.Equal(t, ids[0], id)
	}
	require.Equal(t, []string{ids[0]}, runIDs(env, map[string]any{"agentId": "__mock__"}))
}

func TestAgentRuns_AreListedAndCounted(t *testing.T) {
	env := newWorkspace(t)
	kit.Register(env, "checker")
	var mocks []string
	for n := range 3 {
		mocks = append([]string{startRun(env, mockRun(map[string]any{"organizationId": "acme", "documentId": fmt.Sprint("d", n%2)}))}, mocks...)
	}
	waiting := startRun(env, mockRun(map[string]any{"agentId": "checker", "organizationId": "acme", "documentId": "d0"}))
	require.Equal(t, mocks, runIDs(env, map[string]any{"agentId": "__mock__", "pageSize": 1}))
	require.Equal(t, []string{waiting, mocks[0], mocks[2]}, runIDs(env, map[string]any{"organizationId": "acme", "documentId": "d0", "pageSize": 2}))
	require.Equal(t, []string{waiting}, runIDs(env, map[string]any{"agentId": "checker", "organizationId": "acme", "documentId": "d0"}))
	counted := func(data map[string]any) (c struct {
		Counts map[string]int
		Total  *int
	},
	) {
		answer := client.Wrapped[any]{Data: &c}
		env.Call(client.CountAgentRuns, data, &answer)
		return c
	}
	require.Equal(t, 4, *counted(map[string]any{}).Total)
	require.Equal(t, 4, *counted(map[string]any{"status": "running"}).Total)
	require.Equal(t, map[string]int{"checker": 1}, counted(map[string]any{"agentIds": "checker"}).Counts)
	require.Equal(t, map[string]int{"checker": 1, "__mock__": 3, "nobody": 0}, counted(map[string]any{"agentIds": []string{"checker", "__mock__", "nobody"}}).Counts)
	env.Call(client.CancelExecution, map[string]any{"executionId": waiting}, nil)
	require.Equal(t, map[string]int{"checker": 1}, counted(map[string]any{"agentIds": "checker", "status": "skipped"}).Counts)
	for _, wrong := range []map[string]any{{}, {"organizationId": "acme"}, {"documentId": "d0"}} {
		env.RefusedAs("INVALID_ARGUMENT", client.ListAgentRuns, wrong)
	}
	for _, wrong := range []any{[]string{}, "", []string{""}, 7} {
		require.Equal(t, []string{"agentIds"}, env.RefusedAs("INVALID_ARGUMENT", client.CountAgentRuns, map[string]any{"agentIds": wrong}).Issues[0].Path)
	}
}

func TestAgentRuns_6_NobodyElsesDefinition(t *testing.T) {
	env := newWorkspace(t)
	startRun(env, mockRun(nil))
	document := map[string]any{"definitionId": "__agent", "name": "Mine", "nodes": []any{map[string]any{"nodeId": "only", "type": "agent", "config": map[string]any{"agentId": "__mock__"}}}, "edges": []any{}}
	require.Equal(t, []string{"definitionId"}, env.RefusedAs("INVALID_ARGUMENT", client.CreateDefinition, document).Issues[0].Path)
	env.RefusedAs("NOT_FOUND", client.StartExecution, map[string]any{"definitionId": "__agent"})
	require.Empty(t, kit.EveryPage[struct{}](env, client.ListDefinitions, map[string]any{}))
	other := kit.Dispatch(env, kit.Instant(env))
	env.RefusedAs("NOT_FOUND", client.GetAgentRun, map[string]any{"executionId": other.ID})
}

func TestAgentRuns_WhatIsRefused(t *testing.T) {
	env := newWorkspace(t)
	kit.Register(env, "off", map[string]any{"disabled": true})
	require.EqualValues(t, "agent-disabled", env.RefusedAs("FAILED_PRECONDITION", client.RunAgent, mockRun(map[string]any{"agentId": "off"})).Reason)
	require.EqualValues(t, "agent-not-registered", env.RefusedAs("FAILED_PRECONDITION", client.RunAgent, mockRun(map[string]any{"agentId": "lighthouse"})).Reason)
	env.RefusedAs("NOT_FOUND", client.RunAgent, mockRun(map[string]any{"agentId": "nobody"}))
	for field, wrong := range map[string]any{
		"url": "ftp://pages.example.com", "maxUrlsToProcess": 501, "deviceType": "tablet", "annotationVisibility": "secret", "documentId": "d", "ranBy": map[string]any{"name": "Ann"},
	} {
		path := env.RefusedAs("INVALID_ARGUMENT", client.RunAgent, mockRun(map[string]any{field: wrong})).Issues[0].Path
		require.Contains(t, []string{field, "organizationId"}, path[0])
	}
}
