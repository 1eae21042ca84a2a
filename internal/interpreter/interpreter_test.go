package interpreter_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/interpreter"
	"github.com/redline-svc/redline/internal/interpreter/plan"
)

const start = int64(1_767_225_600_000)

// env is an execution that a test plays by hand.
type env struct {
	t      require.TestingT
	graph  *definition.Graph
	state  *interpreter.State
	now    int64
	events []interpreter.Event
}

func begin(t testing.TB, nodes, edges string) *env {
	t.Helper()
	graph, err := definition.GraphOf([]byte(`{"definitionId":"flow","name":"Flow","nodes":[` + nodes + `],"edges":[` + edges + `]}`))
	require.NoError(t, err)
	s := &env{t: t, graph: graph, state: &interpreter.State{ExecutionID: "exec_1_abcdefgh", Input: json.RawMessage(`{"amount":9007199254740993}`)}, now: start}
	w := interpreter.Dispatch(graph, s.state, "flow", 1, s.now)
	s.keep(w)
	return s
}

// keep takes what an interpreter did; what is stored is no longer new.
func (s *env) keep(w *interpreter.Interpreter) interpreter.Change {
	c := w.Change()
	s.events = append(s.events, c.Events...)
	s.reload()
	return c
}

// reload is what a database does to a state: marks of change are gone.
func (s *env) reload() {
	fresh := *s.state
	fresh.Steps = nil
	for _, step := range s.state.Steps {
		fresh.Steps = append(fresh.Steps, step.Stored())
	}
	s.state = &fresh
}

func (s *env) interpreter() *interpreter.Interpreter {
	return interpreter.New(s.graph, s.state, s.now)
}

func (s *env) ask() interpreter.Change { w := s.interpreter(); w.Ask(); return s.keep(w) }

func (s *env) decide(node, who, word string) interpreter.Answer {
	w := s.interpreter()
	a, err := w.Decide(interpreter.Decision{StepID: s.id(node), ReviewerID: who, Word: word, Reason: "because"})
	require.Nil(s.t, err)
	s.keep(w)
	return a
}

func (s *env) id(node string) string { return interpreter.StepID(s.state.ExecutionID, node, 1, 1) }

func (s *env) step(node string) *interpreter.Step {
	for _, step := range s.state.Steps {
		if step.ID == s.id(node) {
			return step
		}
	}
	return nil
}

// eventLog writes the events as one text, type and node.
func (s *env) eventLog() string {
	var lines []string
	for _, e := range s.events {
		line := []string{e.Type}
		for _, step := range s.state.Steps {
			if step.ID == e.StepID {
				line = append(line, step.NodeID)
			}
		}
		lines = append(lines, strings.Join(line, " "))
	}
	return strings.Join(lines, "\n")
}

func human(id string, reviewers ...string) string {
	var list []string
	for _, r := range reviewers {
		name, optional := strings.CutSuffix(r, "?")
		list = append(list, fmt.Sprintf(`{"userId":%q,"mandatory":%t}`, name, !optional))
	}
	return fmt.Sprintf(`{"nodeId":%q,"type":"human","config":{"reviewers":[%s]}}`, id, strings.Join(list, ","))
}

func mock(id string) string {
	return fmt.Sprintf(`{"nodeId":%q,"type":"agent","config":{"agentId":"__mock__"}}`, id)
}

func hook(id string) string {
	return fmt.Sprintf(`{"nodeId":%q,"type":"webhook","config":{"url":"https://receiver.test/x"}}`, id)
}

func edge(from, to, on string) string {
	return fmt.Sprintf(`{"from":%q,"to":%q,"on":%q}`, from, to, on)
}

func custom(from, to, when string) string {
	return fmt.Sprintf(`{"from":%q,"to":%q,"on":"custom","when":%q}`, from, to, when)
}

