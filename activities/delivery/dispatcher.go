package activities

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/models"
)

const (
	// drainFor is how long one activity draws, lingering for new rows included.
	// One that is still busy then goes on, drainLongest in all: rows that come
	// while one activity follows another wait for the engine.
	drainFor     = 5 * time.Second
	drainLongest = 40 * time.Second
	// drawAtMost is how many rows one draw takes.
	drawAtMost = 100
	// drainPoll is how often an idle drain looks without having been nudged.
	drainPoll = time.Second
	// drawAgain is the shortest pause between two draws that found nothing.
	drawAgain = 20 * time.Millisecond
	// quietFor is how long nothing has to happen before a drain asks when the next
	// row is due: under load the next nudge comes sooner.
	quietFor = 50 * time.Millisecond
	// paceAtLeast is how long a drain that the pace of its destination stopped lets
	// it save up for some rows at once.
	paceAtLeast = 25 * time.Millisecond
	// busyFor: a drain that drew rows so shortly before its end is followed by the
	// next at once, since more will come; sleeping until they do would cost the
	// first of them a poke.
	busyFor = 500 * time.Millisecond
	// drainPause keeps a run that found rows but could draw none from asking the
	// engine for an activity over and over.
	drainPause = 200 * time.Millisecond
)

// drain is one activity that draws from a destination.
type drain struct {
	*Deliveries
	in     contract.DeliveryInput
	driver string
	// kind is the destination's; lane the queue that the activity came from.
	kind string
	lane lane
	// ends is when it stops to draw, unless it is busy then; last is when it
	// stops in any case. All readings are of the own clock.
	ends, last time.Time
	renewed    time.Time
	kick       chan struct{}
	stop       <-chan struct{}
	// gone is closed when the engine no longer hears of this activity.
	gone <-chan struct{}
	// blocked: due rows were left in the last draw, so an outcome, which gives
	// room, is a reason to draw again.
	blocked atomic.Bool
	// drew is when it last drew a row.
	drew time.Time
	// paced is how long the pace of the destination allows no further row, where
	// some are due; cut that rows are left to end.
	paced time.Duration
	cut   bool
	// strayed: the destination belongs into the other lane.
	strayed bool
	// settling: it draws no more, and may have looked for the last time already;
	// guarded by Deliveries.mu.
	settling bool
	// freed is closed when slots become free; nil while this drain is not in the
	// queue for them.
	freed <-chan struct{}
}

// Drain is the activity that draws due rows of a destination, sends them side
// by side and records what became of them, for 5 s and longer while rows come.
// Requests that are still under way then end in the process.
func (d *Deliveries) Drain(ctx context.Context, in contract.DeliveryInput) (contract.DrainResult, error) {
	info, now := activity.GetInfo(ctx), d.clock()
	run := &drain{
		Deliveries: d, in: in, lane: laneOf(info.TaskQueue), ends: now.Add(drainFor), last: now.Add(drainLongest),
		kick: make(chan struct{}, 1), stop: activity.GetWorkerStopChannel(ctx), gone: ctx.Done(),
		driver: fmt.Sprintf("%s/%s/%d", info.WorkflowExecution.RunID, info.ActivityID, info.Attempt),
	}
	defer beat(ctx)()
	d.enter(run)
	defer d.exit(run)
	result, err := run.run(context.WithoutCancel(ctx))
	return result, engineError(ctx, err)
}

func (d *Deliveries) enter(run *drain) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.drains[run.in.DestinationID] == nil {
		d.drains[run.in.DestinationID] = map[*drain]struct{}{}
	}
	d.drains[run.in.DestinationID][run] = struct{}{}
	d.active[run.lane]++
}

func (d *Deliveries) exit(run *drain) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.drains[run.in.DestinationID], run)
	if len(d.drains[run.in.DestinationID]) == 0 {
		delete(d.drains, run.in.DestinationID)
	}
	d.active[run.lane]--
}

// crowded: less than a quarter of the places of the lane is free, so nobody
// lingers there.
func (d *Deliveries) crowded(l lane) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	places := d.places
	if l == slowLane {
		places /= SlowShare
	}
	return d.active[l] > places*3/4
}

