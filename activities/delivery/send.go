package delivery

import (
	"context"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/redline-svc/redline/activities"
	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/guard"
	"github.com/redline-svc/redline/internal/telemetry"
	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/delivery"
)

// expiredKind names deliveries in the metric of locks that ran out.
const expiredKind = "delivery"

// answerLimit is how much of a receiver's answer is read, in bytes.
const answerLimit = 16 << 10

// firstAttempts lets the first attempts of an execution leave in the order in
// which they were claimed: each waits until the one before it is on the wire or
// has failed.
type firstAttempts struct {
	mu   sync.Mutex
	last map[string]chan struct{} // by execution; closed when that attempt has left
}

// join puts an attempt at the end of the order of its execution. It returns what to
// wait for, nil for nothing, and the function that lets the next one go.
func (d *firstAttempts) join(executionID string) (before <-chan struct{}, left func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	own := make(chan struct{})
	before = d.last[executionID]
	d.last[executionID] = own
	return before, sync.OnceFunc(func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		close(own)
		if d.last[executionID] == own {
			delete(d.last, executionID)
		}
	})
}

// flight is a claimed delivery on its way. Its time is from before the claim: the
// row is locked from then on.
type flight struct {
	*delivery.Claimed
	activities.PostgresTime
	origin originKey
	before <-chan struct{}
	left   func()
}

// start sends rows side by side, in the order of the claim. Each of them has a
// slot and concurrency at its origins, which it gives back when its request has ended; asked is the
// reading of the clock from before their claim. One whose process has died has neither: it is
// recorded as interrupted.
func (d *Activities) start(rows []*delivery.Claimed, asked time.Time) {
	answered := d.clock()
	for _, row := range rows {
		f := flight{
			Claimed: row, left: func() {}, origin: originOf(row),
			PostgresTime: activities.PostgresTime{Clock: d.clock, Begun: row.BegunAt, Asked: asked, Answered: answered},
		}
		if row.Expired {
			d.metrics.ExpiredLocks.WithLabelValues(expiredKind).Inc()
			d.finish(f, delivery.Outcome{Claimed: row, Class: webhook.Interrupted})
			continue
		}
		if row.Attempt == 0 && row.Kind() == contract.KindReceiver {
			f.before, f.left = d.order.join(row.Event.ExecutionID)
		}
		d.flights.Go(func() { d.carry(f) })
	}
}

// carry sends one delivery and hands its outcome to the recorder.
func (d *Activities) carry(f flight) {
	outcome, ok := d.calmly(f)
	f.left()
	d.slots.Release(f.WorkspaceID, 1)
	d.origins.ended(f.origin, outcome, ok, f.Now())
	if ok {
		d.finish(f, outcome)
	}
}

// finish hands an outcome to the recorder.
func (d *Activities) finish(f flight, outcome delivery.Outcome) {
	d.meter(f, outcome)
	d.recorder.add(ended{outcome, f.PostgresTime})
}

// originOf is the origin that a row is sent to.
func originOf(row *delivery.Claimed) originKey {
	if row.Kind() == contract.KindEndpoint {
		return originKey{row.DestinationID, guard.Origin(row.URL, guard.Endpoint)}
	}
	return originKey{row.DestinationID, row.Origin}
}

// calmly makes a panic an attempt that was interrupted: it would end the process, and with
// it the attempts at all others that are under way.
func (d *Activities) calmly(f flight) (outcome delivery.Outcome, ok bool) {
	defer func() {
		if cause := recover(); cause != nil {
			d.log.Error("an attempt has panicked", "delivery_id", f.ID, "destination_id", f.DestinationID, "error", fault.Panicked(cause))
			outcome, ok = delivery.Outcome{Claimed: f.Claimed, Class: webhook.Interrupted}, true
		}
	}()
	return d.senders[f.Kind()].send(f)
}

// attempt waits for the attempt before it and makes a call with the time that it
// may take; begun is the time of the attempt by Postgres. What would come too late
// in its lock is not sent.
func (f flight) attempt(call func(ctx context.Context, begun time.Time) (delivery.Outcome, bool)) (delivery.Outcome, bool) {
	if !f.await() {
		return delivery.Outcome{Claimed: f.Claimed, Class: webhook.Interrupted}, true
	}
	begun := f.Now()
	ctx, cancel := context.WithTimeout(telemetry.WithTraceParent(context.Background(), f.TraceParent), f.Limit)
	defer cancel()
	ctx, span := telemetry.Tracer().Start(ctx, "attempt "+f.Kind(), trace.WithSpanKind(trace.SpanKindClient))
	defer span.End()
	outcome, ok := call(ctx, begun)
	outcome.Claimed, outcome.Duration = f.Claimed, f.Now().Sub(begun)
	return outcome, ok
}

// await waits for the attempt before this one to leave. It reports whether a
// whole limit of the lock is still left then.
func (f flight) await() bool {
	fresh := time.NewTimer(f.FreshFor() - f.Passed())
	defer fresh.Stop()
	if f.before != nil {
		select {
		case <-f.before:
		case <-fresh.C:
			return false
		}
	}
	return f.Passed() < f.FreshFor()
}

func (d *Activities) meter(f flight, o delivery.Outcome) {
	if f.MailID != "" {
		return
	}
	d.metrics.WebhookAttempts.WithLabelValues(string(o.Class)).Inc()
	if o.Class == webhook.Interrupted {
		return
	}
	d.metrics.WebhookAttemptSeconds.Observe(o.Duration.Seconds())
	if f.Attempt == 0 {
		d.metrics.WebhookMessages.WithLabelValues(f.event()).Inc()
		d.metrics.FirstAttemptLag.Observe((f.Now().Sub(f.committed()) - o.Duration).Seconds())
	}
}

// event is the type of what the delivery is about.
func (f flight) event() string {
	if f.Message != nil {
		return f.Message.Event
	}
	return f.Event.Event
}

// committed is when the change was made that the delivery is about.
func (f flight) committed() time.Time {
	if f.Message != nil {
		return f.Message.CreatedAt
	}
	return f.Event.At
}
