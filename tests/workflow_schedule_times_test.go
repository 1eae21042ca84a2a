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

// In New York half past two was skipped on 9 March 2025, and half past one came twice on
// 2 November, in summer time and an hour later in winter time. The engine is asked for
// the instants of that year, and then to make them up, as an operator can: each starts
// one execution.
func TestSchedule_LocalTimesThatDoNotExistAndThatComeTwice(t *testing.T) {
	s := begin(t)
	o := atTheEngine(t, engineNamespace)
	from, to := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for line, want := range map[string][]string{
		"30 2 8,9,10 3 *": {"2025-03-08T07:30:00.000Z", "2025-03-10T06:30:00.000Z"},
		"30 1 1,2,3 11 *": {"2025-11-01T05:30:00.000Z", "2025-11-02T05:30:00.000Z", "2025-11-02T06:30:00.000Z", "2025-11-03T06:30:00.000Z"},
	} {
		id := s.scheduled(line, map[string]any{"timezone": "America/New_York"})
		o.hasSchedule(s, id, "the schedule is there", isThere)
		require.Equal(t, want, o.instants(s, id, from, to), line)

		require.NoError(t, o.schedule(s, id).Backfill(s.ctx, engine.ScheduleBackfillOptions{
			Backfill: []engine.ScheduleBackfill{{Start: from, End: to, Overlap: enumspb.SCHEDULE_OVERLAP_POLICY_ALLOW_ALL}},
		}))
		o.firings(id, len(want))
		require.Equal(t, want, s.instantsOf(id), line)
	}
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