func (r *drain) rouse() {
	select {
	case r.kick <- struct{}{}:
	default: // it is going to look anyway
	}
}

// run takes the lease, draws until the time is over, gives the lease back and
// only then looks once more: whoever commits later finds the lease gone and
// wakes the destination.
func (r *drain) run(ctx context.Context) (contract.DrainResult, error) {
	held, err := r.takeLease(ctx)
	if err != nil || !held {
		return contract.DrainResult{}, err
	}
	drew, err := r.drawAll(ctx)
	r.leaveQueue()
	r.settle()
	r.exitLease(ctx)
	if err != nil {
		return contract.DrainResult{}, err
	}
	own, cancel := context.WithTimeout(ctx, storeLimit)
	defer cancel()
	standing, err := r.rows.Settle(own, r.in.DestinationID)
	if r.clock.since(r.drew) < busyFor || r.strayed {
		standing.Next = new(time.Duration) // at once
	}
	result := resultOf(standing, drew, r.strayed)
	result.Slow = r.kind == contract.KindEndpoint && standing.Slow
	return result, err
}

// settle tells the wakers of this process that nothing more is drawn here.
func (r *drain) settle() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.settling = true
}

func (r *drain) takeLease(ctx context.Context) (bool, error) {
	own, cancel := context.WithTimeout(ctx, storeLimit)
	defer cancel()
	var err error
	if r.kind, err = r.rows.TakeLease(own, r.in.WorkspaceID, r.in.DestinationID, r.driver); err != nil || r.kind == "" {
		return false, err
	}
	r.renewed = r.clock()
	_, err = r.rows.Revive(own, r.kind, r.in.DestinationID)
	return true, err
}

func (r *drain) exitLease(ctx context.Context) {
	own, cancel := context.WithTimeout(ctx, storeLimit)
	defer cancel()
	if err := r.rows.GiveLeaseBack(own, r.in.WorkspaceID, r.in.DestinationID, r.driver); err != nil {
		r.log.Warn("a lease could not be given back", "destinationId", r.in.DestinationID, "error", err)
	}
}

