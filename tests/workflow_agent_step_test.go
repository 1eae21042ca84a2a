package tests

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
	"github.com/redline-svc/redline/tests/receiver"
)

const recordResolution = "workflow/steps/recordAgentResolution"

// agentCall is what an agent is sent.
type agentCall struct {
	ExecutionID, StepID, NodeID, AgentID string
	Input                                map[string]json.RawMessage
	Attempt                              int
	Callback                             struct {
		Path, URL, Token, TokenHeader string
		ExpiresAt                     int64
	}
}

// anAgentAt registers an agent at a path of the story's receiver.
func (s *scene) anAgentAt(path string, changes ...map[string]any) string {
	s.t.Helper()
	return s.register("checker", append(changes, map[string]any{"url": s.receiver().URL(path)})...).AgentID
}

// asksAgent dispatches a definition of one agent's node.
func (s *scene) asksAgent(node client.Node, change ...func(*client.Dispatch)) *run {
	s.t.Helper()
	return s.dispatch(s.define([]client.Node{node}), change...)
}

// calledAgent is what the agent at a path was sent first.
func (s *scene) calledAgent(path string) agentCall {
	s.t.Helper()
	requests, err := s.receiver().Wait(s.ctx, path, receiver.Count(1))
	require.NoError(s.t, err)
	var call agentCall
	require.NoError(s.t, json.Unmarshal(requests[0].Body, &call))
	return call
}

// resolves is the data of a resolution of the step.
func (r *run) resolves(node, responseID, word string, more ...map[string]any) map[string]any {
	r.s.t.Helper()
	data := map[string]any{"executionId": r.id, "stepId": r.step(node).StepID, "responseId": responseID, "resolution": word}
	for _, fields := range more {
		maps.Copy(data, fields)
	}
	return data
}

func (s *scene) resolve(data map[string]any) client.Decided {
	s.t.Helper()
	var answer client.Decided
	s.call(recordResolution, data, &answer)
	return answer
}

// byToken is a session that has nothing but the token of a step.
func (s *scene) byToken(token string) *client.Session {
	return s.keyed.With(map[string]string{"x-svc-callback-token": token})
}

func outputOf(t *testing.T, step client.Step) map[string]any {
	t.Helper()
	var output map[string]any
	require.NoError(t, json.Unmarshal(step.Output, &output))
	return output
}

func TestAgentStepIsCalledAndWaits(t *testing.T) {
	s := begin(t)
	s.receiver().Answer("/agent", receiver.JSON(`{"agentExecutionId":"run-7"}`))
	s.anAgentAt("/agent")
	node := client.Agent("check", "checker").With("urlPath", "page.url").With("promptOverride", "Look.").
		With("userContextMapping", map[string]any{"who": "author.name", "none": "author.age"}).
		With("inputMapping", map[string]any{"amount": "execution.input.amount"})
	r := s.asksAgent(node, input(json.RawMessage(`{"page":{"url":"example.com/a"},"author":{"name":"Ann"},"amount":9007199254740993}`)), s.withReceiver("/events"))
	step := r.waitsAt("check")
	require.Nil(t, step.DueAt)
	request := s.receiver().Requests("/agent")[0]
	require.NoError(t, receiver.Verify(request, agentSecret))
	require.Equal(t, step.StepID, request.Header.Get("x-svc-event-id"))
	call := s.calledAgent("/agent")
	require.Equal(t, r.id, call.ExecutionID)
	require.Equal(t, "checker", call.AgentID)
	require.Equal(t, 1, call.Attempt)
	require.Equal(t, "/v2/workflow/steps/recordAgentResolution", call.Callback.Path)
	require.True(t, strings.HasSuffix(call.Callback.URL, call.Callback.Path))
	require.Equal(t, "x-svc-callback-token", call.Callback.TokenHeader)
	require.JSONEq(t, `{"who":"Ann","none":null}`, string(call.Input["userContext"]))
	require.JSONEq(t, `{"amount":9007199254740993}`, string(call.Input["parameters"]))
	require.Contains(t, string(call.Input["triggerContext"]), "9007199254740993")
	require.Equal(t, `"https://example.com/a"`, string(call.Input["url"]))
	require.Equal(t, `"Look."`, string(call.Input["prompt"]))
	waiting := r.events("step.awaiting-approval")[0]
	require.JSONEq(t, `{"agentId":"checker","agentExecutionId":"run-7","pollIntervalMs":15000}`, string(waiting.Data))

	answer, err := client.Call[client.Decided](s.ctx, s.byToken(call.Callback.Token), recordResolution, r.resolves("check", "r1", "resolved", map[string]any{
		"output": map[string]any{"score": 0.9, "decision": "reject", "agentId": "mine"}, "reason": "all fine",
	}))
	require.NoError(t, err)
	require.Equal(t, client.Decided{Recorded: true, AggregatorStatus: "resolved", ResumeScheduled: true}, answer)
	view := r.ends("completed")
	output := outputOf(t, view.Steps[0])
	took, _ := output["agentDurationMs"].(float64)
	require.GreaterOrEqual(t, took, 0.0)
	delete(output, "agentDurationMs")
	require.Equal(t, map[string]any{
		"agentId": "checker", "agentExecutionId": "run-7", "agentExecutionStatus": "completed", "resolution": "resolved",
		"resolvedUrl": "https://example.com/a", "decision": "approve", "approved": true, "score": 0.9,
	}, output)
	require.JSONEq(t, `{"agentId":"checker","agentExecutionId":"run-7","agentExecutionStatus":"completed","decision":"approve","source":"callback"}`,
		string(r.events("step.completed")[0].Data))
	judged := s.judgments(map[string]any{"judgeType": "agent"})
	require.Equal(t, 1, judged.Total)
	require.Equal(t, "approve", judged.Results[0].Decision)
	require.InDelta(t, 0.7, judged.Results[0].Confidence, 0)
	require.Equal(t, map[string]any{
		"agentId": "checker", "agentType": "svc", "agentName": "Checker", "executionId": "run-7", "agentFields": map[string]any{"url": nil, "reason": nil},
	}, judged.Results[0].Agent)
	for _, text := range []string{
		s.raw("workflow/executions/get", `{"executionId":"`+r.id+`"}`),
		s.raw("workflow/executions/getEvents", `{"executionId":"`+r.id+`","includeInternal":true}`),
	} {
		require.NotContains(t, text, call.Callback.Token)
	}
}