func TestAnAcceptedExecutionWaitsForItsRun(t *testing.T) {
	s := begin(t, mock("a"), "")
	assert.Equal(t, interpreter.Pending, s.state.Status)
	assert.Equal(t, interpreter.StepPending, s.step("a").Status)
	assert.Equal(t, "execution.dispatched\nstep.scheduled a", s.eventLog())
	assert.JSONEq(t, `{"definitionId":"flow","definitionVersion":1,"rootStepIds":["`+s.id("a")+`"]}`, string(s.events[0].Data))
}

func TestTheFirstPlanRunsAMockToItsEnd(t *testing.T) {
	s := begin(t, mock("a"), "")
	c := s.ask()
	assert.Equal(t, interpreter.Completed, s.state.Status)
	assert.True(t, c.Drives)
	assert.Equal(t, "execution.dispatched\nstep.scheduled a\nstep.started a\nstep.completed a\nexecution.completed", s.eventLog())
	assert.False(t, s.ask().Any(), "a second question changes nothing")
}

func TestAStepThatEndsAtOnceIsFollowedByItsOwnRowBeforeTheNext(t *testing.T) {
	s := begin(t, strings.Join([]string{mock("a"), mock("b"), human("c", "ann"), mock("d")}, ","),
		strings.Join([]string{edge("a", "b", "always"), edge("a", "c", "always"), edge("b", "d", "approve"), edge("c", "d", "reject")}, ","))
	s.ask()
	assert.Equal(t, `execution.dispatched
step.scheduled a
step.started a
step.completed a
step.scheduled b
step.started b
step.completed b
step.scheduled d
step.started d
step.completed d
step.scheduled c
step.started c
step.awaiting-approval c`, s.eventLog())
	assert.Equal(t, interpreter.Running, s.state.Status, "a branch waits for a person")
}

func TestADiamondRunsItsEndOnceAfterTheFirst(t *testing.T) {
	s := begin(t, strings.Join([]string{mock("a"), human("b", "ann"), human("c", "bob"), mock("d")}, ","),
		strings.Join([]string{
			edge("a", "b", "always"), edge("a", "c", "always"), edge("b", "d", "always"), edge("c", "d", "always"),
			edge("b", "d", "reject"), edge("c", "d", "reject"),
		}, ","))
	s.ask()
	s.decide("c", "bob", "approve")
	require.NotNil(t, s.step("d"))
	input := string(s.step("d").Input)
	assert.Equal(t, interpreter.Running, s.state.Status)
	s.decide("b", "ann", "approve")
	assert.Equal(t, interpreter.Completed, s.state.Status)
	assert.Equal(t, input, string(s.step("d").Input), "the second edge changes nothing")
	assert.Equal(t, 1, strings.Count(s.eventLog(), "step.scheduled d"))
}

func TestPeopleDecideByTheirTable(t *testing.T) {
	s := begin(t, strings.Join([]string{human("a", "ann", "bob", "opt?"), mock("yes"), mock("no")}, ","),
		strings.Join([]string{edge("a", "yes", "approve"), edge("a", "no", "reject")}, ","))
	w := s.interpreter()
	_, refused := w.Decide(interpreter.Decision{StepID: s.id("a"), ReviewerID: "ann", Word: "approve"})
	assert.Equal(t, fault.StatusFailedPrecondition, refused.Status, "not waiting yet")
	s.ask()
	assert.Equal(t, interpreter.Answer{Status: "unknown-responder"}, s.decide("a", "eve", "approve"))
	assert.Equal(t, interpreter.Answer{Recorded: true, Status: "pending"}, s.decide("a", "ann", "approve"))
	assert.Equal(t, interpreter.Answer{Status: "idempotent"}, s.decide("a", "ann", "reject"))
	assert.Equal(t, interpreter.Answer{Recorded: true, Status: "resolved", Resumes: true}, s.decide("a", "bob", "approve"))
	assert.Equal(t, interpreter.Answer{Status: "already-terminal"}, s.decide("a", "opt", "reject"))
	assert.Equal(t, interpreter.Answer{Status: "idempotent"}, s.decide("a", "bob", "approve"))
	assert.Equal(t, interpreter.Answer{Status: "unknown-responder"}, s.decide("a", "eve", "approve"))
	assert.NotNil(t, s.step("yes"))
	assert.Nil(t, s.step("no"), "a node that no edge reaches gets no step")
}

