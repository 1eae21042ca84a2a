package workflow

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestDecision_1_TwoLastApprovalsAtTheSameInstant(t *testing.T) {
	env := kit.NewWorkspace(t)
	definition := kit.Define(env, []redline.NodeInput{client.Human("review", "ann", "bob"), client.Mock("end")}, client.Both("review", "end")...)
	for range 10 {
		r := kit.Dispatch(env, definition)
		step := r.WaitsAt("review")
		var scheduled atomic.Int32
		kit.Concurrently(2, func(i int) {
			answer, err := env.Workspace.Decide(env.Ctx, r.Decision(step.StepID, []string{"ann", "bob"}[i], "approve"))
			kit.NoError(t, err)
			assert.True(t, answer.Recorded)
			if answer.ResumeScheduled {
				scheduled.Add(1)
				assert.Equal(t, redline.DecideResultAggregatorStatusResolved, answer.AggregatorStatus)
			}
		})
		require.EqualValues(t, 1, scheduled.Load())
		require.Len(t, kit.Steps(r.Ends("completed"), "end"), 1)
	}
}

func TestDecision_2_ApproveAgainstReject(t *testing.T) {
	env := kit.NewWorkspace(t)
	definition := kit.Define(env, []redline.NodeInput{client.Panel("review", []string{"ann"}, []string{"bob"}), client.Mock("yes"), client.Mock("no")},
		client.Approve("review", "yes"), client.Reject("review", "no"))
	for range 10 {
		r := kit.Dispatch(env, definition)
		step := r.WaitsAt("review")
		var answers [2]redline.DecideResult
		kit.Concurrently(2, func(i int) {
			var err error
			answers[i], err = env.Workspace.Decide(env.Ctx, r.Decision(step.StepID, []string{"ann", "bob"}[i], []string{"approve", "reject"}[i]))
			kit.NoError(t, err)
		})
		require.NotEqual(t, answers[0].Recorded, answers[1].Recorded, "the first ends the step, the second finds it ended: %+v", answers)
		view := r.Ends("completed")
		if answers[0].Recorded {
			require.Equal(t, redline.DecideResultAggregatorStatusAlreadyTerminal, answers[1].AggregatorStatus)
			require.Len(t, kit.Steps(view, "yes"), 1)
			require.Empty(t, kit.Steps(view, "no"))
			continue
		}
		require.Equal(t, redline.DecideResultAggregatorStatusAlreadyTerminal, answers[0].AggregatorStatus)
		require.Equal(t, redline.DecideResultAggregatorStatusRejected, answers[1].AggregatorStatus)
		require.Len(t, kit.Steps(view, "no"), 1)
		require.Empty(t, kit.Steps(view, "yes"))
	}
}

func TestDecision_3_ARepeatIsIdempotentAlsoAfterTheEnd(t *testing.T) {
	env := kit.NewWorkspace(t)
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.Human("review", "ann", "bob"), client.Mock("end")}, client.Both("review", "end")...))
	r.WaitsAt("review")
	first := r.Decide("review", "ann", "approve")
	require.Equal(t, redline.DecideResult{Recorded: true, AggregatorStatus: "pending"}, first)
	idempotent := redline.DecideResult{AggregatorStatus: "idempotent"}
	require.Equal(t, idempotent, r.Decide("review", "ann", "approve"))
	require.Equal(t, redline.DecideResult{Recorded: true, AggregatorStatus: "resolved", ResumeScheduled: true}, r.Decide("review", "bob", "approve"))
	r.Ends("completed")
	require.Equal(t, idempotent, r.Decide("review", "ann", "approve"))
	require.Equal(t, idempotent, r.Decide("review", "bob", "reject"), "a second, different decision does not replace the first (6)")
	require.Len(t, history(r, "step.response-recorded"), 2)

	cancelled := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.Human("review", "ann", "bob"), client.Mock("end")}, client.Both("review", "end")...))
	step := cancelled.WaitsAt("review")
	cancelled.Decide("review", "ann", "approve")
	require.True(t, cancelled.Cancel())
	require.Equal(t, idempotent, cancelled.Decide("review", "ann", "approve"), "whatever ended the step since")
	env.RefusedAs("FAILED_PRECONDITION", client.RecordDecision, cancelled.Decision(step.StepID, "bob", "approve"))
	env.RefusedAs("FAILED_PRECONDITION", client.RecordDecision, cancelled.Decision(step.StepID, "stranger", "approve"))
}

