package workflow

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// anAgentAt registers an agent at a path of the test's receiver.
func anAgentAt(env *kit.Env, path string, changes ...map[string]any) string {
	env.T.Helper()
	return kit.Register(env, "checker", append(changes, map[string]any{"url": env.Receiver().URL(path)})...).AgentID
}

func resolveByAgent(env *kit.Env, data map[string]any) redline.DecideResult {
	env.T.Helper()
	var answer redline.DecideResult
	env.Call(client.RecordResolution, data, &answer)
	return answer
}

// byToken is a session that has nothing but the token of a step.
func byToken(env *kit.Env, token string) *client.Session {
	return env.Keyed.With(map[string]string{"x-svc-callback-token": token})
}

func outputOf(t *testing.T, step redline.Step) map[string]any {
	t.Helper()
	var output map[string]any
	require.NoError(t, json.Unmarshal(step.Output, &output))
	return output
}

func TestAgentStepIsCalledAndWaits(t *testing.T) {
	env := kit.NewWorkspace(t)
	env.Receiver().Answer("/agent", receiver.JSON(`{"agentExecutionId":"run-7"}`))
	anAgentAt(env, "/agent")
	node := client.With(client.With(client.With(client.With(client.Agent("check", "checker"), "urlPath", "page.url"), "promptOverride", "Look."), "userContextMapping", map[string]any{"who": "author.name", "none": "author.age"}), "inputMapping", map[string]any{"amount": "execution.input.amount"})
	r := kit.AsksAgent(env, node, kit.Input(json.RawMessage(`{"page":{"url":"example.com/a"},"author":{"name":"Ann"},"amount":9007199254740993}`)), kit.WithReceiver(env, "/events"))
	step := r.WaitsAt("check")
	require.Nil(t, step.DueAt)
	request := env.Receiver().Requests("/agent")[0]
	require.NoError(t, receiver.Verify(request, kit.AgentSecret))
	require.Equal(t, step.StepID, request.Header.Get("x-svc-event-id"))
	call := kit.CalledAgent(env, "/agent")
	require.Equal(t, r.ID, call.ExecutionID)
	require.Equal(t, "checker", call.AgentID)
	require.Equal(t, 1, call.Attempt)
	require.Equal(t, "/v2/"+client.RecordResolution, call.Callback.Path)
	require.True(t, strings.HasSuffix(call.Callback.URL, call.Callback.Path))
	require.Equal(t, "x-svc-callback-token", call.Callback.TokenHeader)
	require.JSONEq(t, `{"who":"Ann","none":null}`, string(call.Input["userContext"]))
	require.JSONEq(t, `{"amount":9007199254740993}`, string(call.Input["parameters"]))
	require.Contains(t, string(call.Input["triggerContext"]), "9007199254740993")
	require.Equal(t, `"https://example.com/a"`, string(call.Input["url"]))
	require.Equal(t, `"Look."`, string(call.Input["prompt"]))
	waiting := r.Events("step.awaiting-approval")[0]
	require.JSONEq(t, `{"agentId":"checker","agentExecutionId":"run-7","pollIntervalMs":15000}`, string(waiting.Data))

	answer, err := client.Call[redline.DecideResult](env.Ctx, byToken(env, call.Callback.Token), client.RecordResolution, r.Resolves("check", "r1", "resolved", map[string]any{
		"output": map[string]any{"score": 0.9, "decision": "reject", "agentId": "mine"}, "reason": "all fine",
	}))
	require.NoError(t, err)
	require.Equal(t, redline.DecideResult{Recorded: true, AggregatorStatus: "resolved", ResumeScheduled: true}, answer)
	view := r.Ends("completed")
	output := outputOf(t, view.Steps[0])
	took, _ := output["agentDurationMs"].(float64)
	require.GreaterOrEqual(t, took, 0.0)
	delete(output, "agentDurationMs")
	require.Equal(t, map[string]any{
		"agentId": "checker", "agentExecutionId": "run-7", "agentExecutionStatus": "completed", "resolution": "resolved",
		"resolvedUrl": "https://example.com/a", "decision": "approve", "approved": true, "score": 0.9,
	}, output)
	require.JSONEq(t, `{"agentId":"checker","agentExecutionId":"run-7","agentExecutionStatus":"completed","decision":"approve","source":"callback"}`,
		string(r.Events("step.completed")[0].Data))
	judged := kit.Judgments(env, map[string]any{"judgeType": "agent"})
	require.Equal(t, int64(1), judged.Total)
	require.Equal(t, "approve", judged.Results[0].Decision)
	require.InDelta(t, 0.7, judged.Results[0].Confidence, 0)
	require.Equal(t, map[string]any{
		"agentId": "checker", "agentType": "svc", "agentName": "Checker", "executionId": "run-7", "agentFields": map[string]any{"url": nil, "reason": nil},
	}, kit.ObjectOf(judged.Results[0].Agent))
	for _, text := range []string{
		kit.Raw(env, client.GetExecution, `{"executionId":"`+r.ID+`"}`),
		kit.Raw(env, client.GetEvents, `{"executionId":"`+r.ID+`","includeInternal":true}`),
	} {
		require.NotContains(t, text, call.Callback.Token)
	}
}

