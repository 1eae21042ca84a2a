package interpreter_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/interpreter"
	"github.com/redline-svc/redline/internal/interpreter/plan"
)

// randomFlow draws a graph without cycles: edges lead from lower to higher
// nodes.
func randomFlow(t *rapid.T) *definition.Graph {
	n := rapid.IntRange(1, 8).Draw(t, "nodes")
	var nodes, edges []string
	for i := range n {
		id := fmt.Sprintf("n%d", i)
		nodes = append(nodes, rapid.SampledFrom([]string{mock(id), human(id, "ann", "bob", "opt?"), hook(id), hookLater(id), letter(id)}).Draw(t, id))
	}
	for from := range n {
		for to := from + 1; to < n; to++ {
			if rapid.IntRange(0, 2).Draw(t, "edge") != 0 {
				continue
			}
			a, b := fmt.Sprintf("n%d", from), fmt.Sprintf("n%d", to)
			edges = append(edges, rapid.SampledFrom([]string{
				edge(a, b, "always"), edge(a, b, "approve"), edge(a, b, "reject"),
				custom(a, b, `{"op":"eq","args":[{"var":"step.status"},"failed"]}`),
				custom(a, b, `{"op":"gt","args":[{"var":"execution.input.amount"},1]}`),
			}).Draw(t, "role"))
		}
	}
	graph, err := definition.GraphOf([]byte(`{"definitionId":"flow","name":"Flow","nodes":[` + strings.Join(nodes, ",") + `],"edges":[` + strings.Join(edges, ",") + `]}`))
	require.NoError(t, err)
	return graph
}

// move is one random answer, sensible or not.
func move(t *rapid.T, s *env) func(w *interpreter.Interpreter) {
	step := "step_unknown"
	if len(s.state.Steps) > 0 && rapid.IntRange(0, 9).Draw(t, "known") > 0 {
		step = rapid.SampledFrom(s.state.Steps).Draw(t, "step").ID
	}
	switch rapid.IntRange(0, 31).Draw(t, "move") {
	case 0:
		return func(w *interpreter.Interpreter) { w.Cancel("u", "") }
	case 21:
		return func(w *interpreter.Interpreter) { w.Pause("u", "") }
	case 22, 23:
		return func(w *interpreter.Interpreter) { w.Resume("u", "") }
	case 24:
		return func(w *interpreter.Interpreter) { w.CancelStep(step, "u", "") }
	case 25, 26:
		o := interpreter.Override{StepID: step, ActorID: rapid.SampledFrom([]string{"ann", "bob", "eve"}).Draw(t, "actor"), Action: rapid.SampledFrom([]interpreter.Action{
			interpreter.ForceApprove, interpreter.ForceReject, interpreter.ReviewerApprove, interpreter.ReviewerReject, interpreter.ForceComplete, interpreter.ForceFail,
		}).Draw(t, "action")}
		return func(w *interpreter.Interpreter) { _, _ = w.Override(o) }
	case 27:
		r := interpreter.Reassignment{StepID: step, From: "ann", To: rapid.SampledFrom([]string{"bob", "eve"}).Draw(t, "to"), ActorID: "u"}
		return func(w *interpreter.Interpreter) { _, _ = w.Reassign(r) }
	case 28, 29:
		again := interpreter.Retry{ActorID: "u"}
		if rapid.Bool().Draw(t, "skips") {
			again.SkipStepIDs = []string{step}
		}
		return func(w *interpreter.Interpreter) { w.Retry(again) }
	case 30, 31:
		c := interpreter.Callback{Failed: rapid.Bool().Draw(t, "failed"), Output: json.RawMessage(`{"decision":"reject"}`)}
		return func(w *interpreter.Interpreter) { _, _ = w.Complete(step, c) }
	case 1, 2, 3:
		return func(w *interpreter.Interpreter) { w.Ask() }
	case 4, 5, 6, 7:
		free := rapid.IntRange(0, 4).Draw(t, "free") > 0
		return func(w *interpreter.Interpreter) { w.Begin(step, time.Second, free) }
	case 12:
		return func(w *interpreter.Interpreter) { w.Unqueue(step) }
	case 8, 9, 10, 11:
		o := interpreter.Outcome{
			Call: rapid.IntRange(0, 5).Draw(t, "call"), Code: "webhook-http-status", HTTPStatus: 500,
			Kind:     rapid.SampledFrom([]interpreter.OutcomeKind{interpreter.Success, interpreter.Transient, interpreter.Permanent}).Draw(t, "kind"),
			Decision: rapid.SampledFrom([]string{"", "approve", "reject"}).Draw(t, "decision"),
		}
		return func(w *interpreter.Interpreter) { w.Finish(step, o) }
	default:
		d := interpreter.Decision{
			StepID: step, ReviewerID: rapid.SampledFrom([]string{"ann", "bob", "opt", "eve"}).Draw(t, "who"),
			Word: rapid.SampledFrom([]string{"approve", "approve", "reject"}).Draw(t, "word"),
		}
		return func(w *interpreter.Interpreter) { _, _ = w.Decide(d) }
	}
}

