package interpreter_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/redline-svc/redline/internal/interpreter"
	"github.com/redline-svc/redline/internal/interpreter/plan"
	"github.com/redline-svc/redline/internal/interpreter/resolution"
)

func agentNode(id, more string) string {
	return fmt.Sprintf(`{"nodeId":%q,"type":"agent","config":{"agentId":"checker"%s}}`, id, more)
}

const (
	allOf = `,"blocking":true,"resolutionPolicy":{"kind":"allResolved"}`
	twoOf = `,"blocking":true,"resolutionPolicy":{"kind":"minResolved","minCount":2}`
)

func (s *env) call(node string) int {
	w := s.interpreter()
	number, ok := w.Begin(s.id(node), time.Second, true)
	s.keep(w)
	if !ok {
		return -1
	}
	return number
}

func (s *env) finish(node string, o interpreter.Outcome) {
	w := s.interpreter()
	w.Finish(s.id(node), o)
	s.keep(w)
}

// taken is the answer of an agent that took its call.
func taken(call int, ids ...string) interpreter.Outcome {
	return interpreter.Outcome{Call: call, Kind: interpreter.Success, Agent: resolution.Reply{ExecutionID: "run", ResponseIDs: ids}}
}

func (s *env) resolve(node, id, word string) interpreter.Answer {
	w := s.interpreter()
	a, err := w.Resolve(resolution.Resolution{
		StepID: s.id(node), ResponseID: id, Word: word, Source: resolution.FromCallback, Output: json.RawMessage(`{"by":"` + id + `"}`),
	})
	require.Nil(s.t, err)
	s.keep(w)
	return a
}

func TestAnAgentWaitsAndIsResolvedOnce(t *testing.T) {
	s := begin(t, agentNode("a", ""), "")
	s.ask()
	s.finish("a", taken(s.call("a")))
	require.Equal(t, interpreter.StepWaiting, s.step("a").Status)
	require.Equal(t, interpreter.Answer{Recorded: true, Status: "resolved", Resumes: true}, s.resolve("a", "1", "resolved"))
	require.Equal(t, "idempotent", s.resolve("a", "1", "resolved").Status)
	require.Equal(t, "already-terminal", s.resolve("a", "2", "resolved").Status)
	require.Equal(t, interpreter.Completed, s.state.Status)
	require.Equal(t, `execution.dispatched
step.scheduled a
step.started a
step.awaiting-approval a
step.response-recorded a
step.resumed a
step.completed a
execution.completed`, s.eventLog())
}

// A call that fails after somebody resolved the step was taken by the agent; one that was
// cut off is not made again.
func TestAResolutionBeforeTheAnswerIsKept(t *testing.T) {
	for name, end := range map[string]func(s *env, call int){
		"taken": func(s *env, call int) { s.finish("a", taken(call)) },
		"failed": func(s *env, call int) {
			s.finish("a", interpreter.Outcome{Call: call, Kind: interpreter.Transient, Code: "agent-unreachable"})
		},
		"cut off": func(s *env, _ int) {
			s.now += time.Minute.Milliseconds()
			require.Equal(s.t, -1, s.call("a"), "nothing is sent")
		},
		"out of time": func(s *env, _ int) {
			s.now += time.Hour.Milliseconds()
			s.ask()
		},
	} {
		s := begin(t, agentNode("a", ""), "")
		s.ask()
		call := s.call("a")
		require.Equal(t, interpreter.Answer{Recorded: true, Status: "pending"}, s.resolve("a", "1", "rejected"), name)
		require.Equal(t, "already-terminal", s.resolve("a", "2", "resolved").Status, name)
		end(s, call)
		require.Equal(t, interpreter.Completed, s.state.Status, name)
		require.Equal(t, "reject", s.step("a").Decision, name)
		require.Contains(t, string(s.step("a").Output), `"by":"1"`, name)
	}
}

