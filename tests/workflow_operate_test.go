package tests

import (
	"maps"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"

	"github.com/redline-svc/redline/tests/client"
	"github.com/redline-svc/redline/tests/receiver"
)

const (
	cancelStep  = "workflow/steps/cancel"
	resolveStep = "workflow/steps/resolve"
)

// by is what boss does to the step of a node.
func (r *run) by(nodeID string, more map[string]any) map[string]any {
	r.s.t.Helper()
	data := map[string]any{"executionId": r.id, "stepId": r.step(nodeID).StepID, "actorId": "boss", "reason": "in a hurry"}
	maps.Copy(data, more)
	return data
}

// resolve is an action that has to succeed.
func (r *run) resolve(nodeID, action string, more map[string]any) {
	r.s.t.Helper()
	data := r.by(nodeID, map[string]any{"action": action})
	maps.Copy(data, more)
	var answer map[string]any
	r.s.call(resolveStep, data, &answer)
	require.Equal(r.s.t, map[string]any{"resolved": true, "executionId": r.id, "stepId": data["stepId"], "action": action}, answer)
}

func (r *run) cancelStep(nodeID string) {
	r.s.t.Helper()
	data := r.by(nodeID, nil)
	var answer map[string]any
	r.s.call(cancelStep, data, &answer)
	require.Equal(r.s.t, map[string]any{"cancelled": true, "executionId": r.id, "stepId": data["stepId"]}, answer)
}

func TestCancelStep_1_TheOnlyBranchAndOneOfTwo(t *testing.T) {
	s := begin(t)
	r := s.dispatch(s.signOff(), s.withReceiver("/events"))
	step := r.waitsAt("review")
	r.cancelStep("review")
	r.cancelStep("review")
	view := r.view()
	require.Equal(t, "cancelled", view.Status)
	require.NotNil(t, view.CancelledAt)
	require.Len(t, view.Steps, 1, "no edge fires")
	for _, kind := range []string{"step.cancelled", "execution.cancelled"} {
		found := r.events(kind)
		require.Len(t, found, 1, kind)
		require.JSONEq(t, `{"actorId":"boss","reason":"in a hurry"}`, string(found[0].Data))
	}
	s.arrived("/events", receiver.Count(len(r.events())))
	s.refusedAs("FAILED_PRECONDITION", cancelStep, r.by("review", map[string]any{"actorId": "another"}))
	s.refusedAs("FAILED_PRECONDITION", recordDecision, r.decision(step.StepID, "ann", "approve"))

	two := s.dispatch(s.define([]client.Node{client.Human("one", "ann"), client.Human("two", "bob"), client.Mock("end")},
		append(client.Both("one", "end"), client.Reject("two", "end"))...))
	two.waitsAt("one")
	two.cancelStep("one")
	require.Equal(t, "running", two.view().Status, "siblings go on")
	two.decide("two", "bob", "approve")
	require.Equal(t, "completed", two.view().Status)
}

// What ends the last open step of an execution cancels it only where no other branch
// has come to its end.
func TestCancelStep_1_TheLastOneAfterAnotherBranchHasFinished(t *testing.T) {
	s := begin(t)
	r := s.dispatch(s.define([]client.Node{client.Human("one", "ann"), client.Human("two", "bob"), client.Mock("end")},
		append(client.Both("one", "end"), client.Reject("two", "end"))...), s.withReceiver("/events"))
	r.waitsAt("one")
	r.decide("two", "bob", "approve")
	require.Equal(t, "running", r.view().Status)
	r.cancelStep("one")
	view := r.view()
	require.Equal(t, "completed", view.Status)
	require.NotNil(t, view.CompletedAt)
	require.Nil(t, view.CancelledAt)
	require.Equal(t, "cancelled", r.step("one").Status)
	require.Empty(t, steps(view, "end"), "no edge fires")
	known := names(r.events())
	require.Equal(t, []string{"step.cancelled", "execution.completed"}, known[len(known)-2:])
	require.NotContains(t, known, "execution.cancelled")
	s.arrived("/events", receiver.Count(len(known)))
}

func TestCancelStep_2_AQuorumThatBecomesImpossibleIsMissed(t *testing.T) {
	s := begin(t)
	r := s.dispatch(s.panel("joinOnQuorum", 3, 3, []client.Node{client.Mock("publish")}, client.On("approve", client.GroupEnd("g"), "publish"),
		client.Back(client.GroupEnd("g"), "write", 2)))
	r.waitsAt("cy")
	r.decide("ann", "ann", "approve")
	r.cancelStep("bob")
	view := r.ends("failed")
	require.Equal(t, "quorum-not-met", view.FailureReason.Code)
	require.Equal(t, "cancelled", r.step("cy").Status)
	require.Empty(t, steps(view, "publish"))
}

