package tests

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
	"github.com/redline-svc/redline/tests/receiver"
)

func TestEdges_AlwaysApproveRejectAndCustom(t *testing.T) {
	s := begin(t)
	s.receiver().Answer("/refuses", receiver.Status(400))
	failed := `{"op":"eq","args":[{"var":"step.status"},"failed"]}`
	definition := s.define(
		[]client.Node{
			client.Human("person", "ann"), client.Hook("failing", s.receiver().URL("/refuses")),
			client.Mock("approved"), client.Mock("rejected"), client.Mock("either"), client.Mock("custom"), client.Mock("not"),
			client.Mock("after-failure"), client.Mock("no-approval"), client.Mock("when-failed"),
		},
		client.Approve("person", "approved"), client.Reject("person", "rejected"), client.Always("person", "either"),
		client.When("person", "custom", `{"op":"eq","args":[{"var":"output.decision"},"reject"]}`),
		client.When("person", "not", `{"op":"eq","args":[{"var":"output.decision"},"approve"]}`),
		client.Always("failing", "after-failure"), client.Approve("failing", "no-approval"), client.When("failing", "when-failed", failed))
	r := s.dispatch(definition)
	r.waitsAt("person")
	r.reaches("failing", "failed")
	r.decide("person", "ann", "reject")
	view := r.ends("completed")
	for node, expected := range map[string]int{
		"approved": 0, "rejected": 1, "either": 1, "custom": 1, "not": 0, "after-failure": 1, "no-approval": 0, "when-failed": 1,
	} {
		assert.Len(t, steps(view, node), expected, node)
	}
	require.Equal(t, "webhook-http-status", view.Steps[1].Error.Code)
}

// predicates are pairs of a text of `when` and whether its edge fires after a
// webhook step whose reply is source, with the context below.
var predicates = []struct {
	when  string
	fires bool
}{
	{`{"op":"eq","args":[{"var":"output.responseJson.n"},1.0]}`, true},
	{`{"op":"eq","args":[{"var":"output.responseJson.n"},"1"]}`, false},
	{`{"op":"eq","args":[{"var":"output.responseJson.big"},9007199254740993]}`, true},
	{`{"op":"eq","args":[{"var":"output.responseJson.big"},9007199254740992]}`, false},
	{`{"op":"eq","args":[{"var":"output.nothing.here"},null]}`, true},
	{`{"op":"ne","args":[{"var":"output.responseJson.list"},[1,2,3]]}`, false},
	{`{"op":"gt","args":[{"var":"output.responseJson.big"},9007199254740992]}`, true},
	{`{"op":"gte","args":["b","a"]}`, true},
	{`{"op":"lt","args":[{"var":"output.responseJson.text"},5]}`, false},
	{`{"op":"lte","args":[2,2]}`, true},
	{`{"op":"and","args":[true,{"op":"exists","args":[{"var":"output.responseJson.text"}]}]}`, true},
	{`{"op":"and","args":[true,1]}`, false},
	{`{"op":"or","args":[{"var":"output.responseJson.text"},{"var":"output.responseJson.yes"}]}`, true},
	{`{"op":"not","args":[{"var":"output.responseJson.text"}]}`, true},
	{`{"op":"in","args":[2,{"var":"output.responseJson.list"}]}`, true},
	{`{"op":"includes","args":[{"var":"output.responseJson.text"},"lo wö"]}`, true},
	{`{"op":"includes","args":[{"var":"output.responseJson.list"},4]}`, false},
	{`{"op":"startsWith","args":[{"var":"execution.input.title"},"Draft"]}`, true},
	{`{"op":"endsWith","args":[{"var":"execution.input.title"},"draft"]}`, false},
	{`{"op":"eq","args":[{"op":"length","args":[{"var":"output.responseJson.text"}]},11]}`, true},
	{`{"op":"eq","args":[{"op":"length","args":[{"var":"execution.input"}]},2]}`, true},
	{`{"op":"isEmpty","args":[{"var":"output.responseJson.empty"}]}`, true},
	{`{"op":"exists","args":[{"var":"output.responseJson.none"}]}`, false},
	{`{"op":"regex","args":[{"var":"execution.input.title"},"^Dr.ft \\d+$"]}`, true},
	{`{"op":"regex","args":[{"var":"output.responseJson.n"},"1"]}`, false},
	{`{"op":"eq","args":[{"var":"output.responseJson.list.1"},2]}`, true},
	{`{"op":"eq","args":[{"var":"execution.input.deep.0.k"},"v"]}`, true},
	{`{"op":"eq","args":[{"var":"step.nodeId"},"source"]}`, true},
	{`{"op":"eq","args":[{"var":"step.retryCount"},0]}`, true},
	{`{"op":"eq","args":[{"var":"step.status"},"completed"]}`, true},
	{`{"op":"eq","args":[{"var":"output.httpStatus"},200]}`, true},
	{`{"var":"output.responseJson.yes"}`, true},
	{`{"var":"output.responseJson.n"}`, false},
}

