package workflow

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// branching is a definition of layers of two nodes, each leading to both of the next
// layer: 2^40 paths. The last layer is a group that decides together, and what it
// rejects goes back to the beginning.
func branching() redline.DefinitionRequest {
	const layers = 40
	d := redline.DefinitionRequest{DefinitionID: kit.Unique("definition"), Name: "Branching", Nodes: []redline.NodeInput{client.Mock("root")}}
	before := []string{"root"}
	for i := range layers {
		layer := []string{fmt.Sprint("left", i), fmt.Sprint("right", i)}
		if i == layers-1 {
			d.Nodes = append(d.Nodes, client.Human(layer[0], "ann"), client.Human(layer[1], "ann"))
		} else {
			d.Nodes = append(d.Nodes, client.Mock(layer[0]), client.Mock(layer[1]))
		}
		for _, from := range before {
			for _, to := range layer {
				d.Edges = append(d.Edges, client.Always(from, to))
			}
		}
		before = layer
	}
	d.Groups = []redline.StepGroupInput{{GroupID: "end", MemberNodeIds: before, ExpectedSteps: 2, Quorum: 2, OnQuorumMet: new(redline.StepGroupInputOnQuorumMetJoinOnQuorum)}}
	d.Edges = append(d.Edges, client.Back(client.GroupEnd("end"), "root", 1))
	return d
}

func TestBadInput_AGraphWithExponentiallyManyPathsRunsEachNodeOnce(t *testing.T) {
	env := kit.NewWorkspace(t)
	definition := branching()
	kit.Create(env, definition)
	r := kit.Dispatch(env, definition.DefinitionID)
	r.WaitsAt("left39")
	r.Decide("left39", "ann", "reject")
	again := newestStep(r, "left39")
	require.Equal(t, int64(2), again.Metadata.Iteration)
	for _, node := range []string{"left39", "right39"} {
		env.Call(client.RecordDecision, r.Decision(newestStep(r, node).StepID, "ann", "approve"), nil)
	}
	view := r.Ends("completed")
	require.Len(t, view.Steps, 2*len(definition.Nodes), "once in each iteration")
}

// A pattern over which other engines would sit for years is only as slow as its text is
// long.
func TestBadInput_APatternThatBacktracksIsAnswered(t *testing.T) {
	env := kit.NewWorkspace(t)
	const pattern = `^(a+)+(a|aa)*$`
	definition := kit.Define(env, []redline.NodeInput{client.Mock("a"), client.Mock("b"), client.Mock("c")},
		client.When("a", "b", `{"op":"regex","args":[{"var":"execution.input.text"},"`+pattern+`"]}`),
		client.When("a", "c", `{"op":"not","args":[{"op":"regex","args":[{"var":"execution.input.text"},"`+pattern+`"]}]}`))
	r := kit.Dispatch(env, definition, kit.Input(map[string]any{"text": strings.Repeat("a", 60_000) + "!"}))
	r.Ends("completed")
	require.Equal(t, redline.StepStatusCompleted, r.Step("c").Status)
	require.Len(t, r.View().Steps, 2, "b has none")
}

// objectOf is a JSON object of that many bytes.
func objectOf(size int) map[string]any {
	return map[string]any{"text": strings.Repeat("x", size-len(`{"text":""}`))}
}

func TestBadInput_OutputsOf64KiBAndOneMore(t *testing.T) {
	env := kit.NewWorkspace(t)
	env.Receiver().Answer("/agent", receiver.JSON(`{}`))
	anAgentAt(env, "/agent")
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.Agent("check", "checker"), client.Human("review", "ann"), client.Mock("end")}, client.Reject("review", "end")))
	r.WaitsAt("check")
	r.WaitsAt("review")
	large := map[string]any{"output": objectOf(64<<10 + 1)}
	env.RefusedAs("INVALID_ARGUMENT", client.RecordResolution, r.Resolves("check", "r1", "resolved", large))
	forced := r.By("review", large)
	forced["action"] = "force-complete"
	env.RefusedAs("INVALID_ARGUMENT", client.ResolveStep, forced)
	require.Equal(t, redline.StepStatusWaiting, r.Step("check").Status)
	require.Equal(t, redline.StepStatusWaiting, r.Step("review").Status)

	whole := map[string]any{"output": objectOf(64 << 10)}
	require.True(t, resolveByAgent(env, r.Resolves("check", "r1", "resolved", whole)).Recorded)
	maps.Copy(forced, whole)
	env.Call(client.ResolveStep, forced, nil)
	r.Ends("completed")
	for _, node := range []string{"check", "review"} {
		output := r.Step(node).Output
		require.Contains(t, string(output), whole["output"].(map[string]any)["text"], "kept whole")
		require.LessOrEqual(t, len(output), 64<<10+1<<10, "and what the service adds")
	}
}