func TestWhateverComesTheCourseIsSound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &env{t: t, graph: randomFlow(t), now: start}
		s.state = &interpreter.State{ExecutionID: "exec_1_abcdefgh", Input: json.RawMessage(`{"amount":7}`)}
		s.keep(interpreter.Dispatch(s.graph, s.state, "flow", 1, s.now))
		for range rapid.IntRange(0, 60).Draw(t, "moves") {
			was := s.state.Status
			s.now += rapid.Int64Range(0, 200_000).Draw(t, "pass")
			w := s.interpreter()
			move(t, s)(w)
			change := s.keep(w)
			if was.Final() && change.Any() && change.Events[0].Type != retried {
				t.Fatalf("an execution that ended changed: %+v", change)
			}
			sound(t, s)
		}
	})
}

// sound checks what holds at every moment.
func sound(t *rapid.T, s *env) {
	seen, live := map[string]bool{}, 0
	for _, step := range s.state.Steps {
		key := fmt.Sprint(step.NodeID, step.Iteration, step.Attempt)
		if seen[key] {
			t.Fatalf("%s has two steps", key)
		}
		seen[key] = true
		if step.Status.Live() {
			live++
		}
		if step.Status == interpreter.StepRunning && step.QueuedAt == 0 && s.state.PausedAt == 0 && plan.DriveDue(s.state) == 0 {
			t.Fatalf("a call without a due time: nobody would find it")
		}
	}
	if s.state.Status.Final() != (live == 0) {
		t.Fatalf("%s with %d live steps", s.state.Status, live)
	}
	if s.state.PausedAt != 0 {
		live = 0 // a paused execution is not driven
	}
	if got := len(plan.Of(s.state, s.now).Live); got != live && !s.state.Status.Final() {
		t.Fatalf("the plan has %d of %d live steps", got, live)
	}
	eventsAreSound(t, s)
}

var endings = map[string]bool{"step.completed": true, "step.failed": true, "step.cancelled": true, "step.breached": true, "step.skipped": true}

const retried = "execution.retried"

var terminals = map[string]bool{"execution.completed": true, "execution.failed": true, "execution.cancelled": true}

func eventsAreSound(t *rapid.T, s *env) {
	ended, scheduled, terminal := map[string]bool{}, map[string]bool{}, 0
	for i, e := range s.events {
		if e.Seq != int64(i+1) {
			t.Fatalf("event %d has number %d", i+1, e.Seq)
		}
		switch {
		case e.Type == "step.scheduled":
			scheduled[e.StepID] = true
		case e.StepID != "" && (!scheduled[e.StepID] || ended[e.StepID]):
			t.Fatalf("%s of %s before its start or after its end", e.Type, e.StepID)
		case endings[e.Type]:
			ended[e.StepID] = true
		case terminals[e.Type]:
			terminal++
		case e.Type == retried:
			terminal--
		}
	}
	if (terminal == 1) != s.state.Status.Final() || terminal > 1 {
		t.Fatalf("%d terminal events in state %s", terminal, s.state.Status)
	}
}

// The same answers at the same times always take the same course: whoever
// applies them, and however often the state is read back in between.
func TestTheCourseDependsOnAnswersAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		graph := randomFlow(t)
		play := func() *env {
			s := &env{t: t, graph: graph, now: start}
			s.state = &interpreter.State{ExecutionID: "exec_1_abcdefgh", Input: json.RawMessage(`{"amount":7}`)}
			s.keep(interpreter.Dispatch(graph, s.state, "flow", 1, s.now))
			return s
		}
		one, two := play(), play()
		for range rapid.IntRange(0, 30).Draw(t, "moves") {
			m := move(t, one)
			for _, s := range []*env{one, two} {
				s.now += 3_000
				w := s.interpreter()
				m(w)
				s.keep(w)
			}
		}
		require.Equal(t, one.eventLog(), two.eventLog())
		require.Equal(t, one.state.Status, two.state.Status)
	})
}
