package interpreter

import "github.com/redline-svc/redline/internal/interpreter/event"

// The code of a step whose deadline passed, and the reason in its event.
const (
	slaBreached = "sla-breached"
	slaReason   = "sla"
)

// breachOverdue ends the steps whose deadline has passed. It is asked by the run of the
// execution only: until then an answer counts, after its time too.
func (w *Interpreter) breachOverdue() {
	for _, s := range append([]*Step(nil), w.state.Steps...) {
		if w.over() || s.Status == StepPending || !s.Status.Live() || s.DueAt == 0 || s.DueAt > w.now {
			continue
		}
		if w.spared(s); !s.Status.Live() {
			continue
		}
		s.ErrorCode, s.ErrorMessage = slaBreached, "the step passed its deadline"
		w.end(s, StepBreached, ByDeadline, "step.breached", event.Breached{Reason: slaReason, DueAt: s.DueAt})
	}
}

// spared lets what was said of a step while its call is under way count before its time is
// over: it was recorded first.
func (w *Interpreter) spared(s *Step) {
	node := w.graph.Node(s.NodeID)
	if spare := kindOf(node.Type).spare; s.Status == StepRunning && spare != nil {
		spare(w, s, node)
	}
}
