package walk

import (
	"encoding/json"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/predicate"
)

// stepRoot is what `step.*` reads in a predicate.
type stepRoot struct {
	StepID     string `json:"stepId"`
	NodeID     string `json:"nodeId"`
	Status     string `json:"status"`
	RetryCount int    `json:"retryCount"`
	Iteration  int    `json:"iteration"`
	Attempt    int    `json:"attempt"`
}

// follow fires the edges of a step that has ended, in the order of the
// definition, and fails the execution when nothing takes an end that needs it.
// Which edges fire is found out before the first of them starts anything.
func (w *Walk) follow(s *Step) {
	edges := w.graph.From(s.NodeID)
	var roots *predicate.Roots
	var fired []definition.Edge
	for _, e := range edges {
		if e.On == definition.Custom && roots == nil {
			r := predicate.NewRoots(s.Output, encode(rootOf(s)), w.state.Input)
			roots = &r
		}
		if fires(e, s, roots) {
			fired = append(fired, e)
		}
	}
	s.Routed = len(fired) > 0
	if !s.Routed && w.mustBeTaken(s, len(edges)) {
		return
	}
	for _, e := range fired {
		w.create(w.graph.Node(e.To), s.Iteration, inputOf(s))
	}
}

func rootOf(s *Step) stepRoot {
	return stepRoot{s.ID, s.NodeID, string(s.Status), s.Retries, s.Iteration, s.Attempt}
}

// inputOf is what the successor of a step is given: its output.
func inputOf(s *Step) json.RawMessage {
	if len(s.Output) == 0 {
		return json.RawMessage(`{}`)
	}
	return s.Output
}

// fires is the table of roles and ends.
func fires(e definition.Edge, s *Step, roots *predicate.Roots) bool {
	if s.Status == StepCancelled {
		return false
	}
	switch e.On {
	case definition.Always:
		return true
	case definition.Approve, definition.Reject:
		return s.Status == StepCompleted && s.Decision == string(e.On)
	case definition.Custom:
		return e.When.Eval(*roots)
	default:
		return false
	}
}

// mustBeTaken fails the execution for an end that no edge took although it
// needs one: a failure, a breach, a rejection of a step that has edges.
func (w *Walk) mustBeTaken(s *Step, edges int) bool {
	switch {
	case s.Status == StepFailed:
		w.fail("step-failed", "step "+s.ID+" failed and no edge took it: "+s.ErrorMessage)
	case s.Status == StepBreached:
		w.fail("step-breached", "step "+s.ID+" passed its deadline and no edge took it")
	case s.Status == StepCompleted && s.Decision == RejectWord && edges > 0:
		w.fail("unrouted-rejection", "step "+s.ID+" was rejected and none of its edges took it")
	default:
		return false
	}
	return true
}

// fail ends the execution at once; what still lives is cancelled.
func (w *Walk) fail(code, message string) {
	if w.state.Status.Final() {
		return
	}
	w.cancelLive("system:execution-failed", "execution-failed")
	w.state.Status, w.state.CompletedAt, w.state.PausedAt = Failed, w.now, 0
	w.state.FailureCode, w.state.FailureMessage = code, message
	w.emit("execution.failed", nil, reasonData{code, message})
}

// settle ends an execution in which nothing lives any more. It is asked once an
// answer is wholly applied: before that the next step may still come.
func (w *Walk) settle() {
	if w.state.Status.Final() || w.alive() {
		return
	}
	w.state.Status, w.state.CompletedAt, w.state.PausedAt = Completed, w.now, 0
	w.emit("execution.completed", nil, nil)
}

func (w *Walk) alive() bool {
	for _, s := range w.state.Steps {
		if s.Status.Live() {
			return true
		}
	}
	return false
}
