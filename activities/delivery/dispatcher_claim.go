package delivery

import (
	"context"

	"github.com/redline-svc/redline/activities"
	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/models/delivery"
)

// claimAll claims until the time is over; it gives how many rows it claimed.
func (r *dispatcher) claimAll(ctx context.Context) (int, error) {
	total := 0
	for {
		claimed, wait, err := r.claimOnce(ctx)
		total += claimed
		if err != nil || (claimed == 0 && r.crowded(r.lane)) {
			return total, err
		}
		if wait && !r.pause(ctx) {
			return total, nil
		}
		if r.over() {
			return total, nil
		}
	}
}

// claimOnce claims as many rows as there are slots and sends them; wait says that
// there was nothing more to claim.
func (r *dispatcher) claimOnce(ctx context.Context) (claimed int, wait bool, err error) {
	own, cancel := context.WithTimeout(ctx, activities.StoreLimit)
	defer cancel()
	if r.clock.Since(r.renewed) > delivery.LeaseEvery {
		if held, err := r.rows.RenewLease(own, r.in.WorkspaceID, r.in.DestinationID, r.driver); err != nil || !held {
			r.ends, r.last = r.clock(), r.clock() // another dispatcher has the lease
			return 0, false, err
		}
		r.renewed = r.clock()
	}
	if r.cancelled {
		r.cancelled, err = r.rows.EndCancelled(own, r.in.DestinationID)
		return 0, false, err
	}
	granted := r.acquireSlots(claimAtMost)
	if granted == 0 {
		return 0, true, nil
	}
	before := r.clock()
	batch, err := r.rows.Claim(own, r.in.WorkspaceID, r.in.DestinationID, r.driver, delivery.ClaimLimits{
		Kind: r.kind, Rows: granted, Slow: r.slowRows(),
	})
	r.slots.give(r.in.WorkspaceID, granted-len(batch.Rows))
	if err != nil {
		return 0, false, err
	}
	r.apply(batch)
	r.start(batch.Rows, before)
	return len(batch.Rows), len(batch.Rows) < granted && !batch.Unseen && !batch.Cancelled && !r.wrongLane, nil
}

// slowRows is how many rows of slow origins may be claimed. Those of slow
// endpoints are claimed in their own lane alone.
func (r *dispatcher) slowRows() int {
	if r.kind == contract.KindEndpoint && r.lane != slowLane {
		return 0
	}
	return r.slots.slowLeft(r.kind)
}

// apply notes what a claim gives beside its rows. A destination that has changed
// lanes goes on in the other one.
func (r *dispatcher) apply(b delivery.ClaimedBatch) {
	r.cancelled, r.paced = b.Cancelled, 0
	if b.More {
		r.paced = b.Again
	}
	if r.kind == contract.KindEndpoint && b.Slow != (r.lane == slowLane) && !b.Cancelled {
		r.wrongLane, r.ends = true, r.clock()
	}
}

// acquireSlots takes slots, or queues for them. In the queue it tries once more:
// some may have become free before it was known to wait.
func (r *dispatcher) acquireSlots(want int) int {
	granted := r.slots.take(r.in.WorkspaceID, want)
	if granted == 0 {
		if r.freed == nil {
			r.slots.queue(r.in.WorkspaceID)
		}
		r.freed = r.slots.signal()
		granted = r.slots.take(r.in.WorkspaceID, want)
	}
	if granted > 0 {
		r.leaveQueue()
	}
	return granted
}

func (r *dispatcher) leaveQueue() {
	if r.freed != nil {
		r.slots.leave(r.in.WorkspaceID)
		r.freed = nil
	}
}