func TestAgentStepErrors(t *testing.T) {
	s := begin(t)
	s.receiver().Answer("/refuses", receiver.Status(422))
	s.receiver().Answer("/mute", receiver.JSON(`{}`))
	s.anAgentAt("/refuses")
	s.register("off", map[string]any{"disabled": true})
	s.register("mute", map[string]any{"url": s.receiver().URL("/mute")})
	blocking := map[string]any{"kind": "minResolved", "minCount": 2}
	for code, node := range map[string]client.Node{
		"agent-refused":           client.Agent("a", "checker"),
		"agent-disabled":          client.Agent("a", "off"),
		"agent-not-found":         client.Agent("a", "nobody"),
		"agent-url-unresolved":    client.Agent("a", "checker").With("urlPath", "no.page"),
		"agent-responses-missing": client.Agent("a", "mute").With("blocking", true).With("resolutionPolicy", blocking),
	} {
		view := s.asksAgent(node).ends("failed")
		require.Equal(t, code, view.Steps[0].Error.Code)
		require.Equal(t, "step-failed", view.FailureReason.Code)
	}
	require.Empty(t, s.judgments(map[string]any{"judgeType": "agent"}).Results)
}

func TestAgentStepIsSettledByItsOwnAnswer(t *testing.T) {
	s := begin(t)
	s.receiver().Answer("/agent", receiver.JSON(`{"resolution":"rejected","reason":"too long","output":{"words":900}}`))
	s.anAgentAt("/agent")
	r := s.dispatch(s.define([]client.Node{client.Agent("check", "checker"), client.Mock("back")}, client.Reject("check", "back")))
	view := r.ends("completed")
	output := outputOf(t, view.Steps[0])
	require.Equal(t, "reject", output["decision"])
	require.Equal(t, "checker", output["rejectedBy"])
	require.InDelta(t, 900, output["words"], 0)
	require.Contains(t, string(r.events("step.completed")[0].Data), `"source":"agent"`)
	judged := s.judgments(map[string]any{"judgeType": "agent"}).Results
	require.Len(t, judged, 1)
	require.Equal(t, "too long", judged[0].Reasoning)
}

func TestAgentStepThatWaitsForFewerResponsesThanItsPolicyNeedsIsRejected(t *testing.T) {
	s := begin(t)
	s.receiver().Answer("/agent", receiver.JSON(`{"responseIds":["r1"]}`))
	s.anAgentAt("/agent")
	view := s.asksAgent(client.Agent("check", "checker").With("blocking", true).
		With("resolutionPolicy", map[string]any{"kind": "minResolved", "minCount": 2})).ends("completed")
	output := outputOf(t, view.Steps[0])
	require.Equal(t, "reject", output["decision"])
	require.Equal(t, "checker", output["rejectedBy"])
	require.Contains(t, output["rejectionReason"], "waits for 1 of the 2 responses")
	require.Empty(t, s.judgments(map[string]any{"judgeType": "agent"}).Results, "nobody has judged")
}

