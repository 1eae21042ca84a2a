package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/redline-svc/redline/internal/contract"
)

const (
	// firstGap is the least time before the run asks about a step again, or begins
	// its call again. It doubles up to longestGap while nothing comes of it, so no
	// clock and no fault can make a run spin.
	firstGap   = time.Second
	longestGap = time.Minute
	// dueMargin is added to due times, so that the question does not come a
	// moment before the rows think it is time.
	dueMargin = 10 * time.Millisecond
)

// Limits of the activity that makes a call. The call's own limit is the step's
// (at most a minute) and is kept by the activity; these only find dead workers.
const (
	callLimit     = 5 * time.Minute
	callPatience  = 30 * 24 * time.Hour
	callHeartbeat = 10 * time.Second
)

// driven is a live step with the moments that follow from the plan, by the
// clock of the run. Zero moments are not set.
type driven struct {
	step           contract.LiveStep
	startAt, dueAt time.Time
	// notBefore keeps the run from asking or calling about the step too soon
	// again, gap is how long it waits the next time.
	notBefore time.Time
	gap       time.Duration
}

// call is an activity under way. It is never cancelled: a call on the wire ends
// there, and the rows keep or drop its outcome.
type call struct {
	stepID string
	try    int
	result workflow.Future
}

// compare sets the live steps of a new plan against those driven so far.
func (e *execution) compare() {
	now := workflow.Now(e.ctx)
	steps := make([]*driven, 0, len(e.plan.Live))
	for _, live := range e.plan.Live {
		d := &driven{step: live, startAt: after(now, live.StartIn), dueAt: after(now, live.DueIn)}
		if old := e.find(live.StepID); old != nil && old.step.Try == live.Try {
			d.notBefore, d.gap = old.notBefore, old.gap
		}
		steps = append(steps, d)
	}
	e.steps = steps
}

// after is now plus that many milliseconds, zero for none.
func after(now time.Time, ms *int64) time.Time {
	if ms == nil {
		return time.Time{}
	}
	return now.Add(time.Duration(*ms) * time.Millisecond)
}

func (e *execution) find(stepID string) *driven {
	for _, d := range e.steps {
		if d.step.StepID == stepID {
			return d
		}
	}
	return nil
}

func (e *execution) calling(stepID string) bool {
	for _, c := range e.calls {
		if c.stepID == stepID {
			return true
		}
	}
	return false
}

// callable reports whether the step wants a call that this run has not begun.
func (e *execution) callable(d *driven) bool {
	return d.step.Need == contract.NeedCall && !d.startAt.IsZero() && !e.calling(d.step.StepID)
}

// moment is when the run has to do something about the step, and whether that
// is to begin its call; else it is to ask, because the step is due.
func (e *execution) moment(d *driven) (at time.Time, begin bool) {
	begin = e.callable(d) && (d.dueAt.IsZero() || !d.dueAt.Before(d.startAt))
	switch {
	case begin:
		at = d.startAt
	case !d.dueAt.IsZero():
		at = d.dueAt.Add(dueMargin)
	default:
		return time.Time{}, false
	}
	if at.Before(d.notBefore) {
		at = d.notBefore
	}
	return at, begin
}

// nextMoment is the earliest moment of all steps. While the history is full no
// call is begun.
func (e *execution) nextMoment() time.Time {
	var first time.Time
	full := e.full()
	for _, d := range e.steps {
		at, begin := e.moment(d)
		if at.IsZero() || (full && begin) {
			continue
		}
		if first.IsZero() || at.Before(first) {
			first = at
		}
	}
	return first
}

// startCalls begins the calls whose time has come.
func (e *execution) startCalls() {
	now := workflow.Now(e.ctx)
	for _, d := range e.steps {
		if at, begin := e.moment(d); !begin || at.After(now) {
			continue
		}
		e.calls = append(e.calls, call{d.step.StepID, d.step.Try, e.startCall(d.step)})
		d.wait(now)
	}
}

func (e *execution) startCall(step contract.LiveStep) workflow.Future {
	ctx := workflow.WithActivityOptions(e.ctx, workflow.ActivityOptions{
		TaskQueue:              contract.QueueExecutions,
		StartToCloseTimeout:    callLimit,
		ScheduleToCloseTimeout: callPatience,
		HeartbeatTimeout:       callHeartbeat,
		RetryPolicy:            &temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: localLongestWait},
		Summary:                step.NodeID,
	})
	in := contract.CallInput{WorkspaceID: e.in.WorkspaceID, ExecutionID: e.in.ExecutionID, StepID: step.StepID}
	return workflow.ExecuteActivity(ctx, contract.ActivityCall, in)
}

// takeResults takes over the plans of calls that have ended. lost says that one
// ended without a plan, so that the rows have to be asked.
func (e *execution) takeResults() (lost bool) {
	var open []call
	for _, c := range e.calls {
		if !c.result.IsReady() {
			open = append(open, c)
			continue
		}
		var plan contract.Plan
		if err := c.result.Get(e.ctx, &plan); err != nil {
			lost = true
			continue
		}
		switch d := e.find(c.stepID); {
		case plan.Revision > e.plan.Revision || plan.Status == "":
			lost = e.follow(plan) != nil || lost
		case d != nil && d.step.Try == c.try:
			lost = true // nothing came of it that this run knows of
		}
	}
	e.calls = open
	return lost
}

// overdue reports whether a step is due and may be asked about.
func (e *execution) overdue() bool {
	now := workflow.Now(e.ctx)
	for _, d := range e.steps {
		if at, begin := e.moment(d); !begin && !at.IsZero() && !at.After(now) {
			return true
		}
	}
	return false
}

// markAsked keeps the run from asking about what is due now again at once.
func (e *execution) markAsked() {
	now := workflow.Now(e.ctx)
	for _, d := range e.steps {
		if !d.dueAt.IsZero() && !d.dueAt.After(now) && !d.notBefore.After(now) {
			d.wait(now)
		}
	}
}

// wait sets the least time until the run does something about the step again.
func (d *driven) wait(now time.Time) {
	d.gap = min(max(firstGap, 2*d.gap), longestGap)
	d.notBefore = now.Add(d.gap)
}
