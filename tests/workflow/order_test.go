package workflow

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

func TestEdges_AlwaysApproveRejectAndCustom(t *testing.T) {
	env := kit.NewWorkspace(t)
	env.Receiver().Answer("/refuses", receiver.Status(400))
	failed := `{"op":"eq","args":[{"var":"step.status"},"failed"]}`
	definition := kit.Define(env,
		[]redline.NodeInput{
			client.Human("person", "ann"), client.Hook("failing", env.Receiver().URL("/refuses")),
			client.Mock("approved"), client.Mock("rejected"), client.Mock("either"), client.Mock("custom"), client.Mock("not"),
			client.Mock("after-failure"), client.Mock("no-approval"), client.Mock("when-failed"),
		},
		client.Approve("person", "approved"), client.Reject("person", "rejected"), client.Always("person", "either"),
		client.When("person", "custom", `{"op":"eq","args":[{"var":"output.decision"},"reject"]}`),
		client.When("person", "not", `{"op":"eq","args":[{"var":"output.decision"},"approve"]}`),
		client.Always("failing", "after-failure"), client.Approve("failing", "no-approval"), client.When("failing", "when-failed", failed))
	r := kit.Dispatch(env, definition)
	r.WaitsAt("person")
	r.Reaches("failing", "failed")
	r.Decide("person", "ann", "reject")
	view := r.Ends("completed")
	for node, expected := range map[string]int{
		"approved": 0, "rejected": 1, "either": 1, "custom": 1, "not": 0, "after-failure": 1, "no-approval": 0, "when-failed": 1,
	} {
		assert.Len(t, kit.Steps(view, node), expected, node)
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
	env := kit.NewWorkspace(t)
	env.Receiver().Answer("/source", receiver.JSON(`{"n":1,"big":9007199254740993,"text":"hello wörld","list":[1,2,3],"empty":"","none":null,"yes":true}`))
	nodes := []redline.NodeInput{client.Hook("source", env.Receiver().URL("/source"))}
	var edges []redline.EdgeInput
	for i, p := range predicates {
		node := fmt.Sprintf("p%d", i)
		nodes, edges = append(nodes, client.Mock(node)), append(edges, client.When("source", node, p.when))
	}
	r := kit.Dispatch(env, kit.Define(env, nodes, edges...), kit.Input(json.RawMessage(`{"title":"Draft 12","deep":[{"k":"v"}]}`)))
	view := r.Ends("completed")
	for i, p := range predicates {
		assert.Equal(t, p.fires, len(kit.Steps(view, fmt.Sprintf("p%d", i))) == 1, p.when)
	}
}

func TestDiamondRunsItsJoinOnce(t *testing.T) {
	env := kit.NewWorkspace(t)
	slow := env.Receiver().Hold("/slow")
	definition := kit.Define(env,
		[]redline.NodeInput{
			client.Mock("a"), client.Hook("b", env.Receiver().URL("/quick")), client.Hook("c", env.Receiver().URL("/slow")),
			client.With(client.Hook("d", env.Receiver().URL("/join")), "bodyTemplate", "pass-through"),
		},
		client.Always("a", "b"), client.Always("a", "c"), client.Always("b", "d"), client.Always("c", "d"))
	env.Receiver().Answer("/quick", receiver.JSON(`{"from":"b"}`))
	env.Receiver().Answer("/slow", receiver.JSON(`{"from":"c"}`))
	r := kit.Dispatch(env, definition)
	kit.RequireReached(t, "the slow branch", slow.Reached())
	first := r.Reaches("d", "completed")
	slow.Release()
	view := r.Ends("completed")
	require.Len(t, view.Steps, 4, "the later edge is absorbed")
	require.Equal(t, first, kit.Steps(view, "d")[0], "and changes nothing")
	require.Len(t, env.Receiver().Requests("/join"), 1)
	require.Contains(t, string(env.Receiver().Requests("/join")[0].Body), `"from":"b"`, "its input is the first edge's")
}

func TestHumanOutputFromWaitingToTheEnd(t *testing.T) {
	env := kit.NewWorkspace(t)
	human := client.With(client.With(client.Panel("review", []string{"ann", "bob"}, []string{"carol"}), "commentBody", "Please look"), "reviewerEmails", []string{"ann@example.com"})
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{human, client.Mock("end")}, client.Both("review", "end")...))
	waiting := output(t, r.WaitsAt("review"))
	require.Equal(t, "pending", waiting["aggregatorStatus"])
	require.Equal(t, "Please look", waiting["commentBody"])
	require.Equal(t, []any{"ann@example.com"}, waiting["reviewerEmails"])
	require.Equal(t, []any{"ann", "bob", "carol"}, waiting["reviewerIds"])
	require.EqualValues(t, 2, waiting["mandatoryCount"])
	require.Empty(t, waiting["responses"])

	r.Decide("review", "ann", "approve", "good")
	open := output(t, r.Step("review"))
	require.Equal(t, "pending", open["aggregatorStatus"])
	require.EqualValues(t, 1, open["approveCount"])
	require.NotContains(t, open, "decision")

	r.Decide("review", "bob", "reject", "bad")
	r.Ends("completed")
	ended := output(t, r.Step("review"))
	require.Equal(t, "rejected", ended["aggregatorStatus"])
	require.Equal(t, "reject", ended["decision"])
	require.Equal(t, false, ended["approved"])
	require.EqualValues(t, 2, ended["totalResponses"])
	require.EqualValues(t, 1, ended["mandatoryApproveCount"])
	require.Equal(t, "bob", ended["rejectedBy"])
	require.Equal(t, true, ended["rejectorMandatory"])
	require.Equal(t, "bad", ended["rejectionReason"])
	require.Equal(t, r.Step("review").StepID, ended["resumeKey"])
	responses, _ := ended["responses"].([]any)
	require.Len(t, responses, 2)
	first, _ := responses[0].(map[string]any)
	require.Equal(t, "good", first["reason"])
}

