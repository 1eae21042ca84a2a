package ingestion

import (
	"context"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/redline-svc/redline/activities"
)

// faults is since when a stage has failed; the zero time while it has not. One try leaves it to
// the next in its heartbeats, so Temporal keeps it for as long as it tries the stage.
type faults struct{ since time.Time }

// faultsOf returns what the try before has left.
func faultsOf(ctx context.Context) (f faults) {
	if activity.HasHeartbeatDetails(ctx) {
		_ = activity.GetHeartbeatDetails(ctx, &f.since) // what cannot be read begins again
	}
	return f
}

// heartbeat lets Temporal know that the try lives; the returned function may be repeated.
func (f faults) heartbeat(ctx context.Context) (stop func()) {
	return sync.OnceFunc(activities.Heartbeat(ctx, f.since))
}

// note leaves to the next try that this one has failed, and returns for how long the stage has.
func (f faults) note(ctx context.Context) time.Duration {
	if f.since.IsZero() {
		f.since = time.Now() //nolint:forbidigo // in no row: Temporal keeps it
	}
	activity.RecordHeartbeat(ctx, f.since)
	return time.Since(f.since) //nolint:forbidigo // likewise
}

// lastMinute is what of the time of a try is left to say why it failed: Temporal ends one that takes longer, keeps nothing
// of what it says then, and would try for ever what never ends.
const lastMinute = time.Minute

// within ends the work of a try before Temporal ends the try.
func within(ctx context.Context) (context.Context, context.CancelFunc) {
	end, bounded := ctx.Deadline()
	if !bounded {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, end.Add(-lastMinute))
}
