package workflow

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// agentRun is an execution of one agent as read.
type agentRun struct {
	ID, AgentID, AgentName, Status string
	AgentVersion                   *int
	Metadata                       struct{ OrganizationID, DocumentID *string }
	Config                         struct {
		SeedURL, DeviceType, AnnotationVisibility string
		CrossPageExecute                          *bool
		MaxURLsToProcess                          *int
	}
	StartedAt               int64
	CompletedAt, DurationMs *int64
	RanBy                   *struct{ UserID, Name string }
	ResultsSummary          struct {
		TotalFindings  int
		SeverityCounts map[string]int
	}
}

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

type readRun struct {
	Execution agentRun
	Results   *[]struct {
		AnnotationID, DocumentID, URL string
		Reason                        map[string]any
	}
}

func runOf(env *kit.Env, id string) readRun {
	env.T.Helper()
	var found client.Wrapped[readRun]
	env.Call(client.GetAgentRun, map[string]any{"executionId": id, "includeResults": true}, &found)
	return found.Data
}

// figures are those of agents in a time.
func figures(env *kit.Env, data map[string]any) map[string]struct {
	ExecutionCount, Passed, Failed, Error int
	LastExecutedAt                        *int64
	MeanDurationMs                        *float64
} {
	env.T.Helper()
	var found client.Wrapped[struct {
		Analytics struct {
			ExecutionCounts map[string]struct {
				ExecutionCount, Passed, Failed, Error int
				LastExecutedAt                        *int64
				MeanDurationMs                        *float64
			}
		}
	}]
	env.Call(client.GetAgentAnalytics, data, &found)
	return found.Data.Analytics.ExecutionCounts
}

func TestAgentRuns_7_TheMockPassesAtOnce(t *testing.T) {
	env := kit.NewWorkspace(t)
	id := startRun(env, mockRun(map[string]any{
		"organizationId": "acme", "documentId": "d", "maxUrlsToProcess": 9, "crossPageExecute": true, "deviceType": "mobile", "annotationVisibility": "public",
		"ranBy": map[string]any{"userId": "u_ann", "name": "Ann"}, "userContext": map[string]any{"a": 1}, "aiConfig": map[string]any{"b": 2},
	}))
	(&kit.Run{S: env, ID: id}).Ends("completed")
	kit.Annotate(env, kit.Made("d", kit.Annotated("found", kit.Wrote("bot", "A link", map[string]any{"agent": map[string]any{
		"agentSource": "external", "agentName": "Mock", "executionId": id, "url": "https://pages.example.com/a",
		"reason": map[string]any{"title": "A link", "description": "It is broken.", "severity": "high"},
	}}))))
	read := runOf(env, id)
	r := read.Execution
	require.Equal(t, []any{id, "__mock__", "Mock", "passed", "acme", "d"}, []any{r.ID, r.AgentID, r.AgentName, r.Status, *r.Metadata.OrganizationID, *r.Metadata.DocumentID})
	require.Equal(t, []any{"https://pages.example.com/", "mobile", "public", true, 9}, []any{
		r.Config.SeedURL, r.Config.DeviceType, r.Config.AnnotationVisibility, *r.Config.CrossPageExecute, *r.Config.MaxURLsToProcess,
	})
	require.Equal(t, "Ann", r.RanBy.Name)
	require.Equal(t, *r.CompletedAt-r.StartedAt, *r.DurationMs)
	require.Equal(t, 1, r.ResultsSummary.TotalFindings)
	require.Equal(t, map[string]int{"high": 1}, r.ResultsSummary.SeverityCounts)
	require.Len(t, *read.Results, 1)
	found := (*read.Results)[0]
	require.Equal(t, []any{"found", "d", "https://pages.example.com/a", "high"}, []any{found.AnnotationID, found.DocumentID, found.URL, found.Reason["severity"]})
}

