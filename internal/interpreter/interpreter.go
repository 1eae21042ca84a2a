package interpreter

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/interpreter/event"
)

// Interpreter applies answers to one execution.
type Interpreter struct {
	graph  *definition.Graph
	state  *State
	now    int64
	events []Event
	before mark
	// steps by node, iteration and attempt: a node runs once in each.
	started map[stepKey]*Step
	// iterations are those of the loops that have gone back, by id.
	iterations map[string]int
	touched    bool
	// failing is why the execution fails once what this answer causes is written down, nil
	// while it does not.
	failing *event.Reason
	// operator is who cancelled a step in this interpreter.
	operator event.By
}

type stepKey struct {
	node               string
	iteration, attempt int
}

// mark is what of a state Temporal and the people at its UI care for.
type mark struct {
	drives  string
	details string
}

// New makes an interpreter at now, epoch milliseconds. The state is changed in place. The
// graph may be nil for an execution that has ended: nothing changes it any more.
func New(graph *definition.Graph, state *State, now int64) *Interpreter {
	w := &Interpreter{graph: graph, state: state, now: now, started: make(map[stepKey]*Step, len(state.Steps)), iterations: map[string]int{}}
	for _, s := range state.Steps {
		w.started[stepKey{s.NodeID, s.Iteration, s.Attempt}] = s
		if s.LoopID != "" {
			w.iterations[s.LoopID] = max(w.iterations[s.LoopID], s.Iteration)
		}
	}
	w.before = w.mark()
	return w
}

// Dispatch makes the state of an execution that was just accepted: pending, its
// root steps created and not started.
func Dispatch(graph *definition.Graph, state *State, definitionID string, version int, now int64) *Interpreter {
	state.Status, state.Attempt, state.Seq, state.Revision = Pending, 1, 0, 0
	w := New(graph, state, now)
	roots := make([]string, len(graph.Roots))
	for i, node := range graph.Roots {
		roots[i] = StepID(state.ExecutionID, node, 1, 1)
	}
	w.emit("execution.dispatched", nil, event.Dispatched{DefinitionID: definitionID, DefinitionVersion: version, RootStepIDs: roots})
	for _, node := range graph.Roots {
		w.create(graph.Node(node), nil)
	}
	return w
}

// latest is the step of a node in an iteration: that of the latest attempt, nil for none.
func (w *Interpreter) latest(nodeID string, iteration int) *Step {
	for attempt := w.state.Attempt; attempt > 0; attempt-- {
		if s := w.started[stepKey{nodeID, iteration, attempt}]; s != nil {
			return s
		}
	}
	return nil
}

// Change returns what the interpreter did; the revision rises when the plan changed.
func (w *Interpreter) Change() Change {
	after := w.mark()
	c := Change{Events: w.events, Drives: after.drives != w.before.drives, Details: after.details != w.before.details}
	if w.touched || c.Any() {
		w.state.Revision++
		w.touched = false
	}
	return c
}

// mark writes down what is driven (calls, deadlines, the end) and what the text
// for people shows.
func (w *Interpreter) mark() mark {
	var drives, details strings.Builder
	fmt.Fprintf(&drives, "%t %d", w.state.Status.Final(), w.state.PausedAt)
	fmt.Fprintf(&details, "%s %d", w.state.Status, w.state.PausedAt)
	for _, s := range w.state.Steps {
		if !s.Status.Live() {
			continue
		}
		fmt.Fprintf(&details, "\n%s %s", s.ID, s.Status)
		for _, r := range s.Reviewers {
			details.WriteString(" " + r.UserID + " " + r.Decision)
		}
		if s.Calling() || s.EndsAt() != 0 {
			fmt.Fprintf(&drives, "\n%s %d %d %t", s.ID, s.EndsAt(), s.NextTryAt, s.QueuedAt != 0)
		}
	}
	return mark{drives.String(), details.String()}
}

// Calling reports whether Temporal has to make a call for this step.
func (s *Step) Calling() bool {
	return s.Status == StepRunning
}

// idWord keeps the characters that may stand in a step's id.
var idWord = regexp.MustCompile(`[^A-Za-z0-9_-]`)

// stepDigits is how many hex digits of the SHA-256 stand in a step's id.
const stepDigits = 12

// StepID can be computed before the step exists: the edge that starts a step is
// no part of it.
func StepID(executionID, nodeID string, iteration, attempt int) string {
	i, a := strconv.Itoa(iteration), strconv.Itoa(attempt)
	sum := sha256.Sum256([]byte(strings.Join([]string{executionID, nodeID, i, a}, "\n")))
	return "step_" + idWord.ReplaceAllString(nodeID, "-") + "_i" + i + "_a" + a + "_" + hex.EncodeToString(sum[:])[:stepDigits]
}
