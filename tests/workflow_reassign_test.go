package tests

import (
	"maps"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

const reassignStep = "workflow/steps/reassign"

type reviewerView struct {
	UserID    string `json:"userId"`
	Mandatory bool   `json:"mandatory"`
}

// reassigning is that one person gives way to another at the step of review.
func (r *run) reassigning(from, to string) map[string]any {
	r.s.t.Helper()
	return r.by("review", map[string]any{"fromReviewerId": from, "toReviewerId": to})
}

// reassign gives the reviewers afterwards.
func (r *run) reassign(from, to string) []reviewerView {
	r.s.t.Helper()
	var answer struct {
		Reassigned bool           `json:"reassigned"`
		Reviewers  []reviewerView `json:"reviewers"`
	}
	r.s.call(reassignStep, r.reassigning(from, to), &answer)
	require.True(r.s.t, answer.Reassigned)
	return answer.Reviewers
}

func (s *scene) inbox(reviewer string) []client.Step {
	s.t.Helper()
	return everyPage[client.Step](s, "workflow/steps/list", map[string]any{"reviewerId": reviewer})
}

func TestReassign_1_AgainstTheOldReviewersDecision(t *testing.T) {
	s := begin(t)
	definition := s.signOff()
	for range 10 {
		r := s.dispatch(definition)
		r.waitsAt("review")
		data := r.reassigning("ann", "bob")
		decision := r.decision(data["stepId"].(string), "ann", "approve")
		var decided, reassigned atomic.Bool
		together(2, func(i int) {
			if i == 0 {
				_, err := client.Call[map[string]any](s.ctx, s.keyed, reassignStep, data)
				reassigned.Store(s.unlessLate(err))
				return
			}
			answer, err := s.workspace.Decide(s.ctx, decision)
			fine(t, err)
			decided.Store(answer.Recorded)
		})
		require.NotEqual(t, decided.Load(), reassigned.Load(), "one of the two took effect")
		if reassigned.Load() {
			require.Equal(t, "resolved", r.decide("review", "bob", "approve").AggregatorStatus)
		}
		r.ends("completed")
	}
}

func TestReassign_2_TheOldReviewerIsAStranger(t *testing.T) {
	s := begin(t)
	people := people(3)
	ann, bob, opt := people[0], people[1], people[2]
	r := s.dispatch(s.define([]client.Node{client.Panel("review", []string{ann}, []string{opt}), client.Mock("end")}, client.Both("review", "end")...))
	r.waitsAt("review")
	panel := []reviewerView{{bob, true}, {opt, false}}
	require.Equal(t, panel, r.reassign(ann, bob))
	require.Equal(t, panel, r.reassign(ann, bob), "a repetition is the same")
	require.Empty(t, s.inbox(ann))
	require.Len(t, s.inbox(bob), 1)
	require.Equal(t, "unknown-responder", r.decide("review", ann, "approve").AggregatorStatus)
	events := r.events("step.reassigned")
	require.Len(t, events, 1)
	require.JSONEq(t, `{"fromReviewerId":"`+ann+`","toReviewerId":"`+bob+`","actorId":"boss","reason":"in a hurry"}`, string(events[0].Data))
	require.Equal(t, bob, r.step("review").Metadata.Reviewers[0].UserID)
	require.Equal(t, []any{bob, opt}, output(t, r.step("review"))["reviewerIds"])
	require.Equal(t, "resolved", r.decide("review", bob, "approve").AggregatorStatus)
	r.ends("completed")
	require.Equal(t, panel, r.reassign(ann, bob), "a repetition after the end")
	s.refusedAs("FAILED_PRECONDITION", reassignStep, r.reassigning(opt, "eve"))
}

func TestReassign_3_AChainAndBack(t *testing.T) {
	s := begin(t)
	r := s.dispatch(s.signOff())
	r.waitsAt("review")
	r.reassign("ann", "bob")
	r.reassign("bob", "eve")
	s.refusedAs("FAILED_PRECONDITION", reassignStep, r.reassigning("ann", "bob"))
	r.reassign("eve", "bob")
	require.Equal(t, []reviewerView{{"ann", true}}, r.reassign("bob", "ann"))
	require.Equal(t, "resolved", r.decide("review", "ann", "approve").AggregatorStatus)
	r.ends("completed")
}

func TestReassign_4_OthersAreUnchanged(t *testing.T) {
	s := begin(t)
	definition := s.signOff()
	r, beside := s.dispatch(definition), s.dispatch(definition)
	r.waitsAt("review")
	beside.waitsAt("review")
	var before, after map[string]any
	s.call("workflow/definitions/get", map[string]any{"definitionId": definition}, &before)
	r.reassign("ann", "bob")
	s.call("workflow/definitions/get", map[string]any{"definitionId": definition}, &after)
	require.Equal(t, before, after)
	require.Equal(t, "ann", beside.step("review").Metadata.Reviewers[0].UserID)
	later := s.dispatch(definition)
	later.waitsAt("review")
	require.Equal(t, "ann", later.step("review").Metadata.Reviewers[0].UserID)
}

func TestReassignHoldsForLaterIterations(t *testing.T) {
	s := begin(t)
	r := s.dispatch(s.define([]client.Node{client.Mock("write"), client.Human("review", "ann"), client.Mock("end")},
		client.Always("write", "review"), client.Approve("review", "end"), client.Back("review", "write", 2)))
	r.waitsAt("review")
	r.reassign("ann", "bob")
	for range 2 {
		answer, err := s.workspace.Decide(s.ctx, r.decision(r.newest("review").StepID, "bob", "reject"))
		require.NoError(t, err)
		require.True(t, answer.Recorded)
	}
	third := r.newest("review")
	require.Equal(t, 3, third.Metadata.Iteration)
	require.Equal(t, "bob", third.Metadata.Reviewers[0].UserID)
	require.Len(t, s.inboxOf(r, "bob"), 1)
	require.Empty(t, s.inboxOf(r, "ann"))
	require.True(t, r.cancel())
}

func TestReassignShapeAndState(t *testing.T) {
	s := begin(t)
	r := s.dispatch(s.define([]client.Node{client.Human("review", "ann", "bob"), client.Mock("end")}, client.Both("review", "end")...))
	r.waitsAt("review")
	for _, change := range []map[string]any{
		{"actorId": ""}, {"fromReviewerId": ""}, {"toReviewerId": ""}, {"toReviewerId": strings.Repeat("x", 201)}, {"reason": strings.Repeat("ü", 501)}, {"surplus": 1},
	} {
		data := r.reassigning("ann", "eve")
		maps.Copy(data, change)
		assert.Equal(t, "INVALID_ARGUMENT", s.refused(reassignStep, data).Status, "%v", change)
	}
	r.decide("review", "ann", "approve")
	for _, pair := range [][2]string{{"ann", "eve"}, {"eve", "x"}, {"bob", "ann"}, {"bob", "bob"}} {
		s.refusedAs("FAILED_PRECONDITION", reassignStep, r.reassigning(pair[0], pair[1]))
	}
	unknown := r.reassigning("bob", "eve")
	unknown["stepId"] = "nothing"
	s.refusedAs("NOT_FOUND", reassignStep, unknown)
	r.decide("review", "bob", "approve")
	r.ends("completed")
	other := r.by("end", map[string]any{"fromReviewerId": "ann", "toReviewerId": "eve"})
	s.refusedAs("FAILED_PRECONDITION", reassignStep, other)
}
