package tests

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

// panel defines a group g of three people, ann, bob and cy, each at a node of that name,
// after a first step that ends at once.
func (s *scene) panel(policy string, expected, quorum int, more []client.Node, edges ...client.Edge) string {
	s.t.Helper()
	id := unique("definition")
	s.create(client.Definition{
		DefinitionID: id, Name: "Panel " + id,
		Nodes:  append([]client.Node{client.Mock("write"), client.Human("ann", "ann"), client.Human("bob", "bob"), client.Human("cy", "cy")}, more...),
		Edges:  append([]client.Edge{{From: "write", To: client.GroupEnd("g")}}, edges...),
		Groups: []client.Group{{GroupID: "g", MemberNodeIDs: []string{"ann", "bob", "cy"}, ExpectedSteps: expected, Quorum: quorum, OnQuorumMet: policy}},
	})
	return id
}

// types are the types of the external events so far, without those of single steps.
func (r *run) types() (types []string) {
	for _, e := range r.events() {
		if e.StepID == nil {
			types = append(types, e.Type)
		}
	}
	return types
}

func TestGroups_AQuorumCancelsTheOthers(t *testing.T) {
	s := begin(t)
	r := s.dispatch(s.panel("cancelOnQuorum", 3, 2, []client.Node{client.Mock("publish"), client.Mock("note")},
		client.On("approve", client.GroupEnd("g"), "publish"), client.Reject("ann", "note"), client.Reject("bob", "note"), client.Reject("cy", "note")))
	r.waitsAt("cy")
	r.decide("ann", "ann", "approve")
	last := r.step("cy").StepID
	together(2, func(i int) {
		_, err := s.workspace.Decide(s.ctx, r.decision(r.step([]string{"bob", "cy"}[i]).StepID, []string{"bob", "cy"}[i], "approve"))
		if i == 1 && err != nil {
			require.Equal(t, "FAILED_PRECONDITION", client.Refusal(err).Status, "bob was first")
		}
	})
	view := r.ends("completed")
	require.Len(t, steps(view, "publish"), 1)
	require.Len(t, r.events("group.quorum-met"), 1)
	require.Equal(t, 2, s.judgments(nil).Total, "what is cancelled is no judgment")
	var data struct {
		GroupID                                      string
		Total, Quorum, CompletedTotal, ExpectedSteps int
	}
	require.NoError(t, json.Unmarshal(r.events("group.quorum-met")[0].Data, &data))
	require.Equal(t, "g", data.GroupID)
	require.Equal(t, []int{2, 2, 2, 3}, []int{data.Total, data.Quorum, data.CompletedTotal, data.ExpectedSteps})
	cancelled := r.events("step.cancelled")
	require.Len(t, cancelled, 1)
	require.JSONEq(t, `{"actorId":"system:group-quorum","reason":"group-quorum-met"}`, string(cancelled[0].Data))
	require.NotEmpty(t, last)
}

func TestGroups_WaitAllAsksEverybody(t *testing.T) {
	s := begin(t)
	r := s.dispatch(s.panel("waitAll", 3, 1, []client.Node{client.Mock("publish"), client.Human("lead", "dee"), client.Mock("note")},
		client.On("approve", client.GroupEnd("g"), "publish"), client.On("reject", client.GroupEnd("g"), "lead"), client.Reject("lead", "note")))
	r.waitsAt("cy")
	r.decide("ann", "ann", "approve")
	require.Equal(t, []string{"execution.dispatched", "group.quorum-met"}, r.types())
	r.decide("bob", "bob", "reject", "too long")
	r.decide("cy", "cy", "approve")
	lead := r.waitsAt("lead")
	require.Equal(t, "dee", lead.Metadata.Reviewers[0].UserID)
	r.decide("lead", "dee", "approve")
	require.Empty(t, steps(r.ends("completed"), "publish"), "the group was rejected")
}

