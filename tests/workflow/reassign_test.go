package workflow

import (
	"maps"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func inbox(env *kit.Env, reviewer string) []redline.ListedStep {
	env.T.Helper()
	return kit.EveryPage[redline.ListedStep](env, client.ListSteps, map[string]any{"reviewerId": reviewer})
}

func TestReassign_1_AgainstTheOldReviewersDecision(t *testing.T) {
	env := kit.NewWorkspace(t)
	definition := kit.SignOff(env)
	for range 10 {
		r := kit.Dispatch(env, definition)
		r.WaitsAt("review")
		data := r.Reassigning("ann", "bob")
		decision := r.Decision(data["stepId"].(string), "ann", "approve")
		var decided, reassigned atomic.Bool
		kit.Concurrently(2, func(i int) {
			if i == 0 {
				_, err := client.Call[map[string]any](env.Ctx, env.Keyed, client.ReassignStep, data)
				reassigned.Store(unlessLate(env, err))
				return
			}
			answer, err := env.Workspace.Decide(env.Ctx, decision)
			kit.NoError(t, err)
			decided.Store(answer.Recorded)
		})
		require.NotEqual(t, decided.Load(), reassigned.Load(), "one of the two took effect")
		if reassigned.Load() {
			require.Equal(t, redline.DecideResultAggregatorStatusResolved, r.Decide("review", "bob", "approve").AggregatorStatus)
		}
		r.Ends("completed")
	}
}

func TestReassign_2_TheOldReviewerIsAStranger(t *testing.T) {
	env := kit.NewWorkspace(t)
	people := kit.Reviewers(3)
	ann, bob, opt := people[0], people[1], people[2]
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.Panel("review", []string{ann}, []string{opt}), client.Mock("end")}, client.Both("review", "end")...))
	r.WaitsAt("review")
	panel := []redline.Reviewer{{UserID: bob, Mandatory: true}, {UserID: opt, Mandatory: false}}
	require.Equal(t, panel, r.Reassign(ann, bob))
	require.Equal(t, panel, r.Reassign(ann, bob), "a repetition is the same")
	require.Empty(t, inbox(env, ann))
	require.Len(t, inbox(env, bob), 1)
	require.Equal(t, redline.DecideResultAggregatorStatusUnknownResponder, r.Decide("review", ann, "approve").AggregatorStatus)
	events := r.Events("step.reassigned")
	require.Len(t, events, 1)
	require.JSONEq(t, `{"fromReviewerId":"`+ann+`","toReviewerId":"`+bob+`","actorId":"boss","reason":"in a hurry"}`, string(events[0].Data))
	require.Equal(t, bob, r.Step("review").Metadata.Reviewers[0].UserID)
	require.Equal(t, []any{bob, opt}, output(t, r.Step("review"))["reviewerIds"])
	require.Equal(t, redline.DecideResultAggregatorStatusResolved, r.Decide("review", bob, "approve").AggregatorStatus)
	r.Ends("completed")
	require.Equal(t, panel, r.Reassign(ann, bob), "a repetition after the end")
	env.RefusedAs("FAILED_PRECONDITION", client.ReassignStep, r.Reassigning(opt, "eve"))
}

func TestReassign_3_AChainAndBack(t *testing.T) {
	env := kit.NewWorkspace(t)
	r := kit.Dispatch(env, kit.SignOff(env))
	r.WaitsAt("review")
	r.Reassign("ann", "bob")
	r.Reassign("bob", "eve")
	env.RefusedAs("FAILED_PRECONDITION", client.ReassignStep, r.Reassigning("ann", "bob"))
	r.Reassign("eve", "bob")
	require.Equal(t, []redline.Reviewer{{UserID: "ann", Mandatory: true}}, r.Reassign("bob", "ann"))
	require.Equal(t, redline.DecideResultAggregatorStatusResolved, r.Decide("review", "ann", "approve").AggregatorStatus)
	r.Ends("completed")
}

func TestReassign_4_OthersAreUnchanged(t *testing.T) {
	env := kit.NewWorkspace(t)
	definition := kit.SignOff(env)
	r, beside := kit.Dispatch(env, definition), kit.Dispatch(env, definition)
	r.WaitsAt("review")
	beside.WaitsAt("review")
	var before, after map[string]any
	env.Call(client.GetDefinition, map[string]any{"definitionId": definition}, &before)
	r.Reassign("ann", "bob")
	env.Call(client.GetDefinition, map[string]any{"definitionId": definition}, &after)
	require.Equal(t, before, after)
	require.Equal(t, "ann", beside.Step("review").Metadata.Reviewers[0].UserID)
	later := kit.Dispatch(env, definition)
	later.WaitsAt("review")
	require.Equal(t, "ann", later.Step("review").Metadata.Reviewers[0].UserID)
}

func TestReassignHoldsForLaterIterations(t *testing.T) {
	env := kit.NewWorkspace(t)
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.Mock("write"), client.Human("review", "ann"), client.Mock("end")},
		client.Always("write", "review"), client.Approve("review", "end"), client.Back("review", "write", 2)))
	r.WaitsAt("review")
	r.Reassign("ann", "bob")
	for range 2 {
		answer, err := env.Workspace.Decide(env.Ctx, r.Decision(newestStep(r, "review").StepID, "bob", "reject"))
		require.NoError(t, err)
		require.True(t, answer.Recorded)
	}
	third := newestStep(r, "review")
	require.Equal(t, int64(3), third.Metadata.Iteration)
	require.Equal(t, "bob", third.Metadata.Reviewers[0].UserID)
	require.Len(t, inboxOf(env, r, "bob"), 1)
	require.Empty(t, inboxOf(env, r, "ann"))
	require.True(t, r.Cancel())
}

func TestReassignShapeAndState(t *testing.T) {
	env := kit.NewWorkspace(t)
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.Human("review", "ann", "bob"), client.Mock("end")}, client.Both("review", "end")...))
	r.WaitsAt("review")
	for _, change := range []map[string]any{
		{"actorId": ""}, {"fromReviewerId": ""}, {"toReviewerId": ""}, {"toReviewerId": strings.Repeat("x", 201)}, {"reason": strings.Repeat("ü", 501)}, {"surplus": 1},
	} {
		data := r.Reassigning("ann", "eve")
		maps.Copy(data, change)
		assert.Equal(t, redline.ProblemStatusInvalidArgument, env.Refused(client.ReassignStep, data).Status, "%v", change)
	}
	r.Decide("review", "ann", "approve")
	for _, pair := range [][2]string{{"ann", "eve"}, {"eve", "x"}, {"bob", "ann"}, {"bob", "bob"}} {
		env.RefusedAs("FAILED_PRECONDITION", client.ReassignStep, r.Reassigning(pair[0], pair[1]))
	}
	unknown := r.Reassigning("bob", "eve")
	unknown["stepId"] = "nothing"
	env.RefusedAs("NOT_FOUND", client.ReassignStep, unknown)
	r.Decide("review", "bob", "approve")
	r.Ends("completed")
	other := r.By("end", map[string]any{"fromReviewerId": "ann", "toReviewerId": "eve"})
	env.RefusedAs("FAILED_PRECONDITION", client.ReassignStep, other)
}
