package delivery

import (
	"context"
	"net/http"
	"time"

	"github.com/redline-svc/redline/internal/guard"
	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/delivery"
)

// receivers sends events to the receivers of executions.
type receivers struct{ *Activities }

func (r receivers) send(f flight) (delivery.Outcome, bool) {
	body, err := f.Event.Body()
	if err != nil || f.Secret == nil {
		r.log.Error("a delivery cannot be sent", "event_id", f.Event.EventID, "error", err)
		return delivery.Outcome{}, false
	}
	return f.attempt(func(ctx context.Context, begun time.Time) (delivery.Outcome, bool) {
		return r.call(ctx, f, begun, body), true
	})
}

// call makes the request.
func (r receivers) call(ctx context.Context, f flight, begun time.Time, body []byte) (outcome delivery.Outcome) {
	answer, err := r.post(ctx, f.WorkspaceID+" "+f.Origin, guard.Receiver, guard.Request{
		Method: http.MethodPost, URL: f.URL, Body: body, ReadLimit: answerLimit, OnWritten: f.left,
		Header: webhook.Headers(f.Secret, f.Event.EventID, f.Attempt, begun, body),
	})
	outcome.Class, outcome.Status = classOf(answer, err)
	return outcome
}

// classOf returns class and HTTP code of an answer. One whose body did not come
// in time is no answer.
func classOf(answer *guard.Response, err error) (webhook.Class, int) {
	if err == nil && answer.BodyErr != nil && guard.ClassOf(answer.BodyErr) == guard.ClassTimeout {
		err = answer.BodyErr
	}
	if err != nil {
		return webhook.Class(guard.ClassOf(err)), 0
	}
	return webhook.ReceiverClass(answer.Status), answer.Status
}
