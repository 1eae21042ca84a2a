package workflow

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// panel defines a group g of three people, ann, bob and cy, each at a node of that name,
// after a first step that ends at once.
func panel(env *kit.Env, policy string, expected, quorum int, more []redline.NodeInput, edges ...redline.EdgeInput) string {
	env.T.Helper()
	id := kit.Unique("definition")
	kit.Create(env, redline.DefinitionRequest{
		DefinitionID: id, Name: "Panel " + id,
		Nodes:  append([]redline.NodeInput{client.Mock("write"), client.Human("ann", "ann"), client.Human("bob", "bob"), client.Human("cy", "cy")}, more...),
		Edges:  append([]redline.EdgeInput{{From: "write", To: client.GroupEnd("g")}}, edges...),
		Groups: []redline.StepGroupInput{{GroupID: "g", MemberNodeIds: []string{"ann", "bob", "cy"}, ExpectedSteps: int64(expected), Quorum: int64(quorum), OnQuorumMet: new(redline.StepGroupInputOnQuorumMet(policy))}},
	})
	return id
}

// types are the types of the external events so far, without those of single steps.
func types(r *kit.Run) (types []string) {
	for _, e := range r.Events() {
		if e.StepID == nil {
			types = append(types, e.Type)
		}
	}
	return types
}

func TestGroups_AQuorumCancelsTheOthers(t *testing.T) {
	env := kit.NewWorkspace(t)
	r := kit.Dispatch(env, panel(env, "cancelOnQuorum", 3, 2, []redline.NodeInput{client.Mock("publish"), client.Mock("note")},
		client.On("approve", client.GroupEnd("g"), "publish"), client.Reject("ann", "note"), client.Reject("bob", "note"), client.Reject("cy", "note")))
	r.WaitsAt("cy")
	r.Decide("ann", "ann", "approve")
	last := r.Step("cy").StepID
	kit.Concurrently(2, func(i int) {
		_, err := env.Workspace.Decide(env.Ctx, r.Decision(r.Step([]string{"bob", "cy"}[i]).StepID, []string{"bob", "cy"}[i], "approve"))
		if i == 1 && err != nil {
			require.Equal(t, redline.ProblemStatusFailedPrecondition, redline.AsError(err).Status, "bob was first")
		}
	})
	view := r.Ends("completed")
	require.Len(t, kit.Steps(view, "publish"), 1)
	require.Len(t, r.Events("group.quorum-met"), 1)
	require.Equal(t, int64(2), kit.Judgments(env, nil).Total, "what is cancelled is no judgment")
	var data struct {
		GroupID                                      string
		Total, Quorum, CompletedTotal, ExpectedSteps int
	}
	require.NoError(t, json.Unmarshal(r.Events("group.quorum-met")[0].Data, &data))
	require.Equal(t, "g", data.GroupID)
	require.Equal(t, []int{2, 2, 2, 3}, []int{data.Total, data.Quorum, data.CompletedTotal, data.ExpectedSteps})
	cancelled := r.Events("step.cancelled")
	require.Len(t, cancelled, 1)
	require.JSONEq(t, `{"actorId":"system:group-quorum","reason":"group-quorum-met"}`, string(cancelled[0].Data))
	require.NotEmpty(t, last)
}

func TestGroups_WaitAllAsksEverybody(t *testing.T) {
	env := kit.NewWorkspace(t)
	r := kit.Dispatch(env, panel(env, "waitAll", 3, 1, []redline.NodeInput{client.Mock("publish"), client.Human("lead", "dee"), client.Mock("note")},
		client.On("approve", client.GroupEnd("g"), "publish"), client.On("reject", client.GroupEnd("g"), "lead"), client.Reject("lead", "note")))
	r.WaitsAt("cy")
	r.Decide("ann", "ann", "approve")
	require.Equal(t, []string{"execution.dispatched", "group.quorum-met"}, types(r))
	r.Decide("bob", "bob", "reject", "too long")
	r.Decide("cy", "cy", "approve")
	lead := r.WaitsAt("lead")
	require.Equal(t, "dee", lead.Metadata.Reviewers[0].UserID)
	r.Decide("lead", "dee", "approve")
	require.Empty(t, kit.Steps(r.Ends("completed"), "publish"), "the group was rejected")
}

