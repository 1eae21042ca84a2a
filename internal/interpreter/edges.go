package interpreter

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/interpreter/event"
	"github.com/redline-svc/redline/internal/interpreter/output"
	"github.com/redline-svc/redline/internal/predicate"
	"github.com/redline-svc/redline/internal/shape"
)

// StepFacts are what `step.*` reads in predicates and templates.
type StepFacts struct {
	StepID     string `json:"stepId"`
	NodeID     string `json:"nodeId"`
	Status     string `json:"status"`
	RetryCount int    `json:"retryCount"`
	Iteration  int    `json:"iteration"`
	Attempt    int    `json:"attempt"`
}

func rootOf(s *Step) StepFacts {
	return StepFacts{s.ID, s.NodeID, string(s.Status), s.Retries, s.Iteration, s.Attempt}
}

// source is an end that edges lead from: that of a step, or that of a group.
type source struct {
	status    StepStatus
	decision  string
	output    json.RawMessage
	rejection *rejection
	// root is what step.* reads: for a group that of the member which decided it.
	root StepFacts
}

func (s *Step) source() source {
	return source{s.Status, s.Decision, s.Output, s.rejection, rootOf(s)}
}

// firing is an edge that fires, with the input of the step that it starts.
type firing struct {
	edge  definition.Edge
	input json.RawMessage
}

// follow is what the end of a step causes: its loop goes back, or its group counts it,
// then edges fire. Which of them fire is found out before the first starts anything.
func (w *Interpreter) follow(s *Step) {
	from, loop, group := s.source(), w.graph.LoopFrom(s.NodeID), w.graph.Group(s.GroupID)
	if group != nil && s.fails() && w.groupState(group).Decided {
		return // too late to lead anywhere, or to end the execution
	}
	if loop != nil && from.turnsBack() && !w.usedUp(loop) {
		s.Routed = true
		w.goBack(loop, from)
		return
	}
	var decided *verdict
	taken := false
	if group != nil {
		taken = w.takes(group) // asked before the end counts: a group answers for the end that decides it too
		decided = w.count(group, s, 0)
	}
	var fired []firing
	if group == nil || group.OnQuorumMet != definition.JoinOnQuorum {
		own := w.graph.From(s.NodeID)
		fired = w.leaving(from, own, loop)
		s.Routed = len(fired) > 0
		if w.untaken(s, taken, loop, len(own)) {
			return
		}
	}
	w.proceed(decided, fired)
}

// proceed fires the edges of a step that has ended, and those of its group if that is
// decided too.
func (w *Interpreter) proceed(decided *verdict, fired []firing) {
	if decided != nil {
		of, goesOn := w.route(decided)
		if !goesOn && w.failing == nil {
			return
		}
		fired = append(fired, of...)
		slices.SortStableFunc(fired, func(a, b firing) int { return cmp.Compare(a.edge.Index, b.edge.Index) })
	}
	for _, f := range fired {
		w.create(w.graph.Node(f.edge.To), f.input)
	}
}

// leaving returns the edges that fire at an end. loop is that of the same source: used up,
// it takes the rejection to the edges on exhausted.
func (w *Interpreter) leaving(from source, edges []definition.Edge, loop *definition.Loop) []firing {
	exhausted := loop != nil && from.turnsBack()
	if exhausted {
		w.exhaust(loop, from)
	}
	var roots *predicate.Roots
	var fired []firing
	for _, e := range edges {
		if e.On == definition.Custom && roots == nil {
			r := predicate.NewRoots(from.output, shape.Encode(from.root), w.state.Input)
			roots = &r
		}
		if fires(e, from, roots, exhausted) {
			fired = append(fired, firing{e, output.OrEmpty(from.output)})
		}
	}
	return fired
}

