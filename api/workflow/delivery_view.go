package workflow

import (
	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/models/delivery"
)

// DeliveryView is what a receiver was sent of one event; times are epoch
// milliseconds.
type DeliveryView struct {
	EventID  string        `json:"eventId"`
	Seq      int64         `json:"seq"`
	Event    string        `json:"event"`
	Status   string        `json:"status" enum:"pending,delivered,dead,refused" doc:"pending also while an attempt is under way"`
	Attempts []AttemptView `json:"attempts" doc:"oldest first; of the last 90 days"`
	// NextAttemptAt is nil for what has ended and while an attempt is under way.
	NextAttemptAt *int64 `json:"nextAttemptAt"`
}

func viewDelivery(d delivery.View) DeliveryView {
	return DeliveryView{
		EventID: d.EventID, Seq: d.Seq, Event: d.Event, Status: d.Status,
		Attempts: rpc.Each(d.Attempts, viewAttempt), NextAttemptAt: d.NextAttemptAt,
	}
}

// AttemptView is one attempt. Status, error and duration are nil while it is
// under way; an attempt without an answer has no status, a good one no error.
type AttemptView struct {
	Attempt    int     `json:"attempt" doc:"as in x-svc-attempt"`
	At         int64   `json:"at" doc:"epoch ms"`
	HTTPStatus *int    `json:"httpStatus"`
	Error      *string `json:"error" doc:"class of the outcome, null for a success"`
	DurationMs *int    `json:"durationMs"`
}

func viewAttempt(a delivery.AttemptView) AttemptView { return AttemptView(a) }
