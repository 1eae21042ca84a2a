package interpreter

import (
	"time"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/interpreter/event"
)

func notificationLimit(n *definition.Node) time.Duration { return n.Notification.CallLimit() }

// nameChannel puts the channel into the outcome, which the data of both ends shows.
func nameChannel(_ *Step, n *definition.Node, o *Outcome) { o.Channel = n.Notification.Channel }

// notificationSent ends a step that reached somebody.
func notificationSent(w *Interpreter, s *Step, _ *definition.Node, o Outcome) {
	w.end(s, StepCompleted, ByCall, "step.completed", event.NotificationCompleted{Channel: o.Channel, Delivered: o.Delivered})
}

// notificationFailed returns why nobody was reached.
func notificationFailed(o Outcome, class string) any {
	return event.NotificationFailed{Error: event.Reason{Code: o.Code, Message: o.Message}, Channel: o.Channel, RetryClass: class}
}
