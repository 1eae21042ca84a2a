package workflow

import (
	"maps"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// resolve is an action that has to succeed.
func resolve(r *kit.Run, nodeID, action string, more map[string]any) {
	r.S.T.Helper()
	data := r.By(nodeID, map[string]any{"action": action})
	maps.Copy(data, more)
	var answer map[string]any
	r.S.Call(client.ResolveStep, data, &answer)
	require.Equal(r.S.T, map[string]any{"resolved": true, "executionId": r.ID, "stepId": data["stepId"], "action": action}, answer)
}

func cancelStep(r *kit.Run, nodeID string) {
	r.S.T.Helper()
	data := r.By(nodeID, nil)
	var answer map[string]any
	r.S.Call(client.CancelStep, data, &answer)
	require.Equal(r.S.T, map[string]any{"cancelled": true, "executionId": r.ID, "stepId": data["stepId"]}, answer)
}

func TestCancelStep_1_TheOnlyBranchAndOneOfTwo(t *testing.T) {
	env := kit.NewWorkspace(t)
	r := kit.Dispatch(env, kit.SignOff(env), kit.WithReceiver(env, "/events"))
	step := r.WaitsAt("review")
	cancelStep(r, "review")
	cancelStep(r, "review")
	view := r.View()
	require.Equal(t, redline.ExecutionStatusCancelled, view.Status)
	require.NotNil(t, view.CancelledAt)
	require.Len(t, view.Steps, 1, "no edge fires")
	for _, kind := range []string{"step.cancelled", "execution.cancelled"} {
		found := r.Events(kind)
		require.Len(t, found, 1, kind)
		require.JSONEq(t, `{"actorId":"boss","reason":"in a hurry"}`, string(found[0].Data))
	}
	env.Arrived("/events", receiver.Count(len(r.Events())))
	env.RefusedAs("FAILED_PRECONDITION", client.CancelStep, r.By("review", map[string]any{"actorId": "another"}))
	env.RefusedAs("FAILED_PRECONDITION", client.RecordDecision, r.Decision(step.StepID, "ann", "approve"))

	two := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.Human("one", "ann"), client.Human("two", "bob"), client.Mock("end")},
		append(client.Both("one", "end"), client.Reject("two", "end"))...))
	two.WaitsAt("one")
	cancelStep(two, "one")
	require.Equal(t, redline.ExecutionStatusRunning, two.View().Status, "siblings go on")
	two.Decide("two", "bob", "approve")
	require.Equal(t, redline.ExecutionStatusCompleted, two.View().Status)
}

// What ends the last open step of an execution cancels it only where no other branch
// has come to its end.
func TestCancelStep_1_TheLastOneAfterAnotherBranchHasFinished(t *testing.T) {
	env := kit.NewWorkspace(t)
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.Human("one", "ann"), client.Human("two", "bob"), client.Mock("end")},
		append(client.Both("one", "end"), client.Reject("two", "end"))...), kit.WithReceiver(env, "/events"))
	r.WaitsAt("one")
	r.Decide("two", "bob", "approve")
	require.Equal(t, redline.ExecutionStatusRunning, r.View().Status)
	cancelStep(r, "one")
	view := r.View()
	require.Equal(t, redline.ExecutionStatusCompleted, view.Status)
	require.NotNil(t, view.CompletedAt)
	require.Nil(t, view.CancelledAt)
	require.Equal(t, redline.StepStatusCancelled, r.Step("one").Status)
	require.Empty(t, kit.Steps(view, "end"), "no edge fires")
	known := names(r.Events())
	require.Equal(t, []string{"step.cancelled", "execution.completed"}, known[len(known)-2:])
	require.NotContains(t, known, "execution.cancelled")
	env.Arrived("/events", receiver.Count(len(known)))
}

func TestCancelStep_2_AQuorumThatBecomesImpossibleIsMissed(t *testing.T) {
	env := kit.NewWorkspace(t)
	r := kit.Dispatch(env, panel(env, "joinOnQuorum", 3, 3, []redline.NodeInput{client.Mock("publish")}, client.On("approve", client.GroupEnd("g"), "publish"),
		client.Back(client.GroupEnd("g"), "write", 2)))
	r.WaitsAt("cy")
	r.Decide("ann", "ann", "approve")
	cancelStep(r, "bob")
	view := r.Ends("failed")
	require.Equal(t, "quorum-not-met", view.FailureReason.Code)
	require.Equal(t, redline.StepStatusCancelled, r.Step("cy").Status)
	require.Empty(t, kit.Steps(view, "publish"))
}

// callsEnded is how many calls Temporal has heard the end of in a run.
func callsEnded(o *kit.TemporalClient, of *commonpb.WorkflowExecution) (ended int) {
	o.T.Helper()
	for _, event := range historyOf(o, of).GetEvents() {
		if event.GetEventType() == enumspb.EVENT_TYPE_ACTIVITY_TASK_COMPLETED {
			ended++
		}
	}
	return ended
}

