package tests

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"

	"github.com/redline-svc/redline/tests/client"
)

const recordDecision = "workflow/steps/recordReviewerDecision"

func TestDecision_1_TwoLastApprovalsAtTheSameInstant(t *testing.T) {
	s := begin(t)
	definition := s.define([]client.Node{client.Human("review", "ann", "bob"), client.Mock("end")}, client.Both("review", "end")...)
	for range 10 {
		r := s.dispatch(definition)
		step := r.waitsAt("review")
		var scheduled atomic.Int32
		together(2, func(i int) {
			answer, err := s.workspace.Decide(s.ctx, r.decision(step.StepID, []string{"ann", "bob"}[i], "approve"))
			fine(t, err)
			assert.True(t, answer.Recorded)
			if answer.ResumeScheduled {
				scheduled.Add(1)
				assert.Equal(t, "resolved", answer.AggregatorStatus)
			}
		})
		require.EqualValues(t, 1, scheduled.Load())
		require.Len(t, steps(r.ends("completed"), "end"), 1)
	}
}

func TestDecision_2_ApproveAgainstReject(t *testing.T) {
	s := begin(t)
	definition := s.define([]client.Node{client.Panel("review", []string{"ann"}, []string{"bob"}), client.Mock("yes"), client.Mock("no")},
		client.Approve("review", "yes"), client.Reject("review", "no"))
	for range 10 {
		r := s.dispatch(definition)
		step := r.waitsAt("review")
		var answers [2]client.Decided
		together(2, func(i int) {
			var err error
			answers[i], err = s.workspace.Decide(s.ctx, r.decision(step.StepID, []string{"ann", "bob"}[i], []string{"approve", "reject"}[i]))
			fine(t, err)
		})
		require.NotEqual(t, answers[0].Recorded, answers[1].Recorded, "the first ends the step, the second finds it ended: %+v", answers)
		view := r.ends("completed")
		if answers[0].Recorded {
			require.Equal(t, "already-terminal", answers[1].AggregatorStatus)
			require.Len(t, steps(view, "yes"), 1)
			require.Empty(t, steps(view, "no"))
			continue
		}
		require.Equal(t, "already-terminal", answers[0].AggregatorStatus)
		require.Equal(t, "rejected", answers[1].AggregatorStatus)
		require.Len(t, steps(view, "no"), 1)
		require.Empty(t, steps(view, "yes"))
	}
}

func TestDecision_3_ARepeatIsIdempotentAlsoAfterTheEnd(t *testing.T) {
	s := begin(t)
	r := s.dispatch(s.define([]client.Node{client.Human("review", "ann", "bob"), client.Mock("end")}, client.Both("review", "end")...))
	r.waitsAt("review")
	first := r.decide("review", "ann", "approve")
	require.Equal(t, client.Decided{Recorded: true, AggregatorStatus: "pending"}, first)
	idempotent := client.Decided{AggregatorStatus: "idempotent"}
	require.Equal(t, idempotent, r.decide("review", "ann", "approve"))
	require.Equal(t, client.Decided{Recorded: true, AggregatorStatus: "resolved", ResumeScheduled: true}, r.decide("review", "bob", "approve"))
	r.ends("completed")
	require.Equal(t, idempotent, r.decide("review", "ann", "approve"))
	require.Equal(t, idempotent, r.decide("review", "bob", "reject"), "a second, different decision does not replace the first (6)")
	require.Len(t, r.history("step.response-recorded"), 2)

	cancelled := s.dispatch(s.define([]client.Node{client.Human("review", "ann", "bob"), client.Mock("end")}, client.Both("review", "end")...))
	step := cancelled.waitsAt("review")
	cancelled.decide("review", "ann", "approve")
	require.True(t, cancelled.cancel())
	require.Equal(t, idempotent, cancelled.decide("review", "ann", "approve"), "whatever ended the step since")
	s.refusedAs("FAILED_PRECONDITION", recordDecision, cancelled.decision(step.StepID, "bob", "approve"))
	s.refusedAs("FAILED_PRECONDITION", recordDecision, cancelled.decision(step.StepID, "stranger", "approve"))
}

