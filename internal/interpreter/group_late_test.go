package interpreter_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/interpreter"
)

// lateMember has a group that one approval decides, with a member that is still at work.
func lateMember(t *testing.T, member string, edges ...string) *env {
	t.Helper()
	s := grouped(t, "waitAll", 1, 1, []string{human("m1", "ann"), member, human("next", "dee"), mock("mend")}, append(edges, edge("m1", "next", "approve"), edge("m1", "mend", "reject"), edge("next", "mend", "reject"))...)
	s.decide("m1", "ann", "approve")
	require.Contains(t, s.eventLog(), "parallel-group.completed")
	require.Equal(t, interpreter.StepWaiting, s.step("next").Status)
	return s
}

func TestALateRejectionLeadsNowhere(t *testing.T) {
	t.Parallel()
	s := lateMember(t, human("m2", "bob"), edge("m2", "mend", "reject"), edge("m2", "mend", "always"))
	s.decide("m2", "bob", "reject")
	require.Equal(t, "reject", s.step("m2").Decision)
	require.Contains(t, s.eventLog(), "step.completed m2", "it is told all the same")
	require.Nil(t, s.step("mend"))
	s.decide("next", "dee", "approve")
	require.Equal(t, interpreter.Completed, s.state.Status)
}

func TestALateFailureIsNoneOfTheExecution(t *testing.T) {
	t.Parallel()
	s := lateMember(t, hook("m2"), edge("m2", "mend", "always"))
	s.finish("m2", interpreter.Outcome{Call: s.call("m2"), Kind: interpreter.Permanent, Code: "webhook-http-status", HTTPStatus: 400})
	require.Equal(t, interpreter.StepFailed, s.step("m2").Status)
	require.Contains(t, s.eventLog(), "step.failed m2")
	require.Nil(t, s.step("mend"))
	require.Equal(t, interpreter.Running, s.state.Status)
	s.decide("next", "dee", "approve")
	require.Equal(t, interpreter.Completed, s.state.Status)
}

func TestALateApprovalTakesItsOwnEdges(t *testing.T) {
	t.Parallel()
	s := lateMember(t, human("m2", "bob"), edge("m2", "mend", "approve"))
	s.decide("m2", "bob", "approve")
	require.Equal(t, interpreter.StepCompleted, s.step("mend").Status)
}
