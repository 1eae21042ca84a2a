package workflow

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	engine "go.temporal.io/sdk/client"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// instantText is how an instant stands in the context of its execution.
const instantText = "2006-01-02T15:04:05.000Z"

// instants are the times of a schedule between two others, as Temporal reckons them.
func instants(o *kit.TemporalClient, env *kit.Env, definitionID string, from, to time.Time) []string {
	o.T.Helper()
	answer, err := o.WorkflowService().ListScheduleMatchingTimes(o.T.Context(), &workflowservice.ListScheduleMatchingTimesRequest{
		Namespace: o.Namespace, ScheduleId: schedule(o, env, definitionID).GetID(),
		StartTime: timestamppb.New(from), EndTime: timestamppb.New(to),
	})
	require.NoError(o.T, err)
	times := make([]string, len(answer.GetStartTime()))
	for i, at := range answer.GetStartTime() {
		times[i] = at.AsTime().Format(instantText)
	}
	return times
}

// instantsOf are those of the executions of a definition, in order.
func instantsOf(env *kit.Env, definitionID string) []string {
	env.T.Helper()
	var times []string
	for _, execution := range executionsOf(env, definitionID) {
		var input struct {
			Schedule struct {
				ScheduledAt string `json:"scheduledAt"`
			} `json:"schedule"`
		}
		r := &kit.Run{S: env, ID: execution.ExecutionID}
		require.NoError(env.T, json.Unmarshal(r.View().TriggerContext, &input))
		times = append(times, input.Schedule.ScheduledAt)
	}
	slices.Sort(times)
	return times
}

// change is when the clocks of a zone are changed next, forwards or back.
func change(zone *time.Location, back bool) time.Time {
	for at := time.Now().In(zone); ; {
		_, at = at.ZoneBounds()
		_, before := at.Add(-time.Second).Zone()
		if _, after := at.Zone(); (after < before) == back {
			return at
		}
	}
}

// localTimes are the instants between two others at which a zone's clocks show a time that fits.
func localTimes(zone *time.Location, from, to time.Time, fits func(hour, minute int) bool) []string {
	times := []string{}
	for at := from.Truncate(time.Minute).Add(time.Minute); !at.After(to); at = at.Add(time.Minute) {
		if local := at.In(zone); fits(local.Hour(), local.Minute()) {
			times = append(times, at.UTC().Format(instantText))
		}
	}
	return times
}

// Temporal is asked for the instants of the days about the next two changes of the
// clocks, which are compared with every minute of those days by the clocks of the zone.
// On Lord Howe Island they are changed by half an hour.
func TestSchedule_LocalTimesThatDoNotExistAndThatComeTwice(t *testing.T) {
	env := kit.NewWorkspace(t)
	o := kit.TemporalClientFor(t, temporalNamespace)
	at := func(h, m int) func(int, int) bool {
		return func(hour, minute int) bool { return hour == h && minute == m }
	}
	lines := map[string]func(hour, minute int) bool{
		"30 1 * * *": at(1, 30), "0 2 * * *": at(2, 0), "30 2 * * *": at(2, 30), "45 1 * * *": at(1, 45), "0 3 * * *": at(3, 0),
		"*/7 1-3 * * *": func(hour, minute int) bool { return minute%7 == 0 && hour >= 1 && hour <= 3 },
		"*/10 * * * *":  func(_, minute int) bool { return minute%10 == 0 },
	}
	for _, name := range []string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe"} {
		zone, err := time.LoadLocation(name)
		require.NoError(t, err)
		for line, fits := range lines {
			id := scheduled(env, line, map[string]any{"timezone": name})
			hasSchedule(o, env, id, "the schedule is there", isThere)
			for _, back := range []bool{false, true} {
				from, to := change(zone, back).Add(-36*time.Hour), change(zone, back).Add(36*time.Hour)
				require.Equal(t, localTimes(zone, from, to, fits), instants(o, env, id, from, to), "%s in %s", line, name)
			}
			env.Call(client.DeleteDefinition, map[string]any{"definitionId": id}, nil)
		}
	}
}

// Temporal makes instants up when an operator asks for it: those of one local time are
// two executions.
func TestSchedule_ALocalTimeThatComesTwiceFiresTwice(t *testing.T) {
	env := kit.NewWorkspace(t)
	o := kit.TemporalClientFor(t, temporalNamespace)
	zone, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	id := scheduled(env, "30 2 * * *", nil)
	hasSchedule(o, env, id, "the schedule is there", isThere)
	set := change(zone, true)
	require.NoError(t, schedule(o, env, id).Backfill(env.Ctx, engine.ScheduleBackfillOptions{
		Backfill: []engine.ScheduleBackfill{{Start: set.Add(-time.Hour), End: set.Add(time.Hour), Overlap: enumspb.SCHEDULE_OVERLAP_POLICY_ALLOW_ALL}},
	}))
	firings(o, id, 2)
	require.Equal(t, []string{set.Add(-30 * time.Minute).UTC().Format(instantText), set.Add(30 * time.Minute).UTC().Format(instantText)}, instantsOf(env, id))
}