// Another branch goes on, and with it the run: what comes of the call is offered to the
// rows before Temporal hears that it ended.
func TestCancelStep_3_DuringAnAutomaticTry(t *testing.T) {
	env := kit.NewWorkspace(t)
	o := kit.TemporalClientFor(t, temporalNamespace)
	gate := env.Receiver().Hold("/slow")
	env.Receiver().Answer("/slow", receiver.Status(503))
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.Hook("call", env.Receiver().URL("/slow")), client.Mock("next"), client.Human("review", "ann"), client.Mock("no")},
		client.Always("call", "next"), client.Reject("review", "no")))
	kit.RequireReached(t, "the call", gate.Reached())
	of := open(o, r)
	cancelStep(r, "call")
	require.Zero(t, callsEnded(o, of), "the call is still under way")
	gate.Release()
	kit.RequireEventually(t, "Temporal has heard of the end of the call", func() bool {
		return callsEnded(o, of) == 1
	})
	require.Equal(t, redline.StepStatusCancelled, r.Step("call").Status)
	require.Len(t, r.View().Steps, 2)
	require.Empty(t, history(r, "step.retried"), "what comes of the call is dropped")
	r.Decide("review", "ann", "approve")
	r.Ends("completed")
	o.Closes(r, enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
	kit.CalledOnce(env, "/slow", 1)
}

func TestResolve_1_AForcedRejectionIsOneWhateverItsOutputSays(t *testing.T) {
	env := kit.NewWorkspace(t)
	r := kit.Dispatch(env, kit.SignOff(env))
	r.WaitsAt("review")
	resolve(r, "review", "force-reject", map[string]any{"output": map[string]any{"decision": "approve", "note": "x"}})
	resolve(r, "review", "force-reject", nil)
	view := r.Ends("completed")
	require.Len(t, kit.Steps(view, "tell"), 1)
	require.Empty(t, kit.Steps(view, "publish"))
	found := output(t, r.Step("review"))
	require.Equal(t, []any{"reject", false, "in a hurry", "x"}, []any{found["decision"], found["approved"], found["approvalReply"], found["note"]})
	require.NotNil(t, found["overriddenAt"])
	require.NotContains(t, found, "rejectedBy")
	require.JSONEq(t, `{"aggregatorStatus":"rejected","nodeType":"human","decision":"reject",
		"overridden":{"actorId":"boss","action":"force-reject","reason":"in a hurry"}}`, string(r.Events("step.completed")[0].Data))
	require.Len(t, history(r, "step.overridden"), 1)
	require.Zero(t, kit.Judgments(env, nil).Total, "what is forced is no judgment")
}

func TestResolve_2_AgainstTheReviewersDecision(t *testing.T) {
	env := kit.NewWorkspace(t)
	definition := kit.SignOff(env)
	for range 10 {
		r := kit.Dispatch(env, definition)
		r.WaitsAt("review")
		data := r.By("review", map[string]any{"action": "force-reject"})
		decision := r.Decision(data["stepId"].(string), "ann", "approve")
		var decided, resolved atomic.Bool
		kit.Concurrently(2, func(i int) {
			if i == 0 {
				_, err := client.Call[map[string]any](env.Ctx, env.Keyed, client.ResolveStep, data)
				resolved.Store(unlessLate(env, err))
				return
			}
			answer, err := env.Workspace.Decide(env.Ctx, decision)
			decided.Store(unlessLate(env, err) && answer.Recorded)
		})
		require.NotEqual(t, decided.Load(), resolved.Load(), "one of the two took effect")
		view := r.Ends("completed")
		require.Len(t, kit.Steps(view, map[bool]string{true: "publish", false: "tell"}[decided.Load()]), 1)
		require.Len(t, view.Steps, 2)
	}
}

// unlessLate reports whether a call succeeded; the other end of a race learns that it
// came too late.
func unlessLate(env *kit.Env, err error) bool {
	if failure := redline.AsError(err); failure != nil {
		assert.Equal(env.T, redline.ProblemStatusFailedPrecondition, failure.Status)
		return false
	}
	return kit.NoError(env.T, err)
}

func TestResolve_3_TheLateAnswerOfACallIsDropped(t *testing.T) {
	env := kit.NewWorkspace(t)
	gate := env.Receiver().Hold("/slow")
	env.Receiver().Answer("/slow", receiver.JSON(`{"late":true}`))
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.Hook("call", env.Receiver().URL("/slow")), client.Mock("next")}, client.Always("call", "next")))
	kit.RequireReached(t, "the call", gate.Reached())
	env.RefusedAs("FAILED_PRECONDITION", client.ResolveStep, r.By("call", map[string]any{"action": "force-approve"}))
	resolve(r, "call", "force-complete", map[string]any{"output": map[string]any{"early": true}})
	gate.Release()
	answered(env, "/slow", 1)
	require.Len(t, kit.Steps(r.Ends("completed"), "next"), 1)
	found := output(t, r.Step("call"))
	require.Equal(t, true, found["early"])
	require.NotContains(t, found, "responseJson")
	require.Len(t, env.Receiver().Requests("/slow"), 1)

	held := env.Receiver().Hold("/other")
	failed := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.Hook("call", env.Receiver().URL("/other"))}))
	kit.RequireReached(t, "the call", held.Reached())
	resolve(failed, "call", "force-fail", nil)
	held.Release()
	require.Equal(t, "step-failed", failed.Ends("failed").FailureReason.Code)
	require.Equal(t, "forced-failure", failed.Step("call").Error.Code)
}