func TestUpdateAgent_1_TheNextTryGoesToTheNewAddress(t *testing.T) {
	s := begin(t)
	s.receiver().Answer("/old", receiver.Status(503))
	s.receiver().Answer("/new", receiver.JSON(`{"resolution":"resolved"}`))
	const former = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
	s.anAgentAt("/old", map[string]any{"secret": former})
	r := s.asksAgent(client.Agent("check", "checker"))
	first := s.calledAgent("/old")
	s.changeAgent("checker", map[string]any{"url": s.receiver().URL("/new"), "secret": "the-next-secret-of-the-agent"})
	r.ends("completed")
	second := s.calledAgent("/new")
	require.Equal(t, first.StepID, second.StepID)
	request := s.receiver().Requests("/new")[0]
	require.Equal(t, "1", request.Header.Get("x-svc-attempt"))
	require.NoError(t, receiver.Verify(request, "the-next-secret-of-the-agent"))
	request.Header = request.Header.Clone()
	for _, own := range []string{"x-svc-signature", "x-svc-event-id", "x-svc-attempt"} {
		request.Header.Del(own)
	}
	require.NoError(t, receiver.VerifyMessage(request, former), "the former one signs beside it")
}

func TestUpdateAgent_2_AndDeleteAgent_1_2_WaitingStepsStayResolvable(t *testing.T) {
	s := begin(t)
	s.receiver().Answer("/agent", receiver.JSON(`{}`))
	s.anAgentAt("/agent")
	definition := s.define([]client.Node{client.Agent("check", "checker")})
	disabled, deleted := s.dispatch(definition), s.dispatch(definition)
	disabled.waitsAt("check")
	deleted.waitsAt("check")
	s.changeAgent("checker", map[string]any{"disabled": true})
	require.Equal(t, "agent-disabled", s.dispatch(definition).ends("failed").Steps[0].Error.Code)
	require.True(t, s.resolve(disabled.resolves("check", "r1", "resolved")).Recorded)
	disabled.ends("completed")
	s.call(deleteAgent, agentNamed("checker"), nil)
	require.Equal(t, "agent-not-found", s.dispatch(definition).ends("failed").Steps[0].Error.Code)
	require.True(t, s.resolve(deleted.resolves("check", "r1", "resolved")).Recorded)
	deleted.ends("completed")
	require.Contains(t, string(deleted.events("step.completed")[0].Data), `"source":"operator"`)
}

func TestRecordAgentResolution_3_TheResolutionIsTheDecision(t *testing.T) {
	s := begin(t)
	s.receiver().Answer("/agent", receiver.JSON(`{}`))
	s.anAgentAt("/agent")
	r := s.dispatch(s.define([]client.Node{client.Agent("check", "checker"), client.Mock("back")}, client.Reject("check", "back")))
	r.waitsAt("check")
	answer := s.resolve(r.resolves("check", "r1", "rejected", map[string]any{
		"output": map[string]any{"decision": "approve", "approved": true}, "actorId": "u_ops", "reason": "no",
	}))
	require.Equal(t, "rejected", answer.AggregatorStatus)
	require.Equal(t, "no", *answer.RejectionReason)
	view := r.ends("completed")
	output := outputOf(t, view.Steps[0])
	require.Equal(t, "reject", output["decision"])
	require.Equal(t, false, output["approved"])
	require.Equal(t, "u_ops", output["rejectedBy"])
	require.Equal(t, "back", view.Steps[1].NodeID)
}