// longIDs are ids that nothing has: 200 emoji, a NUL, what looks like SQL or a path.
var longIDs = []string{strings.Repeat("😀", 200), "a\x00b", "'; drop table steps; --", "../../../etc/passwd", "\u202e\ufeff"}

func TestBadInput_IDsThatNothingHas(t *testing.T) {
	env := kit.NewWorkspace(t)
	r := kit.Dispatch(env, kit.SignOff(env), kit.WithReceiver(env, "/events"))
	step := r.WaitsAt("review")
	for _, odd := range longIDs {
		for _, each := range []struct {
			operation string
			data      map[string]any
		}{
			{client.GetExecution, map[string]any{"executionId": odd}},
			{client.CancelExecution, map[string]any{"executionId": odd}},
			{client.GetEvents, map[string]any{"executionId": odd}},
			{client.GetDeliveries, map[string]any{"executionId": odd}},
			{client.Redeliver, map[string]any{"executionId": odd}},
			{client.Redeliver, map[string]any{"executionId": r.ID, "eventIds": []string{odd}}},
			{client.RetryExecution, map[string]any{"executionId": odd}},
			{client.PauseExecution, map[string]any{"executionId": odd}},
			{client.ResumeExecution, map[string]any{"executionId": odd}},
			{client.RecordDecision, map[string]any{"executionId": r.ID, "stepId": odd, "reviewerId": "ann", "decision": "approve"}},
			{client.RecordResolution, map[string]any{"executionId": r.ID, "stepId": odd, "responseId": odd, "resolution": "resolved"}},
			{client.CancelStep, map[string]any{"executionId": r.ID, "stepId": odd, "actorId": "op"}},
			{client.ResolveStep, map[string]any{"executionId": r.ID, "stepId": odd, "action": "force-fail", "actorId": odd}},
			{client.ReassignStep, map[string]any{"executionId": odd, "stepId": step.StepID, "fromReviewerId": "ann", "toReviewerId": odd, "actorId": "op"}},
			{client.GetDefinition, map[string]any{"definitionId": odd}},
			{client.DeleteDefinition, map[string]any{"definitionId": odd}},
			{client.GetVersion, map[string]any{"definitionId": odd, "version": 1}},
			{client.GetAgent, map[string]any{"agentId": odd}},
			{client.DeleteAgent, map[string]any{"agentId": odd}},
		} {
			failure := env.Refused(each.operation, each.data)
			assert.Contains(t, []string{"NOT_FOUND", "INVALID_ARGUMENT"}, string(failure.Status), "%s %q: %v", each.operation, odd, failure)
			if odd == longIDs[0] {
				assert.Equal(t, redline.ProblemStatusNotFound, failure.Status, "%s: %v", each.operation, failure)
			}
		}
	}
	require.Empty(t, kit.EveryPage[redline.Execution](env, client.ListExecutions, map[string]any{"definitionId": longIDs[0]}))
	require.Empty(t, kit.EveryPage[redline.ListedStep](env, client.ListSteps, map[string]any{"reviewerId": longIDs[0]}))
	require.Equal(t, redline.StepStatusWaiting, r.Step("review").Status)
	require.Equal(t, redline.DecideResultAggregatorStatusUnknownResponder, r.Decide("review", longIDs[0], "approve").AggregatorStatus)
}

// A node may be named by 64 emoji, which its steps' ids cannot hold.
func TestBadInput_NodesNamedByEmoji(t *testing.T) {
	env := kit.NewWorkspace(t)
	name := strings.Repeat("😀", 64)
	kit.RefusedDefinition(env, "length", map[string]any{"nodes": []redline.NodeInput{client.Mock(name + "😀")}})
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.Human(name, longIDs[0]), client.Mock("end")}, client.Both(name, "end")...))
	step := r.WaitsAt(name)
	require.Regexp(t, `^step_-{64}_i1_a1_[0-9a-f]{12}$`, step.StepID)
	require.Len(t, kit.EveryPage[redline.ListedStep](env, client.ListSteps, map[string]any{"reviewerId": longIDs[0]}), 1)
	r.Decide(name, longIDs[0], "approve")
	r.Ends("completed")
}
