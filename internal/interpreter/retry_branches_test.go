package interpreter_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/interpreter"
)

// noPage is an agent whose step fails when it starts: the triggerContext names no page.
func noPage(id string) string { return agentNode(id, `,"urlPath":"nowhere"`) }

func TestARetryKeepsTheBranchesThatBeganWithTheFailure(t *testing.T) {
	for name, more := range map[string][]string{
		"the first branch fails": {noPage("first"), edge("w", "first", "always")},
		"what follows it fails":  {mock("first") + "," + noPage("deep"), edge("w", "first", "always") + "," + edge("first", "deep", "always")},
	} {
		s := begin(t, strings.Join([]string{mock("w"), more[0], human("other", "ann"), mock("end")}, ","),
			strings.Join([]string{more[1], edge("w", "other", "always"), edge("other", "end", "approve"), edge("other", "end", "reject")}, ","))
		s.ask()
		require.Equal(t, "step-failed", s.state.FailureCode, name)
		require.Equal(t, "execution.failed", s.events[len(s.events)-1].Type, name)
		require.NotContains(t, s.eventLog(), "step.started other", name)
		s.state.Input = []byte(`{"nowhere":"example.com"}`)
		require.Nil(t, s.retry(), name)
		s.ask()
		s.approve("other", "ann")
		require.Equal(t, 1, s.count("end"), name)
	}
}

func TestARetryKeepsTheMembersThatBeganWithTheFailure(t *testing.T) {
	s := grouped(t, "waitAll", 2, 2, []string{mock("w"), noPage("m1"), human("m2", "ann"), mock("end")}, toGroup("w"), edge("m2", "end", "approve"), edge("m2", "end", "reject"))
	require.Equal(t, "step-failed", s.state.FailureCode)
	require.Nil(t, s.retry(s.id("m1")))
	s.ask()
	s.approve("m2", "ann")
	require.Equal(t, []any{1, interpreter.Completed}, []any{s.count("end"), s.state.Status})
}

func TestARetryKeepsTheEdgesOfTheMemberWithWhichItsGroupFailed(t *testing.T) {
	s := grouped(t, "waitAll", 2, 2, []string{mock("w"), hook("m1"), human("m2", "ann"), mock("fix"), mock("end")},
		toGroup("w"), fromGroup("end", "approve"), edge("m2", "fix", "approve"), edge("m2", "end", "reject"))
	_, err := s.override("m1", interpreter.ForceFail, "boss", "")
	require.Nil(t, err)
	require.Equal(t, interpreter.Running, s.state.Status, "the end of the call is the group's matter")
	s.decide("m2", "ann", "approve")
	require.Equal(t, "step-failed", s.state.FailureCode)
	require.Nil(t, s.retry())
	s.ask()
	require.Equal(t, interpreter.StepCompleted, s.newest("fix").Status, strings.ReplaceAll(s.eventLog(), "\n", "; "))
	require.Equal(t, []int{2, 1}, []int{s.count("m1"), s.count("m2")})
}

func TestARetryStartsTheMembersThatWereDueWhenTheirGroupFailed(t *testing.T) {
	s := requiring(t, []string{"m2"}, "joinOnQuorum", 1, 1, []string{mock("w"), mock("m1"), human("m2", "ann"), mock("end"), mock("no")},
		toGroup("w"), fromGroup("end", "approve"), groupBack("w", 1))
	require.Equal(t, "quorum-not-met", s.state.FailureCode, "one completion was expected, and the required member is not done")
	require.Nil(t, s.retry())
	s.ask()
	s.approve("m2", "ann")
	require.Equal(t, []any{1, 1, 1, interpreter.Completed}, []any{s.count("m1"), s.count("m2") - 1, s.count("end"), s.state.Status})
}

func TestAFailedGroupThatNobodyCanMeetFailsInEveryAttempt(t *testing.T) {
	s := grouped(t, "joinOnQuorum", 2, 2, []string{mock("w"), human("x", "ann"), mock("m1"), mock("m2"), mock("end")},
		edge("w", "x", "always"), edge("w", "m1", "always"), edge("x", "m2", "approve"), edge("x", "end", "reject"), fromGroup("end", "approve"))
	s.decide("x", "ann", "reject")
	require.Equal(t, "quorum-not-met", s.state.FailureCode, s.eventLog())
	require.Nil(t, s.retry())
	s.ask()
	require.Equal(t, "quorum-not-met", s.state.FailureCode, s.eventLog())
}
