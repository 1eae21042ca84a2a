package interpreter_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/interpreter"
)

func (s *env) retry(skip ...string) *fault.Error {
	w := s.interpreter()
	err := w.Retry(interpreter.Retry{SkipStepIDs: skip, ActorID: "boss", Reason: "again"})
	s.keep(w)
	return err
}

// newest returns the latest step of a node.
func (s *env) newest(node string) *interpreter.Step {
	var found *interpreter.Step
	for _, step := range s.state.Steps {
		if step.NodeID == node {
			found = step
		}
	}
	return found
}

func (s *env) approve(node, who string) {
	w := s.interpreter()
	a, err := w.Decide(interpreter.Decision{StepID: s.newest(node).ID, ReviewerID: who, Word: "approve"})
	require.Nil(s.t, err)
	require.True(s.t, a.Recorded)
	s.keep(w)
}

func (s *env) count(node string) (n int) {
	for _, step := range s.state.Steps {
		if step.NodeID == node {
			n++
		}
	}
	return n
}

// broken has two branches: a call that fails, and people of whom one has approved.
func broken(t testing.TB) *env {
	s := begin(t, strings.Join([]string{mock("first"), hook("call"), human("review", "ann", "bob"), mock("after"), mock("end")}, ","),
		strings.Join([]string{
			edge("first", "call", "always"), edge("first", "review", "always"), edge("call", "after", "always"), edge("review", "end", "approve"), edge("review", "end", "reject"),
		}, ","))
	s.ask()
	return s
}

func TestARetryRunsAgainWhatTheFailureLeftOpen(t *testing.T) {
	s := begin(t, strings.Join([]string{mock("first"), hook("call"), human("review", "ann", "bob"), mock("end")}, ","),
		strings.Join([]string{edge("first", "call", "always"), edge("first", "review", "always"), edge("review", "end", "approve"), edge("review", "end", "reject")}, ","))
	s.ask()
	s.decide("review", "ann", "approve")
	_, err := s.override("call", interpreter.ForceFail, "boss", "")
	require.Nil(t, err)
	require.Equal(t, interpreter.Failed, s.state.Status)
	seq := s.state.Seq
	require.Nil(t, s.retry())
	assert.Equal(t, []any{interpreter.Pending, 2, int64(0), ""}, []any{s.state.Status, s.state.Attempt, s.state.CompletedAt, s.state.FailureCode})
	assert.Equal(t, seq+3, s.state.Seq, "numbers go on")
	assert.Equal(t, map[string]any{
		"actorId": "boss", "reason": "again", "attempt": 2.0, "skippedStepIds": []any{},
		"stepIds": []any{interpreter.StepID(s.state.ExecutionID, "call", 1, 2), interpreter.StepID(s.state.ExecutionID, "review", 1, 2)},
	}, s.data("execution.retried"))
	assert.Equal(t, 1, s.count("first"), "what was completed stays")
	require.Equal(t, fault.StatusFailedPrecondition, s.retry().Status, "it is pending")

	s.ask()
	require.Equal(t, interpreter.StepRunning, s.newest("call").Status)
	require.Equal(t, []any{"bob"}, s.data("step.awaiting-approval")["waitingForReviewers"])
	s.approve("review", "bob")
	require.Equal(t, interpreter.StepCompleted, s.newest("review").Status, "what ann said is kept")
	require.Equal(t, 2, s.newest("end").Attempt, "also where it is reached for the first time")
}

func TestASkippedStepFiresItsEdges(t *testing.T) {
	s := broken(t)
	_, err := s.override("call", interpreter.ForceFail, "boss", "")
	require.Nil(t, err)
	require.Equal(t, interpreter.Running, s.state.Status, "its edge took the failure")
	_, err = s.override("review", interpreter.ForceFail, "boss", "")
	require.Nil(t, err)
	require.Equal(t, interpreter.Failed, s.state.Status)
	refused := s.retry(s.id("call"), s.id("review"))
	require.Equal(t, fault.StatusInvalidArgument, refused.Status, "an edge took the end of the call")
	require.Equal(t, []string{"skipStepIds", "0"}, refused.Issues[0].Path)
	require.Nil(t, s.retry(s.id("review")))
	require.Equal(t, interpreter.StepSkipped, s.newest("review").Status)
	require.Equal(t, []any{s.id("review")}, s.data("execution.retried")["skippedStepIds"])
	require.Equal(t, interpreter.Completed, s.state.Status, "nothing is left to do")
	require.Zero(t, s.count("end"))
}

func TestARejectionThatNobodyTookIsAskedAgain(t *testing.T) {
	s := begin(t, strings.Join([]string{human("review", "ann", "opt?"), mock("end"), mock("no")}, ","),
		edge("review", "end", "approve")+","+custom("review", "no", `{"op":"eq","args":[{"var":"step.attempt"},7]}`))
	s.ask()
	s.decide("review", "opt", "reject")
	require.Equal(t, "unrouted-rejection", s.state.FailureCode)
	require.Nil(t, s.retry())
	s.ask()
	require.Empty(t, s.newest("review").Reviewers[1].Decision, "the rejection itself is asked again")
	s.approve("review", "ann")
	require.Equal(t, interpreter.Completed, s.state.Status)
}

