package delivery

import (
	"context"
	"fmt"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/redline-svc/redline/activities"
	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/pump"
)

const (
	// dispatchFor is how long one activity claims rows, waiting for new ones
	// included, dispatchLongest how long in all when it waits for slots.
	dispatchFor     = 5 * time.Second
	dispatchLongest = 40 * time.Second
	// claimAtMost is how many rows one claim takes.
	claimAtMost = 100
	// idlePoll is how often an idle dispatcher looks without being woken.
	idlePoll = time.Second
	// claimAgain is the shortest pause between two claims that found nothing.
	claimAgain = 20 * time.Millisecond
	// quietFor is how long a dispatcher waits before it asks when the next row is
	// due: under load the next wake comes sooner and saves the question.
	quietFor = 50 * time.Millisecond
	// paceAtLeast is the shortest wait of a dispatcher whose destination is limited
	// in pace, so that it can claim several rows at once afterwards.
	paceAtLeast = 25 * time.Millisecond
	// emptyPause keeps a run that found rows but could claim none from asking
	// Temporal for an activity over and over.
	emptyPause = 200 * time.Millisecond
)

// dispatcher is one activity that sends what is due for a destination.
type dispatcher struct {
	*Activities
	in     contract.DeliveryInput
	driver string
	// kind is the destination's; lane the queue that the activity came from.
	kind string
	lane lane
	// ends is when it stops to claim, unless it waits for slots then; last is when it
	// stops in any case. All readings are of the own clock.
	ends, last time.Time
	renewed    time.Time
	wake       pump.Signal
	stop       <-chan struct{}
	// abandoned is closed when Temporal no longer hears of this activity.
	abandoned <-chan struct{}
	// paced is for how long the pace of the destination allows no further row,
	// where some are due; cancelled says that rows are left to be ended.
	paced     time.Duration
	cancelled bool
	// wrongLane says that the destination belongs in the other lane.
	wrongLane bool
	// freed is closed when slots become free; nil while this one is not in the
	// queue for them.
	freed <-chan struct{}
}

// Dispatch is the activity that claims due rows of a destination, sends them side
// by side and records what became of them. Requests that are under way at its end
// go on in the process.
func (d *Activities) Dispatch(ctx context.Context, in contract.DeliveryInput) (contract.DispatchResult, error) {
	info, now := activity.GetInfo(ctx), d.clock()
	run := &dispatcher{
		Activities: d, in: in, lane: laneOf(info.TaskQueue), ends: now.Add(dispatchFor), last: now.Add(dispatchLongest),
		wake: pump.NewSignal(), stop: activity.GetWorkerStopChannel(ctx), abandoned: ctx.Done(),
		driver: fmt.Sprintf("%s/%s/%d", info.WorkflowExecution.RunID, info.ActivityID, info.Attempt),
	}
	defer activities.Heartbeat(ctx)()
	d.enter(run)
	defer d.exit(run)
	result, err := run.run(context.WithoutCancel(ctx))
	return result, activities.Error(ctx, err)
}

func (d *Activities) enter(run *dispatcher) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.running[run.in.DestinationID] == nil {
		d.running[run.in.DestinationID] = map[*dispatcher]struct{}{}
	}
	d.running[run.in.DestinationID][run] = struct{}{}
	d.active[run.lane]++
}

func (d *Activities) exit(run *dispatcher) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.running[run.in.DestinationID], run)
	if len(d.running[run.in.DestinationID]) == 0 {
		delete(d.running, run.in.DestinationID)
	}
	d.active[run.lane]--
}

// crowded gives whether less than a quarter of the dispatchers of the lane is free.
func (d *Activities) crowded(l lane) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	limit := d.dispatchers
	if l == slowLane {
		limit /= SlowShare
	}
	return d.active[l] > limit*3/4
}

// run takes the lease, claims until the time is over, gives the lease back and only
// then looks once more (see the comment of the package).
func (r *dispatcher) run(ctx context.Context) (contract.DispatchResult, error) {
	held, err := r.takeLease(ctx)
	if err != nil || !held {
		return contract.DispatchResult{}, err
	}
	claimed, err := r.claimAll(ctx)
	r.leaveQueue()
	r.releaseLease(ctx)
	if err != nil {
		return contract.DispatchResult{}, err
	}
	own, cancel := context.WithTimeout(ctx, activities.StoreLimit)
	defer cancel()
	standing, err := r.rows.Settle(own, r.in.DestinationID)
	if r.wrongLane {
		standing.Next = new(time.Duration) // at once
	}
	result := resultOf(standing, claimed, r.wrongLane)
	result.Slow = r.kind == contract.KindEndpoint && standing.Slow
	return result, err
}

func (r *dispatcher) takeLease(ctx context.Context) (bool, error) {
	own, cancel := context.WithTimeout(ctx, activities.StoreLimit)
	defer cancel()
	var err error
	if r.kind, err = r.rows.TakeLease(own, r.in.WorkspaceID, r.in.DestinationID, r.driver); err != nil || r.kind == "" {
		return false, err
	}
	r.renewed = r.clock()
	_, err = r.rows.ExpireLocks(own, r.in.DestinationID)
	return true, err
}

func (r *dispatcher) releaseLease(ctx context.Context) {
	own, cancel := context.WithTimeout(ctx, activities.StoreLimit)
	defer cancel()
	if err := r.rows.GiveLeaseBack(own, r.in.WorkspaceID, r.in.DestinationID, r.driver); err != nil {
		r.log.Warn("a lease could not be given back", "destination_id", r.in.DestinationID, "error", err)
	}
}