func TestAgentStepErrors(t *testing.T) {
	env := kit.NewWorkspace(t)
	env.Receiver().Answer("/refuses", receiver.Status(422))
	env.Receiver().Answer("/mute", receiver.JSON(`{}`))
	anAgentAt(env, "/refuses")
	kit.Register(env, "off", map[string]any{"disabled": true})
	kit.Register(env, "mute", map[string]any{"url": env.Receiver().URL("/mute")})
	blocking := map[string]any{"kind": "minResolved", "minCount": 2}
	for code, node := range map[string]redline.NodeInput{
		"agent-refused":           client.Agent("a", "checker"),
		"agent-disabled":          client.Agent("a", "off"),
		"agent-not-found":         client.Agent("a", "nobody"),
		"agent-url-unresolved":    client.With(client.Agent("a", "checker"), "urlPath", "no.page"),
		"agent-responses-missing": client.With(client.With(client.Agent("a", "mute"), "blocking", true), "resolutionPolicy", blocking),
	} {
		view := kit.AsksAgent(env, node).Ends("failed")
		require.Equal(t, code, view.Steps[0].Error.Code)
		require.Equal(t, "step-failed", view.FailureReason.Code)
	}
	require.Empty(t, kit.Judgments(env, map[string]any{"judgeType": "agent"}).Results)
}

func TestAgentStepIsSettledByItsOwnAnswer(t *testing.T) {
	env := kit.NewWorkspace(t)
	env.Receiver().Answer("/agent", receiver.JSON(`{"resolution":"rejected","reason":"too long","output":{"words":900}}`))
	anAgentAt(env, "/agent")
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.Agent("check", "checker"), client.Mock("back")}, client.Reject("check", "back")))
	view := r.Ends("completed")
	output := outputOf(t, view.Steps[0])
	require.Equal(t, "reject", output["decision"])
	require.Equal(t, "checker", output["rejectedBy"])
	require.InDelta(t, 900, output["words"], 0)
	require.Contains(t, string(r.Events("step.completed")[0].Data), `"source":"agent"`)
	judged := kit.Judgments(env, map[string]any{"judgeType": "agent"}).Results
	require.Len(t, judged, 1)
	require.Equal(t, "too long", judged[0].Reasoning)
}

func TestAgentStepThatWaitsForFewerResponsesThanItsPolicyNeedsIsRejected(t *testing.T) {
	env := kit.NewWorkspace(t)
	env.Receiver().Answer("/agent", receiver.JSON(`{"responseIds":["r1"]}`))
	anAgentAt(env, "/agent")
	view := kit.AsksAgent(env, client.With(client.With(client.Agent("check", "checker"), "blocking", true), "resolutionPolicy", map[string]any{"kind": "minResolved", "minCount": 2})).Ends("completed")
	output := outputOf(t, view.Steps[0])
	require.Equal(t, "reject", output["decision"])
	require.Equal(t, "checker", output["rejectedBy"])
	require.Contains(t, output["rejectionReason"], "waits for 1 of the 2 responses")
	require.Empty(t, kit.Judgments(env, map[string]any{"judgeType": "agent"}).Results, "nobody has judged")
}

func TestUpdateAgent_1_TheNextTryGoesToTheNewAddress(t *testing.T) {
	env := kit.NewWorkspace(t)
	env.Receiver().Answer("/old", receiver.Status(503))
	env.Receiver().Answer("/new", receiver.JSON(`{"resolution":"resolved"}`))
	const former = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
	anAgentAt(env, "/old", map[string]any{"secret": former})
	r := kit.AsksAgent(env, client.Agent("check", "checker"))
	first := kit.CalledAgent(env, "/old")
	kit.ChangeAgent(env, "checker", map[string]any{"url": env.Receiver().URL("/new"), "secret": "the-next-secret-of-the-agent"})
	r.Ends("completed")
	second := kit.CalledAgent(env, "/new")
	require.Equal(t, first.StepID, second.StepID)
	request := env.Receiver().Requests("/new")[0]
	require.Equal(t, "1", request.Header.Get("x-svc-attempt"))
	require.NoError(t, receiver.Verify(request, "the-next-secret-of-the-agent"))
	request.Header = request.Header.Clone()
	for _, own := range []string{"x-svc-signature", "x-svc-event-id", "x-svc-attempt"} {
		request.Header.Del(own)
	}
	require.NoError(t, receiver.VerifyMessage(request, former), "the former one signs beside it")
}