func TestAMissedQuorumIsAskedOfThoseWhoDidNotApprove(t *testing.T) {
	s := grouped(t, "joinOnQuorum", 3, 3, []string{mock("w"), human("m1", "ann"), human("m2", "bob", "opt?"), human("m3", "cy"), mock("end")},
		toGroup("w"), fromGroup("end", "approve"))
	s.decide("m1", "ann", "approve")
	s.decide("m2", "opt", "approve")
	s.decide("m3", "cy", "reject")
	require.Equal(t, "quorum-not-met", s.state.FailureCode)
	require.Nil(t, s.retry())
	require.Equal(t, []int{1, 2, 2}, []int{s.count("m1"), s.count("m2"), s.count("m3")})
	s.ask()
	require.Equal(t, []string{"approve"}, []string{s.newest("m2").Reviewers[1].Decision})
	s.approve("m2", "bob")
	require.Zero(t, s.count("end"))
	s.approve("m3", "cy")
	require.Equal(t, 1, s.count("end"), "the approval of the first attempt counts")
	require.Equal(t, interpreter.Completed, s.state.Status)
	require.Equal(t, 1, strings.Count(s.eventLog(), "group.quorum-met"))
}

func TestAGroupThatWasDecidedStaysSo(t *testing.T) {
	s := grouped(t, "cancelOnQuorum", 2, 1, []string{mock("w"), human("m1", "ann"), human("m2", "bob"), human("end", "eve"), mock("no")},
		toGroup("w"), fromGroup("end", "approve"), edge("m1", "no", "reject"), edge("m2", "no", "reject"), edge("end", "no", "reject"))
	s.decide("m1", "ann", "approve")
	_, err := s.override("end", interpreter.ForceFail, "boss", "")
	require.Nil(t, err)
	require.Nil(t, s.retry())
	require.Equal(t, []int{1, 1, 2}, []int{s.count("m1"), s.count("m2"), s.count("end")})
	s.ask()
	s.approve("end", "eve")
	require.Equal(t, interpreter.Completed, s.state.Status)
	require.Equal(t, 1, strings.Count(s.eventLog(), "group.quorum-met"))
}

func TestAUsedUpLoopAsksTheLastIterationAgain(t *testing.T) {
	s := grouped(t, "joinOnQuorum", 2, 2, []string{mock("w"), human("m1", "ann"), human("m2", "bob"), mock("end")},
		toGroup("w"), fromGroup("end", "approve"), groupBack("w", 1))
	s.decideAt("m1", 1, "ann", "reject")
	s.decideAt("m1", 2, "ann", "reject")
	require.Equal(t, "loop-exhausted", s.state.FailureCode)
	require.Nil(t, s.retry())
	require.Equal(t, []int{2, 3, 3}, []int{s.count("w"), s.count("m1"), s.count("m2")})
	require.Equal(t, []int{2, 2}, []int{s.newest("m1").Iteration, s.newest("m1").Attempt})
	s.ask()
	s.approve("m1", "ann")
	s.approve("m2", "bob")
	require.Equal(t, interpreter.Completed, s.state.Status)
}

func TestAReassignmentHoldsInLaterAttempts(t *testing.T) {
	s := begin(t, human("review", "ann")+","+hook("call"), "")
	s.ask()
	_, err := s.reassign("ann", "bob")
	require.Nil(t, err)
	_, err = s.override("call", interpreter.ForceFail, "boss", "")
	require.Nil(t, err)
	require.Nil(t, s.retry())
	s.ask()
	require.Equal(t, "bob", s.newest("review").Reviewers[0].UserID)
}

func TestWhatCannotBeTriedAgain(t *testing.T) {
	s := begin(t, human("review", "ann"), "")
	s.ask()
	require.Equal(t, fault.StatusFailedPrecondition, s.retry().Status)
	_, err := s.override("review", interpreter.ForceFail, "boss", "")
	require.Nil(t, err)
	s.state.Attempt = interpreter.MaxAttempts
	require.Equal(t, "attempts-used-up", s.retry().Reason)
	s.state.Attempt, s.state.FailureCode = 1, "step-limit"
	require.Equal(t, "step-limit", s.retry().Reason)
}

func TestAUsedUpLoopIsAskedAgainAlthoughAnotherEdgeOfItsSourceFires(t *testing.T) {
	s := begin(t, strings.Join([]string{mock("w"), human("review", "ann"), mock("log"), mock("end")}, ","),
		strings.Join([]string{
			edge("w", "review", "always"), edge("review", "end", "approve"), edge("review", "log", "always"),
			`{"from":"review","to":"w","on":"reject","loop":{"maxIterations":1}}`,
		}, ","))
	s.ask()
	s.decideAt("review", 1, "ann", "reject")
	s.decideAt("review", 2, "ann", "reject")
	require.Equal(t, "loop-exhausted", s.state.FailureCode)
	require.Nil(t, s.retry())
	require.Equal(t, interpreter.Pending, s.state.Status, "somebody has to decide again")
	s.ask()
	s.approve("review", "ann")
	require.Equal(t, []int{3, 1, 1}, []int{s.count("review"), s.count("log"), s.count("end")})
	require.Equal(t, interpreter.Completed, s.state.Status)
}

func TestAMemberThatUsedUpItsLoopIsAskedAgainBeforeItsGroupIsDecided(t *testing.T) {
	s := grouped(t, "waitAll", 2, 2, []string{mock("w"), human("m1", "ann"), human("m2", "bob"), mock("end")},
		toGroup("w"), fromGroup("end", "approve"), edge("m2", "end", "reject"), `{"from":"m1","to":"w","on":"reject","loop":{"maxIterations":1}}`)
	s.decideAt("m1", 1, "ann", "reject")
	s.decideAt("m1", 2, "ann", "reject")
	require.Equal(t, "loop-exhausted", s.state.FailureCode)
	require.Nil(t, s.retry())
	s.ask()
	require.Equal(t, []int{3, 2}, []int{s.count("m1"), s.count("m2")})
	s.approve("m1", "ann")
	s.approve("m2", "bob")
	require.Equal(t, interpreter.Completed, s.state.Status)
	require.Equal(t, 1, s.count("end"))
}
