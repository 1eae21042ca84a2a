package interpreter_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/interpreter"
)

// ends are the ways in which an execution of a call and a person ends while both
// are open.
var ends = map[interpreter.Status]func(w *interpreter.Interpreter, call string){
	interpreter.Cancelled: func(w *interpreter.Interpreter, _ string) { w.Cancel("u", "over") },
	interpreter.Failed: func(w *interpreter.Interpreter, call string) {
		number, _ := w.Begin(call, w.CallLimit(call), true)
		w.Finish(call, interpreter.Outcome{Call: number, Kind: interpreter.Permanent, Code: "no"})
	},
	interpreter.Completed: func(w *interpreter.Interpreter, call string) {
		number, _ := w.Begin(call, w.CallLimit(call), true)
		w.Finish(call, interpreter.Outcome{Call: number, Kind: interpreter.Success})
	},
}

// late are all questions and answers that may come after the end.
var late = map[string]func(t *testing.T, w *interpreter.Interpreter, call, person string){
	"ask": func(_ *testing.T, w *interpreter.Interpreter, _, _ string) { w.Ask() },
	"begin": func(t *testing.T, w *interpreter.Interpreter, call, _ string) {
		t.Helper()
		limit := w.CallLimit(call)
		assert.Zero(t, limit)
		_, begun := w.Begin(call, limit, true)
		assert.False(t, begun)
	},
	"success": func(_ *testing.T, w *interpreter.Interpreter, call, _ string) {
		w.Finish(call, interpreter.Outcome{Kind: interpreter.Success, Empty: true})
	},
	"failure": func(_ *testing.T, w *interpreter.Interpreter, call, _ string) {
		w.Finish(call, interpreter.Outcome{Kind: interpreter.Transient, Code: "no"})
	},
	"slot": func(_ *testing.T, w *interpreter.Interpreter, call, _ string) { w.Unqueue(call) },
	"decision": func(t *testing.T, w *interpreter.Interpreter, _, person string) {
		t.Helper()
		answer, _ := w.Decide(interpreter.Decision{StepID: person, ReviewerID: "ann", Word: interpreter.ApproveWord})
		assert.False(t, answer.Recorded)
	},
	"cancel": func(_ *testing.T, w *interpreter.Interpreter, _, _ string) { w.Cancel("u", "again") },
}

// Of an execution that has ended there is no graph: whatever still comes needs none
// and changes nothing.
func TestWhatComesAfterTheEndNeedsNoGraph(t *testing.T) {
	for end, bring := range ends {
		for name, come := range late {
			t.Run(string(end)+"/"+name, func(t *testing.T) {
				s := ended(t, end, bring)
				revision := s.state.Revision
				w := interpreter.New(nil, s.state, s.now)
				require.NotPanics(t, func() { come(t, w, s.id("call"), s.id("review")) })
				require.False(t, w.Change().Any())
				require.Equal(t, revision, s.state.Revision)
				require.Equal(t, end, s.state.Status)
			})
		}
	}
}

// A row that says running beside an execution that has ended is not to be: should
// there be one, what comes for it is dropped like everything else.
func TestAStepThatOutlivedItsExecutionNeedsNoGraph(t *testing.T) {
	for name, come := range late {
		s := ended(t, interpreter.Cancelled, ends[interpreter.Cancelled])
		s.step("call").Status, s.step("review").Status = interpreter.StepRunning, interpreter.StepWaiting
		w := interpreter.New(nil, s.state, s.now)
		require.NotPanics(t, func() { come(t, w, s.id("call"), s.id("review")) }, name)
		require.Empty(t, w.Change().Events, name)
	}
}

// ended plays an execution of a call and a person to its end.
func ended(t *testing.T, end interpreter.Status, bring func(w *interpreter.Interpreter, call string)) *env {
	t.Helper()
	s := begin(t, hook("call")+","+human("review", "ann"), "")
	s.ask()
	if end == interpreter.Completed {
		s.decide("review", "ann", interpreter.ApproveWord)
	}
	w := s.interpreter()
	bring(w, s.id("call"))
	s.keep(w)
	require.Equal(t, end, s.state.Status)
	return s
}
