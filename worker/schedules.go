package worker

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/definition"
	definitions "github.com/redline-svc/redline/models/definition"
	"github.com/redline-svc/redline/models/queue"
)

// kindSchedule is the kind of the runs of schedules, by which operators find them.
const kindSchedule = "schedule"

// Schedules are the rows of triggers that fire by the clock
// (*definition.Definitions).
type Schedules interface {
	// Schedule returns the schedule that is queued under a key; nil when it is gone.
	Schedule(ctx context.Context, key string) (*definitions.ScheduleRef, error)
	// ScheduleWritten notes that Temporal has one as it was read.
	ScheduleWritten(ctx context.Context, of definitions.ScheduleRef) error
	// QueueSchedules queues every enabled one again.
	QueueSchedules(ctx context.Context) (int, error)
}

// ScheduleActivities is the activity of the Scheduled workflow
// (*execution.Schedules).
type ScheduleActivities interface {
	Fire(ctx context.Context, in contract.FireInput) (contract.FireResult, error)
}

// writeSchedules is the handler of schedules. It brings one into Temporal, and notes it. One
// that Temporal refuses for what it says is tried again when its lock runs out, so that it keeps
// no other waiting.
func (w *Worker) writeSchedules(e *connection) handler {
	return func(ctx context.Context, c queue.Claimed) (done bool, err error) {
		ctx, cancel := context.WithTimeout(ctx, sendLimit)
		defer cancel()
		s, err := w.o.Schedules.Schedule(ctx, c.Key)
		if err != nil || s == nil {
			return err == nil, err
		}
		err = e.writeSchedule(ctx, *s)
		if _, refused := errors.AsType[*serviceerror.InvalidArgument](err); refused {
			w.o.Log.ErrorContext(ctx, "Temporal refuses a schedule", "workspace_id", s.WorkspaceID, "definition_id", s.DefinitionID, "error", err)
			return false, nil
		}
		if err != nil {
			return false, err
		}
		return true, w.o.Schedules.ScheduleWritten(ctx, *s)
	}
}

// lookForSchedules is how often a session looks whether Temporal has lost all schedules.
const lookForSchedules = 30 * time.Second

// driveSchedules writes schedules until ctx ends. It looks first whether Temporal has any, since
// the first one that is written would hide that it had none, and then now and then: parts of
// Temporal know the namespace that was there before for seconds after it was made again.
func (w *Worker) driveSchedules(ctx context.Context, e *connection) {
	w.queueSchedules(ctx, e)
	var looking sync.WaitGroup
	looking.Go(func() {
		for pause(ctx, lookForSchedules) {
			w.queueSchedules(ctx, e)
		}
	})
	w.schedules.run(ctx, w.writeSchedules(e))
	looking.Wait()
}

// queueSchedules queues every schedule where Temporal has none at all: its namespace is
// new then, or was emptied, whoever made it and whatever became of that process. It goes
// on until it knows.
func (w *Worker) queueSchedules(ctx context.Context, e *connection) {
	for {
		err := w.queueForEmpty(ctx, e)
		if err == nil || ctx.Err() != nil {
			return
		}
		w.o.Log.WarnContext(ctx, "it is not known yet whether Temporal has the schedules", "error", err)
		pause(ctx, retrySession)
	}
}

func (w *Worker) queueForEmpty(ctx context.Context, e *connection) error {
	own, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	found, err := e.ScheduleClient().List(own, client.ScheduleListOptions{PageSize: 1})
	if err != nil {
		return err
	}
	if found.HasNext() {
		_, err = found.Next() // which an error counts as, too
		return err
	}
	_, err = w.o.Schedules.QueueSchedules(own)
	return err
}

// writeSchedule makes, changes or deletes a schedule of Temporal, so that it is as
// the row says, whatever is there.
func (e *connection) writeSchedule(ctx context.Context, s definitions.ScheduleRef) error {
	in := contract.ScheduledInput{WorkspaceID: s.WorkspaceID, DefinitionID: s.DefinitionID, TriggerID: s.TriggerID}
	handle := e.ScheduleClient().GetHandle(ctx, in.ScheduleID())
	if s.Removed {
		err := handle.Delete(ctx)
		if _, missing := errors.AsType[*serviceerror.NotFound](err); missing {
			return nil
		}
		return err
	}
	wanted, err := wantedSchedule(in, s, time.Now())
	if err != nil {
		return serviceerror.NewInvalidArgument(err.Error())
	}
	_, err = e.ScheduleClient().Create(ctx, client.ScheduleOptions{
		ID: in.ScheduleID(), Spec: *wanted.Spec, Action: wanted.Action, Paused: wanted.State.Paused,
		Overlap: wanted.Policy.Overlap, CatchupWindow: wanted.Policy.CatchupWindow,
	})
	if !errors.Is(err, temporal.ErrScheduleAlreadyRunning) {
		return err
	}
	return handle.Update(ctx, client.ScheduleUpdateOptions{DoUpdate: func(client.ScheduleUpdateInput) (*client.ScheduleUpdate, error) {
		return &client.ScheduleUpdate{Schedule: wanted}, nil
	}})
}