// A blocking agent whose answer was lost took the step as well: what it announced is not
// known, so its policy is settled by as many responses as it names, and all that there may
// be are never there.
func TestABlockingAgentWaitsOnWhenItsAnswerIsLost(t *testing.T) {
	for _, each := range []struct {
		policy, early string
		later         map[string]string
		want          string
	}{
		{twoOf, "resolved", map[string]string{"2": "resolved"}, "approve"},
		{twoOf, "rejected", map[string]string{"2": "resolved", "3": "resolved"}, "approve"},
		{allOf, "resolved", map[string]string{"2": "rejected"}, "reject"},
		{allOf, "rejected", nil, "reject"},
		{allOf, "resolved", map[string]string{"2": "resolved"}, ""},
	} {
		s := begin(t, agentNode("a", each.policy), "")
		s.ask()
		call := s.call("a")
		require.True(t, s.resolve("a", "1", each.early).Recorded)
		s.finish("a", interpreter.Outcome{Call: call, Kind: interpreter.Permanent, Code: "agent-refused"})
		require.Equal(t, -1, s.call("a"), "nothing is sent")
		for id, word := range each.later {
			require.Equal(t, interpreter.StepWaiting, s.step("a").Status)
			require.True(t, s.resolve("a", id, word).Recorded)
		}
		if each.want != "" {
			require.Equal(t, each.want, s.step("a").Decision, "%+v", each)
			require.Equal(t, interpreter.Completed, s.state.Status)
			continue
		}
		s.now += time.Hour.Milliseconds()
		s.ask()
		require.Equal(t, "agent-timeout", s.step("a").ErrorCode)
	}
}

// What a blocking agent says itself settles its step, whoever else was asked before.
func TestTheAnswerOfABlockingAgentSettlesItsStep(t *testing.T) {
	s := begin(t, agentNode("a", allOf), "")
	s.ask()
	call := s.call("a")
	require.True(t, s.resolve("a", "1", "resolved").Recorded)
	s.finish("a", interpreter.Outcome{Call: call, Kind: interpreter.Success, Agent: resolution.Reply{Word: "rejected"}})
	require.Equal(t, "reject", s.step("a").Decision)
}

// A resolution that was recorded while the call is under way is earlier than the deadline
// that Temporal asks about.
func TestAResolutionThatIsKeptOutlivesTheDeadline(t *testing.T) {
	for more, want := range map[string]interpreter.StepStatus{"": interpreter.StepCompleted, twoOf: interpreter.StepBreached} {
		s := begin(t, strings.TrimSuffix(agentNode("a", more), "}")+`,"slaMs":20000}`, "")
		s.ask()
		s.call("a")
		require.True(t, s.resolve("a", "1", "resolved").Recorded)
		s.now += 20_000
		s.ask()
		require.Equal(t, want, s.step("a").Status, more)
	}
}

func TestAnAgentHasItsTime(t *testing.T) {
	s := begin(t, agentNode("a", `,"agentMaxRuntimeMs":10000`), "")
	s.ask()
	s.finish("a", taken(s.call("a")))
	due := plan.Of(s.state, s.now).Live[0].DueIn
	require.Equal(t, int64(10_000), *due)
	require.Equal(t, s.now+10_000, plan.DriveDue(s.state))
	s.now += 9_999
	s.ask()
	require.Equal(t, interpreter.StepWaiting, s.step("a").Status)
	s.now++
	s.ask()
	require.Equal(t, "agent-timeout", s.step("a").ErrorCode)
	require.Equal(t, interpreter.Failed, s.state.Status)
	w := s.interpreter()
	_, refused := w.Resolve(resolution.Resolution{StepID: s.id("a"), ResponseID: "1", Word: "resolved"})
	require.Equal(t, "step-ended", refused.Reason)
}

func TestBlockingAgentsMustSayWhatTheyWaitFor(t *testing.T) {
	for _, ids := range [][]string{nil, make([]string, 501)} {
		s := begin(t, agentNode("a", twoOf), "")
		s.ask()
		s.finish("a", taken(s.call("a"), ids...))
		require.Equal(t, "agent-responses-missing", s.step("a").ErrorCode)
	}
}

