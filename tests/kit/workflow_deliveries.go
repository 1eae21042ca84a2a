package kit

import (
	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// Deliveries returns the deliveries of the execution with the status, all for an empty one,
// newest first.
func (r *Run) Deliveries(status string) []redline.Delivery {
	r.S.T.Helper()
	data := map[string]any{"executionId": r.ID}
	if status != "" {
		data["status"] = status
	}
	return EveryPage[redline.Delivery](r.S, client.GetDeliveries, data)
}

// Delivery waits until the delivery of an event type fits, and returns it.
func (r *Run) Delivery(event, what string, fits func(redline.Delivery) bool) redline.Delivery {
	r.S.T.Helper()
	var found redline.Delivery
	RequireEventually(r.S.T, what, func() bool {
		for _, found = range r.Deliveries("") {
			if found.Event == event && fits(found) {
				return true
			}
		}
		return false
	})
	return found
}

// Has returns a condition that fits deliveries with the status.
func Has(status string) func(redline.Delivery) bool {
	return func(d redline.Delivery) bool { return string(d.Status) == status }
}

// Unavailable returns a receiver's answers: 503 until the nth request, 200 from then on.
func Unavailable(n int) func(int, receiver.Request) receiver.Answer {
	return func(i int, _ receiver.Request) receiver.Answer {
		if i < n {
			return receiver.Status(503)
		}
		return receiver.Status(200)
	}
}