// wantedSchedule is a schedule as Temporal knows it. Each run has a minute: an
// instant that finds no worker in that time is missed.
func wantedSchedule(in contract.ScheduledInput, s definitions.ScheduleRef, now time.Time) (*client.Schedule, error) {
	spec, err := specOf(s, now)
	if err != nil {
		return nil, err
	}
	return &client.Schedule{
		Spec: spec,
		Action: &client.ScheduleWorkflowAction{
			ID: in.ScheduleID(), Workflow: contract.WorkflowScheduled, Args: []any{in}, TaskQueue: contract.QueueExecutions,
			WorkflowExecutionTimeout: contract.ScheduleMissed, WorkflowTaskTimeout: taskTimeout,
			StaticSummary: "Schedule " + s.TriggerID + " of " + s.DefinitionID,
			TypedSearchAttributes: temporal.NewSearchAttributes(
				keyword(contract.SearchKind, kindSchedule),
				keyword(contract.SearchWorkspaceID, s.WorkspaceID),
				keyword(contract.SearchDefinitionID, s.DefinitionID),
				keyword(contract.SearchObjectID, s.TriggerID),
			),
		},
		Policy: &client.SchedulePolicies{Overlap: enumspb.SCHEDULE_OVERLAP_POLICY_ALLOW_ALL, CatchupWindow: contract.ScheduleMissed},
		State:  &client.ScheduleState{Paused: !s.Enabled},
	}, nil
}

const (
	// twiceYears is for how many years the times that come twice are written out.
	twiceYears = 10
	// intervalOfOne is the length of an interval that stands for one instant: the next one
	// is fifty years away. It is shorter than the time since 1970, because Temporal
	// leaves out the first instant of an interval that has not begun.
	intervalOfOne = 50 * 365 * 24 * time.Hour
)

// specOf returns the times of a schedule. Where clocks are set back Temporal's calendars
// leave out times that come twice, and add others (in zones east of Greenwich; seen with
// 1.32). So those times are written out, and what no field of the line fits is skipped.
func specOf(s definitions.ScheduleRef, now time.Time) (*client.ScheduleSpec, error) {
	times, err := definition.ParseCron(s.Cron)
	if err != nil {
		return nil, err
	}
	zone, err := time.LoadLocation(s.Timezone)
	if err != nil {
		return nil, err
	}
	spec := &client.ScheduleSpec{Calendars: calendarsOf(times), Skip: besides(times), TimeZoneName: s.Timezone}
	yesterday := now.AddDate(0, 0, -1) // the clocks may have been set back a moment ago
	for _, at := range times.Twice(zone, yesterday, now.AddDate(twiceYears, 0, 0)) {
		since := time.Duration(at.Unix()) * time.Second
		spec.Intervals = append(spec.Intervals, client.ScheduleIntervalSpec{Every: intervalOfOne, Offset: since % intervalOfOne})
	}
	return spec, nil
}

// besides returns the calendars of the minutes and of the hours that a line leaves out.
func besides(times definition.CronTimes) []client.ScheduleCalendarSpec {
	const minutes, hours = 60, 24
	var skip []client.ScheduleCalendarSpec
	if rest := without(minutes, times.Minutes); len(rest) > 0 {
		skip = append(skip, client.ScheduleCalendarSpec{Minute: ranges(rest), Hour: ranges(without(hours, nil))})
	}
	if rest := without(hours, times.Hours); len(rest) > 0 {
		skip = append(skip, client.ScheduleCalendarSpec{Minute: ranges(without(minutes, nil)), Hour: ranges(rest)})
	}
	return skip
}

// without returns the numbers below n that are not among the values.
func without(n int, values []int) []int {
	var rest []int
	for i := range n {
		if !slices.Contains(values, i) {
			rest = append(rest, i)
		}
	}
	return rest
}

// calendarsOf returns the calendars of a cron line. Temporal wants the fields of one
// calendar all to fit; where a line restricts the day of the month and that of the
// week, either is enough, so there are two.
func calendarsOf(times definition.CronTimes) []client.ScheduleCalendarSpec {
	month := client.ScheduleCalendarSpec{
		Minute: ranges(times.Minutes), Hour: ranges(times.Hours), Month: ranges(times.Months),
		DayOfMonth: ranges(times.Days), DayOfWeek: ranges(times.Weekdays),
	}
	if times.AnyDay || times.AnyWeekday {
		return []client.ScheduleCalendarSpec{month}
	}
	week := month
	month.DayOfWeek, week.DayOfMonth = nil, nil // Temporal's word for every day
	return []client.ScheduleCalendarSpec{month, week}
}

// ranges writes ascending values as ranges.
func ranges(values []int) []client.ScheduleRange {
	var list []client.ScheduleRange
	for _, n := range values {
		if last := len(list) - 1; last >= 0 && list[last].End == n-1 {
			list[last].End = n
			continue
		}
		list = append(list, client.ScheduleRange{Start: n, End: n})
	}
	return list
}
