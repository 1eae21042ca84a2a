package interpreter_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/interpreter"
)

func (s *env) override(node string, action interpreter.Action, actor, output string) (*interpreter.Decision, *fault.Error) {
	w := s.interpreter()
	d, err := w.Override(interpreter.Override{StepID: s.id(node), Action: action, ActorID: actor, Reason: "because", Output: json.RawMessage(output)})
	s.keep(w)
	return d, err
}

func (s *env) cancelStep(node, actor string) *fault.Error {
	w := s.interpreter()
	err := w.CancelStep(s.id(node), actor, "not needed")
	s.keep(w)
	return err
}

// output reads the output of a node's step.
func (s *env) output(node string) map[string]any {
	var found map[string]any
	require.NoError(s.t, json.Unmarshal(s.step(node).Output, &found))
	return found
}

// data reads the data of the newest event of a type, of a node's step if one is named.
func (s *env) data(kind string, node ...string) map[string]any {
	var found map[string]any
	for _, e := range s.events {
		if e.Type == kind && (len(node) == 0 || e.StepID == s.id(node[0])) {
			found = nil
			require.NoError(s.t, json.Unmarshal(e.Data, &found))
		}
	}
	return found
}

// signOff asks two people; both ends go on to agents of their own.
func signOff(t testing.TB) *env {
	s := begin(t, strings.Join([]string{human("review", "ann", "bob"), mock("yes"), mock("no"), mock("any")}, ","),
		strings.Join([]string{edge("review", "yes", "approve"), edge("review", "no", "reject"), edge("review", "any", "always")}, ","))
	s.ask()
	return s
}

func TestAForcedDecisionCountsWhateverItsOutputSays(t *testing.T) {
	for action, want := range map[interpreter.Action]struct{ word, status, next, not string }{
		interpreter.ForceApprove: {"approve", "resolved", "yes", "no"}, interpreter.ForceReject: {"reject", "rejected", "no", "yes"},
	} {
		s := signOff(t)
		d, err := s.override("review", action, "boss", `{"note":9007199254740993,"decision":"other","approved":"x","overriddenAt":1}`)
		require.Nil(t, err)
		require.Nil(t, d, "it is no judgment")
		out := s.output("review")
		assert.Equal(t, []any{want.word, want.word == "approve", "because", want.status, s.id("review"), float64(s.now)},
			[]any{out["decision"], out["approved"], out["approvalReply"], out["aggregatorStatus"], out["resumeKey"], out["overriddenAt"]})
		assert.Contains(t, string(s.step("review").Output), `"note":9007199254740993`)
		assert.NotContains(t, out, "rejectedBy")
		assert.NotNil(t, s.step(want.next))
		assert.Nil(t, s.step(want.not))
		assert.Equal(t, interpreter.Completed, s.state.Status)
		mark := map[string]any{"actorId": "boss", "action": string(action), "reason": "because"}
		assert.Equal(t, mark, s.data("step.overridden"))
	}
}

func TestTheEndByHandStandsInTheOrderOfEvents(t *testing.T) {
	s := begin(t, human("review", "ann", "bob"), "")
	s.ask()
	_, err := s.override("review", interpreter.ForceApprove, "boss", "")
	require.Nil(t, err)
	log := s.eventLog()
	require.True(t, strings.HasSuffix(log, "step.overridden review\nstep.completed review\nexecution.completed"), log)
	require.Equal(t, map[string]any{
		"aggregatorStatus": "resolved", "nodeType": "human", "decision": "approve",
		"overridden": map[string]any{"actorId": "boss", "action": "force-approve", "reason": "because"},
	}, s.data("step.completed"))
	seen := len(s.events)
	_, err = s.override("review", interpreter.ForceApprove, "boss", "")
	require.Nil(t, err, "the same once more")
	require.Len(t, s.events, seen)
	for _, other := range []struct {
		action interpreter.Action
		actor  string
	}{{interpreter.ForceApprove, "ann"}, {interpreter.ForceReject, "boss"}} {
		_, err = s.override("review", other.action, other.actor, "")
		require.Equal(t, fault.StatusFailedPrecondition, err.Status)
	}
}

