package interpreter_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/interpreter"
)

// hookLater is a webhook node whose receiver answers later.
func hookLater(id string) string {
	return strings.Replace(hook(id), `"config":{`, `"config":{"mode":"async",`, 1)
}

// back calls a step back; it reports whether that was taken.
func (s *env) back(node string, c interpreter.Callback) bool {
	w := s.interpreter()
	taken, err := w.Complete(s.id(node), c)
	require.Nil(s.t, err)
	s.keep(w)
	return taken
}

func with(output string) interpreter.Callback {
	return interpreter.Callback{Output: json.RawMessage(output)}
}

// parked is the answer of a receiver that took its call.
func parked(call int) interpreter.Outcome {
	return interpreter.Outcome{Call: call, Kind: interpreter.Success, HTTPStatus: 202, Output: json.RawMessage(`{"httpStatus":202}`)}
}

func TestAStepWaitsForItsCallbackAndIsCalledBackOnce(t *testing.T) {
	s := begin(t, hookLater("a"), "")
	s.ask()
	s.finish("a", parked(s.call("a")))
	require.Equal(t, interpreter.StepWaiting, s.step("a").Status)
	require.True(t, s.back("a", with(`{"n":9007199254740993,"httpStatus":1,"decision":"maybe"}`)))
	require.JSONEq(t, `{"httpStatus":202,"n":9007199254740993}`, string(s.step("a").Output))
	require.False(t, s.back("a", interpreter.Callback{Failed: true}))
	require.Equal(t, interpreter.Completed, s.state.Status)
	require.Equal(t, `execution.dispatched
step.scheduled a
step.started a
step.awaiting-approval a
step.resumed a
step.completed a
execution.completed`, s.eventLog())
}

func TestACallbackMayFailTheStep(t *testing.T) {
	for code, c := range map[string]interpreter.Callback{
		"no-cms":          {Failed: true, Code: "no-cms", Message: "gone", Output: json.RawMessage(`{"decision":"approve"}`)},
		"callback-failed": {Failed: true},
	} {
		s := begin(t, hookLater("a"), "")
		s.ask()
		s.finish("a", parked(s.call("a")))
		require.True(t, s.back("a", c))
		require.Equal(t, interpreter.Failed, s.state.Status)
		step := s.step("a")
		require.Equal(t, []any{interpreter.StepFailed, code, ""}, []any{step.Status, step.ErrorCode, step.Decision})
		require.JSONEq(t, `{"httpStatus":202}`, string(step.Output))
	}
}

// A call that fails after the step was called back was taken by the receiver; one that was
// cut off is not made again; and a deadline that passes meanwhile came second.
func TestACallbackBeforeTheAnswerIsKept(t *testing.T) {
	for name, end := range map[string]func(s *env, call int){
		"taken": func(s *env, call int) { s.finish("a", parked(call)) },
		"failed": func(s *env, call int) {
			s.finish("a", interpreter.Outcome{Call: call, Kind: interpreter.Transient, Code: "webhook-http-status", HTTPStatus: 503})
		},
		"refused": func(s *env, call int) {
			s.finish("a", interpreter.Outcome{Call: call, Kind: interpreter.Permanent, Code: "webhook-http-status", HTTPStatus: 400})
		},
		"cut off": func(s *env, _ int) {
			s.now += time.Minute.Milliseconds()
			require.Equal(s.t, -1, s.call("a"), "nothing is sent")
		},
		"past the deadline": func(s *env, _ int) {
			s.now += time.Hour.Milliseconds()
			s.ask()
		},
	} {
		s := begin(t, strings.TrimSuffix(hookLater("a"), "}")+`,"slaMs":3600000}`, "")
		s.ask()
		call := s.call("a")
		require.True(t, s.back("a", with(`{"decision":"reject"}`)), name)
		require.False(t, s.back("a", with(`{"decision":"approve"}`)), name)
		require.Equal(t, interpreter.StepRunning, s.step("a").Status, name)
		end(s, call)
		require.Equal(t, []any{interpreter.StepCompleted, "reject", interpreter.ByCallback}, []any{s.step("a").Status, s.step("a").Decision, s.step("a").EndedBy}, name)
		require.Nil(t, s.step("a").Callback.Output, "the output has it")
	}
}

// The status in the output is that with which the receiver took the call, not the one with
// which it refused an earlier try.
func TestACallbackAfterARefusedTryHasNoStatusOfIt(t *testing.T) {
	for name, end := range map[string]func(s *env){
		"no further try": func(s *env) {
			require.True(s.t, s.back("a", with(`{"n":1}`)))
			require.Equal(s.t, -1, s.call("a"), "nothing is sent")
		},
		"a further try without an answer": func(s *env) {
			call := s.call("a")
			require.True(s.t, s.back("a", with(`{"n":1}`)))
			s.finish("a", interpreter.Outcome{Call: call, Kind: interpreter.Transient, Code: "webhook-unreachable"})
		},
	} {
		s := begin(t, hookLater("a"), "")
		s.ask()
		s.finish("a", interpreter.Outcome{
			Call: s.call("a"), Kind: interpreter.Transient, Code: "webhook-http-status", HTTPStatus: 503, Output: json.RawMessage(`{"httpStatus":503}`),
		})
		s.now += time.Minute.Milliseconds()
		end(s)
		require.Equal(t, interpreter.StepCompleted, s.step("a").Status, name)
		require.JSONEq(t, `{"n":1}`, string(s.step("a").Output), name)
		require.JSONEq(t, `{"httpStatus":null}`, string(s.events[len(s.events)-2].Data), name)
	}
}

func TestACallbackIsForStepsThatWaitForOne(t *testing.T) {
	s := begin(t, human("a", "ann")+","+hookLater("b"), "")
	w := s.interpreter()
	_, err := w.Complete(s.id("a"), interpreter.Callback{})
	assert.True(t, fault.Is(err, fault.StatusUnauthenticated))
	require.False(t, w.AnswersLater(s.id("a")))
	require.True(t, w.AnswersLater(s.id("b")))
	s.ask()
	w = s.interpreter()
	w.Cancel("u", "")
	s.keep(w)
	require.False(t, s.back("b", interpreter.Callback{}))
}

func TestACallbackOfAPausedExecutionStartsNothing(t *testing.T) {
	s := begin(t, hookLater("a")+","+mock("b"), edge("a", "b", "always"))
	s.ask()
	s.finish("a", parked(s.call("a")))
	w := s.interpreter()
	w.Pause("u", "")
	s.keep(w)
	require.True(t, s.back("a", with(`{}`)))
	require.Equal(t, interpreter.StepPending, s.step("b").Status)
}
