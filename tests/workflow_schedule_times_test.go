package tests

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	engine "go.temporal.io/sdk/client"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// instantText is how an instant stands in the context of its execution.
const instantText = "2006-01-02T15:04:05.000Z"

// instants are the times of a schedule between two others, as the engine reckons them.
func (o *operator) instants(s *scene, definitionID string, from, to time.Time) []string {
	o.t.Helper()
	answer, err := o.WorkflowService().ListScheduleMatchingTimes(o.t.Context(), &workflowservice.ListScheduleMatchingTimesRequest{
		Namespace: o.namespace, ScheduleId: o.schedule(s, definitionID).GetID(),
		StartTime: timestamppb.New(from), EndTime: timestamppb.New(to),
	})
	require.NoError(o.t, err)
	times := make([]string, len(answer.GetStartTime()))
	for i, at := range answer.GetStartTime() {
		times[i] = at.AsTime().Format(instantText)
	}
	return times
}

// instantsOf are those of the executions of a definition, in order.
func (s *scene) instantsOf(definitionID string) []string {
	s.t.Helper()
	var times []string
	for _, execution := range s.executionsOf(definitionID) {
		var input struct {
			Schedule struct {
				ScheduledAt string `json:"scheduledAt"`
			} `json:"schedule"`
		}
		r := &run{s: s, id: execution.ExecutionID}
		require.NoError(s.t, json.Unmarshal(r.view().TriggerContext, &input))
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

// The engine is asked for the instants of the days about the next two changes of the
// clocks, which are compared with every minute of those days by the clocks of the zone.
// On Lord Howe Island they are changed by half an hour.
func TestSchedule_LocalTimesThatDoNotExistAndThatComeTwice(t *testing.T) {
	s := begin(t)
	o := atTheEngine(t, engineNamespace)
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
			id := s.scheduled(line, map[string]any{"timezone": name})
			o.hasSchedule(s, id, "the schedule is there", isThere)
			for _, back := range []bool{false, true} {
				from, to := change(zone, back).Add(-36*time.Hour), change(zone, back).Add(36*time.Hour)
				require.Equal(t, localTimes(zone, from, to, fits), o.instants(s, id, from, to), "%s in %s", line, name)
			}
			s.call(deleteDefinition, map[string]any{"definitionId": id}, nil)
		}
	}
}

// The engine makes instants up when an operator asks for it: those of one local time are
// two executions.
func TestSchedule_ALocalTimeThatComesTwiceFiresTwice(t *testing.T) {
	s := begin(t)
	o := atTheEngine(t, engineNamespace)
	zone, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	id := s.scheduled("30 2 * * *", nil)
	o.hasSchedule(s, id, "the schedule is there", isThere)
	set := change(zone, true)
	require.NoError(t, o.schedule(s, id).Backfill(s.ctx, engine.ScheduleBackfillOptions{
		Backfill: []engine.ScheduleBackfill{{Start: set.Add(-time.Hour), End: set.Add(time.Hour), Overlap: enumspb.SCHEDULE_OVERLAP_POLICY_ALLOW_ALL}},
	}))
	o.firings(id, 2)
	require.Equal(t, []string{set.Add(-30 * time.Minute).UTC().Format(instantText), set.Add(30 * time.Minute).UTC().Format(instantText)}, s.instantsOf(id))
}

// For how long an instant may wait is said to the engine with the schedule, when it is
// made and when it is written over: for the engine itself, and for a worker.
func TestSchedule_AnInstantMayWaitAMinute(t *testing.T) {
	s := begin(t)
	o := atTheEngine(t, engineNamespace)
	id := s.scheduled(never, nil)
	waits := func(found *engine.ScheduleDescription) {
		t.Helper()
		require.Equal(t, time.Minute, found.Schedule.Policy.CatchupWindow)
		action, ok := found.Schedule.Action.(*engine.ScheduleWorkflowAction)
		require.True(t, ok)
		require.Equal(t, time.Minute, action.WorkflowExecutionTimeout)
	}
	waits(o.hasSchedule(s, id, "the schedule is there", isThere))
	s.call(updateDefinition, simple(id, map[string]any{"ifVersion": 1, "triggers": []any{clockTrigger(never, map[string]any{"timezone": "Asia/Tokyo"})}}), nil)
	waits(o.hasSchedule(s, id, "the schedule is written over", func(found *engine.ScheduleDescription) bool {
		return found.Schedule.Spec.TimeZoneName == "Asia/Tokyo"
	}))
}

// A filter that holds back whatever comes from outside holds back no instant.
func TestSchedule_FiltersDoNotApply(t *testing.T) {
	s := begin(t)
	o := atTheEngine(t, engineNamespace)
	id := unique("definition")
	clock := clockTrigger(never, nil)
	clock["filters"] = map[string]any{"schedule.triggerId": "another", "nowhere": []string{"a", "b"}}
	s.created(id, map[string]any{"triggers": []any{clock}})
	o.hasSchedule(s, id, "the schedule is there", isThere)
	o.fire(s, id)
	s.firstOf(id).ends("completed")
}

// scheduleRow is a schedule as it is kept for the engine.
type scheduleRow struct {
	Trigger, Cron, Timezone, State string
	Enabled, Removed               bool
	Revision                       int64
}

// scheduleRows are those of a definition.
func (s *scene) scheduleRows(definitionID string) []scheduleRow {
	s.t.Helper()
	rows, err := s.rows().Query(s.ctx, `SELECT trigger_id, cron, timezone, state, enabled, removed, revision
FROM schedules WHERE workspace_id = $1 AND definition_id = $2 ORDER BY trigger_id`, s.workspace.ID, definitionID)
	require.NoError(s.t, err)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[scheduleRow])
	require.NoError(s.t, err)
	return found
}

// What a refused update asks for is neither in the rows, nor owed to the engine, nor
// known there.
func TestUpdateDefinition_4_ARefusedOneLeavesTheSchedules(t *testing.T) {
	s := begin(t)
	o := atTheEngine(t, engineNamespace)
	id := s.scheduled("0 12 * * *", nil)
	o.hasSchedule(s, id, "the schedule is there", isThere)
	var written []scheduleRow
	eventually(t, "nothing is owed to the engine", func() bool {
		written = s.scheduleRows(id)
		return written[0].State == "written"
	})
	require.Equal(t, []any{"0 12 * * *", true}, []any{written[0].Cron, written[0].Enabled})
	before, known := s.got(id), o.described(s, id)

	later, off := clockTrigger("30 9 * * mon", nil), clockTrigger("0 12 * * *", map[string]any{"enabled": false})
	second := clockTrigger("0 6 * * *", nil)
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
		s.refusedAs(c.status, updateDefinition, simple(id, c.asked))
		require.Equal(t, written, s.scheduleRows(id), name)
		require.Equal(t, before, s.got(id), name)
	}
	after := o.described(s, id)
	require.Equal(t, known.Schedule, after.Schedule)
	require.Equal(t, known.Info.LastUpdateAt, after.Info.LastUpdateAt)
	o.fire(s, id)
	s.firstOf(id).ends("completed")
}