func TestDecision_4_AgainstCancelOneTakesEffect(t *testing.T) {
	env := kit.NewWorkspace(t)
	definition := kit.SignOff(env)
	for range 5 {
		r := kit.Dispatch(env, definition)
		step := r.WaitsAt("review")
		var recorded atomic.Bool
		kit.Concurrently(2, func(i int) {
			if i == 0 {
				_, err := client.Call[map[string]any](env.Ctx, env.Keyed, client.CancelExecution, map[string]any{"executionId": r.ID})
				kit.NoError(t, err)
				return
			}
			answer, err := env.Workspace.Decide(env.Ctx, r.Decision(step.StepID, "ann", "reject"))
			if failure := redline.AsError(err); failure != nil {
				assert.Equal(t, redline.ProblemStatusFailedPrecondition, failure.Status)
				return
			}
			kit.NoError(t, err)
			recorded.Store(answer.Recorded)
		})
		view := r.View()
		if recorded.Load() {
			require.Equal(t, redline.StepStatusCompleted, view.Steps[0].Status)
		} else {
			require.Equal(t, redline.StepStatusCancelled, view.Steps[0].Status)
		}
		require.Len(t, r.Events("step.completed", "step.cancelled"), len(view.Steps))
	}
}

func TestDecision_5_FiftyReviewersAndFiveHundredCalls(t *testing.T) {
	env := kit.NewWorkspace(t)
	reviewers := kit.Reviewers(50)
	r, step := kit.Asks(env, reviewers)
	var recorded, repeated, scheduled atomic.Int32
	kit.Concurrently(500, func(i int) {
		answer, err := env.Workspace.Decide(env.Ctx, r.Decision(step.StepID, reviewers[i%len(reviewers)], "approve"))
		if !kit.NoError(t, err) {
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
	view := r.Ends("completed")
	require.Contains(t, string(view.Steps[0].Output), `"approveCount":50`)
	require.Len(t, history(r, "step.response-recorded"), 50)
}

// Hundreds of calls on one step go on while its run is reset and continues as
// new; nobody hears of it and nothing is lost.
func TestDecision_5_WhileTheRunIsResetAndContinuesAsNew(t *testing.T) {
	const each, callers = 50, 10
	env, isolated := kit.NewVariantWorkspace(t, kit.Tight)
	o := kit.TemporalClientFor(t, isolated.Namespace)
	reviewers := kit.Reviewers(50)
	r, step := kit.Asks(env, reviewers)
	early, last := reviewers[:len(reviewers)-1], reviewers[len(reviewers)-1]
	of := open(o, r)
	var shaken atomic.Bool
	var recorded, repeated, calls atomic.Int32
	var calling sync.WaitGroup
	enough := func() {
		shaken.Store(true)
		calling.Wait()
	}
	defer enough()
	for range callers {
		calling.Go(func() {
			for n := 0; n < each || !shaken.Load(); n++ {
				if n >= each {
					kit.Pause(env.Ctx, kit.FollowPause) // the run has to get its turn
				}
				answer, err := env.Workspace.Decide(env.Ctx, r.Decision(step.StepID, early[int(calls.Add(1))%len(early)], "approve"))
				if !kit.NoError(t, err) {
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
		continues(o, of.GetWorkflowId())
		reset(o, of)
	}
	enough()
	require.EqualValues(t, len(early), recorded.Load())
	require.Equal(t, calls.Load(), recorded.Load()+repeated.Load())
	require.GreaterOrEqual(t, calls.Load(), int32(each*callers))
	require.True(t, r.Decide("review", last, "approve").ResumeScheduled)
	r.Ends("completed")
	require.Len(t, history(r, "step.response-recorded"), len(reviewers))
	o.Closes(r, enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
}

// continues signals the run of a workflow until it has continued as new once more.
func continues(o *kit.TemporalClient, workflowID string) {
	o.T.Helper()
	query := "WorkflowId = '" + workflowID + "' AND ExecutionStatus = 'ContinuedAsNew'"
	before := len(o.Search(query))
	kit.RequireEventually(o.T, workflowID+" continues as new", func() bool {
		// One that is not answered in time comes again.
		return o.SignalWorkflow(o.T.Context(), workflowID, "", "changed", nil) == nil && len(o.Search(query)) > before
	})
}

func TestDecision_7_StepsOfOthersAreNotFound(t *testing.T) {
	env := kit.NewWorkspace(t)
	other := kit.Elsewhere(env)
	definition := kit.SignOff(env)
	mine, second := kit.Dispatch(env, definition), kit.Dispatch(env, definition)
	step := mine.WaitsAt("review")
	elsewhere := kit.Dispatch(other, kit.SignOff(other))
	foreign := elsewhere.WaitsAt("review")

	for name, data := range map[string]redline.DecideStepRequest{
		"another execution's step": second.Decision(step.StepID, "ann", "approve"),
		"another workspace's step": mine.Decision(foreign.StepID, "ann", "approve"),
		"another workspace":        elsewhere.Decision(foreign.StepID, "ann", "approve"),
		"no such step":             mine.Decision("step_review_i1_a1_000000000000", "ann", "approve"),
		"no such execution":        {ExecutionID: "nothing", StepID: step.StepID, ReviewerID: "ann", Decision: "approve"},
	} {
		assert.Equal(t, redline.ProblemStatusNotFound, env.Refused(client.RecordDecision, data).Status, name)
	}
	require.Equal(t, redline.StepStatusWaiting, elsewhere.Step("review").Status)
	require.Equal(t, redline.StepStatusWaiting, mine.Step("review").Status)
}

func TestDecisionOfAStranger(t *testing.T) {
	env := kit.NewWorkspace(t)
	r := kit.Dispatch(env, kit.SignOff(env))
	r.WaitsAt("review")
	require.Equal(t, redline.DecideResult{AggregatorStatus: "unknown-responder"}, r.Decide("review", "stranger", "approve"))
	r.Decide("review", "ann", "approve")
	r.Ends("completed")
	require.Equal(t, redline.DecideResult{AggregatorStatus: "unknown-responder"}, r.Decide("review", "stranger", "approve"), "judged before the end is")
}

func TestDecisionShapeAndState(t *testing.T) {
	env := kit.NewWorkspace(t)
	r := kit.Dispatch(env, kit.SignOff(env))
	step := r.WaitsAt("review")
	for name, change := range map[string]func(map[string]any){
		"decision missing":  func(d map[string]any) { delete(d, "decision") },
		"unknown decision":  func(d map[string]any) { d["decision"] = "maybe" },
		"upper case":        func(d map[string]any) { d["decision"] = "Approve" },
		"reviewer missing":  func(d map[string]any) { delete(d, "reviewerId") },
		"step missing":      func(d map[string]any) { delete(d, "stepId") },
		"reason above 2000": func(d map[string]any) { d["reason"] = strings.Repeat("ü", 2001) },
		"surplus":           func(d map[string]any) { d["comment"] = "x" },
	} {
		data := map[string]any{"executionId": r.ID, "stepId": step.StepID, "reviewerId": "ann", "decision": "approve"}
		change(data)
		assert.Equal(t, redline.ProblemStatusInvalidArgument, env.Refused(client.RecordDecision, data).Status, name)
	}
	r.Decide("review", "ann", "approve", strings.Repeat("ü", 2000))
	r.Ends("completed")
	env.RefusedAs("FAILED_PRECONDITION", client.RecordDecision, r.Decision(r.Step("publish").StepID, "ann", "approve"))
}

func TestRejectionByAnOptionalReviewerEndsTheStep(t *testing.T) {
	env := kit.NewWorkspace(t)
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.Panel("review", []string{"ann", "bob"}, []string{"carol"}), client.Mock("no")}, client.Reject("review", "no")))
	r.WaitsAt("review")
	r.Decide("review", "ann", "approve")
	answer := r.Decide("review", "carol", "reject", "not like this")
	require.True(t, answer.Recorded)
	require.True(t, answer.ResumeScheduled)
	require.Equal(t, redline.DecideResultAggregatorStatusRejected, answer.AggregatorStatus)
	require.Equal(t, "not like this", answer.RejectionReason)
	r.Ends("completed")
	require.Equal(t, redline.StepStatusCompleted, r.Step("no").Status)
	require.Equal(t, redline.DecideResultAggregatorStatusAlreadyTerminal, r.Decide("review", "bob", "approve").AggregatorStatus)
}

func TestApprovalByAllMandatoryReviewersIsEnough(t *testing.T) {
	env := kit.NewWorkspace(t)
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.Panel("review", []string{"ann"}, []string{"bob", "carol"}), client.Mock("end")}, client.Both("review", "end")...))
	r.WaitsAt("review")
	require.Equal(t, redline.DecideResultAggregatorStatusPending, r.Decide("review", "bob", "approve").AggregatorStatus, "an optional approval does not decide")
	require.Equal(t, redline.DecideResultAggregatorStatusResolved, r.Decide("review", "ann", "approve").AggregatorStatus)
	r.Ends("completed")
}