func TestLoops_ARejectionGoesBackUntilTheLoopIsUsedUp(t *testing.T) {
	env := kit.NewWorkspace(t)
	r := kit.Dispatch(env, panel(env, "joinOnQuorum", 2, 2, []redline.NodeInput{client.Mock("publish"), client.Human("desk", "dee"), client.Mock("note")},
		client.On("approve", client.GroupEnd("g"), "publish"), client.Back(client.GroupEnd("g"), "write", 1),
		client.On("exhausted", client.GroupEnd("g"), "desk"), client.Reject("desk", "note")))
	first := r.WaitsAt("ann")
	r.Decide("ann", "ann", "reject", "once more")
	kit.RequireWithin(t, kit.Patience, "the second iteration is asked", func() bool { return len(kit.Steps(r.View(), "cy")) == 2 })

	view := r.View()
	second := kit.Steps(view, "ann")[1]
	require.Equal(t, []any{int64(2), redline.StepStatusWaiting}, []any{second.Metadata.Iteration, second.Status})
	require.NotNil(t, second.Metadata.LoopID)
	again, err := env.Workspace.Decide(env.Ctx, r.Decision(first.StepID, "ann", "approve"))
	require.NoError(t, err)
	require.Equal(t, redline.DecideResultAggregatorStatusIdempotent, again.AggregatorStatus, "ann has said it in the first iteration")
	_, err = env.Workspace.Decide(env.Ctx, r.Decision(kit.Steps(view, "bob")[0].StepID, "bob", "approve"))
	require.Equal(t, redline.ProblemStatusFailedPrecondition, redline.AsError(err).Status, "the loop has cancelled this step")
	require.Equal(t, redline.StepStatusWaiting, kit.Steps(r.View(), "bob")[1].Status, "the new iteration is untouched")

	_, err = env.Workspace.Decide(env.Ctx, r.Decision(kit.Steps(view, "bob")[1].StepID, "bob", "reject", "no"))
	require.NoError(t, err)
	r.WaitsAt("desk")
	require.Equal(t, []string{"execution.dispatched", "loop.iteration-started", "loop.exhausted"}, types(r))
	var data struct {
		LoopID, LastRejectedBy, LastRejectionReason string
		Iteration                                   int
	}
	require.NoError(t, json.Unmarshal(r.Events("loop.exhausted")[0].Data, &data))
	require.Equal(t, []any{*second.Metadata.LoopID, "bob", "no", 2}, []any{data.LoopID, data.LastRejectedBy, data.LastRejectionReason, data.Iteration})
	r.Decide("desk", "dee", "approve")
	require.Empty(t, kit.Steps(r.Ends("completed"), "publish"))
}

func TestDeadlines_ABreachTakesItsEdge(t *testing.T) {
	env := kit.NewWorkspace(t)
	breached := `{"op":"eq","args":[{"var":"step.status"},"breached"]}`
	definition := kit.Define(env,
		[]redline.NodeInput{client.Within(client.Human("legal", "ann"), time.Second), client.Human("lead", "dee"), client.Mock("note")},
		client.When("legal", "lead", breached), client.Reject("legal", "note"), client.Reject("lead", "note"))
	r := kit.Dispatch(env, definition)
	lead := r.WaitsAt("lead")
	legal := r.Step("legal")
	require.Equal(t, redline.StepStatusBreached, legal.Status)
	require.Equal(t, "sla-breached", legal.Error.Code)
	require.Nil(t, lead.DueAt)
	require.GreaterOrEqual(t, *legal.CompletedAt, *legal.DueAt, "never before it is due")
	require.Len(t, r.Events("step.breached"), 1)
	_, err := env.Workspace.Decide(env.Ctx, r.Decision(legal.StepID, "ann", "approve"))
	require.Equal(t, redline.ProblemStatusFailedPrecondition, redline.AsError(err).Status)
	r.Decide("lead", "dee", "approve")
	r.Ends("completed")

	r = kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.Within(client.Human("legal", "ann"), time.Second), client.Mock("note")},
		client.Reject("legal", "note"), client.When("legal", "note", `{"op":"and","args":[`+breached+`,{"var":"execution.input.never"}]}`)))
	require.Equal(t, "step-breached", r.Ends("failed").FailureReason.Code)
	require.Equal(t, int64(1), kit.Judgments(env, nil).Total, "a breach is no judgment")
}

func TestGroups_NoQuorumWithoutARequiredMember(t *testing.T) {
	env := kit.NewWorkspace(t)
	id := kit.Unique("definition")
	kit.Create(env, redline.DefinitionRequest{
		DefinitionID: id, Name: "Panel " + id,
		Nodes: []redline.NodeInput{client.Human("ann", "ann"), client.Human("bob", "bob"), client.Human("cy", "cy"), client.Mock("publish"), client.Mock("note")},
		Edges: []redline.EdgeInput{
			client.On("approve", client.GroupEnd("g"), "publish"), client.Reject("ann", "note"), client.Reject("bob", "note"), client.Reject("cy", "note"),
		},
		Groups: []redline.StepGroupInput{{
			GroupID: "g", MemberNodeIds: []string{"ann", "bob", "cy"}, ExpectedSteps: 3, Quorum: 2, OnQuorumMet: new(redline.StepGroupInputOnQuorumMetCancelOnQuorum), RequiredNodeIds: []string{"cy"},
		}},
	})
	met, missed := kit.Dispatch(env, id), kit.Dispatch(env, id)
	for _, r := range []*kit.Run{met, missed} {
		r.WaitsAt("cy")
		r.Decide("ann", "ann", "approve")
		r.Decide("bob", "bob", "approve")
		require.Equal(t, []string{"execution.dispatched"}, types(r), "two have approved, and cy is wanting")
		require.Empty(t, kit.Steps(r.View(), "publish"))
	}
	met.Decide("cy", "cy", "approve")
	require.Len(t, kit.Steps(met.Ends("completed"), "publish"), 1)
	require.Equal(t, []string{"execution.dispatched", "group.quorum-met", "execution.completed"}, types(met))
	cancelStep(missed, "cy")
	require.Empty(t, kit.Steps(missed.Ends("completed"), "publish"))
	require.Equal(t, []string{"execution.dispatched", "execution.completed"}, types(missed))
}