// callsEnded is how many calls the engine has heard the end of in a run.
func (o *operator) callsEnded(of *commonpb.WorkflowExecution) (ended int) {
	o.t.Helper()
	for _, event := range o.history(of).GetEvents() {
		if event.GetEventType() == enumspb.EVENT_TYPE_ACTIVITY_TASK_COMPLETED {
			ended++
		}
	}
	return ended
}

// Another branch goes on, and with it the run: what comes of the call is offered to the
// rows before the engine hears that it ended.
func TestCancelStep_3_DuringAnAutomaticTry(t *testing.T) {
	s := begin(t)
	o := atTheEngine(t, engineNamespace)
	gate := s.receiver().Hold("/slow")
	s.receiver().Answer("/slow", receiver.Status(503))
	r := s.dispatch(s.define([]client.Node{client.Hook("call", s.receiver().URL("/slow")), client.Mock("next"), client.Human("review", "ann"), client.Mock("no")},
		client.Always("call", "next"), client.Reject("review", "no")))
	reached(t, "the call", gate.Reached())
	of := o.open(r)
	r.cancelStep("call")
	require.Zero(t, o.callsEnded(of), "the call is still under way")
	gate.Release()
	eventually(t, "the engine has heard of the end of the call", func() bool {
		return o.callsEnded(of) == 1
	})
	require.Equal(t, "cancelled", r.step("call").Status)
	require.Len(t, r.view().Steps, 2)
	require.Empty(t, r.history("step.retried"), "what comes of the call is dropped")
	r.decide("review", "ann", "approve")
	r.ends("completed")
	o.closes(r, enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
	s.once("/slow", 1)
}

func TestResolve_1_AForcedRejectionIsOneWhateverItsOutputSays(t *testing.T) {
	s := begin(t)
	r := s.dispatch(s.signOff())
	r.waitsAt("review")
	r.resolve("review", "force-reject", map[string]any{"output": map[string]any{"decision": "approve", "note": "x"}})
	r.resolve("review", "force-reject", nil)
	view := r.ends("completed")
	require.Len(t, steps(view, "tell"), 1)
	require.Empty(t, steps(view, "publish"))
	found := output(t, r.step("review"))
	require.Equal(t, []any{"reject", false, "in a hurry", "x"}, []any{found["decision"], found["approved"], found["approvalReply"], found["note"]})
	require.NotNil(t, found["overriddenAt"])
	require.NotContains(t, found, "rejectedBy")
	require.JSONEq(t, `{"aggregatorStatus":"rejected","nodeType":"human","decision":"reject",
		"overridden":{"actorId":"boss","action":"force-reject","reason":"in a hurry"}}`, string(r.events("step.completed")[0].Data))
	require.Len(t, r.history("step.overridden"), 1)
	require.Zero(t, s.judgments(nil).Total, "what is forced is no judgment")
}

func TestResolve_2_AgainstTheReviewersDecision(t *testing.T) {
	s := begin(t)
	definition := s.signOff()
	for range 10 {
		r := s.dispatch(definition)
		r.waitsAt("review")
		data := r.by("review", map[string]any{"action": "force-reject"})
		decision := r.decision(data["stepId"].(string), "ann", "approve")
		var decided, resolved atomic.Bool
		together(2, func(i int) {
			if i == 0 {
				_, err := client.Call[map[string]any](s.ctx, s.keyed, resolveStep, data)
				resolved.Store(s.unlessLate(err))
				return
			}
			answer, err := s.workspace.Decide(s.ctx, decision)
			decided.Store(s.unlessLate(err) && answer.Recorded)
		})
		require.NotEqual(t, decided.Load(), resolved.Load(), "one of the two took effect")
		view := r.ends("completed")
		require.Len(t, steps(view, map[bool]string{true: "publish", false: "tell"}[decided.Load()]), 1)
		require.Len(t, view.Steps, 2)
	}
}

// unlessLate gives whether a call succeeded; the other end of a race learns that it
// came too late.
func (s *scene) unlessLate(err error) bool {
	if failure := client.Refusal(err); failure != nil {
		assert.Equal(s.t, "FAILED_PRECONDITION", failure.Status)
		return false
	}
	return fine(s.t, err)
}

func TestResolve_3_TheLateAnswerOfACallIsDropped(t *testing.T) {
	s := begin(t)
	gate := s.receiver().Hold("/slow")
	s.receiver().Answer("/slow", receiver.JSON(`{"late":true}`))
	r := s.dispatch(s.define([]client.Node{client.Hook("call", s.receiver().URL("/slow")), client.Mock("next")}, client.Always("call", "next")))
	reached(t, "the call", gate.Reached())
	s.refusedAs("FAILED_PRECONDITION", resolveStep, r.by("call", map[string]any{"action": "force-approve"}))
	r.resolve("call", "force-complete", map[string]any{"output": map[string]any{"early": true}})
	gate.Release()
	s.answered("/slow", 1)
	require.Len(t, steps(r.ends("completed"), "next"), 1)
	found := output(t, r.step("call"))
	require.Equal(t, true, found["early"])
	require.NotContains(t, found, "responseJson")
	require.Len(t, s.receiver().Requests("/slow"), 1)

	held := s.receiver().Hold("/other")
	failed := s.dispatch(s.define([]client.Node{client.Hook("call", s.receiver().URL("/other"))}))
	reached(t, "the call", held.Reached())
	failed.resolve("call", "force-fail", nil)
	held.Release()
	require.Equal(t, "step-failed", failed.ends("failed").FailureReason.Code)
	require.Equal(t, "forced-failure", failed.step("call").Error.Code)
}

func TestResolve_4_WhilePausedTheSuccessorsWait(t *testing.T) {
	s := begin(t)
	r := s.dispatch(s.signOff())
	r.waitsAt("review")
	r.pause()
	r.resolve("review", "force-approve", nil)
	require.Equal(t, "pending", r.step("publish").Status)
	r.resolve("publish", "force-complete", nil)
	require.Equal(t, "skipped", r.step("publish").Status, "it had not started")
	require.Equal(t, "completed", r.view().Status)

	resumed := s.dispatch(s.signedOff())
	resumed.waitsAt("review")
	resumed.pause()
	resumed.resolve("review", "force-approve", nil)
	require.Equal(t, "pending", resumed.step("publish").Status)
	require.Nil(t, resumed.step("publish").StartedAt)
	require.Empty(t, s.receiver().Requests("/publish"))
	resumed.resume()
	resumed.ends("completed")
	s.once("/publish", 1)
	require.Equal(t, resumed.events("execution.resumed")[0].Timestamp, *resumed.step("publish").StartedAt, "it starts in the commit of the resume")
}

func TestResolveAsAReviewer(t *testing.T) {
	s := begin(t)
	r := s.dispatch(s.define([]client.Node{client.Human("review", "ann", "bob"), client.Mock("end")}, client.Both("review", "end")...),
		input(map[string]any{"content": "The text"}))
	r.waitsAt("review")
	s.refusedAs("PERMISSION_DENIED", resolveStep, r.by("review", map[string]any{"action": "reviewer-approve"}))
	r.resolve("review", "reviewer-approve", map[string]any{"actorId": "ann"})
	r.resolve("review", "reviewer-approve", map[string]any{"actorId": "ann"})
	require.Equal(t, "waiting", r.step("review").Status, "bob is asked as well")
	require.Equal(t, "idempotent", r.decide("review", "ann", "approve").AggregatorStatus)
	s.refusedAs("FAILED_PRECONDITION", resolveStep, r.by("review", map[string]any{"action": "reviewer-reject", "actorId": "ann"}))
	r.resolve("review", "reviewer-reject", map[string]any{"actorId": "bob", "reason": ""})
	r.ends("completed")
	s.refusedAs("FAILED_PRECONDITION", resolveStep, r.by("end", map[string]any{"action": "reviewer-approve", "actorId": "ann"}))

	found := map[string]judgmentView{}
	for _, j := range s.judgments(nil).Results {
		found[j.ActionUser["userId"].(string)] = j
	}
	require.Len(t, found, 2)
	require.Equal(t, []any{"approve", "in a hurry", 0.95, "human"}, []any{found["ann"].Decision, found["ann"].Reasoning, found["ann"].Confidence, found["ann"].JudgeType})
	require.Equal(t, []any{"reject", "", 0.75}, []any{found["bob"].Decision, found["bob"].Reasoning, found["bob"].Confidence})
}

func TestOperatingShape(t *testing.T) {
	s := begin(t)
	r := s.dispatch(s.signOff())
	r.waitsAt("review")
	resolving := map[string]any{"action": "force-approve"}
	for operation, changes := range map[string][]map[string]any{
		cancelStep: {{"actorId": nil}, {"actorId": ""}, {"actorId": strings.Repeat("x", 257)}, {"reason": strings.Repeat("ü", 501)}, {"surplus": 1}},
		resolveStep: {
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
			data := r.by("review", nil)
			if operation == resolveStep {
				maps.Copy(data, resolving)
			}
			maps.Copy(data, change)
			maps.DeleteFunc(data, func(_ string, value any) bool { return value == nil })
			assert.Equal(t, "INVALID_ARGUMENT", s.refused(operation, data).Status, "%v", change)
		}
	}
	for _, change := range []map[string]any{{"stepId": "nothing"}, {"executionId": "nothing"}} {
		s.refusedAs("NOT_FOUND", cancelStep, r.by("review", change))
		s.refusedAs("NOT_FOUND", resolveStep, r.by("review", map[string]any{"action": "force-fail", "executionId": "nothing"}))
	}
	require.Equal(t, "waiting", r.step("review").Status)
}