func TestPredicatesThroughARealExecution(t *testing.T) {
	s := begin(t)
	s.receiver().Answer("/source", receiver.JSON(`{"n":1,"big":9007199254740993,"text":"hello wörld","list":[1,2,3],"empty":"","none":null,"yes":true}`))
	nodes := []client.Node{client.Hook("source", s.receiver().URL("/source"))}
	var edges []client.Edge
	for i, p := range predicates {
		node := fmt.Sprintf("p%d", i)
		nodes, edges = append(nodes, client.Mock(node)), append(edges, client.When("source", node, p.when))
	}
	r := s.dispatch(s.define(nodes, edges...), input(json.RawMessage(`{"title":"Draft 12","deep":[{"k":"v"}]}`)))
	view := r.ends("completed")
	for i, p := range predicates {
		assert.Equal(t, p.fires, len(steps(view, fmt.Sprintf("p%d", i))) == 1, p.when)
	}
}

func TestDiamondRunsItsJoinOnce(t *testing.T) {
	s := begin(t)
	slow := s.receiver().Hold("/slow")
	definition := s.define(
		[]client.Node{
			client.Mock("a"), client.Hook("b", s.receiver().URL("/quick")), client.Hook("c", s.receiver().URL("/slow")),
			client.Hook("d", s.receiver().URL("/join")).With("bodyTemplate", "pass-through"),
		},
		client.Always("a", "b"), client.Always("a", "c"), client.Always("b", "d"), client.Always("c", "d"))
	s.receiver().Answer("/quick", receiver.JSON(`{"from":"b"}`))
	s.receiver().Answer("/slow", receiver.JSON(`{"from":"c"}`))
	r := s.dispatch(definition)
	reached(t, "the slow branch", slow.Reached())
	first := r.reaches("d", "completed")
	slow.Release()
	view := r.ends("completed")
	require.Len(t, view.Steps, 4, "the later edge is absorbed")
	require.Equal(t, first, steps(view, "d")[0], "and changes nothing")
	require.Len(t, s.receiver().Requests("/join"), 1)
	require.Contains(t, string(s.receiver().Requests("/join")[0].Body), `"from":"b"`, "its input is the first edge's")
}

func TestHumanOutputFromWaitingToTheEnd(t *testing.T) {
	s := begin(t)
	human := client.Panel("review", []string{"ann", "bob"}, []string{"carol"}).With("commentBody", "Please look").With("reviewerEmails", []string{"ann@example.com"})
	r := s.dispatch(s.define([]client.Node{human, client.Mock("end")}, client.Both("review", "end")...))
	waiting := output(t, r.waitsAt("review"))
	require.Equal(t, "pending", waiting["aggregatorStatus"])
	require.Equal(t, "Please look", waiting["commentBody"])
	require.Equal(t, []any{"ann@example.com"}, waiting["reviewerEmails"])
	require.Equal(t, []any{"ann", "bob", "carol"}, waiting["reviewerIds"])
	require.EqualValues(t, 2, waiting["mandatoryCount"])
	require.Empty(t, waiting["responses"])

	r.decide("review", "ann", "approve", "good")
	open := output(t, r.step("review"))
	require.Equal(t, "pending", open["aggregatorStatus"])
	require.EqualValues(t, 1, open["approveCount"])
	require.NotContains(t, open, "decision")

	r.decide("review", "bob", "reject", "bad")
	r.ends("completed")
	ended := output(t, r.step("review"))
	require.Equal(t, "rejected", ended["aggregatorStatus"])
	require.Equal(t, "reject", ended["decision"])
	require.Equal(t, false, ended["approved"])
	require.EqualValues(t, 2, ended["totalResponses"])
	require.EqualValues(t, 1, ended["mandatoryApproveCount"])
	require.Equal(t, "bob", ended["rejectedBy"])
	require.Equal(t, true, ended["rejectorMandatory"])
	require.Equal(t, "bad", ended["rejectionReason"])
	require.Equal(t, r.step("review").StepID, ended["resumeKey"])
	responses, _ := ended["responses"].([]any)
	require.Len(t, responses, 2)
	first, _ := responses[0].(map[string]any)
	require.Equal(t, "good", first["reason"])
}

