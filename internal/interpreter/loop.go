package interpreter

import (
	"encoding/json"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/interpreter/event"
	"github.com/redline-svc/redline/internal/interpreter/output"
)

// iteration is the one in which a node runs now: that of its loop, 1 outside loops.
func (w *Interpreter) iteration(nodeID string) int {
	if l := w.graph.LoopAround(nodeID); l != nil {
		return max(1, w.iterations[l.ID])
	}
	return 1
}

// usedUp reports whether a loop has gone back as often as it may.
func (w *Interpreter) usedUp(l *definition.Loop) bool {
	return max(1, w.iterations[l.ID]) > l.MaxIterations
}

// turnsBack reports whether an end is one which a loop takes: a rejection by somebody whose
// rejection counts.
func (s source) turnsBack() bool {
	return s.decision == RejectWord && s.rejection != nil && s.rejection.mandatory
}

// goBack begins the next iteration of a loop.
func (w *Interpreter) goBack(l *definition.Loop, from source) {
	for _, s := range w.state.Steps {
		if s.LoopID == l.ID {
			w.cancelStep(s, "system:loop-restart", "loop-restart")
		}
	}
	input := w.entryInput(l, from)
	w.iterations[l.ID] = input.Iteration
	w.emit("loop.iteration-started", nil, event.IterationStarted{LoopID: l.ID, Iteration: input.Iteration, TriggeredBy: "rejection"})
	entry := w.graph.Node(l.EntryNodeID)
	if s := w.create(entry, input.Encode()); s != nil {
		s.LoopEntry = true
	}
}

// entryInput continues the list that the entry of this iteration was given.
func (w *Interpreter) entryInput(l *definition.Loop, from source) output.Entry {
	now := max(1, w.iterations[l.ID])
	var before json.RawMessage
	if entry := w.latest(l.EntryNodeID, now); entry != nil && now > 1 {
		before = entry.Input
	}
	return output.Next(before, l.ID, output.Attempt{
		Iteration: now, AuthorOutput: output.OrEmpty(from.output), RejectedBy: from.rejection.by, RejectorMandatory: from.rejection.mandatory,
		RejectionReason: from.rejection.reason, RejectedAt: w.now,
	})
}

// exhaust notes that a loop is used up.
func (w *Interpreter) exhaust(l *definition.Loop, from source) {
	w.emit("loop.exhausted", nil, event.LoopExhausted{
		LoopID: l.ID, Iteration: max(1, w.iterations[l.ID]), LastRejectedBy: from.rejection.by, LastRejectionReason: from.rejection.reason,
	})
}