func TestRecordAgentResolution_4_TwoOfThree(t *testing.T) {
	s := begin(t)
	s.receiver().Answer("/agent", receiver.JSON(`{"responseIds":["a","b","c"]}`))
	s.anAgentAt("/agent")
	node := client.Agent("check", "checker").With("blocking", true).With("resolutionPolicy", map[string]any{"kind": "minResolved", "minCount": 2})
	r := s.asksAgent(node)
	r.waitsAt("check")
	require.Equal(t, "unknown-responder", s.resolve(r.resolves("check", "x", "resolved")).AggregatorStatus)
	require.Equal(t, "pending", s.resolve(r.resolves("check", "a", "resolved")).AggregatorStatus)
	second := s.resolve(r.resolves("check", "b", "resolved", map[string]any{"output": map[string]any{"by": "b"}}))
	require.Equal(t, client.Decided{Recorded: true, AggregatorStatus: "resolved", ResumeScheduled: true}, second)
	require.Equal(t, "already-terminal", s.resolve(r.resolves("check", "c", "resolved")).AggregatorStatus)
	require.Equal(t, "idempotent", s.resolve(r.resolves("check", "a", "rejected")).AggregatorStatus)
	require.Equal(t, "b", outputOf(t, r.ends("completed").Steps[0])["by"])

	all := s.asksAgent(client.Agent("check", "checker").With("blocking", true).With("resolutionPolicy", map[string]any{"kind": "allResolved"}))
	all.waitsAt("check")
	require.Equal(t, "pending", s.resolve(all.resolves("check", "a", "resolved")).AggregatorStatus)
	require.Equal(t, "rejected", s.resolve(all.resolves("check", "b", "rejected")).AggregatorStatus, "it cannot be met any more")
}

func TestRecordAgentResolution_5_TenAtOnce(t *testing.T) {
	s := begin(t)
	s.receiver().Answer("/agent", receiver.JSON(`{}`))
	s.anAgentAt("/agent")
	r := s.asksAgent(client.Agent("check", "checker"))
	r.waitsAt("check")
	data := r.resolves("check", "r1", "resolved")
	answers := make([]client.Decided, 10)
	together(len(answers), func(i int) { answers[i], _ = client.Call[client.Decided](s.ctx, s.keyed, recordResolution, data) })
	recorded := 0
	for _, answer := range answers {
		if answer.Recorded {
			recorded++
		} else {
			assert.Equal(t, "idempotent", answer.AggregatorStatus)
		}
	}
	require.Equal(t, 1, recorded)
	r.ends("completed")
	require.Equal(t, 1, s.judgments(map[string]any{"judgeType": "agent"}).Total)
}

func TestRecordAgentResolutionRefusals(t *testing.T) {
	s := begin(t)
	s.receiver().Answer("/agent", receiver.JSON(`{}`))
	s.anAgentAt("/agent")
	nodes := []client.Node{client.Agent("check", "checker"), client.Human("review", "ann"), client.Mock("mock"), client.Mock("later")}
	r := s.dispatch(s.define(nodes, client.Reject("review", "later")))
	r.waitsAt("check")
	r.waitsAt("review")
	other := s.asksAgent(client.Agent("check", "checker"))
	other.waitsAt("check")
	token := s.calledAgent("/agent").Callback.Token
	if s.calledAgent("/agent").ExecutionID != r.id {
		r, other = other, r
	}
	for _, wrong := range []struct {
		data  map[string]any
		token string
	}{
		{other.resolves("check", "r1", "resolved"), token},
		{r.resolves("check", "r1", "resolved"), token + "x"},
	} {
		_, err := client.Call[json.RawMessage](s.ctx, s.byToken(wrong.token), recordResolution, wrong.data)
		require.Equal(t, "UNAUTHENTICATED", client.Refusal(err).Status)
	}
	_, err := client.Call[json.RawMessage](s.ctx, s.byToken(token), "workflow/executions/get", map[string]any{"executionId": r.id})
	require.Equal(t, "UNAUTHENTICATED", client.Refusal(err).Status, "it opens nothing but its step")
	whole := r
	if len(whole.view().Steps) == 1 {
		whole = other
	}
	for _, node := range []string{"review", "mock"} {
		s.refusedAs("FAILED_PRECONDITION", recordResolution, whole.resolves(node, "r1", "resolved"))
	}
	data := r.resolves("check", "r1", "resolved")
	data["stepId"] = "step_nobody_i1_a1_000000000000"
	s.refusedAs("NOT_FOUND", recordResolution, data)
	data = r.resolves("check", "r1", "done")
	s.refusedAs("INVALID_ARGUMENT", recordResolution, data)
	s.refusedAs("INVALID_ARGUMENT", recordResolution, r.resolves("check", "r1", "resolved", map[string]any{"output": map[string]any{"x": strings.Repeat("x", 64<<10)}}))
	s.refusedAs("INVALID_ARGUMENT", recordResolution, r.resolves("check", "r1", "resolved", map[string]any{"unknown": 1}))
	r.cancel()
	s.refusedAs("FAILED_PRECONDITION", recordResolution, r.resolves("check", "r1", "resolved"))
}