func TestUpdateAgent_2_AndDeleteAgent_1_2_WaitingStepsStayResolvable(t *testing.T) {
	env := kit.NewWorkspace(t)
	env.Receiver().Answer("/agent", receiver.JSON(`{}`))
	anAgentAt(env, "/agent")
	definition := kit.Define(env, []redline.NodeInput{client.Agent("check", "checker")})
	disabled, deleted := kit.Dispatch(env, definition), kit.Dispatch(env, definition)
	disabled.WaitsAt("check")
	deleted.WaitsAt("check")
	kit.ChangeAgent(env, "checker", map[string]any{"disabled": true})
	require.Equal(t, "agent-disabled", kit.Dispatch(env, definition).Ends("failed").Steps[0].Error.Code)
	require.True(t, resolveByAgent(env, disabled.Resolves("check", "r1", "resolved")).Recorded)
	disabled.Ends("completed")
	env.Call(client.DeleteAgent, kit.AgentNamed("checker"), nil)
	require.Equal(t, "agent-not-found", kit.Dispatch(env, definition).Ends("failed").Steps[0].Error.Code)
	require.True(t, resolveByAgent(env, deleted.Resolves("check", "r1", "resolved")).Recorded)
	deleted.Ends("completed")
	require.Contains(t, string(deleted.Events("step.completed")[0].Data), `"source":"operator"`)
}

func TestRecordAgentResolution_3_TheResolutionIsTheDecision(t *testing.T) {
	env := kit.NewWorkspace(t)
	env.Receiver().Answer("/agent", receiver.JSON(`{}`))
	anAgentAt(env, "/agent")
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.Agent("check", "checker"), client.Mock("back")}, client.Reject("check", "back")))
	r.WaitsAt("check")
	answer := resolveByAgent(env, r.Resolves("check", "r1", "rejected", map[string]any{
		"output": map[string]any{"decision": "approve", "approved": true}, "actorId": "u_ops", "reason": "no",
	}))
	require.Equal(t, redline.DecideResultAggregatorStatusRejected, answer.AggregatorStatus)
	require.Equal(t, "no", answer.RejectionReason)
	view := r.Ends("completed")
	output := outputOf(t, view.Steps[0])
	require.Equal(t, "reject", output["decision"])
	require.Equal(t, false, output["approved"])
	require.Equal(t, "u_ops", output["rejectedBy"])
	require.Equal(t, "back", view.Steps[1].NodeID)
}

func TestRecordAgentResolution_4_TwoOfThree(t *testing.T) {
	env := kit.NewWorkspace(t)
	env.Receiver().Answer("/agent", receiver.JSON(`{"responseIds":["a","b","c"]}`))
	anAgentAt(env, "/agent")
	node := client.With(client.With(client.Agent("check", "checker"), "blocking", true), "resolutionPolicy", map[string]any{"kind": "minResolved", "minCount": 2})
	r := kit.AsksAgent(env, node)
	r.WaitsAt("check")
	require.Equal(t, redline.DecideResultAggregatorStatusUnknownResponder, resolveByAgent(env, r.Resolves("check", "x", "resolved")).AggregatorStatus)
	require.Equal(t, redline.DecideResultAggregatorStatusPending, resolveByAgent(env, r.Resolves("check", "a", "resolved")).AggregatorStatus)
	second := resolveByAgent(env, r.Resolves("check", "b", "resolved", map[string]any{"output": map[string]any{"by": "b"}}))
	require.Equal(t, redline.DecideResult{Recorded: true, AggregatorStatus: "resolved", ResumeScheduled: true}, second)
	require.Equal(t, redline.DecideResultAggregatorStatusAlreadyTerminal, resolveByAgent(env, r.Resolves("check", "c", "resolved")).AggregatorStatus)
	require.Equal(t, redline.DecideResultAggregatorStatusIdempotent, resolveByAgent(env, r.Resolves("check", "a", "rejected")).AggregatorStatus)
	require.Equal(t, "b", outputOf(t, r.Ends("completed").Steps[0])["by"])

	all := kit.AsksAgent(env, client.With(client.With(client.Agent("check", "checker"), "blocking", true), "resolutionPolicy", map[string]any{"kind": "allResolved"}))
	all.WaitsAt("check")
	require.Equal(t, redline.DecideResultAggregatorStatusPending, resolveByAgent(env, all.Resolves("check", "a", "resolved")).AggregatorStatus)
	require.Equal(t, redline.DecideResultAggregatorStatusRejected, resolveByAgent(env, all.Resolves("check", "b", "rejected")).AggregatorStatus, "it cannot be met any more")
}