// drawAll draws until the time is over; it tells how many rows it drew.
func (r *drain) drawAll(ctx context.Context) (int, error) {
	total := 0
	for {
		drew, wait, err := r.drawOnce(ctx)
		total += drew
		if err != nil || (drew == 0 && r.crowded(r.lane)) {
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

// over tells whether the activity shall end: its time is up or its worker stops.
func (r *drain) over() bool {
	select {
	case <-r.stop:
		return true
	default:
	}
	if now := r.clock(); !now.Before(r.ends) && r.goesOn(now) {
		r.ends = now.Add(min(drainFor, r.last.Sub(now)))
	}
	return !r.clock().Before(r.ends)
}

// goesOn tells whether a drain whose time is up is busy and takes nobody's
// place. One that the engine hears nothing of any more has been replaced, or
// soon will be.
func (r *drain) goesOn(now time.Time) bool {
	select {
	case <-r.gone:
		return false
	default:
		return now.Before(r.last) && now.Sub(r.drew) < busyFor && !r.strayed && !r.crowded(r.lane)
	}
}

// drawOnce draws as many rows as there are slots and sends them; wait says that
// there was nothing more to draw.
func (r *drain) drawOnce(ctx context.Context) (drew int, wait bool, err error) {
	own, cancel := context.WithTimeout(ctx, storeLimit)
	defer cancel()
	if r.clock.since(r.renewed) > models.LeaseEvery {
		if held, err := r.rows.RenewLease(own, r.in.WorkspaceID, r.in.DestinationID, r.driver); err != nil || !held {
			r.ends, r.last = r.clock(), r.clock() // another one draws
			return 0, false, err
		}
		r.renewed = r.clock()
	}
	if r.cut {
		r.cut, err = r.rows.EndCut(own, r.in.DestinationID)
		return 0, false, err
	}
	granted := r.slotsFor(drawAtMost)
	if granted == 0 {
		return 0, true, nil
	}
	before := r.clock()
	r.blocked.Store(true) // until it is known: an outcome may come before the draw has ended
	drawn, err := r.rows.Draw(own, r.in.WorkspaceID, r.in.DestinationID, r.driver, models.DrawLimits{
		Kind: r.kind, Rows: granted, Slow: r.slowRows(),
	})
	r.slots.give(r.in.WorkspaceID, granted-len(drawn.Rows))
	if err != nil {
		return 0, false, err
	}
	r.blocked.Store(drawn.More && drawn.Again == 0)
	r.heed(drawn)
	if len(drawn.Rows) > 0 {
		r.drew = before
	}
	r.start(drawn.Rows, before)
	return len(drawn.Rows), len(drawn.Rows) < granted && !drawn.Cut && !r.strayed, nil
}

// slowRows is how many rows of slow origins may be drawn. Slow endpoints are
// drawn from in their own lane alone.
func (r *drain) slowRows() int {
	if r.kind == contract.KindEndpoint && r.lane != slowLane {
		return 0
	}
	return r.slots.slowLeft(r.kind)
}

// heed takes what a draw tells beside its rows. A destination that is in the
// other lane now goes on there.
func (r *drain) heed(b models.Batch) {
	r.cut, r.paced = b.Cut, 0
	if b.More {
		r.paced = b.Again
	}
	if r.kind == contract.KindEndpoint && b.Slow != (r.lane == slowLane) && !b.Cut {
		r.strayed, r.ends = true, r.clock()
	}
}

// slotsFor takes slots, or queues for them. In the queue it tries once more:
// some may have become free before its place was known.
func (r *drain) slotsFor(want int) int {
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

func (r *drain) leaveQueue() {
	if r.freed != nil {
		r.slots.leave(r.in.WorkspaceID)
		r.freed = nil
	}
}

// pause waits for something to draw: a nudge, an outcome, free slots, the time
// of the next row. It tells whether to go on.
func (r *drain) pause(ctx context.Context) bool {
	if r.paced > 0 {
		_, goOn := r.wait(max(r.paced, paceAtLeast))
		return goOn
	}
	happened, goOn := r.wait(quietFor)
	if !happened && goOn {
		_, goOn = r.wait(r.idleFor(ctx))
	}
	return goOn
}

// wait waits at most so long. It tells whether something happened and whether
// to go on.
func (r *drain) wait(most time.Duration) (happened, goOn bool) {
	timer := time.NewTimer(max(0, min(most, -r.clock.since(r.ends))))
	defer timer.Stop()
	select {
	case <-r.stop:
		return true, false
	case <-r.kick:
		return true, true
	case <-r.freed:
		return true, true
	case <-timer.C:
		return false, true
	}
}

// idleFor is how long to wait at most. Rows that are due and could not be drawn
// (another holds them) are looked at again after a moment.
func (r *drain) idleFor(ctx context.Context) time.Duration {
	if r.freed != nil {
		return drainPoll
	}
	own, cancel := context.WithTimeout(ctx, storeLimit)
	defer cancel()
	next, err := r.rows.NextDue(own, r.in.DestinationID)
	if err != nil || next == nil {
		return drainPoll
	}
	return min(drainPoll, max(*next, drawAgain))
}

// resultOf tells the run when to draw again, and people how the destination
// stands; the times in it are of Postgres.
func resultOf(s models.Standing, drew int, strayed bool) contract.DrainResult {
	var result contract.DrainResult
	lines := []string{fmt.Sprintf("rows waiting: %d", s.Waiting)}
	if s.Waiting >= models.WaitingShown {
		lines[0] += " or more"
	}
	if s.LastClass != "" {
		lines = append(lines, "last class: "+s.LastClass)
	}
	if s.FailingSince != nil {
		lines = append(lines, "failing since: "+s.FailingSince.UTC().Format(time.RFC3339))
	}
	if s.Next != nil {
		wait := *s.Next
		if drew == 0 && !strayed {
			wait = max(wait, drainPause)
		}
		ms := (wait + time.Millisecond - 1).Milliseconds()
		result.NextIn = &ms
		lines = append(lines, "next: "+s.At.Add(wait).UTC().Format(time.RFC3339))
	}
	result.Details = strings.Join(lines, "\n\n")
	return result
}
