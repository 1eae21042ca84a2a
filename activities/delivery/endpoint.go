package delivery

import (
	"context"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/redline-svc/redline/activities"
	"github.com/redline-svc/redline/internal/guard"
	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/delivery"
)

// endpoints sends messages to webhook endpoints.
type endpoints struct{ *Activities }

// send sends a message. Whole headers in time decide; the body that comes with them is
// kept as far as it came.
func (e endpoints) send(f flight) (delivery.Outcome, bool) {
	m := f.Message
	outcome := delivery.Outcome{Claimed: f.Claimed}
	if m.Body == nil {
		outcome.Class = webhook.Expired
		return outcome, true
	}
	if len(m.Secrets) == 0 {
		e.log.Error("a message cannot be signed", "message_id", m.ID, "endpoint_id", f.DestinationID)
		return outcome, false
	}
	if !e.mayStart(f) {
		outcome.Class = webhook.Interrupted
		return outcome, true
	}
	return f.attempt(func(ctx context.Context, begun time.Time) (delivery.Outcome, bool) {
		return e.call(ctx, f, begun), true
	})
}

// mayStart reports whether an endpoint or a relay of mails may still be sent what was
// claimed for it (see delivery.StartWithin of the models). What would come too late
// in its lock may not.
func (d *Activities) mayStart(f flight) bool {
	for granted := time.Duration(0); f.Passed()-granted >= delivery.StartWithin; {
		granted = f.Passed()
		if granted >= f.FreshFor() || !d.startLate(f) {
			return false
		}
	}
	return true
}

func (d *Activities) startLate(f flight) bool {
	ctx, cancel := context.WithTimeout(context.Background(), activities.StoreLimit)
	defer cancel()
	granted, err := d.rows.StartLate(ctx, f.Claimed)
	if err != nil {
		d.log.Warn("it could not be asked whether a delivery may still be sent", "destination_id", f.DestinationID, "error", err)
	}
	return granted && err == nil
}

// call makes the request.
func (e endpoints) call(ctx context.Context, f flight, begun time.Time) (outcome delivery.Outcome) {
	m := f.Message
	header := webhook.EndpointHeaders(m.Secrets, m.ID, begun, m.Body)
	if m.Token != "" {
		header.Set("authorization", "Basic "+m.Token)
	}
	answer, err := e.post(ctx, f.DestinationID, guard.Endpoint, guard.Request{
		Method: http.MethodPost, URL: f.URL, Body: m.Body, ReadLimit: answerLimit, Header: header,
	})
	if err != nil {
		outcome.Class = webhook.Class(guard.ClassOf(err))
		return outcome
	}
	outcome.Class, outcome.Status, outcome.Body = webhook.EndpointClass(answer.Status), answer.Status, text(answer.Body)
	if outcome.Class == webhook.Throttled {
		outcome.RetryAfter, outcome.AsksToWait = webhook.RetryAfter(answer.Header, f.Now())
	}
	return outcome
}

// replacement stands for bytes that are no text.
const replacement = "\uFFFD"

// text is bytes as text that a row can hold, of as many bytes as are read at
// most: what stands for others is longer than they are.
func text(raw []byte) string {
	clean := strings.ReplaceAll(strings.ToValidUTF8(string(raw), replacement), "\x00", replacement)
	if len(clean) <= answerLimit {
		return clean
	}
	end := answerLimit
	for !utf8.RuneStart(clean[end]) {
		end--
	}
	return clean[:end]
}