func TestResolve_4_WhilePausedTheSuccessorsWait(t *testing.T) {
	env := kit.NewWorkspace(t)
	r := kit.Dispatch(env, kit.SignOff(env))
	r.WaitsAt("review")
	pause(r)
	resolve(r, "review", "force-approve", nil)
	require.Equal(t, redline.StepStatusPending, r.Step("publish").Status)
	resolve(r, "publish", "force-complete", nil)
	require.Equal(t, redline.StepStatusSkipped, r.Step("publish").Status, "it had not started")
	require.Equal(t, redline.ExecutionStatusCompleted, r.View().Status)

	resumed := kit.Dispatch(env, kit.SignedOff(env))
	resumed.WaitsAt("review")
	pause(resumed)
	resolve(resumed, "review", "force-approve", nil)
	require.Equal(t, redline.StepStatusPending, resumed.Step("publish").Status)
	require.Nil(t, resumed.Step("publish").StartedAt)
	require.Empty(t, env.Receiver().Requests("/publish"))
	resume(resumed)
	resumed.Ends("completed")
	kit.CalledOnce(env, "/publish", 1)
	require.Equal(t, resumed.Events("execution.resumed")[0].Timestamp, *resumed.Step("publish").StartedAt, "it starts in the commit of the resume")
}

func TestResolveAsAReviewer(t *testing.T) {
	env := kit.NewWorkspace(t)
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.Human("review", "ann", "bob"), client.Mock("end")}, client.Both("review", "end")...),
		kit.Input(map[string]any{"content": "The text"}))
	r.WaitsAt("review")
	env.RefusedAs("PERMISSION_DENIED", client.ResolveStep, r.By("review", map[string]any{"action": "reviewer-approve"}))
	resolve(r, "review", "reviewer-approve", map[string]any{"actorId": "ann"})
	resolve(r, "review", "reviewer-approve", map[string]any{"actorId": "ann"})
	require.Equal(t, redline.StepStatusWaiting, r.Step("review").Status, "bob is asked as well")
	require.Equal(t, redline.DecideResultAggregatorStatusIdempotent, r.Decide("review", "ann", "approve").AggregatorStatus)
	env.RefusedAs("FAILED_PRECONDITION", client.ResolveStep, r.By("review", map[string]any{"action": "reviewer-reject", "actorId": "ann"}))
	resolve(r, "review", "reviewer-reject", map[string]any{"actorId": "bob", "reason": ""})
	r.Ends("completed")
	env.RefusedAs("FAILED_PRECONDITION", client.ResolveStep, r.By("end", map[string]any{"action": "reviewer-approve", "actorId": "ann"}))

	found := map[string]redline.Judgment{}
	for _, j := range kit.Judgments(env, nil).Results {
		found[j.ActionUser.UserID] = j
	}
	require.Len(t, found, 2)
	require.Equal(t, []any{"approve", "in a hurry", 0.95, redline.JudgmentJudgeTypeHuman}, []any{found["ann"].Decision, found["ann"].Reasoning, found["ann"].Confidence, found["ann"].JudgeType})
	require.Equal(t, []any{"reject", "", 0.75}, []any{found["bob"].Decision, found["bob"].Reasoning, found["bob"].Confidence})
}

func TestOperatingShape(t *testing.T) {
	env := kit.NewWorkspace(t)
	r := kit.Dispatch(env, kit.SignOff(env))
	r.WaitsAt("review")
	resolving := map[string]any{"action": "force-approve"}
	for operation, changes := range map[string][]map[string]any{
		client.CancelStep: {{"actorId": nil}, {"actorId": ""}, {"actorId": strings.Repeat("x", 257)}, {"reason": strings.Repeat("ü", 501)}, {"surplus": 1}},
		client.ResolveStep: {
			{"actorId": nil},
			{"action": "approve"},
			{"action": nil},
			{"reason": strings.Repeat("ü", 2001)},
			{"output": []any{}},
			{"surplus": 1},
			{"output": map[string]any{"text": strings.Repeat("x", 64<<10)}},
		},
	} {
		for _, change := range changes {
			data := r.By("review", nil)
			if operation == client.ResolveStep {
				maps.Copy(data, resolving)
			}
			maps.Copy(data, change)
			maps.DeleteFunc(data, func(_ string, value any) bool { return value == nil })
			assert.Equal(t, redline.ProblemStatusInvalidArgument, env.Refused(operation, data).Status, "%v", change)
		}
	}
	for _, change := range []map[string]any{{"stepId": "nothing"}, {"executionId": "nothing"}} {
		env.RefusedAs("NOT_FOUND", client.CancelStep, r.By("review", change))
		env.RefusedAs("NOT_FOUND", client.ResolveStep, r.By("review", map[string]any{"action": "force-fail", "executionId": "nothing"}))
	}
	require.Equal(t, redline.StepStatusWaiting, r.Step("review").Status)
}
