package interpreter_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/interpreter"
)

func (s *env) reassign(from, to string) ([]definition.Reviewer, *fault.Error) {
	w := s.interpreter()
	panel, err := w.Reassign(interpreter.Reassignment{StepID: s.id("review"), From: from, To: to, ActorID: "boss"})
	s.keep(w)
	return panel, err
}

func TestAReviewerGivesWay(t *testing.T) {
	s := begin(t, human("review", "ann", "opt?"), "")
	s.ask()
	panel, err := s.reassign("ann", "bob")
	require.Nil(t, err)
	require.Equal(t, []definition.Reviewer{{UserID: "bob", Mandatory: true}, {UserID: "opt"}}, panel)
	require.Equal(t, map[string]any{"fromReviewerId": "ann", "toReviewerId": "bob", "actorId": "boss", "reason": nil}, s.data("step.reassigned"))
	require.Equal(t, []any{"bob", "opt"}, s.output("review")["reviewerIds"])
	require.Equal(t, "unknown-responder", s.decide("review", "ann", "approve").Status)
	seen := len(s.events)
	again, err := s.reassign("ann", "bob")
	require.Nil(t, err)
	require.Equal(t, panel, again)
	require.Len(t, s.events, seen)
	require.Equal(t, "resolved", s.decide("review", "bob", "approve").Status)
	again, err = s.reassign("ann", "bob")
	require.Nil(t, err, "a repetition after the end")
	require.Equal(t, panel, again)
}

func TestAChainOfReviewersAndBack(t *testing.T) {
	s := begin(t, human("review", "ann"), "")
	s.ask()
	for _, pair := range [][2]string{{"ann", "bob"}, {"bob", "eve"}} {
		_, err := s.reassign(pair[0], pair[1])
		require.Nil(t, err)
	}
	_, err := s.reassign("ann", "bob")
	require.Equal(t, fault.StatusFailedPrecondition, err.Status, "a later one has undone it")
	_, err = s.reassign("bob", "eve")
	require.Nil(t, err, "the last one may come again")
	for _, pair := range [][2]string{{"eve", "bob"}, {"bob", "ann"}} {
		_, err = s.reassign(pair[0], pair[1])
		require.Nil(t, err)
	}
	require.Equal(t, "resolved", s.decide("review", "ann", "approve").Status)
}

func TestWhoCannotBeReassigned(t *testing.T) {
	s := begin(t, human("review", "ann", "bob")+","+mock("m"), "")
	_, err := s.reassign("ann", "eve")
	require.Equal(t, fault.StatusFailedPrecondition, err.Status, "not waiting yet")
	s.ask()
	s.decide("review", "ann", "approve")
	for _, pair := range [][2]string{{"ann", "eve"}, {"eve", "x"}, {"bob", "ann"}, {"bob", "bob"}} {
		_, err = s.reassign(pair[0], pair[1])
		require.Equal(t, fault.StatusFailedPrecondition, err.Status, pair)
	}
	w := s.interpreter()
	_, err = w.Reassign(interpreter.Reassignment{StepID: s.id("m"), From: "a", To: "b", ActorID: "boss"})
	require.Equal(t, fault.StatusFailedPrecondition, err.Status)
	_, err = w.Reassign(interpreter.Reassignment{StepID: "nothing", From: "a", To: "b", ActorID: "boss"})
	require.Equal(t, fault.StatusNotFound, err.Status)
}
