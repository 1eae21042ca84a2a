package delivery

import (
	"context"
	"fmt"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/redline-svc/redline/activities"
	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/poll"
	"github.com/redline-svc/redline/internal/slots"
	"github.com/redline-svc/redline/models/delivery"
)

const (
	// dispatchLongest is how long one activity claims rows in all when it waits for slots.
	dispatchLongest = 40 * time.Second
	// claimAtMost is how many rows one claim takes.
	claimAtMost = 100
	// idlePoll is how often an idle dispatcher looks without being notified.
	idlePoll = time.Second
	// claimAgain is the shortest pause between two claims that found nothing.
	claimAgain = 20 * time.Millisecond
	// quietFor is how long a dispatcher waits before it asks when the next row is
	// due: under load the next notification comes sooner and saves the question.
	quietFor = 50 * time.Millisecond
	// paceAtLeast is the shortest wait of a dispatcher whose destination is limited
	// in pace, so that it can claim several rows at once afterwards.
	paceAtLeast = 25 * time.Millisecond
	// emptyPause keeps a run that found rows but could claim none from asking
	// Temporal for an activity over and over.
	emptyPause = 200 * time.Millisecond
	// fullPause is for how long a run sleeps whose origins have no concurrency left: the end of a
	// request ends that sooner.
	fullPause = 5 * time.Second
)

// dispatcher is one activity that sends what is due for a destination.
type dispatcher struct {
	*Activities
	to    delivery.Destination
	owner string
	// ends is when it stops to claim, unless it waits for slots or for concurrency at its origins
	// then; last is when it stops in any case. All readings are of the own clock.
	ends, last time.Time
	renewed    time.Time
	notified   poll.Signal
	stop       <-chan struct{}
	// abandoned is closed when Temporal no longer hears of this activity.
	abandoned <-chan struct{}
	// paced is for how long the pace of the destination allows no further row,
	// where some are due; cancelled says that rows are left to be ended.
	paced     time.Duration
	cancelled bool
	// after is the origin behind which the next claim looks. Since the first origin found says
	// whether any rows were claimed, blocked whether an origin had no concurrency left, and soon is after
	// how long one may have some without the end of a request.
	after          string
	found, blocked bool
	soon           time.Duration
	// full says that no origin that is due has any left.
	full bool
	// queued is the wait for a slot; nil while this one does not wait for any.
	queued *slots.Wait
}

// Dispatch is the activity that claims due rows of a destination, sends them side
// by side and records what became of them. Requests that are under way at its end
// go on in the process.
func (d *Activities) Dispatch(ctx context.Context, in contract.DeliveryInput) (contract.DispatchResult, error) {
	info, now := activity.GetInfo(ctx), d.clock()
	run := &dispatcher{
		Activities: d, to: delivery.Destination{WorkspaceID: in.WorkspaceID, ID: in.DestinationID}, ends: now.Add(d.linger), last: now.Add(dispatchLongest),
		notified: poll.NewSignal(), stop: activity.GetWorkerStopChannel(ctx), abandoned: ctx.Done(),
		owner: fmt.Sprintf("%s/%s/%d", info.WorkflowExecution.RunID, info.ActivityID, info.Attempt),
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
	if d.running[run.to.ID] == nil {
		d.running[run.to.ID] = map[*dispatcher]struct{}{}
	}
	d.running[run.to.ID][run] = struct{}{}
	d.active++
}

// exit is safe to repeat.
func (d *Activities) exit(run *dispatcher) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, entered := d.running[run.to.ID][run]; !entered {
		return
	}
	delete(d.running[run.to.ID], run)
	if len(d.running[run.to.ID]) == 0 {
		delete(d.running, run.to.ID)
	}
	d.active--
}

// nearlyFull reports whether less than a quarter of the dispatchers is free.
func (d *Activities) nearlyFull() bool { return d.activeOf(d.dispatchers * 3 / 4) }

// halfTaken reports whether less than half of the dispatchers is free.
func (d *Activities) halfTaken() bool { return d.activeOf(d.dispatchers / 2) }

func (d *Activities) activeOf(n int) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.active > n
}

// run locks the destination, claims until the time is over, unlocks it and only
// then looks once more (see the comment of the package).
func (r *dispatcher) run(ctx context.Context) (contract.DispatchResult, error) {
	held, err := r.lock(ctx)
	if err != nil || !held {
		return contract.DispatchResult{}, err
	}
	claimed, err := r.claimAll(ctx)
	r.leaveQueue()
	failing := r.origins.failing(r.to.ID)
	r.unlock(ctx, failing.throttled)
	r.exit(r)
	if err != nil {
		return contract.DispatchResult{}, err
	}
	own, cancel := context.WithTimeout(ctx, activities.StoreLimit)
	defer cancel()
	stands, err := r.rows.State(own, r.to.ID)
	return resultOf(stands, failing, r.restAfter(claimed)), err
}

// restAfter is for how long the run rests at least after so many rows were claimed. Who notifies
// this dispatcher before its exit says that there may be some; later it is the run that is
// notified.
func (r *dispatcher) restAfter(claimed int) time.Duration {
	if r.full {
		select {
		case <-r.notified:
		default:
			return fullPause
		}
	}
	if claimed == 0 {
		return emptyPause
	}
	return 0
}

func (r *dispatcher) lock(ctx context.Context) (bool, error) {
	own, cancel := context.WithTimeout(ctx, activities.StoreLimit)
	defer cancel()
	to, err := r.rows.LockDestination(own, r.to.WorkspaceID, r.to.ID, r.owner)
	if err != nil || to.Kind == "" {
		return false, err
	}
	r.to, r.renewed = to, r.clock()
	return true, nil
}

func (r *dispatcher) unlock(ctx context.Context, throttled bool) {
	own, cancel := context.WithTimeout(ctx, activities.StoreLimit)
	defer cancel()
	if err := r.rows.UnlockDestination(own, r.to.WorkspaceID, r.to.ID, r.owner, throttled); err != nil {
		r.log.Warn("a destination could not be unlocked", "destination_id", r.to.ID, "error", err)
	}
}