func output(t *testing.T, step redline.Step) map[string]any {
	t.Helper()
	var found map[string]any
	require.NoError(t, json.Unmarshal(step.Output, &found), "%s", step.Output)
	return found
}

func TestInputOfASuccessorIsTheSourcesOutput(t *testing.T) {
	env := kit.NewWorkspace(t)
	definition := kit.Define(env,
		[]redline.NodeInput{client.Hook("first", env.Receiver().URL("/first")), client.Hook("second", env.Receiver().URL("/second"))},
		client.Always("first", "second"))
	env.Receiver().Answer("/first", receiver.JSON(`{"score":12345678901234567890}`))
	r := kit.Dispatch(env, definition, kit.Input(map[string]any{"title": "T"}))
	r.Ends("completed")
	var root, next struct {
		ExecutionID    string          `json:"executionId"`
		NodeID         string          `json:"nodeId"`
		Iteration      int             `json:"iteration"`
		Attempt        int             `json:"attempt"`
		TriggerContext json.RawMessage `json:"triggerContext"`
		Input          json.RawMessage `json:"input"`
	}
	require.NoError(t, json.Unmarshal(env.Receiver().Requests("/first")[0].Body, &root))
	require.NoError(t, json.Unmarshal(env.Receiver().Requests("/second")[0].Body, &next))
	require.Equal(t, r.ID, root.ExecutionID)
	require.Equal(t, "first", root.NodeID)
	require.JSONEq(t, `{}`, string(root.Input), "a root gets an empty object")
	require.JSONEq(t, `{"title":"T"}`, string(next.TriggerContext))
	require.Contains(t, string(next.Input), "12345678901234567890")
	require.Equal(t, 1, next.Iteration)
	require.Equal(t, 1, next.Attempt)
}

func TestEnd_AFailedStepThatNoEdgeTakes(t *testing.T) {
	env := kit.NewWorkspace(t)
	env.Receiver().Answer("/refuses", receiver.Status(404))
	gate := env.Receiver().Hold("/refuses")
	definition := kit.Define(env,
		[]redline.NodeInput{client.Human("open", "ann"), client.Hook("call", env.Receiver().URL("/refuses")), client.Mock("end")},
		append(client.Both("open", "end"), client.Approve("call", "end"))...)
	r := kit.Dispatch(env, definition)
	r.WaitsAt("open")
	gate.Release()
	view := r.Ends("failed")
	require.Equal(t, "step-failed", view.FailureReason.Code)
	require.NotNil(t, view.CompletedAt)
	require.Nil(t, view.CancelledAt)
	require.Equal(t, "webhook-http-status", kit.Steps(view, "call")[0].Error.Code)
	require.Equal(t, redline.StepStatusCancelled, kit.Steps(view, "open")[0].Status)
	require.Equal(t, []string{"step.failed", "step.cancelled", "execution.failed"}, names(r.Events("step.failed", "step.cancelled", "execution.failed")))
	require.JSONEq(t, `{"actorId":"system:execution-failed","reason":"execution-failed"}`, string(r.Events("step.cancelled")[0].Data))
	env.RefusedAs("FAILED_PRECONDITION", client.RecordDecision, r.Decision(kit.Steps(view, "open")[0].StepID, "ann", "approve"))
}

func TestEnd_ARejectionThatNoEdgeTakes(t *testing.T) {
	env := kit.NewWorkspace(t)
	env.Receiver().Answer("/says-no", receiver.JSON(`{"decision":"reject"}`))
	routed := kit.Define(env, []redline.NodeInput{client.Hook("call", env.Receiver().URL("/says-no")), client.Mock("end")}, client.Approve("call", "end"))
	view := kit.Dispatch(env, routed).Ends("failed")
	require.Equal(t, "unrouted-rejection", view.FailureReason.Code)

	leaf := kit.Define(env, []redline.NodeInput{client.Hook("call", env.Receiver().URL("/says-no"))})
	ended := kit.Dispatch(env, leaf).Ends("completed")
	found := output(t, ended.Steps[0])
	require.Equal(t, "reject", found["decision"], "a step without edges ends its branch")
	require.Equal(t, "call", found["rejectedBy"])
	require.Equal(t, true, found["rejectorMandatory"])
}

func TestEnd_CompletedWhenABranchCameToItsEnd(t *testing.T) {
	env := kit.NewWorkspace(t)
	definition := kit.Define(env, []redline.NodeInput{client.Mock("left"), client.Human("right", "ann"), client.Mock("no")}, client.Reject("right", "no"))
	r := kit.Dispatch(env, definition)
	r.Reaches("left", "completed")
	r.WaitsAt("right")
	require.Equal(t, redline.ExecutionStatusRunning, r.Runs().View().Status, "one branch still waits")
	r.Decide("right", "ann", "approve")
	view := r.Ends("completed")
	require.Len(t, view.Steps, 2, "an approval may have nowhere to go")
	require.Len(t, r.Events("execution.completed"), 1)
}