// A policy that needs more responses than the agent waits for cannot be met, whatever was
// answered before.
func TestTooFewResponsesAreARejection(t *testing.T) {
	s := begin(t, agentNode("a", twoOf), "")
	s.ask()
	call := s.call("a")
	require.True(t, s.resolve("a", "r1", "resolved").Recorded)
	s.finish("a", taken(call, "r1"))
	require.Equal(t, interpreter.StepCompleted, s.step("a").Status)
	require.Equal(t, interpreter.RejectWord, s.step("a").Decision)
	require.Contains(t, string(s.step("a").Output), "waits for 1 of the 2 responses")
	require.Equal(t, "idempotent", s.resolve("a", "r1", "resolved").Status)
}

// Whatever the order of the answers, a policy is settled at the first moment at which it
// is met, or cannot be met any more.
func TestPoliciesAreSettledAsSoonAsTheyCanBe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 6).Draw(t, "responses")
		config, need := allOf, n
		if rapid.Bool().Draw(t, "two") {
			config, need = twoOf, 2
		}
		graph := begin(&testing.T{}, agentNode("a", config), "").graph
		s := &env{t: t, graph: graph, now: start, state: &interpreter.State{ExecutionID: "exec_1_abcdefgh"}}
		s.keep(interpreter.Dispatch(graph, s.state, "flow", 1, s.now))
		s.ask()
		ids := make([]string, n)
		for i := range ids {
			ids[i] = fmt.Sprint("r", i)
		}
		s.finish("a", taken(s.call("a"), ids...))
		resolved, rejected := 0, 0
		for _, id := range rapid.Permutation(ids).Draw(t, "order") {
			word := rapid.SampledFrom([]string{"resolved", "rejected"}).Draw(t, "word")
			over := resolved >= need || rejected > n-need
			a := s.resolve("a", id, word)
			if over {
				require.Equal(t, "already-terminal", a.Status)
				continue
			}
			if word == "resolved" {
				resolved++
			} else {
				rejected++
			}
			want := "pending"
			switch {
			case resolved == need:
				want = "resolved"
			case rejected > n-need:
				want = "rejected"
			}
			require.Equal(t, want, a.Status)
			require.Equal(t, "unknown-responder", s.resolve("a", "x", "resolved").Status)
		}
	})
}

// The output of a step that has ended does not say that its agent runs, whatever ended it.
func TestAnAgentsOutputEndsWithItsStep(t *testing.T) {
	for status, endings := range map[string]map[string]func(s *env){
		"failed": {
			"its time":  func(s *env) { s.now += 20_000; s.ask() },
			"an action": func(s *env) { _, err := s.override("a", interpreter.ForceFail, "boss", `{}`); require.Nil(t, err) },
		},
		"breached": {"its deadline": func(s *env) { s.now += 5_000; s.ask() }},
		"completed": {
			"a resolution":      func(s *env) { s.resolve("a", "1", "resolved") },
			"a forced approval": func(s *env) { _, err := s.override("a", interpreter.ForceApprove, "boss", `{}`); require.Nil(t, err) },
			"a forced end": func(s *env) {
				_, err := s.override("a", interpreter.ForceComplete, "boss", `{"agentExecutionStatus":"running","score":9007199254740993}`)
				require.Nil(t, err)
				require.Contains(t, string(s.step("a").Output), `9007199254740993`)
			},
		},
		"cancelled": {"an operator": func(s *env) { require.Nil(t, s.cancelStep("a", "boss")) }},
	} {
		for by, end := range endings {
			more := ""
			if status == "breached" {
				more = `,"slaMs":5000`
			}
			s := begin(t, strings.TrimSuffix(agentNode("a", `,"agentMaxRuntimeMs":20000`), "}")+more+"}", "")
			s.ask()
			s.finish("a", taken(s.call("a")))
			require.Equal(t, "running", s.output("a")["agentExecutionStatus"])
			end(s)
			require.Equal(t, status, string(s.step("a").Status), by)
			require.Equal(t, status, s.output("a")["agentExecutionStatus"], by)
			require.Equal(t, "run", s.output("a")["agentExecutionId"], by)
		}
	}
	s := begin(t, agentNode("a", ""), "")
	s.ask()
	require.Nil(t, s.cancelStep("a", "boss"))
	require.Empty(t, s.step("a").Output, "an agent that did not take its step says nothing")
}
