package interpreter_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/interpreter"
	"github.com/redline-svc/redline/internal/interpreter/plan"
)

// grouped begins an execution with a group g of the first nodes.
func grouped(t *testing.T, policy string, expected, quorum int, nodes []string, edges ...string) *env {
	t.Helper()
	return requiring(t, nil, policy, expected, quorum, nodes, edges...)
}

// requiring is grouped with members that the quorum is not met without.
func requiring(t *testing.T, required []string, policy string, expected, quorum int, nodes []string, edges ...string) *env {
	t.Helper()
	without, err := json.Marshal(required)
	require.NoError(t, err)
	var members []string
	for _, text := range nodes {
		var node struct{ NodeID string }
		require.NoError(t, json.Unmarshal([]byte(text), &node))
		if strings.HasPrefix(node.NodeID, "m") {
			members = append(members, fmt.Sprintf("%q", node.NodeID))
		}
	}
	graph, err := definition.GraphOf(fmt.Appendf(nil, `{"definitionId":"flow","name":"Flow","nodes":[%s],"edges":[%s],
		"groups":[{"groupId":"g","memberNodeIds":[%s],"expectedSteps":%d,"quorum":%d,"onQuorumMet":%q,"requiredNodeIds":%s}]}`,
		strings.Join(nodes, ","), strings.Join(edges, ","), strings.Join(members, ","), expected, quorum, policy, without))
	require.NoError(t, err)
	s := &env{t: t, graph: graph, state: &interpreter.State{ExecutionID: "exec_1_abcdefgh", Input: json.RawMessage(`{}`)}, now: start}
	s.keep(interpreter.Dispatch(graph, s.state, "flow", 1, s.now))
	s.ask()
	return s
}

const groupG = `{"kind":"group","groupId":"g"}`

func fromGroup(to, on string) string {
	return fmt.Sprintf(`{"from":%s,"to":%q,"on":%q}`, groupG, to, on)
}

func groupBack(to string, times int) string {
	return fmt.Sprintf(`{"from":%s,"to":%q,"on":"reject","loop":{"maxIterations":%d}}`, groupG, to, times)
}

func toGroup(from string) string { return fmt.Sprintf(`{"from":%q,"to":%s}`, from, groupG) }

// decideAt decides in an iteration.
func (s *env) decideAt(node string, iteration int, who, word string) interpreter.Answer {
	w := s.interpreter()
	a, err := w.Decide(interpreter.Decision{StepID: interpreter.StepID(s.state.ExecutionID, node, iteration, 1), ReviewerID: who, Word: word, Reason: "because"})
	require.Nil(s.t, err)
	s.keep(w)
	return a
}

func (s *env) at(node string, iteration int) *interpreter.Step {
	for _, step := range s.state.Steps {
		if step.NodeID == node && step.Iteration == iteration {
			return step
		}
	}
	return nil
}

func TestAGroupLeavesWhatItsMembersLeft(t *testing.T) {
	t.Parallel()
	s := grouped(t, "waitAll", 2, 1, []string{human("m1", "ann"), human("m2", "bob?", "cy"), human("next", "dee")}, fromGroup("next", "reject"))
	s.decide("m1", "ann", "approve")
	require.Nil(t, s.step("next"))
	s.decide("m2", "bob", "reject")
	var input struct {
		GroupOutputs          map[string]struct{ Decision string }
		GroupID, Decision     string
		Quorum, TotalApproved int
		Approved              bool
		RejectedBy            string
		RejectorMandatory     *bool
		RejectionReason       string
	}
	require.NoError(t, json.Unmarshal(s.step("next").Input, &input))
	require.Equal(t, "approve", input.GroupOutputs["m1"].Decision)
	require.Equal(t, "reject", input.GroupOutputs["m2"].Decision)
	require.Equal(t, []any{"g", "reject", 1, 1, false, "bob", "because"},
		[]any{input.GroupID, input.Decision, input.Quorum, input.TotalApproved, input.Approved, input.RejectedBy, input.RejectionReason})
	require.False(t, *input.RejectorMandatory)
}