func TestAnyRejectionEndsTheStep(t *testing.T) {
	s := begin(t, strings.Join([]string{human("a", "ann", "opt?"), mock("no")}, ","), edge("a", "no", "reject"))
	s.ask()
	assert.Equal(t, interpreter.Answer{Recorded: true, Status: "rejected", Resumes: true, RejectionReason: "because"}, s.decide("a", "opt", "reject"))
	var out map[string]any
	require.NoError(t, json.Unmarshal(s.step("a").Output, &out))
	assert.Equal(t, "reject", out["decision"])
	assert.Equal(t, false, out["approved"])
	assert.Equal(t, "opt", out["rejectedBy"])
	assert.Equal(t, false, out["rejectorMandatory"])
	assert.Equal(t, s.id("a"), out["resumeKey"])
	assert.Equal(t, interpreter.Completed, s.state.Status)
}

func TestARejectionThatNothingTakesFails(t *testing.T) {
	s := begin(t, strings.Join([]string{human("a", "ann"), mock("b")}, ","),
		custom("a", "b", `{"op":"eq","args":[{"var":"output.decision"},"approve"]}`))
	s.ask()
	s.decide("a", "ann", "reject")
	assert.Equal(t, interpreter.Failed, s.state.Status)
	assert.Equal(t, "unrouted-rejection", s.state.FailureCode)
}

func TestCallsAreNumberedHeldAndTriedAgain(t *testing.T) {
	s := begin(t, hook("a"), "")
	s.ask()
	w := s.interpreter()
	number, ok := w.Begin(s.id("a"), 10*time.Second, true)
	require.True(t, ok)
	assert.Zero(t, number)
	s.keep(w)
	_, again := s.interpreter().Begin(s.id("a"), 10*time.Second, true)
	assert.False(t, again, "the hold lasts")
	planned := plan.Of(s.state, s.now)
	assert.Equal(t, contract.NeedCall, planned.Live[0].Need)
	assert.Equal(t, int64(20_000), *planned.Live[0].StartIn)

	for i, wait := range []int64{2_000, 8_000, 32_000, 128_000} {
		w := s.interpreter()
		w.Finish(s.id("a"), interpreter.Outcome{Call: i, Kind: interpreter.Transient, Code: "webhook-http-status", HTTPStatus: 503})
		s.keep(w)
		assert.Equal(t, s.now+wait, s.step("a").NextTryAt)
		_, early := s.interpreter().Begin(s.id("a"), time.Second, true)
		assert.False(t, early)
		s.now += wait
		w = s.interpreter()
		n, ok := w.Begin(s.id("a"), time.Second, true)
		require.True(t, ok)
		assert.Equal(t, i+1, n)
		s.keep(w)
	}
	w = s.interpreter()
	w.Finish(s.id("a"), interpreter.Outcome{Call: 4, Kind: interpreter.Transient, Code: "webhook-http-status", Message: "answered 503", HTTPStatus: 503})
	s.keep(w)
	assert.Equal(t, "step-failed", s.state.FailureCode)
	assert.Equal(t, 4, s.step("a").Retries)
}

func TestRetryAfterCountsUpToItsLimit(t *testing.T) {
	for asked, want := range map[int64]int64{0: 2_000, 1_000: 2_000, 60_000: 60_000, 900_000: 300_000} {
		s := begin(t, hook("a"), "")
		s.ask()
		w := s.interpreter()
		_, _ = w.Begin(s.id("a"), time.Second, true)
		w.Finish(s.id("a"), interpreter.Outcome{Kind: interpreter.Transient, RetryAfterMs: asked})
		s.keep(w)
		assert.Equal(t, s.now+want, s.step("a").NextTryAt)
	}
}

