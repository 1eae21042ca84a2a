package interpreter

import (
	"strings"

	"github.com/redline-svc/redline/internal/interpreter/event"
	"github.com/redline-svc/redline/internal/shape"
)

// emit writes the next event; its status is that of the step or the execution
// at this moment. Those of groups and loops have none.
func (w *Interpreter) emit(kind string, s *Step, data any) {
	w.state.Seq++
	e := Event{Seq: w.state.Seq, Type: kind, Internal: event.Internal(kind)}
	switch {
	case s != nil:
		e.StepID, e.Status = s.ID, string(s.Status)
	case strings.HasPrefix(kind, "execution."):
		e.Status = string(w.state.Status)
	}
	if data != nil {
		e.Data = shape.Encode(data)
	}
	w.events = append(w.events, e)
}