func TestTheInputOfAGroupKeepsToItsLimit(t *testing.T) {
	t.Parallel()
	var nodes []string
	for i := range 6 {
		nodes = append(nodes, hook(fmt.Sprintf("m%d", i)))
	}
	s := grouped(t, "waitAll", 6, 6, append(nodes, human("next", "ann")), fromGroup("next", "always"))
	for i := range 6 {
		w := s.interpreter()
		id := s.id(fmt.Sprintf("m%d", i))
		number, _ := w.Begin(id, time.Second, true)
		w.Finish(id, interpreter.Outcome{
			Call: number, Kind: interpreter.Success, HTTPStatus: 200, Decision: "approve",
			Output: json.RawMessage(fmt.Sprintf(`{"text":%q}`, strings.Repeat("x", 50_000+i))),
		})
		s.keep(w)
	}
	var input struct{ GroupOutputs map[string]json.RawMessage }
	require.NoError(t, json.Unmarshal(s.step("next").Input, &input))
	require.LessOrEqual(t, len(s.step("next").Input), 256<<10)
	require.Equal(t, "null", string(input.GroupOutputs["m5"]), "the largest")
	require.Greater(t, len(input.GroupOutputs["m0"]), 50_000)
}

func TestALateApprovalChangesNothingAfterTheQuorum(t *testing.T) {
	t.Parallel()
	s := grouped(t, "cancelOnQuorum", 3, 2, []string{human("m1", "ann"), human("m2", "bob"), human("m3", "cy"), mock("next")}, fromGroup("next", "approve"))
	s.decide("m1", "ann", "approve")
	s.decide("m2", "bob", "approve")
	require.Equal(t, interpreter.StepCancelled, s.step("m3").Status)
	require.Equal(t, interpreter.Completed, s.state.Status)
	w := s.interpreter()
	_, err := w.Decide(interpreter.Decision{StepID: s.id("m3"), ReviewerID: "cy", Word: "reject"})
	require.Equal(t, fault.StatusFailedPrecondition, err.Status)
	require.Contains(t, s.eventLog(), "step.completed m2\ngroup.quorum-met\nparallel-group.completed\nstep.cancelled m3\nstep.scheduled next")
}

func TestARejectionGoesBackWithWhatWasSaid(t *testing.T) {
	t.Parallel()
	s := grouped(t, "joinOnQuorum", 2, 2, []string{hook("write"), human("m1", "ann"), human("m2", "bob"), mock("give-up")},
		toGroup("write"), groupBack("write", 2), fromGroup("give-up", "exhausted"))
	for iteration := 1; iteration <= 3; iteration++ {
		id := interpreter.StepID(s.state.ExecutionID, "write", iteration, 1)
		w := s.interpreter()
		number, _ := w.Begin(id, time.Second, true)
		w.Finish(id, interpreter.Outcome{Call: number, Kind: interpreter.Success, HTTPStatus: 200, Output: json.RawMessage(`{"draft":1}`)})
		s.keep(w)
		s.decideAt("m1", iteration, "ann", "reject")
	}
	require.Equal(t, interpreter.Completed, s.state.Status)
	require.Equal(t, interpreter.StepCompleted, s.at("give-up", 1).Status)
	require.Equal(t, interpreter.StepCancelled, s.at("m2", 3).Status)
	var input struct {
		Iteration        int
		LoopID           string
		PreviousAttempts []struct {
			Iteration         int
			AuthorOutput      struct{ GroupID string }
			RejectedBy        string
			RejectorMandatory bool
			RejectionReason   string
			RejectedAt        int64
		}
	}
	require.NoError(t, json.Unmarshal(s.at("write", 3).Input, &input))
	require.Equal(t, 3, input.Iteration)
	require.Equal(t, s.at("write", 3).LoopID, input.LoopID)
	require.Len(t, input.PreviousAttempts, 2)
	for i, attempt := range input.PreviousAttempts {
		require.Equal(t, []any{i + 1, "g", "ann", true, "because", start},
			[]any{attempt.Iteration, attempt.AuthorOutput.GroupID, attempt.RejectedBy, attempt.RejectorMandatory, attempt.RejectionReason, attempt.RejectedAt})
	}
	require.Equal(t, 2, strings.Count(s.eventLog(), "loop.iteration-started"))
	require.Equal(t, 1, strings.Count(s.eventLog(), "loop.exhausted"))
}

