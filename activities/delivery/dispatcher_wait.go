package delivery

import (
	"context"
	"time"

	"github.com/redline-svc/redline/activities"
	"github.com/redline-svc/redline/internal/poll"
)

// over reports whether the activity shall end: its time is up or its worker stops.
func (r *dispatcher) over() bool {
	select {
	case <-r.stop:
		return true
	default:
	}
	if now := r.clock(); !now.Before(r.ends) && r.continues(now) {
		r.ends = now.Add(min(r.linger, r.last.Sub(now)))
	}
	return !r.clock().Before(r.ends)
}

// continues reports whether a dispatcher whose time is up waits for slots or for room at its
// origins, and keeps nobody from starting. One that Temporal hears nothing of any more has
// been replaced, or soon will be.
func (r *dispatcher) continues(now time.Time) bool {
	select {
	case <-r.abandoned:
		return false
	default:
		return now.Before(r.last) && (r.queued != nil && !r.nearlyFull() || r.full && !r.halfTaken())
	}
}

// pause waits for something to claim: a notification, an outcome, free slots, the time of
// the next row. It reports whether to go on.
func (r *dispatcher) pause(ctx context.Context) bool {
	if r.paced > 0 {
		_, goOn := r.wait(max(r.paced, paceAtLeast), nil) // nothing that happens makes it sooner
		return goOn
	}
	if r.full {
		_, goOn := r.wait(r.soon, r.notified)
		return goOn
	}
	happened, goOn := r.wait(quietFor, r.notified)
	if !happened && goOn {
		_, goOn = r.wait(r.idleFor(ctx), r.notified)
	}
	return goOn
}

// wait waits at most so long, or until it is notified. It reports whether something
// happened and whether to go on.
func (r *dispatcher) wait(most time.Duration, notified poll.Signal) (happened, goOn bool) {
	timer := time.NewTimer(max(0, min(most, -r.clock.Since(r.ends))))
	defer timer.Stop()
	select {
	case <-r.stop:
		return true, false
	case <-notified:
		return true, true
	case <-r.queued.Granted():
		return true, true
	case <-timer.C:
		return false, true
	}
}

// idleFor is how long to wait at most. Rows that are due and could not be claimed
// (another has them) are looked at again after a moment.
func (r *dispatcher) idleFor(ctx context.Context) time.Duration {
	if r.queued != nil {
		return idlePoll
	}
	own, cancel := context.WithTimeout(ctx, activities.StoreLimit)
	defer cancel()
	next, err := r.rows.NextDue(own, r.to.ID)
	if err != nil || next == nil {
		return idlePoll
	}
	return min(idlePoll, max(*next, claimAgain))
}
