package worker

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/definition"
	definitions "github.com/redline-svc/redline/models/definition"
	"github.com/redline-svc/redline/models/queue"
)

// summer is when these schedules are written.
var summer = time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)

// span is one range.
func span(from, to int) []client.ScheduleRange { return []client.ScheduleRange{{Start: from, End: to}} }

func TestCalendarsOfCronLines(t *testing.T) {
	t.Parallel()
	every := client.ScheduleCalendarSpec{Minute: span(0, 59), Hour: span(0, 23), DayOfMonth: span(1, 31), Month: span(1, 12), DayOfWeek: span(0, 6)}
	with := func(change func(*client.ScheduleCalendarSpec)) client.ScheduleCalendarSpec {
		calendar := every
		change(&calendar)
		return calendar
	}
	for line, want := range map[string][]client.ScheduleCalendarSpec{
		"* * * * *": {every},
		"*/30 9-17 * * mon-fri": {with(func(c *client.ScheduleCalendarSpec) {
			c.Minute = append(span(0, 0), span(30, 30)...)
			c.Hour, c.DayOfWeek = span(9, 17), span(1, 5)
		})},
		"0 0 31 2 *": {with(func(c *client.ScheduleCalendarSpec) {
			c.Minute, c.Hour, c.DayOfMonth, c.Month = span(0, 0), span(0, 0), span(31, 31), span(2, 2)
		})},
		"0 12 1,15 * 5-7": {
			with(func(c *client.ScheduleCalendarSpec) {
				c.Minute, c.Hour, c.DayOfWeek = span(0, 0), span(12, 12), nil
				c.DayOfMonth = append(span(1, 1), span(15, 15)...)
			}),
			with(func(c *client.ScheduleCalendarSpec) {
				c.Minute, c.Hour, c.DayOfMonth = span(0, 0), span(12, 12), nil
				c.DayOfWeek = append(span(0, 0), span(5, 6)...)
			}),
		},
	} {
		times, err := definition.ParseCron(line)
		require.NoError(t, err)
		require.Equal(t, want, calendarsOf(times), line)
	}
	for _, refused := range []definitions.ScheduleRef{{Cron: "@daily", Timezone: "UTC"}, {Cron: "* * * * *", Timezone: "Mars/Base"}} {
		_, err := wantedSchedule(contract.ScheduledInput{}, refused, summer)
		require.Error(t, err)
	}
}

// temporalSchedules is Temporal as far as it lists schedules: it has one or none.
type temporalSchedules struct {
	client.ScheduleClient

	has atomic.Bool
}

func (t *temporalSchedules) List(context.Context, client.ScheduleListOptions) (client.ScheduleListIterator, error) {
	return t, nil
}

func (t *temporalSchedules) HasNext() bool { return t.has.Load() }

func (t *temporalSchedules) Next() (*client.ScheduleListEntry, error) {
	return &client.ScheduleListEntry{}, nil
}

// withSchedules is a client of Temporal that is asked for schedules only.
type withSchedules struct {
	client.Client
	schedules *temporalSchedules
}

func (c withSchedules) ScheduleClient() client.ScheduleClient { return c.schedules }

// queuedSchedules counts how often all are queued.
type queuedSchedules struct {
	Schedules

	times atomic.Int64
}

func (q *queuedSchedules) QueueSchedules(context.Context) (int, error) { q.times.Add(1); return 1, nil }

// What a session sees first may be the namespace that was there before, and schedules may be lost
// under it.
func TestSchedulesThatTemporalHasLostAreQueuedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		temporal, all := &temporalSchedules{}, &queuedSchedules{}
		temporal.has.Store(true)
		o := Options{Queue: newRows(0), Schedules: all, Log: slog.New(slog.DiscardHandler)}
		w := &Worker{o: o, schedules: newLoop(queue.Schedules, o, 1)}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			w.driveSchedules(ctx, &connection{Client: withSchedules{schedules: temporal}})
		}()
		time.Sleep(10*lookForSchedules + time.Second)
		synctest.Wait()
		require.Zero(t, all.times.Load(), "nothing is lost")
		temporal.has.Store(false)
		time.Sleep(lookForSchedules)
		synctest.Wait()
		require.EqualValues(t, 1, all.times.Load())
		stop()
		<-ended
	})
}

func TestAScheduleThatIsSwitchedOffIsPaused(t *testing.T) {
	t.Parallel()
	for _, enabled := range []bool{true, false} {
		s, err := wantedSchedule(contract.ScheduledInput{}, definitions.ScheduleRef{Cron: "* * * * *", Timezone: "Europe/Berlin", Enabled: enabled}, summer)
		require.NoError(t, err)
		require.Equal(t, !enabled, s.State.Paused)
		require.Equal(t, "Europe/Berlin", s.Spec.TimeZoneName)
	}
}

// An instant that finds Temporal away, or no worker, for more than a minute is not made up.
func TestAnInstantWaitsAMinuteForTemporalAndAMinuteForAWorker(t *testing.T) {
	t.Parallel()
	s, err := wantedSchedule(contract.ScheduledInput{}, definitions.ScheduleRef{Cron: "* * * * *", Timezone: "UTC", Enabled: true}, summer)
	require.NoError(t, err)
	require.Equal(t, time.Minute, s.Policy.CatchupWindow)
	action, ok := s.Action.(*client.ScheduleWorkflowAction)
	require.True(t, ok)
	require.Equal(t, time.Minute, action.WorkflowExecutionTimeout)
}

func TestTimesThatComeTwiceAreWrittenOut(t *testing.T) {
	t.Parallel()
	for zone, want := range map[string][]string{
		"Europe/Berlin": {"2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2027-10-31T00:30:00Z"},
		"Asia/Tokyo":    nil,
	} {
		spec, err := specOf(definitions.ScheduleRef{Cron: "30 2 * * *", Timezone: zone}, summer)
		require.NoError(t, err)
		var found []string
		for _, one := range spec.Intervals {
			at := time.Unix(0, 0).Add(one.Offset)
			for at.Before(summer) {
				at = at.Add(one.Every)
			}
			require.Negative(t, one.Offset-time.Duration(summer.Unix())*time.Second, "it has begun")
			found = append(found, at.UTC().Format(time.RFC3339))
		}
		require.Equal(t, want, found[:min(len(want), len(found))])
		require.Len(t, found, map[bool]int{true: 20, false: 0}[len(want) > 0], "both of ten years")
	}
}

func TestWhatNoFieldOfALineFitsIsSkipped(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][]client.ScheduleCalendarSpec{
		"* * * * *":          nil,
		"*/30 0-22 1 * *":    {{Minute: append(span(1, 29), span(31, 59)...), Hour: span(0, 23)}, {Minute: span(0, 59), Hour: span(23, 23)}},
		"* 1-23 * * *":       {{Minute: span(0, 59), Hour: span(0, 0)}},
		"1-59 * 1 2 mon-fri": {{Minute: span(0, 0), Hour: span(0, 23)}},
	} {
		times, err := definition.ParseCron(line)
		require.NoError(t, err)
		require.Equal(t, want, besides(times), line)
	}
}