// fires is the table of roles and ends.
func fires(e definition.Edge, from source, roots *predicate.Roots, exhausted bool) bool {
	if from.status == StepCancelled {
		return false
	}
	switch e.On {
	case definition.Always:
		return true
	case definition.Approve:
		return from.status == StepCompleted && from.decision == ApproveWord
	case definition.Reject:
		return from.status == StepCompleted && from.decision == RejectWord && !exhausted
	case definition.Custom:
		return e.When.Eval(*roots)
	default: // definition.Exhausted
		return exhausted
	}
}

// untaken fails the execution for an end that no edge took although it needs one: a used
// up loop without a way out, a failure, a breach, a rejection of a step that has edges.
// taken says that the end is that of a member and the group's matter.
func (w *Interpreter) untaken(s *Step, taken bool, loop *definition.Loop, edges int) bool {
	if loop != nil && s.source().turnsBack() && len(definition.Exits(w.graph.From(s.NodeID))) == 0 {
		s.Routed = false // what else would have fired starts nothing
		w.fail(loopExhausted, "step "+s.ID+" was rejected and its loop is used up")
		return true
	}
	if s.Routed || taken {
		return false
	}
	if loop != nil {
		edges++ // also where it takes only some rejections
	}
	return w.mustBeTaken(s, edges)
}

// fails reports whether a step ended with a failure, a breach or a rejection.
func (s *Step) fails() bool {
	return s.Status == StepFailed || s.Status == StepBreached || s.Status == StepCompleted && s.Decision == RejectWord
}

// mustBeTaken fails the execution for an end that needs an edge and has none.
func (w *Interpreter) mustBeTaken(s *Step, edges int) bool {
	switch {
	case s.Status == StepFailed:
		w.fail("step-failed", "step "+s.ID+" failed and no edge took it: "+s.ErrorMessage)
	case s.Status == StepBreached:
		w.fail("step-breached", "step "+s.ID+" passed its deadline and no edge took it")
	case s.Status == StepCompleted && s.Decision == RejectWord && edges > 0:
		w.fail(unroutedRejection, "step "+s.ID+" was rejected and none of its edges took it")
	default:
		return false
	}
	return true
}

// Codes of failures that a retry looks at, and who cancels what lives then.
const (
	stepLimit         = "step-limit"
	loopExhausted     = "loop-exhausted"
	unroutedRejection = "unrouted-rejection"
	failureActor      = "system:execution-failed"
)

// fail lets nothing start any more; the execution ends as soon as all steps are there to
// which edges led in the same answer, so that a retry finds them.
func (w *Interpreter) fail(code, message string) {
	if !w.over() {
		w.failing = &event.Reason{Code: code, Message: message}
	}
}

// over reports whether the execution has ended, or fails with this answer.
func (w *Interpreter) over() bool { return w.failing != nil || w.state.Status.Final() }

// failed ends the execution; what still lives is cancelled.
func (w *Interpreter) failed() {
	why := *w.failing
	w.failing = nil
	w.cancelLive(failureActor, "execution-failed")
	w.state.Status, w.state.CompletedAt, w.state.PausedAt = Failed, w.now, 0
	w.state.FailureCode, w.state.FailureMessage = why.Code, why.Message
	w.emit("execution.failed", nil, event.ExecutionFailed{FailureReason: why})
}

// settle decides the groups that wait for members which cannot start any more, and ends
// an execution in which nothing lives. It is asked once an answer is wholly applied:
// before that the next step may still come.
func (w *Interpreter) settle() {
	for !w.over() && w.decideStranded() {
		continue
	}
	if w.failing != nil {
		w.failed()
	}
	if w.over() || w.alive() {
		return
	}
	if w.abandoned() {
		w.cancelled(w.operator)
		return
	}
	w.state.Status, w.state.CompletedAt, w.state.PausedAt = Completed, w.now, 0
	w.emit("execution.completed", nil, nil)
}

func (w *Interpreter) alive() bool {
	return slices.ContainsFunc(w.state.Steps, func(s *Step) bool { return s.Status.Live() })
}
