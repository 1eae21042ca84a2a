package worker

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"github.com/redline-svc/redline/internal/contract"
	definitions "github.com/redline-svc/redline/models/definition"
)

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
		got, err := calendarsOf(line)
		require.NoError(t, err)
		require.Equal(t, want, got, line)
	}
	_, err := calendarsOf("@daily")
	require.Error(t, err)
}

func TestAScheduleThatIsSwitchedOffIsPaused(t *testing.T) {
	t.Parallel()
	for _, enabled := range []bool{true, false} {
		s, err := wantedSchedule(contract.ScheduledInput{}, definitions.ScheduleRef{Cron: "* * * * *", Timezone: "Europe/Berlin", Enabled: enabled})
		require.NoError(t, err)
		require.Equal(t, !enabled, s.State.Paused)
		require.Equal(t, "Europe/Berlin", s.Spec.TimeZoneName)
	}
}

// An instant that finds no engine, or no worker, for more than a minute is not made up.
func TestAnInstantWaitsAMinuteForTheEngineAndAMinuteForAWorker(t *testing.T) {
	t.Parallel()
	s, err := wantedSchedule(contract.ScheduledInput{}, definitions.ScheduleRef{Cron: "* * * * *", Timezone: "UTC", Enabled: true})
	require.NoError(t, err)
	require.Equal(t, time.Minute, s.Policy.CatchupWindow)
	action, ok := s.Action.(*client.ScheduleWorkflowAction)
	require.True(t, ok)
	require.Equal(t, time.Minute, action.WorkflowExecutionTimeout)
}