func TestDecision_4_AgainstCancelOneTakesEffect(t *testing.T) {
	s := begin(t)
	definition := s.signOff()
	for range 5 {
		r := s.dispatch(definition)
		step := r.waitsAt("review")
		var recorded atomic.Bool
		together(2, func(i int) {
			if i == 0 {
				_, err := client.Call[map[string]any](s.ctx, s.keyed, "workflow/executions/cancel", map[string]any{"executionId": r.id})
				fine(t, err)
				return
			}
			answer, err := s.workspace.Decide(s.ctx, r.decision(step.StepID, "ann", "reject"))
			if failure := client.Refusal(err); failure != nil {
				assert.Equal(t, "FAILED_PRECONDITION", failure.Status)
				return
			}
			fine(t, err)
			recorded.Store(answer.Recorded)
		})
		view := r.view()
		if recorded.Load() {
			require.Equal(t, "completed", view.Steps[0].Status)
		} else {
			require.Equal(t, "cancelled", view.Steps[0].Status)
		}
		require.Len(t, r.events("step.completed", "step.cancelled"), len(view.Steps))
	}
}

func TestDecision_5_FiftyReviewersAndFiveHundredCalls(t *testing.T) {
	s := begin(t)
	reviewers := people(50)
	r, step := s.asks(reviewers)
	var recorded, repeated, scheduled atomic.Int32
	together(500, func(i int) {
		answer, err := s.workspace.Decide(s.ctx, r.decision(step.StepID, reviewers[i%len(reviewers)], "approve"))
		if !fine(t, err) {
			return
		}
		switch {
		case answer.Recorded:
			recorded.Add(1)
		case answer.AggregatorStatus == "idempotent":
			repeated.Add(1)
		}
		if answer.ResumeScheduled {
			scheduled.Add(1)
		}
	})
	require.EqualValues(t, 50, recorded.Load())
	require.EqualValues(t, 450, repeated.Load())
	require.EqualValues(t, 1, scheduled.Load())
	view := r.ends("completed")
	require.Contains(t, string(view.Steps[0].Output), `"approveCount":50`)
	require.Len(t, r.history("step.response-recorded"), 50)
}