func TestLoops_ARejectionGoesBackUntilTheLoopIsUsedUp(t *testing.T) {
	s := begin(t)
	r := s.dispatch(s.panel("joinOnQuorum", 2, 2, []client.Node{client.Mock("publish"), client.Human("desk", "dee"), client.Mock("note")},
		client.On("approve", client.GroupEnd("g"), "publish"), client.Back(client.GroupEnd("g"), "write", 1),
		client.On("exhausted", client.GroupEnd("g"), "desk"), client.Reject("desk", "note")))
	first := r.waitsAt("ann")
	r.decide("ann", "ann", "reject", "once more")
	within(t, patience, "the second iteration is asked", func() bool { return len(steps(r.view(), "cy")) == 2 })

	view := r.view()
	second := steps(view, "ann")[1]
	require.Equal(t, []any{2, "waiting"}, []any{second.Metadata.Iteration, second.Status})
	require.NotNil(t, second.Metadata.LoopID)
	again, err := s.workspace.Decide(s.ctx, r.decision(first.StepID, "ann", "approve"))
	require.NoError(t, err)
	require.Equal(t, "idempotent", again.AggregatorStatus, "ann has said it in the first iteration")
	_, err = s.workspace.Decide(s.ctx, r.decision(steps(view, "bob")[0].StepID, "bob", "approve"))
	require.Equal(t, "FAILED_PRECONDITION", client.Refusal(err).Status, "the loop has cancelled this step")
	require.Equal(t, "waiting", steps(r.view(), "bob")[1].Status, "the new iteration is untouched")

	_, err = s.workspace.Decide(s.ctx, r.decision(steps(view, "bob")[1].StepID, "bob", "reject", "no"))
	require.NoError(t, err)
	r.waitsAt("desk")
	require.Equal(t, []string{"execution.dispatched", "loop.iteration-started", "loop.exhausted"}, r.types())
	var data struct {
		LoopID, LastRejectedBy, LastRejectionReason string
		Iteration                                   int
	}
	require.NoError(t, json.Unmarshal(r.events("loop.exhausted")[0].Data, &data))
	require.Equal(t, []any{*second.Metadata.LoopID, "bob", "no", 2}, []any{data.LoopID, data.LastRejectedBy, data.LastRejectionReason, data.Iteration})
	r.decide("desk", "dee", "approve")
	require.Empty(t, steps(r.ends("completed"), "publish"))
}

func TestDeadlines_ABreachTakesItsEdge(t *testing.T) {
	s := begin(t)
	breached := `{"op":"eq","args":[{"var":"step.status"},"breached"]}`
	definition := s.define(
		[]client.Node{client.Human("legal", "ann").Within(time.Second), client.Human("lead", "dee"), client.Mock("note")},
		client.When("legal", "lead", breached), client.Reject("legal", "note"), client.Reject("lead", "note"))
	r := s.dispatch(definition)
	lead := r.waitsAt("lead")
	legal := r.step("legal")
	require.Equal(t, "breached", legal.Status)
	require.Equal(t, "sla-breached", legal.Error.Code)
	require.Nil(t, lead.DueAt)
	require.GreaterOrEqual(t, *legal.CompletedAt, *legal.DueAt, "never before it is due")
	require.Len(t, r.events("step.breached"), 1)
	_, err := s.workspace.Decide(s.ctx, r.decision(legal.StepID, "ann", "approve"))
	require.Equal(t, "FAILED_PRECONDITION", client.Refusal(err).Status)
	r.decide("lead", "dee", "approve")
	r.ends("completed")

	r = s.dispatch(s.define([]client.Node{client.Human("legal", "ann").Within(time.Second), client.Mock("note")},
		client.Reject("legal", "note"), client.When("legal", "note", `{"op":"and","args":[`+breached+`,{"var":"execution.input.never"}]}`)))
	require.Equal(t, "step-breached", r.ends("failed").FailureReason.Code)
	require.Equal(t, 1, s.judgments(nil).Total, "a breach is no judgment")
}

func TestGroups_NoQuorumWithoutARequiredMember(t *testing.T) {
	s := begin(t)
	id := unique("definition")
	s.create(client.Definition{
		DefinitionID: id, Name: "Panel " + id,
		Nodes: []client.Node{client.Human("ann", "ann"), client.Human("bob", "bob"), client.Human("cy", "cy"), client.Mock("publish"), client.Mock("note")},
		Edges: []client.Edge{
			client.On("approve", client.GroupEnd("g"), "publish"), client.Reject("ann", "note"), client.Reject("bob", "note"), client.Reject("cy", "note"),
		},
		Groups: []client.Group{{
			GroupID: "g", MemberNodeIDs: []string{"ann", "bob", "cy"}, ExpectedSteps: 3, Quorum: 2, OnQuorumMet: "cancelOnQuorum", RequiredNodeIDs: []string{"cy"},
		}},
	})
	met, missed := s.dispatch(id), s.dispatch(id)
	for _, r := range []*run{met, missed} {
		r.waitsAt("cy")
		r.decide("ann", "ann", "approve")
		r.decide("bob", "bob", "approve")
		require.Equal(t, []string{"execution.dispatched"}, r.types(), "two have approved, and cy is wanting")
		require.Empty(t, steps(r.view(), "publish"))
	}
	met.decide("cy", "cy", "approve")
	require.Len(t, steps(met.ends("completed"), "publish"), 1)
	require.Equal(t, []string{"execution.dispatched", "group.quorum-met", "execution.completed"}, met.types())
	missed.cancelStep("cy")
	require.Empty(t, steps(missed.ends("completed"), "publish"))
	require.Equal(t, []string{"execution.dispatched", "execution.completed"}, missed.types())
}
