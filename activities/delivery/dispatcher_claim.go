package delivery

import (
	"context"

	"github.com/redline-svc/redline/activities"
	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/models/delivery"
)

// claimAll claims until the time is over; it returns how many rows it claimed.
func (r *dispatcher) claimAll(ctx context.Context) (int, error) {
	total := 0
	for {
		claimed, wait, err := r.claimOnce(ctx)
		total += claimed
		if err != nil || (claimed == 0 && r.nearlyFull()) {
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

// claimOnce claims as many rows as are allowed and sends them; wait reports that
// there was nothing more to claim.
func (r *dispatcher) claimOnce(ctx context.Context) (claimed int, wait bool, err error) {
	own, cancel := context.WithTimeout(ctx, activities.StoreLimit)
	defer cancel()
	look := r.clock.Since(r.renewed) > delivery.ExtendEvery // also at what a claim says without rows
	if look {
		if held, err := r.rows.ExtendLock(own, r.to.WorkspaceID, r.to.ID, r.owner); err != nil || !held {
			r.ends, r.last = r.clock(), r.clock() // another dispatcher has locked it
			return 0, false, err
		}
		r.renewed = r.clock()
	}
	if r.cancelled {
		r.cancelled, err = r.rows.EndCancelled(own, r.to.ID)
		return 0, false, err
	}
	within, err := r.allow(own)
	if err != nil {
		return 0, false, err
	}
	moved := false
	if within.rows > 0 || look {
		claimed, moved, err = r.claimWithin(own, within)
	}
	wait = r.turned(within, claimed)
	return claimed, wait && !moved && !r.cancelled, err
}

// claimWithin claims rows and sends them. moved reports that the endpoint has another address
// than the one that rows were claimed for.
func (r *dispatcher) claimWithin(ctx context.Context, within *allowance) (claimed int, moved bool, err error) {
	before := r.clock()
	batch, err := r.rows.Claim(ctx, r.to, r.owner, within.limits())
	r.returnUnused(within, batch.Rows)
	if err != nil {
		return 0, false, err
	}
	r.start(batch.Rows, before)
	r.cancelled, r.paced = batch.Cancelled, 0
	if batch.More {
		r.paced = batch.Again
	}
	moved = r.to.Kind == contract.KindEndpoint && batch.URL != "" && batch.URL != r.to.URL
	if moved {
		r.to.URL = batch.URL
	}
	return len(batch.Rows), moved, nil
}

// acquireSlots takes slots, or queues for one.
func (r *dispatcher) acquireSlots(want int) (granted int) {
	select {
	case <-r.queued.Granted():
		r.queued, granted = nil, 1
	default:
	}
	granted += r.slots.Take(r.to.WorkspaceID, want-granted)
	switch {
	case granted > 0:
		r.leaveQueue()
	case r.queued == nil:
		r.queued = r.slots.Queue(r.to.WorkspaceID, 1)
	}
	return granted
}

func (r *dispatcher) leaveQueue() {
	if r.queued != nil {
		r.queued.Leave()
		r.queued = nil
	}
}