func TestAReviewersActIsADecision(t *testing.T) {
	s := signOff(t)
	_, err := s.override("review", interpreter.ReviewerApprove, "eve", "")
	require.Equal(t, fault.StatusPermissionDenied, err.Status)
	d, err := s.override("review", interpreter.ReviewerApprove, "ann", "")
	require.Nil(t, err)
	require.Equal(t, &interpreter.Decision{StepID: s.id("review"), ReviewerID: "ann", Word: "approve", Reason: "because"}, d)
	require.Equal(t, interpreter.StepWaiting, s.step("review").Status, "bob is still asked")
	seen := len(s.events)
	d, err = s.override("review", interpreter.ReviewerApprove, "ann", "")
	require.Nil(t, err)
	require.Nil(t, d, "one judgment")
	require.Len(t, s.events, seen)
	_, err = s.override("review", interpreter.ReviewerReject, "ann", "")
	require.Equal(t, fault.StatusFailedPrecondition, err.Status, "the first decision stands")
	require.Equal(t, "idempotent", s.decide("review", "ann", "reject").Status)

	d, err = s.override("review", interpreter.ReviewerReject, "bob", `{"note":1}`)
	require.Nil(t, err)
	require.Equal(t, "reject", d.Word)
	out := s.output("review")
	require.NotContains(t, out, "rejectedBy")
	require.NotContains(t, out, "rejectorMandatory")
	require.Equal(t, []any{"reject", false, "because", 1.0, 1.0}, []any{out["decision"], out["approved"], out["approvalReply"], out["note"], out["rejectCount"]})
	require.Equal(t, "reviewer-reject", s.data("step.completed", "review")["overridden"].(map[string]any)["action"])
	require.NotNil(t, s.step("no"))
}

func TestForceCompleteLeavesNoDecision(t *testing.T) {
	s := signOff(t)
	_, err := s.override("review", interpreter.ForceComplete, "boss", `{"decision":"approve","note":1}`)
	require.Nil(t, err)
	require.Nil(t, s.step("yes"))
	require.NotNil(t, s.step("any"))
	require.NotContains(t, s.output("review"), "decision")
	require.EqualValues(t, 1, s.output("review")["note"])
}

func TestForceFailIsAFailure(t *testing.T) {
	s := begin(t, strings.Join([]string{hook("call"), mock("next")}, ","), edge("call", "next", "approve"))
	s.ask()
	_, err := s.override("call", interpreter.ForceApprove, "boss", "")
	require.Equal(t, fault.StatusFailedPrecondition, err.Status, "a running step decides nothing")
	_, err = s.override("call", interpreter.ForceFail, "boss", `{"note":1}`)
	require.Nil(t, err)
	require.Equal(t, interpreter.Failed, s.state.Status)
	require.Equal(t, "forced-failure", s.step("call").ErrorCode)
	data := s.data("step.failed")
	require.Equal(t, "forced-failure", data["error"].(map[string]any)["code"])
	require.Contains(t, data, "overridden")
	require.Equal(t, []any{nil, 0.0, "permanent"}, []any{data["httpStatus"], data["latencyMs"], data["retryClass"]})
	require.EqualValues(t, 1, s.output("call")["note"])
}

// What waits for people, or for an agent, and is let fail tells why and by whom, and
// nothing of an outcome that it has not had.
func TestForceFailOfWhatWaits(t *testing.T) {
	for id, node := range map[string]string{"review": human("review", "ann"), "check": agentNode("check", "")} {
		s := begin(t, node, "")
		s.ask()
		_, err := s.override(id, interpreter.ForceFail, "boss", "")
		require.Nil(t, err)
		data := s.data("step.failed")
		require.Equal(t, []string{"error", "overridden"}, slices.Sorted(maps.Keys(data)), id)
	}
}

func TestACallOfAStepThatWasEndedByHandIsDropped(t *testing.T) {
	s := begin(t, strings.Join([]string{hook("call"), human("review", "ann")}, ","), edge("call", "review", "always"))
	s.ask()
	w := s.interpreter()
	_, began := w.Begin(s.id("call"), time.Second, true)
	require.True(t, began)
	s.keep(w)
	_, err := s.override("call", interpreter.ForceComplete, "boss", `{"note":1}`)
	require.Nil(t, err)
	w = s.interpreter()
	w.Finish(s.id("call"), interpreter.Outcome{Kind: interpreter.Success, HTTPStatus: 200, Output: json.RawMessage(`{"late":true}`)})
	require.False(t, s.keep(w).Any())
	require.NotContains(t, s.output("call"), "late")
}

func TestAPendingStepThatIsCompletedByHandIsSkipped(t *testing.T) {
	s := begin(t, strings.Join([]string{human("review", "ann"), mock("yes"), mock("any")}, ","), edge("review", "yes", "approve")+","+
		edge("review", "any", "always")+","+edge("review", "yes", "reject"))
	_, err := s.override("review", interpreter.ForceFail, "boss", "")
	require.Equal(t, fault.StatusFailedPrecondition, err.Status)
	_, err = s.override("review", interpreter.ForceComplete, "boss", `{"note":1}`)
	require.Nil(t, err)
	require.Equal(t, interpreter.StepSkipped, s.step("review").Status)
	require.Equal(t, interpreter.StepPending, s.step("any").Status)
	require.Nil(t, s.step("yes"))
	s.ask()
	require.Equal(t, interpreter.Completed, s.state.Status)
	require.Contains(t, s.eventLog(), "step.overridden review\nstep.skipped review\nstep.scheduled any")
}