// Hundreds of calls on one step go on while its run is reset and continues as
// new; nobody hears of it and nothing is lost.
func TestDecision_5_WhileTheRunIsResetAndContinuesAsNew(t *testing.T) {
	const each, callers = 50, 10
	s, l := beginAt(t, tight)
	o := atTheEngine(t, l.Namespace)
	reviewers := people(50)
	r, step := s.asks(reviewers)
	early, last := reviewers[:len(reviewers)-1], reviewers[len(reviewers)-1]
	of := o.open(r)
	var shaken atomic.Bool
	var recorded, repeated, calls atomic.Int32
	var calling sync.WaitGroup
	for range callers {
		calling.Go(func() {
			for n := 0; n < each || !shaken.Load(); n++ {
				answer, err := s.workspace.Decide(s.ctx, r.decision(step.StepID, early[int(calls.Add(1))%len(early)], "approve"))
				if !fine(t, err) {
					return
				}
				if answer.Recorded {
					recorded.Add(1)
				} else if answer.AggregatorStatus == "idempotent" {
					repeated.Add(1)
				}
			}
		})
	}
	for range 2 {
		o.continues(of.GetWorkflowId())
		o.reset(of)
	}
	shaken.Store(true)
	calling.Wait()
	require.EqualValues(t, len(early), recorded.Load())
	require.Equal(t, calls.Load(), recorded.Load()+repeated.Load())
	require.GreaterOrEqual(t, calls.Load(), int32(each*callers))
	require.True(t, r.decide("review", last, "approve").ResumeScheduled)
	r.ends("completed")
	require.Len(t, r.history("step.response-recorded"), len(reviewers))
	o.closes(r, enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
}

// continues pokes the run of a workflow until it has continued as new once more.
func (o *operator) continues(workflowID string) {
	o.t.Helper()
	query := "WorkflowId = '" + workflowID + "' AND ExecutionStatus = 'ContinuedAsNew'"
	before := len(o.search(query))
	eventually(o.t, workflowID+" continues as new", func() bool {
		require.NoError(o.t, o.SignalWorkflow(o.t.Context(), workflowID, "", "poke", nil))
		return len(o.search(query)) > before
	})
}

func TestDecision_7_StepsOfOthersAreNotFound(t *testing.T) {
	s := begin(t)
	other := s.elsewhere()
	definition := s.signOff()
	mine, second := s.dispatch(definition), s.dispatch(definition)
	step := mine.waitsAt("review")
	elsewhere := other.dispatch(other.signOff())
	foreign := elsewhere.waitsAt("review")

	for name, data := range map[string]client.Decision{
		"another execution's step": second.decision(step.StepID, "ann", "approve"),
		"another workspace's step": mine.decision(foreign.StepID, "ann", "approve"),
		"another workspace":        elsewhere.decision(foreign.StepID, "ann", "approve"),
		"no such step":             mine.decision("step_review_i1_a1_000000000000", "ann", "approve"),
		"no such execution":        {ExecutionID: "nothing", StepID: step.StepID, ReviewerID: "ann", Decision: "approve"},
	} {
		assert.Equal(t, "NOT_FOUND", s.refused(recordDecision, data).Status, name)
	}
	require.Equal(t, "waiting", elsewhere.step("review").Status)
	require.Equal(t, "waiting", mine.step("review").Status)
}

func TestDecisionOfAStranger(t *testing.T) {
	s := begin(t)
	r := s.dispatch(s.signOff())
	r.waitsAt("review")
	require.Equal(t, client.Decided{AggregatorStatus: "unknown-responder"}, r.decide("review", "stranger", "approve"))
	r.decide("review", "ann", "approve")
	r.ends("completed")
	require.Equal(t, client.Decided{AggregatorStatus: "unknown-responder"}, r.decide("review", "stranger", "approve"), "judged before the end is")
}

func TestDecisionShapeAndState(t *testing.T) {
	s := begin(t)
	r := s.dispatch(s.signOff())
	step := r.waitsAt("review")
	for name, change := range map[string]func(map[string]any){
		"decision missing":  func(d map[string]any) { delete(d, "decision") },
		"unknown decision":  func(d map[string]any) { d["decision"] = "maybe" },
		"upper case":        func(d map[string]any) { d["decision"] = "Approve" },
		"reviewer missing":  func(d map[string]any) { delete(d, "reviewerId") },
		"step missing":      func(d map[string]any) { delete(d, "stepId") },
		"reason above 2000": func(d map[string]any) { d["reason"] = strings.Repeat("ü", 2001) },
		"surplus":           func(d map[string]any) { d["comment"] = "x" },
	} {
		data := map[string]any{"executionId": r.id, "stepId": step.StepID, "reviewerId": "ann", "decision": "approve"}
		change(data)
		assert.Equal(t, "INVALID_ARGUMENT", s.refused(recordDecision, data).Status, name)
	}
	r.decide("review", "ann", "approve", strings.Repeat("ü", 2000))
	r.ends("completed")
	s.refusedAs("FAILED_PRECONDITION", recordDecision, r.decision(r.step("publish").StepID, "ann", "approve"))
}

func TestRejectionByAnOptionalReviewerEndsTheStep(t *testing.T) {
	s := begin(t)
	r := s.dispatch(s.define([]client.Node{client.Panel("review", []string{"ann", "bob"}, []string{"carol"}), client.Mock("no")}, client.Reject("review", "no")))
	r.waitsAt("review")
	r.decide("review", "ann", "approve")
	answer := r.decide("review", "carol", "reject", "not like this")
	require.True(t, answer.Recorded)
	require.True(t, answer.ResumeScheduled)
	require.Equal(t, "rejected", answer.AggregatorStatus)
	require.Equal(t, "not like this", *answer.RejectionReason)
	r.ends("completed")
	require.Equal(t, "completed", r.step("no").Status)
	require.Equal(t, "already-terminal", r.decide("review", "bob", "approve").AggregatorStatus)
}

func TestApprovalByAllMandatoryReviewersIsEnough(t *testing.T) {
	s := begin(t)
	r := s.dispatch(s.define([]client.Node{client.Panel("review", []string{"ann"}, []string{"bob", "carol"}), client.Mock("end")}, client.Both("review", "end")...))
	r.waitsAt("review")
	require.Equal(t, "pending", r.decide("review", "bob", "approve").AggregatorStatus, "an optional approval does not decide")
	require.Equal(t, "resolved", r.decide("review", "ann", "approve").AggregatorStatus)
	r.ends("completed")
}
