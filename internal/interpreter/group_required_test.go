package interpreter_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/interpreter"
)

// threeMembers are people ann, bob and cy at m1, m2 and m3; ann has a deadline.
func threeMembers() []string {
	return []string{strings.TrimSuffix(human("m1", "ann"), "}") + `,"slaMs":100000}`, human("m2", "bob"), human("m3", "cy"), mock("yes"), mock("no")}
}

// ends lets each of these members end, one after the other, written as "m1 approve".
func (s *env) ends(moves ...string) {
	for _, move := range moves {
		node, how, _ := strings.Cut(move, " ")
		switch how {
		case "approve", "reject":
			s.decide(node, map[string]string{"m1": "ann", "m2": "bob", "m3": "cy"}[node], how)
		case "cancel":
			require.Nil(s.t, s.cancelStep(node, "u"))
		case "breach":
			s.now += 100_000
			s.ask()
		default:
			_, err := s.override(node, interpreter.Action(how), "u", `{"decision":"approve"}`)
			require.Nil(s.t, err)
		}
	}
}

// quorum is how the quorum of the group stands.
func (s *env) quorum() string {
	met := strings.Count(s.eventLog(), "group.quorum-met")
	for _, state := range s.state.Groups {
		require.Equal(s.t, map[bool]int{true: 1}[state.Met], met, "it is told once")
		if state.Missed {
			return "missed"
		}
	}
	return map[bool]string{true: "met", false: "open"}[met == 1]
}

func TestAQuorumIsMetWithItsRequiredMembersAlone(t *testing.T) {
	t.Parallel()
	one, two := []string{"m1"}, []string{"m1", "m2"}
	for _, c := range []struct {
		required         []string
		expected, quorum int
		before           string // what leaves it open
		last             string // what decides it
		want             string
	}{
		{one, 3, 2, "m2 approve, m3 approve", "m1 approve", "met"},
		{one, 3, 2, "m1 approve", "m2 approve", "met"},
		{one, 3, 1, "m2 approve", "m1 approve", "met"},
		{one, 3, 1, "", "m1 approve", "met"},
		{one, 3, 2, "m2 approve, m3 cancel", "m1 approve", "met"},
		{two, 3, 2, "m1 approve, m3 approve", "m2 approve", "met"},
		{two, 3, 2, "m2 approve, m3 approve", "m1 approve", "met"},
		{nil, 3, 2, "m2 approve", "m3 approve", "met"},

		{one, 3, 1, "", "m1 reject", "missed"},
		{one, 3, 1, "", "m1 force-fail", "missed"},
		{one, 3, 1, "", "m1 breach", "missed"},
		{one, 3, 1, "", "m1 cancel", "missed"},
		{one, 3, 1, "", "m1 force-complete", "missed"}, // without a decision
		{one, 3, 2, "m2 approve, m3 approve", "m1 breach", "missed"},
		{two, 3, 2, "m1 approve, m3 approve", "m2 cancel", "missed"},
		{one, 2, 2, "m2 approve", "m3 approve", "missed"}, // so many ends were expected
		{one, 3, 2, "m2 cancel", "m3 cancel", "missed"},   // too few can approve
	} {
		s := requiring(t, c.required, "joinOnQuorum", c.expected, c.quorum, threeMembers(), fromGroup("yes", "approve"))
		for move := range strings.SplitSeq(c.before, ", ") {
			if move != "" {
				s.ends(move)
			}
			require.Equal(t, "open", s.quorum(), "%+v after %s", c, move)
			require.Nil(t, s.step("yes"))
		}
		s.ends(c.last)
		require.Equal(t, c.want, s.quorum(), "%+v", c)
		if c.want == "met" {
			require.Equal(t, interpreter.Completed, s.state.Status, "%+v", c)
			require.NotNil(t, s.step("yes"))
		} else {
			require.Equal(t, "quorum-not-met", s.state.FailureCode, "%+v", c)
			require.Nil(t, s.step("yes"))
		}
		require.Len(t, s.state.Groups, 1)
	}
}

func TestARejectionByARequiredMemberGoesBackAtOnce(t *testing.T) {
	t.Parallel()
	nodes := append([]string{mock("write")}, threeMembers()...)
	s := requiring(t, []string{"m1"}, "joinOnQuorum", 3, 1, nodes, toGroup("write"), groupBack("write", 1), fromGroup("yes", "approve"))
	s.ends("m2 approve")
	require.Nil(t, s.step("yes"), "m1 is wanting")
	s.ends("m1 reject")
	require.Equal(t, interpreter.StepCancelled, s.at("m3", 1).Status)
	require.Equal(t, interpreter.StepWaiting, s.at("m1", 2).Status)
	s.decideAt("m2", 2, "bob", "approve")
	require.Nil(t, s.at("yes", 1), "what was said in another iteration does not count")
	s.decideAt("m1", 2, "ann", "approve")
	require.Equal(t, interpreter.Completed, s.state.Status)
	require.NotNil(t, s.at("yes", 1))
}

func TestOthersAreCancelledOnlyOnceTheRequiredMemberApproved(t *testing.T) {
	t.Parallel()
	s := requiring(t, []string{"m1"}, "cancelOnQuorum", 3, 1, threeMembers(), fromGroup("yes", "approve"), edge("m1", "no", "reject"))
	s.ends("m2 approve")
	require.Equal(t, interpreter.StepWaiting, s.step("m3").Status)
	s.ends("m1 approve")
	require.Equal(t, []interpreter.StepStatus{interpreter.StepCompleted, interpreter.StepCancelled, interpreter.StepCompleted},
		[]interpreter.StepStatus{s.step("m2").Status, s.step("m3").Status, s.step("yes").Status})

	s = requiring(t, []string{"m1"}, "cancelOnQuorum", 3, 1, threeMembers(), fromGroup("yes", "approve"), edge("m1", "no", "reject"))
	s.ends("m2 approve", "m1 reject")
	require.Equal(t, []any{"missed", interpreter.StepCompleted, interpreter.StepWaiting}, []any{s.quorum(), s.step("no").Status, s.step("m3").Status})
	s.ends("m3 approve")
	require.Equal(t, []any{"missed", interpreter.Completed}, []any{s.quorum(), s.state.Status})
	require.Nil(t, s.step("yes"))
}

// Whoever waits for all decides by what all said; the quorum is an event alone.
func TestWaitingForAllTellsOfTheQuorumWithItsRequiredMembersAlone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ moves, quorum, next string }{
		{"m2 approve, m3 approve, m1 approve", "met", "yes"},
		{"m1 approve, m2 approve, m3 cancel", "met", "no"},
		{"m2 approve, m3 approve, m1 cancel", "missed", "no"},
	} {
		s := requiring(t, []string{"m1"}, "waitAll", 3, 1, threeMembers(), fromGroup("yes", "approve"), fromGroup("no", "reject"))
		for i, move := range strings.Split(c.moves, ", ") {
			require.Nil(t, s.step(c.next))
			if strings.HasPrefix(move, "m1") && i > 0 {
				require.Equal(t, "open", s.quorum(), c.moves)
			}
			s.ends(move)
		}
		require.Equal(t, c.quorum, s.quorum(), c.moves)
		require.NotNil(t, s.step(c.next), c.moves)
		require.Equal(t, interpreter.Completed, s.state.Status, c.moves)
	}
}