func TestRecordAgentResolution_5_TenAtOnce(t *testing.T) {
	env := kit.NewWorkspace(t)
	env.Receiver().Answer("/agent", receiver.JSON(`{}`))
	anAgentAt(env, "/agent")
	r := kit.AsksAgent(env, client.Agent("check", "checker"))
	r.WaitsAt("check")
	data := r.Resolves("check", "r1", "resolved")
	answers := make([]redline.DecideResult, 10)
	kit.Concurrently(len(answers), func(i int) {
		answers[i], _ = client.Call[redline.DecideResult](env.Ctx, env.Keyed, client.RecordResolution, data)
	})
	recorded := 0
	for _, answer := range answers {
		if answer.Recorded {
			recorded++
		} else {
			assert.Equal(t, redline.DecideResultAggregatorStatusIdempotent, answer.AggregatorStatus)
		}
	}
	require.Equal(t, 1, recorded)
	r.Ends("completed")
	require.Equal(t, int64(1), kit.Judgments(env, map[string]any{"judgeType": "agent"}).Total)
}

func TestRecordAgentResolutionRefusals(t *testing.T) {
	env := kit.NewWorkspace(t)
	env.Receiver().Answer("/agent", receiver.JSON(`{}`))
	anAgentAt(env, "/agent")
	nodes := []redline.NodeInput{client.Agent("check", "checker"), client.Human("review", "ann"), client.Mock("mock"), client.Mock("later")}
	r := kit.Dispatch(env, kit.Define(env, nodes, client.Reject("review", "later")))
	r.WaitsAt("check")
	r.WaitsAt("review")
	other := kit.AsksAgent(env, client.Agent("check", "checker"))
	other.WaitsAt("check")
	token := kit.CalledAgent(env, "/agent").Callback.Token
	if kit.CalledAgent(env, "/agent").ExecutionID != r.ID {
		r, other = other, r
	}
	for _, wrong := range []struct {
		data  map[string]any
		token string
	}{
		{other.Resolves("check", "r1", "resolved"), token},
		{r.Resolves("check", "r1", "resolved"), token + "x"},
	} {
		_, err := client.Call[json.RawMessage](env.Ctx, byToken(env, wrong.token), client.RecordResolution, wrong.data)
		require.Equal(t, redline.ProblemStatusUnauthenticated, redline.AsError(err).Status)
	}
	_, err := client.Call[json.RawMessage](env.Ctx, byToken(env, token), client.GetExecution, map[string]any{"executionId": r.ID})
	require.Equal(t, redline.ProblemStatusUnauthenticated, redline.AsError(err).Status, "it opens nothing but its step")
	whole := r
	if len(whole.View().Steps) == 1 {
		whole = other
	}
	for _, node := range []string{"review", "mock"} {
		env.RefusedAs("FAILED_PRECONDITION", client.RecordResolution, whole.Resolves(node, "r1", "resolved"))
	}
	data := r.Resolves("check", "r1", "resolved")
	data["stepId"] = "step_nobody_i1_a1_000000000000"
	env.RefusedAs("NOT_FOUND", client.RecordResolution, data)
	data = r.Resolves("check", "r1", "done")
	env.RefusedAs("INVALID_ARGUMENT", client.RecordResolution, data)
	env.RefusedAs("INVALID_ARGUMENT", client.RecordResolution, r.Resolves("check", "r1", "resolved", map[string]any{"output": map[string]any{"x": strings.Repeat("x", 64<<10)}}))
	env.RefusedAs("INVALID_ARGUMENT", client.RecordResolution, r.Resolves("check", "r1", "resolved", map[string]any{"unknown": 1}))
	r.Cancel()
	env.RefusedAs("FAILED_PRECONDITION", client.RecordResolution, r.Resolves("check", "r1", "resolved"))
}