func TestTheOldestOutputsLeaveAnInputThatIsFull(t *testing.T) {
	t.Parallel()
	s := grouped(t, "waitAll", 1, 1, []string{hook("write"), hook("check"), mock("m1"), mock("after")},
		edge("write", "check", "always"), edge("check", "after", "approve"), `{"from":"check","to":"write","on":"reject","loop":{"maxIterations":20}}`)
	big := json.RawMessage(fmt.Sprintf(`{"draft":%q}`, strings.Repeat("x", 60_000)))
	for iteration := 1; iteration <= 6; iteration++ {
		for _, node := range []string{"write", "check"} {
			id := interpreter.StepID(s.state.ExecutionID, node, iteration, 1)
			w := s.interpreter()
			number, _ := w.Begin(id, time.Second, true)
			w.Finish(id, interpreter.Outcome{Call: number, Kind: interpreter.Success, HTTPStatus: 200, Output: big, Decision: map[string]string{"check": "reject"}[node]})
			s.keep(w)
		}
	}
	var input struct {
		PreviousAttempts []struct{ AuthorOutput json.RawMessage }
	}
	entry := s.at("write", 7)
	require.NoError(t, json.Unmarshal(entry.Input, &input))
	require.LessOrEqual(t, len(entry.Input), 256<<10)
	require.Len(t, input.PreviousAttempts, 6)
	require.Equal(t, "null", string(input.PreviousAttempts[0].AuthorOutput))
	require.Greater(t, len(input.PreviousAttempts[5].AuthorOutput), 60_000)
}

func TestAQuorumThatFailuresMissDoesNotGoBack(t *testing.T) {
	t.Parallel()
	s := grouped(t, "joinOnQuorum", 2, 2, []string{mock("write"), hook("m1"), human("m2", "bob")}, toGroup("write"), groupBack("write", 2))
	w := s.interpreter()
	number, _ := w.Begin(s.id("m1"), time.Second, true)
	w.Finish(s.id("m1"), interpreter.Outcome{Call: number, Kind: interpreter.Permanent, Code: "webhook-http-status", HTTPStatus: 400})
	s.keep(w)
	require.Equal(t, "quorum-not-met", s.state.FailureCode)
	require.Equal(t, interpreter.StepCancelled, s.step("m2").Status)
	require.NotContains(t, s.eventLog(), "loop.iteration-started")
}

func TestADeadlineHoldsWhenItIsCommitted(t *testing.T) {
	t.Parallel()
	nodes := strings.TrimSuffix(human("slow", "ann"), "}") + `,"slaMs":1000},` + mock("lead")
	s := begin(t, nodes, custom("slow", "lead", breached))
	s.ask()
	require.Equal(t, start+1000, s.step("slow").DueAt)
	require.Equal(t, start+1000, plan.DriveDue(s.state))
	s.now += 5_000
	require.True(t, s.decide("slow", "ann", "approve").Resumes, "nobody has asked since")
	require.NotContains(t, s.eventLog(), "step.breached")

	s = begin(t, nodes, custom("slow", "lead", breached))
	s.ask()
	s.now += 1_000
	s.ask()
	require.Equal(t, interpreter.StepBreached, s.step("slow").Status)
	require.Equal(t, "sla-breached", s.step("slow").ErrorCode)
	require.Equal(t, interpreter.StepCompleted, s.step("lead").Status)
	w := s.interpreter()
	_, err := w.Decide(interpreter.Decision{StepID: s.id("slow"), ReviewerID: "ann", Word: "approve"})
	require.Equal(t, fault.StatusFailedPrecondition, err.Status)

	s = begin(t, strings.TrimSuffix(human("slow", "ann"), "}")+`,"slaMs":1000}`, "")
	s.ask()
	s.now += 1_000
	s.ask()
	require.Equal(t, "step-breached", s.state.FailureCode)
}