func output(t *testing.T, step client.Step) map[string]any {
	t.Helper()
	var found map[string]any
	require.NoError(t, json.Unmarshal(step.Output, &found), "%s", step.Output)
	return found
}

func TestInputOfASuccessorIsTheSourcesOutput(t *testing.T) {
	s := begin(t)
	definition := s.define(
		[]client.Node{client.Hook("first", s.receiver().URL("/first")), client.Hook("second", s.receiver().URL("/second"))},
		client.Always("first", "second"))
	s.receiver().Answer("/first", receiver.JSON(`{"score":12345678901234567890}`))
	r := s.dispatch(definition, input(map[string]any{"title": "T"}))
	r.ends("completed")
	var root, next struct {
		ExecutionID    string          `json:"executionId"`
		NodeID         string          `json:"nodeId"`
		Iteration      int             `json:"iteration"`
		Attempt        int             `json:"attempt"`
		TriggerContext json.RawMessage `json:"triggerContext"`
		Input          json.RawMessage `json:"input"`
	}
	require.NoError(t, json.Unmarshal(s.receiver().Requests("/first")[0].Body, &root))
	require.NoError(t, json.Unmarshal(s.receiver().Requests("/second")[0].Body, &next))
	require.Equal(t, r.id, root.ExecutionID)
	require.Equal(t, "first", root.NodeID)
	require.JSONEq(t, `{}`, string(root.Input), "a root gets an empty object")
	require.JSONEq(t, `{"title":"T"}`, string(next.TriggerContext))
	require.Contains(t, string(next.Input), "12345678901234567890")
	require.Equal(t, 1, next.Iteration)
	require.Equal(t, 1, next.Attempt)
}

func TestEnd_AFailedStepThatNoEdgeTakes(t *testing.T) {
	s := begin(t)
	s.receiver().Answer("/refuses", receiver.Status(404))
	gate := s.receiver().Hold("/refuses")
	definition := s.define(
		[]client.Node{client.Human("open", "ann"), client.Hook("call", s.receiver().URL("/refuses")), client.Mock("end")},
		append(client.Both("open", "end"), client.Approve("call", "end"))...)
	r := s.dispatch(definition)
	r.waitsAt("open")
	gate.Release()
	view := r.ends("failed")
	require.Equal(t, "step-failed", view.FailureReason.Code)
	require.NotNil(t, view.CompletedAt)
	require.Nil(t, view.CancelledAt)
	require.Equal(t, "webhook-http-status", steps(view, "call")[0].Error.Code)
	require.Equal(t, "cancelled", steps(view, "open")[0].Status)
	require.Equal(t, []string{"step.failed", "step.cancelled", "execution.failed"}, names(r.events("step.failed", "step.cancelled", "execution.failed")))
	require.JSONEq(t, `{"actorId":"system:execution-failed","reason":"execution-failed"}`, string(r.events("step.cancelled")[0].Data))
	s.refusedAs("FAILED_PRECONDITION", recordDecision, r.decision(steps(view, "open")[0].StepID, "ann", "approve"))
}

func TestEnd_ARejectionThatNoEdgeTakes(t *testing.T) {
	s := begin(t)
	s.receiver().Answer("/says-no", receiver.JSON(`{"decision":"reject"}`))
	routed := s.define([]client.Node{client.Hook("call", s.receiver().URL("/says-no")), client.Mock("end")}, client.Approve("call", "end"))
	view := s.dispatch(routed).ends("failed")
	require.Equal(t, "unrouted-rejection", view.FailureReason.Code)

	leaf := s.define([]client.Node{client.Hook("call", s.receiver().URL("/says-no"))})
	ended := s.dispatch(leaf).ends("completed")
	found := output(t, ended.Steps[0])
	require.Equal(t, "reject", found["decision"], "a step without edges ends its branch")
	require.Equal(t, "call", found["rejectedBy"])
	require.Equal(t, true, found["rejectorMandatory"])
}

func TestEnd_CompletedWhenABranchCameToItsEnd(t *testing.T) {
	s := begin(t)
	definition := s.define([]client.Node{client.Mock("left"), client.Human("right", "ann"), client.Mock("no")}, client.Reject("right", "no"))
	r := s.dispatch(definition)
	r.reaches("left", "completed")
	r.waitsAt("right")
	require.Equal(t, "running", r.runs().view().Status, "one branch still waits")
	r.decide("right", "ann", "approve")
	view := r.ends("completed")
	require.Len(t, view.Steps, 2, "an approval may have nowhere to go")
	require.Len(t, r.events("execution.completed"), 1)
}