func TestAgentAnalytics_StepsOfAllDefinitionsByTheirStart(t *testing.T) {
	env := kit.NewWorkspace(t)
	(&kit.Run{S: env, ID: startRun(env, mockRun(nil))}).Ends("completed")
	kit.Dispatch(env, kit.Instant(env)).Ends("completed")
	_, err := env.DB().Exec(env.Ctx, `UPDATE steps SET started_at = '2026-02-28T23:59:59.9Z', completed_at = '2026-03-01T00:00:01.9Z' WHERE workspace_id = $1 AND definition_id = '__agent'`, env.Workspace.ID)
	require.NoError(t, err)
	all := figures(env, map[string]any{})
	require.Equal(t, 2, all["__mock__"].ExecutionCount)
	require.Equal(t, 2, all["__mock__"].Passed)
	february := figures(env, map[string]any{"agentId": "__mock__", "year": "2026", "month": "02"})["__mock__"]
	require.Equal(t, 1, february.ExecutionCount)
	require.InDelta(t, 2000, *february.MeanDurationMs, 0.001)
	require.Equal(t, time.Date(2026, 2, 28, 23, 59, 59, 900e6, time.UTC).UnixMilli(), *february.LastExecutedAt)
	require.Empty(t, figures(env, map[string]any{"year": "2026", "month": "03", "agentId": "__mock__"})["__mock__"].ExecutionCount)
	env.RefusedAs("INVALID_ARGUMENT", client.GetAgentAnalytics, map[string]any{"month": "03"})
	env.RefusedAs("INVALID_ARGUMENT", client.GetAgentAnalytics, map[string]any{"year": "2026", "month": "13"})
}

// agentCalls are what an agent was sent, in the order of the calls.
func agentCalls(env *kit.Env, path string, count int) (all []map[string]map[string]json.RawMessage) {
	env.T.Helper()
	for _, request := range env.Arrived(path, receiver.Count(count)) {
		var parts struct{ Agent, Input map[string]json.RawMessage }
		require.NoError(env.T, json.Unmarshal(request.Body, &parts))
		all = append(all, map[string]map[string]json.RawMessage{"agent": parts.Agent, "input": parts.Input})
	}
	return all
}

func TestAgentRuns_2_ARunningStepKeepsItsVersion(t *testing.T) {
	env := kit.NewWorkspace(t)
	env.Receiver().Answer("/agent", receiver.Answer{Status: 503})
	anAgentAt(env, "/agent", map[string]any{"instructions": "first", "scope": json.RawMessage(`{"n":1.10}`)})
	id := startRun(env, mockRun(map[string]any{"agentId": "checker", "userContext": json.RawMessage(`{"n":2.50}`), "maxUrlsToProcess": 3, "ranBy": map[string]any{"userId": "u_ann"}}))
	agentCalls(env, "/agent", 1)
	env.Call(client.UpdateAgentVersion, map[string]any{"agentId": "checker", "instructions": "second"}, nil)
	env.Receiver().Answer("/agent", receiver.JSON(`{}`))
	for _, call := range agentCalls(env, "/agent", 2) {
		text, err := json.Marshal(call["agent"])
		require.NoError(t, err)
		require.JSONEq(t, `{"version":1,"instructions":"first","scope":{"n":1.10}}`, string(text))
		require.Equal(t, `{"n":2.50}`, string(call["input"]["userContext"]))
		require.JSONEq(t, `{"url":"https://pages.example.com/","userContext":{"n":2.50},"maxUrlsToProcess":3,"ranBy":{"userId":"u_ann"},"deviceType":"desktop",
"annotationVisibility":"private","pollIntervalMs":15000}`, string(call["input"]["options"]))
	}
	run := &kit.Run{S: env, ID: id}
	run.WaitsAt("agent")
	require.Equal(t, []any{"running", 1}, []any{runOf(env, id).Execution.Status, *runOf(env, id).Execution.AgentVersion})
	resolveByAgent(env, run.Resolves("agent", "r1", "rejected"))
	run.Ends("completed")
	require.Equal(t, "failed", runOf(env, id).Execution.Status)
	next := &kit.Run{S: env, ID: startRun(env, mockRun(map[string]any{"agentId": "checker"}))}
	next.WaitsAt("agent")
	require.Equal(t, `"second"`, string(agentCalls(env, "/agent", 3)[2]["agent"]["instructions"]))
	env.Call(client.ResolveStep, map[string]any{"executionId": next.ID, "stepId": next.Step("agent").StepID, "action": "force-fail", "actorId": "ann"}, nil)
	next.Ends("failed")
	require.Equal(t, "error", runOf(env, next.ID).Execution.Status)
	env.Call(client.RetryExecution, map[string]any{"executionId": next.ID, "actorId": "ann"}, nil)
	next.WaitsAt("agent")
	found := figures(env, map[string]any{})["checker"]
	require.Equal(t, []int{3, 0, 1, 1}, []int{found.ExecutionCount, found.Passed, found.Failed, found.Error})
	env.Call(client.DeleteAgent, kit.AgentNamed("checker"), nil)
	require.Equal(t, "Checker", runOf(env, id).Execution.AgentName)
	require.Equal(t, found, figures(env, map[string]any{})["checker"], "those of an agent that was deleted stay")
}