func TestALargeOutputStandsAlone(t *testing.T) {
	s := signOff(t)
	large := `{"text":"` + strings.Repeat("x", 64<<10-11) + `"}`
	_, err := s.override("review", interpreter.ForceApprove, "boss", large)
	require.Nil(t, err)
	require.NotContains(t, s.output("review"), "responses")
	require.Len(t, s.output("review")["text"], 64<<10-11)
	require.Equal(t, "approve", s.output("review")["decision"])
}

func TestACancelledStepEndsItsBranchAlone(t *testing.T) {
	s := begin(t, strings.Join([]string{human("one", "ann"), human("two", "bob"), mock("next")}, ","),
		edge("one", "next", "always")+","+edge("one", "next", "reject")+","+edge("two", "next", "reject"))
	s.ask()
	require.Nil(t, s.cancelStep("one", "boss"))
	require.Nil(t, s.cancelStep("one", "boss"), "the same once more")
	require.Equal(t, fault.StatusFailedPrecondition, s.cancelStep("one", "other").Status)
	require.Nil(t, s.step("next"), "no edge fires")
	require.Equal(t, map[string]any{"actorId": "boss", "reason": "not needed"}, s.data("step.cancelled"))
	require.Equal(t, interpreter.Running, s.state.Status)
	s.decide("two", "bob", "approve")
	require.Equal(t, interpreter.Completed, s.state.Status, "the other branch came to its end")
}

func TestTheLastStepIsCancelledAfterTheOtherBranch(t *testing.T) {
	for name, c := range map[string]struct {
		finish func(s *env)
		want   interpreter.Status
	}{
		"it ended":                {func(s *env) { s.decide("two", "bob", "approve") }, interpreter.Completed},
		"it ended behind an edge": {func(s *env) { s.decide("two", "bob", "reject") }, interpreter.Completed},
		"it was completed by force": {func(s *env) {
			_, err := s.override("two", interpreter.ForceComplete, "boss", "")
			require.Nil(t, err)
		}, interpreter.Completed},
		"it was cancelled too": {func(s *env) { require.Nil(t, s.cancelStep("two", "boss")) }, interpreter.Cancelled},
	} {
		s := begin(t, strings.Join([]string{human("one", "ann"), human("two", "bob"), mock("next")}, ","),
			edge("one", "next", "always")+","+edge("one", "next", "reject")+","+edge("two", "next", "reject"))
		s.ask()
		c.finish(s)
		require.Equal(t, interpreter.Running, s.state.Status, name)
		require.Nil(t, s.cancelStep("one", "boss"), name)
		require.Equal(t, c.want, s.state.Status, name)
		require.Equal(t, []bool{c.want == interpreter.Completed, c.want == interpreter.Cancelled}, []bool{s.state.CompletedAt != 0, s.state.CancelledAt != 0}, name)
		require.True(t, strings.HasSuffix(s.eventLog(), "step.cancelled one\nexecution."+string(c.want)), name)
	}
}

func TestACancelledStepThatWasAllEndsTheExecution(t *testing.T) {
	s := begin(t, strings.Join([]string{mock("first"), human("review", "ann"), mock("next")}, ","), edge("first", "review", "always")+","+edge("review", "next", "reject"))
	s.ask()
	require.Nil(t, s.cancelStep("review", "boss"))
	require.Equal(t, interpreter.Cancelled, s.state.Status)
	require.NotZero(t, s.state.CancelledAt)
	require.Equal(t, map[string]any{"actorId": "boss", "reason": "not needed"}, s.data("execution.cancelled"))
	require.Nil(t, s.cancelStep("review", "boss"), "also of an execution that has ended")
}

func TestAForcedRejectionDoesNotGoBackAndNeedsAnEdge(t *testing.T) {
	for _, action := range []interpreter.Action{interpreter.ForceReject, interpreter.ReviewerReject} {
		s := begin(t, mock("write")+","+human("review", "ann"), edge("write", "review", "always")+`,{"from":"review","to":"write","on":"reject","loop":{"maxIterations":2}}`)
		s.ask()
		_, err := s.override("review", action, "ann", "")
		require.Nil(t, err)
		require.Equal(t, "unrouted-rejection", s.state.FailureCode)
		require.Equal(t, 1, s.count("write"))
	}
}
