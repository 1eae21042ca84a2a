package walk_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/walk"
)

// hookLater is a webhook node whose receiver answers later.
func hookLater(id string) string {
	return strings.Replace(hook(id), `"config":{`, `"config":{"mode":"async",`, 1)
}

// back calls a step back; it reports whether that was taken.
func (s *story) back(node string, c walk.Callback) bool {
	w := s.walk()
	taken, err := w.Complete(s.id(node), c)
	require.Nil(s.t, err)
	s.keep(w)
	return taken
}

func with(output string) walk.Callback { return walk.Callback{Output: json.RawMessage(output)} }

// parked is the answer of a receiver that took its call.
func parked(call int) walk.Outcome {
	return walk.Outcome{Call: call, Kind: walk.Success, HTTPStatus: 202, Output: json.RawMessage(`{"httpStatus":202}`)}
}

func TestAStepWaitsForItsCallbackAndIsCalledBackOnce(t *testing.T) {
	s := begin(t, hookLater("a"), "")
	s.ask()
	s.finish("a", parked(s.call("a")))
	require.Equal(t, walk.StepWaiting, s.step("a").Status)
	require.True(t, s.back("a", with(`{"n":9007199254740993,"httpStatus":1,"decision":"maybe"}`)))
	require.JSONEq(t, `{"httpStatus":202,"n":9007199254740993}`, string(s.step("a").Output))
	require.False(t, s.back("a", walk.Callback{Failed: true}))
	require.Equal(t, walk.Completed, s.state.Status)
	require.Equal(t, `execution.dispatched
step.scheduled a
step.started a
step.awaiting-approval a
step.resumed a
step.completed a
execution.completed`, s.eventLog())
}

func TestACallbackMayFailTheStep(t *testing.T) {
	for code, c := range map[string]walk.Callback{
		"no-cms":          {Failed: true, Code: "no-cms", Message: "gone", Output: json.RawMessage(`{"decision":"approve"}`)},
		"callback-failed": {Failed: true},
	} {
		s := begin(t, hookLater("a"), "")
		s.ask()
		s.finish("a", parked(s.call("a")))
		require.True(t, s.back("a", c))
		require.Equal(t, walk.Failed, s.state.Status)
		step := s.step("a")
		require.Equal(t, []any{walk.StepFailed, code, ""}, []any{step.Status, step.ErrorCode, step.Decision})
		require.JSONEq(t, `{"httpStatus":202}`, string(step.Output))
	}
}

// A call that fails after the step was called back was taken by the receiver; one that was
// cut off is not made again; and a deadline that passes meanwhile came second.
func TestACallbackBeforeTheAnswerIsKept(t *testing.T) {
	for name, end := range map[string]func(s *story, call int){
		"taken": func(s *story, call int) { s.finish("a", parked(call)) },
		"failed": func(s *story, call int) {
			s.finish("a", walk.Outcome{Call: call, Kind: walk.Transient, Code: "webhook-http-status", HTTPStatus: 503})
		},
		"refused": func(s *story, call int) {
			s.finish("a", walk.Outcome{Call: call, Kind: walk.Permanent, Code: "webhook-http-status", HTTPStatus: 400})
		},
		"cut off": func(s *story, _ int) {
			s.now += time.Minute.Milliseconds()
			require.Equal(s.t, -1, s.call("a"), "nothing is sent")
		},
		"past the deadline": func(s *story, _ int) {
			s.now += time.Hour.Milliseconds()
			s.ask()
		},
	} {
		s := begin(t, strings.TrimSuffix(hookLater("a"), "}")+`,"slaMs":3600000}`, "")
		s.ask()
		call := s.call("a")
		require.True(t, s.back("a", with(`{"decision":"reject"}`)), name)
		require.False(t, s.back("a", with(`{"decision":"approve"}`)), name)
		require.Equal(t, walk.StepRunning, s.step("a").Status, name)
		end(s, call)
		require.Equal(t, []any{walk.StepCompleted, "reject", walk.ByCallback}, []any{s.step("a").Status, s.step("a").Decision, s.step("a").EndedBy}, name)
		require.Nil(t, s.step("a").Callback.Output, "the output has it")
	}
}

// The status in the output is that with which the receiver took the call, not the one with
// which it refused an earlier try.
func TestACallbackAfterARefusedTryHasNoStatusOfIt(t *testing.T) {
	for name, end := range map[string]func(s *story){
		"no further try": func(s *story) {
			require.True(s.t, s.back("a", with(`{"n":1}`)))
			require.Equal(s.t, -1, s.call("a"), "nothing is sent")
		},
		"a further try without an answer": func(s *story) {
			call := s.call("a")
			require.True(s.t, s.back("a", with(`{"n":1}`)))
			s.finish("a", walk.Outcome{Call: call, Kind: walk.Transient, Code: "webhook-unreachable"})
		},
	} {
		s := begin(t, hookLater("a"), "")
		s.ask()
		s.finish("a", walk.Outcome{
			Call: s.call("a"), Kind: walk.Transient, Code: "webhook-http-status", HTTPStatus: 503, Output: json.RawMessage(`{"httpStatus":503}`),
		})
		s.now += time.Minute.Milliseconds()
		end(s)
		require.Equal(t, walk.StepCompleted, s.step("a").Status, name)
		require.JSONEq(t, `{"n":1}`, string(s.step("a").Output), name)
		require.JSONEq(t, `{"httpStatus":null}`, string(s.events[len(s.events)-2].Data), name)
	}
}

func TestACallbackIsForStepsThatWaitForOne(t *testing.T) {
	s := begin(t, human("a", "ann")+","+hookLater("b"), "")
	w := s.walk()
	_, err := w.Complete(s.id("a"), walk.Callback{})
	assert.True(t, fault.Is(err, fault.StatusUnauthenticated))
	require.False(t, w.AnswersLater(s.id("a")))
	require.True(t, w.AnswersLater(s.id("b")))
	s.ask()
	w = s.walk()
	w.Cancel("u", "")
	s.keep(w)
	require.False(t, s.back("b", walk.Callback{}))
}

func TestACallbackOfAPausedExecutionStartsNothing(t *testing.T) {
	s := begin(t, hookLater("a")+","+mock("b"), edge("a", "b", "always"))
	s.ask()
	s.finish("a", parked(s.call("a")))
	w := s.walk()
	w.Pause("u", "")
	s.keep(w)
	require.True(t, s.back("a", with(`{}`)))
	require.Equal(t, walk.StepPending, s.step("b").Status)
}
