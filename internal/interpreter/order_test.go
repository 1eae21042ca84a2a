package interpreter_test

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/interpreter"
)

// permuted plays a flow in which each node ends as it is said, in one of the orders in which
// they may end: of the steps that live, the one of the lowest rank is the next.
func permuted(t *rapid.T, graph *definition.Graph, ends map[string]interpreter.Action, rank map[string]int) *env {
	s := dispatched(t, graph)
	for range 1_000 {
		s.ask()
		var next *interpreter.Step
		for _, step := range s.state.Steps {
			if step.Status.Live() && (next == nil || rank[step.NodeID] < rank[next.NodeID]) {
				next = step
			}
		}
		if next == nil || s.state.Status.Final() {
			return s
		}
		s.play(func(w *interpreter.Interpreter) { endAs(t, w, graph, next, ends[next.NodeID]) })
	}
	t.Fatalf("the execution does not end")
	return nil
}

// endAs ends a step as it is said. A call that runs ends with an answer that approves, or by
// hand without a decision.
func endAs(t *rapid.T, w *interpreter.Interpreter, graph *definition.Graph, step *interpreter.Step, action interpreter.Action) {
	hook := graph.Node(step.NodeID).Webhook
	switch {
	case step.Status != interpreter.StepRunning || action == interpreter.ForceFail:
	case action == interpreter.ForceApprove && hook != nil && hook.Mode != "async":
		call, _ := w.Begin(step.ID, 1_000_000, true)
		w.Finish(step.ID, interpreter.Outcome{Call: call, Kind: interpreter.Success, Decision: interpreter.ApproveWord, HTTPStatus: 200})
		return
	default:
		action = interpreter.ForceComplete
	}
	_, fault := w.Override(interpreter.Override{StepID: step.ID, Action: action, ActorID: "operator"})
	require.Nil(t, fault)
}

// outcome is what all orders must agree on: how the execution ended, and of one that did not
// fail how each step did that is no member of a group whose quorum ends the others.
func (s *env) outcome() string {
	text := string(s.state.Status)
	if s.state.Status == interpreter.Failed {
		return text
	}
	states := map[string]string{}
	for _, step := range s.state.Steps {
		if g := s.graph.Group(step.GroupID); g == nil || g.OnQuorumMet == definition.WaitAll {
			states[step.NodeID] = fmt.Sprint(step.Iteration, step.Status, step.Decision)
		}
	}
	lines := []string{text}
	for _, node := range slices.Sorted(maps.Keys(states)) {
		lines = append(lines, node+" "+states[node])
	}
	return strings.Join(lines, "\n")
}

// ordered reports whether the order of ends decides by the rules: a group that is decided
// before all its members have ended takes those that were first, and one that cancels the others
// lets the edges of those fire that ended before.
func ordered(graph *definition.Graph) bool {
	return slices.ContainsFunc(graph.Groups, func(g definition.Group) bool {
		return g.ExpectedSteps < len(g.MemberNodeIDs) || g.OnQuorumMet == definition.CancelOnQuorum
	})
}

// nothingDependsOnTheOrder plays so many flows, each in several orders.
func nothingDependsOnTheOrder(t *testing.T, flows string) {
	t.Helper()
	checks := flag.Lookup("rapid.checks").Value
	if before := checks.String(); before == usualChecks {
		require.NoError(t, checks.Set(flows))
		defer func() { require.NoError(t, checks.Set(before)) }()
	}
	seen := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		text, graph := wholeFlow(t)
		ends, nodes := map[string]interpreter.Action{}, []string{"end"}
		for i := 0; graph.Node(fmt.Sprintf("n%d", i)) != nil; i++ {
			node := fmt.Sprintf("n%d", i)
			nodes = append(nodes, node)
			ends[node] = rapid.SampledFrom([]interpreter.Action{
				interpreter.ForceApprove, interpreter.ForceApprove, interpreter.ForceComplete, interpreter.ForceReject, interpreter.ForceFail,
			}).Draw(t, "end of "+node)
		}
		ends["end"] = interpreter.ForceApprove
		if ordered(graph) {
			return
		}
		var want string
		for order := range 4 {
			rank := map[string]int{}
			for i, node := range rapid.Permutation(nodes).Draw(t, fmt.Sprint("order ", order)) {
				rank[node] = i
			}
			s := permuted(t, graph, ends, rank)
			if order == 0 {
				want = s.outcome()
				s.report(seen)
				continue
			}
			require.Equal(t, want, s.outcome(), "%s\n%v", text, ends)
		}
	})
	require.Greater(t, seen["with a group"]*10, seen["flows"], "too few flows with a group: %v", seen)
}

// In whatever order steps end, the same ends lead to the same.
func TestTheOrderOfEndsChangesNothing(t *testing.T) { nothingDependsOnTheOrder(t, "500") }

func TestLong_TheOrderOfEndsChangesNothing(t *testing.T) { nothingDependsOnTheOrder(t, "100000") }

// A group answers for the failure that decides it as for those before: its edge on rejection
// takes both.
func TestAGroupAnswersForItsLastMemberToo(t *testing.T) {
	for _, order := range [][]string{{"ma", "mb"}, {"mb", "ma"}} {
		s := grouped(t, "waitAll", 2, 1, []string{human("ma", "ann"), human("mb", "ann"), mock("yes"), mock("no")},
			fromGroup("yes", "approve"), fromGroup("no", "reject"))
		for _, node := range order {
			action := interpreter.ForceApprove
			if node == "mb" {
				action = interpreter.ForceFail
			}
			_, fault := s.override(node, action, "operator", "{}")
			require.Nil(t, fault)
			s.ask()
		}
		require.NotNil(t, s.step("no"), order)
		require.Nil(t, s.step("yes"), order)
		require.Equal(t, interpreter.Completed, s.state.Status, order)
	}
}