// For how long an instant may wait is said to Temporal with the schedule, when it is
// made and when it is written over: for Temporal itself, and for a worker.
func TestSchedule_AnInstantMayWaitAMinute(t *testing.T) {
	env := kit.NewWorkspace(t)
	o := kit.TemporalClientFor(t, temporalNamespace)
	id := scheduled(env, never, nil)
	waits := func(found *engine.ScheduleDescription) {
		t.Helper()
		require.Equal(t, time.Minute, found.Schedule.Policy.CatchupWindow)
		action, ok := found.Schedule.Action.(*engine.ScheduleWorkflowAction)
		require.True(t, ok)
		require.Equal(t, time.Minute, action.WorkflowExecutionTimeout)
	}
	waits(hasSchedule(o, env, id, "the schedule is there", isThere))
	env.Call(client.UpdateDefinition, kit.Simple(id, map[string]any{"ifVersion": 1, "triggers": []any{kit.ClockTrigger(never, map[string]any{"timezone": "Asia/Tokyo"})}}), nil)
	waits(hasSchedule(o, env, id, "the schedule is written over", func(found *engine.ScheduleDescription) bool {
		return found.Schedule.Spec.TimeZoneName == "Asia/Tokyo"
	}))
}

// A filter that holds back whatever comes from outside holds back no instant.
func TestSchedule_FiltersDoNotApply(t *testing.T) {
	env := kit.NewWorkspace(t)
	o := kit.TemporalClientFor(t, temporalNamespace)
	id := kit.Unique("definition")
	clock := kit.ClockTrigger(never, nil)
	clock["filters"] = map[string]any{"schedule.triggerId": "another", "nowhere": []string{"a", "b"}}
	kit.Created(env, id, map[string]any{"triggers": []any{clock}})
	hasSchedule(o, env, id, "the schedule is there", isThere)
	fire(o, env, id)
	firstExecutionOf(env, id).Ends("completed")
}

// What a refused update asks for is neither in the rows, nor queued for Temporal, nor
// known there.
func TestUpdateDefinition_4_ARefusedOneLeavesTheSchedules(t *testing.T) {
	env := kit.NewWorkspace(t)
	o := kit.TemporalClientFor(t, temporalNamespace)
	id := scheduled(env, "0 12 * * *", nil)
	hasSchedule(o, env, id, "the schedule is there", isThere)
	var written []kit.ScheduleRow
	kit.RequireEventually(t, "Temporal has it as it is", func() bool {
		written = kit.ScheduleRows(env, id)
		return !written[0].Queued
	})
	require.Equal(t, []any{"0 12 * * *", true}, []any{written[0].Cron, written[0].Enabled})
	before, known := kit.GetDefinitionView(env, id), described(o, env, id)

	later, off := kit.ClockTrigger("30 9 * * mon", nil), kit.ClockTrigger("0 12 * * *", map[string]any{"enabled": false})
	second := kit.ClockTrigger("0 6 * * *", nil)
	second["triggerId"] = "second"
	for name, c := range map[string]struct {
		status string
		asked  map[string]any
	}{
		"another version":           {"FAILED_PRECONDITION", map[string]any{"ifVersion": 2, "triggers": []any{later}}},
		"another version, off":      {"FAILED_PRECONDITION", map[string]any{"ifVersion": 2, "triggers": []any{off}}},
		"another version, one more": {"FAILED_PRECONDITION", map[string]any{"ifVersion": 2, "triggers": []any{second, later}}},
		"another version, none":     {"FAILED_PRECONDITION", map[string]any{"ifVersion": 2}},
		"a fault elsewhere":         {"INVALID_ARGUMENT", map[string]any{"ifVersion": 1, "name": "", "triggers": []any{off}}},
		"a fault in the second":     {"INVALID_ARGUMENT", map[string]any{"ifVersion": 1, "triggers": []any{later, map[string]any{"triggerId": "bad", "schedule": map[string]any{}}}}},
	} {
		env.RefusedAs(c.status, client.UpdateDefinition, kit.Simple(id, c.asked))
		require.Equal(t, written, kit.ScheduleRows(env, id), name)
		require.Equal(t, before, kit.GetDefinitionView(env, id), name)
	}
	after := described(o, env, id)
	require.Equal(t, known.Schedule, after.Schedule)
	require.Equal(t, known.Info.LastUpdateAt, after.Info.LastUpdateAt)
	fire(o, env, id)
	firstExecutionOf(env, id).Ends("completed")
}