func TestASuccessCountsFromAnyCallAFailureFromTheNewest(t *testing.T) {
	s := begin(t, hook("a"), "")
	s.ask()
	w := s.interpreter()
	_, _ = w.Begin(s.id("a"), time.Second, true)
	s.keep(w)
	s.now += 60_000 // the first call's hold is over: it was cut off
	w = s.interpreter()
	_, ok := w.Begin(s.id("a"), time.Second, true)
	require.True(t, ok)
	s.keep(w)
	w = s.interpreter()
	w.Finish(s.id("a"), interpreter.Outcome{Call: 0, Kind: interpreter.Permanent, Code: "webhook-http-status"})
	assert.False(t, s.keep(w).Any())
	w = s.interpreter()
	w.Finish(s.id("a"), interpreter.Outcome{Call: 0, Kind: interpreter.Success, HTTPStatus: 200, Output: json.RawMessage(`{"httpStatus":200}`)})
	s.keep(w)
	assert.Equal(t, interpreter.Completed, s.state.Status)
	w = s.interpreter()
	w.Finish(s.id("a"), interpreter.Outcome{Call: 1, Kind: interpreter.Success})
	assert.False(t, s.keep(w).Any(), "dropped whole")
}

// An empty reply where one is required is a failure, so it counts from the newest
// call alone.
func TestAnEmptyReplyOfAnOlderCallFailsNothing(t *testing.T) {
	s := begin(t, strings.Replace(hook("a"), `{`, `{"requireNonEmptyOutput":true,`, 1), "")
	s.ask()
	for range 2 {
		w := s.interpreter()
		_, ok := w.Begin(s.id("a"), time.Second, true)
		require.True(t, ok)
		s.keep(w)
		s.now += 60_000 // the hold is over
	}
	w := s.interpreter()
	w.Finish(s.id("a"), interpreter.Outcome{Call: 0, Kind: interpreter.Success, HTTPStatus: 204, Empty: true})
	assert.False(t, s.keep(w).Any())
	w = s.interpreter()
	w.Finish(s.id("a"), interpreter.Outcome{Call: 1, Kind: interpreter.Success, HTTPStatus: 204, Empty: true})
	s.keep(w)
	assert.Equal(t, interpreter.Failed, s.state.Status)
	assert.Equal(t, "webhook-node-empty-response", s.step("a").ErrorCode)
}

func TestWithoutAFreeSlotACallWaitsInItsRow(t *testing.T) {
	s := begin(t, hook("a"), "")
	s.ask()
	w := s.interpreter()
	_, ok := w.Begin(s.id("a"), time.Second, false)
	assert.False(t, ok)
	assert.True(t, s.keep(w).Drives)
	assert.Nil(t, plan.Of(s.state, s.now).Live[0].StartIn)
	assert.Zero(t, plan.DriveDue(s.state), "nobody but the one who gives slots can bring it on")
	w = s.interpreter()
	w.Unqueue(s.id("a"))
	assert.True(t, s.keep(w).Drives)
	assert.NotNil(t, plan.Of(s.state, s.now).Live[0].StartIn)
}

func TestCancelEndsEverythingOnce(t *testing.T) {
	s := begin(t, human("a", "ann"), "")
	w := s.interpreter()
	assert.True(t, w.Cancel("u_editor", "withdrawn"))
	s.keep(w)
	assert.Equal(t, interpreter.Cancelled, s.state.Status)
	assert.JSONEq(t, `{"actorId":"system:execution-cancelled","reason":"execution-cancelled"}`, string(s.events[2].Data))
	assert.JSONEq(t, `{"reason":"withdrawn","actorId":"u_editor"}`, string(s.events[3].Data))
	w = s.interpreter()
	assert.True(t, w.Cancel("", ""))
	w.Ask()
	assert.False(t, s.keep(w).Any())
}

func TestStepIDsAreShortAndStable(t *testing.T) {
	id := interpreter.StepID("exec_1_abcdefgh", strings.Repeat("ä b", 21), 21, 50)
	assert.LessOrEqual(t, len(id), 120)
	assert.Equal(t, id, interpreter.StepID("exec_1_abcdefgh", strings.Repeat("ä b", 21), 21, 50))
	assert.NotEqual(t, interpreter.StepID("e", "a b", 1, 1), interpreter.StepID("e", "a-b", 1, 1))
}
