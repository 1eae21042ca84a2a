package tests

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	engine "go.temporal.io/sdk/client"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/redline-svc/redline/tests/client"
)

// never is a cron line that no day fits.
const never = "0 0 31 2 *"

// clockTrigger is a trigger that fires by the clock, with more settings.
func clockTrigger(cron string, more map[string]any) map[string]any {
	settings := map[string]any{"cron": cron, "timezone": "Europe/Berlin", "enabled": true}
	maps.Copy(settings, more)
	return map[string]any{"triggerId": "clock", "schedule": settings}
}

// scheduled is a definition that the clock starts.
func (s *scene) scheduled(cron string, more map[string]any) (id string) {
	s.t.Helper()
	id = unique("definition")
	s.created(id, map[string]any{"triggers": []any{clockTrigger(cron, more)}})
	return id
}

// schedule is how an operator reaches the schedule of a definition.
func (o *operator) schedule(s *scene, definitionID string) engine.ScheduleHandle {
	return o.ScheduleClient().GetHandle(o.t.Context(), "schedule/"+s.workspace.ID+"/"+definitionID+"/clock")
}

// described is the schedule as the engine has it, nil if it has none.
func (o *operator) described(s *scene, definitionID string) *engine.ScheduleDescription {
	o.t.Helper()
	found, err := o.schedule(s, definitionID).Describe(o.t.Context())
	if _, missing := errors.AsType[*serviceerror.NotFound](err); missing {
		return nil
	}
	require.NoError(o.t, err)
	return found
}

// hasSchedule waits until the engine's schedule fits. The engine may be late with its
// answers, and its namespace not be there yet.
func (o *operator) hasSchedule(s *scene, definitionID, what string, fits func(*engine.ScheduleDescription) bool) *engine.ScheduleDescription {
	o.t.Helper()
	var found *engine.ScheduleDescription
	eventually(o.t, what, func() bool {
		var err error
		found, err = o.schedule(s, definitionID).Describe(o.t.Context())
		return err == nil && fits(found)
	})
	return found
}

// losesSchedule waits until the engine has no schedule any more.
func (o *operator) losesSchedule(s *scene, definitionID, what string) {
	o.t.Helper()
	eventually(o.t, what, func() bool {
		_, err := o.schedule(s, definitionID).Describe(o.t.Context())
		_, missing := errors.AsType[*serviceerror.NotFound](err)
		return missing
	})
}

func isThere(*engine.ScheduleDescription) bool { return true }

// fire has the engine fire the schedule now.
func (o *operator) fire(s *scene, definitionID string) {
	o.t.Helper()
	require.NoError(o.t, o.schedule(s, definitionID).Trigger(o.t.Context(), engine.ScheduleTriggerOptions{}))
}

// firings waits until so many runs of the schedule have ended.
func (o *operator) firings(definitionID string, n int) []*workflowpb.WorkflowExecutionInfo {
	o.t.Helper()
	var runs []*workflowpb.WorkflowExecutionInfo
	eventually(o.t, fmt.Sprintf("%d runs of the schedule have ended", n), func() bool {
		runs = o.search("RedlineKind = 'schedule' AND RedlineDefinitionId = '" + definitionID + "' AND ExecutionStatus = 'Completed'")
		return len(runs) >= n
	})
	require.Len(o.t, runs, n)
	return runs
}

// executionsOf are those of a definition.
func (s *scene) executionsOf(definitionID string) []client.Execution {
	s.t.Helper()
	return everyPage[client.Execution](s, "workflow/executions/list", map[string]any{"definitionId": definitionID})
}

// firstOf waits for the first execution of a definition.
func (s *scene) firstOf(definitionID string) *run {
	s.t.Helper()
	var found []client.Execution
	eventually(s.t, "an execution of "+definitionID, func() bool {
		found = s.executionsOf(definitionID)
		return len(found) > 0
	})
	return &run{s: s, id: found[0].ExecutionID}
}

var scheduleKey = regexp.MustCompile(`^sched:clock:(\d{13})$`)

func TestSchedule_AnInstantStartsAnExecution(t *testing.T) {
	s := begin(t)
	o := atTheEngine(t, engineNamespace)
	id := unique("definition")
	s.created(id, map[string]any{
		"scope":    map[string]any{"level": "organization", "organizationId": "acme"},
		"triggers": []any{clockTrigger(never, map[string]any{"payloadTemplate": map[string]any{"n": json.Number(aboveDouble), "u": "http://127.0.0.1/"}})},
	})
	o.hasSchedule(s, id, "the schedule is there", isThere)
	o.fire(s, id)
	r := s.firstOf(id)
	view := r.ends("completed")
	require.Equal(t, "acme", *view.OrganizationID)
	key := scheduleKey.FindStringSubmatch(view.IdempotencyKey)
	require.NotNil(t, key, view.IdempotencyKey)
	var input struct {
		Schedule struct {
			TriggerID   string          `json:"triggerId"`
			ScheduledAt time.Time       `json:"scheduledAt"`
			Payload     json.RawMessage `json:"payload"`
		} `json:"schedule"`
	}
	require.NoError(t, json.Unmarshal(r.view().TriggerContext, &input))
	require.Equal(t, "clock", input.Schedule.TriggerID)
	require.Equal(t, key[1], strconv.FormatInt(input.Schedule.ScheduledAt.UnixMilli(), 10))
	require.JSONEq(t, `{"n":`+aboveDouble+`,"u":"http://127.0.0.1/"}`, string(input.Schedule.Payload))
	require.Contains(t, string(input.Schedule.Payload), aboveDouble)
}

// The one story that waits for the clock of the engine.
func TestSchedule_AMinuteOfTheClock(t *testing.T) {
	s := begin(t)
	id := s.scheduled("* * * * *", nil)
	const aMinuteAndTheRest = 3 * time.Minute
	within(t, aMinuteAndTheRest, "an execution of the minute", func() bool { return len(s.executionsOf(id)) > 0 })
	s.call(updateDefinition, simple(id, map[string]any{"ifVersion": 1, "triggers": []any{clockTrigger("* * * * *", map[string]any{"enabled": false})}}), nil)
	for _, execution := range s.executionsOf(id) {
		key := scheduleKey.FindStringSubmatch(execution.IdempotencyKey)
		require.NotNil(t, key, execution.IdempotencyKey)
		require.True(t, strings.HasSuffix(key[1], "000"), "it is a whole second: %s", key[1])
		at, err := time.ParseDuration(key[1] + "ms")
		require.NoError(t, err)
		require.Zero(t, at%time.Minute, "it is a whole minute: %s", key[1])
	}
}

func TestSchedule_1_OneExecutionOfAnInstantThatRunsAgain(t *testing.T) {
	s := begin(t)
	o := atTheEngine(t, engineNamespace)
	id := s.scheduled(never, nil)
	o.hasSchedule(s, id, "the schedule is there", isThere)
	o.fire(s, id)
	first := s.firstOf(id)
	done := o.firings(id, 1)[0]
	o.reset(done.GetExecution())
	o.firings(id, 2)
	require.Len(t, s.executionsOf(id), 1)
	require.Equal(t, first.id, s.executionsOf(id)[0].ExecutionID)
}

func TestSchedule_2_DisabledAndRemoved(t *testing.T) {
	s := begin(t)
	o := atTheEngine(t, engineNamespace)
	id := s.scheduled("0 12 * * *", nil)
	paused := func(want bool) func(*engine.ScheduleDescription) bool {
		return func(d *engine.ScheduleDescription) bool { return d.Schedule.State.Paused == want }
	}
	o.hasSchedule(s, id, "the schedule fires", paused(false))
	off := clockTrigger("0 12 * * *", map[string]any{"enabled": false})
	s.call(updateDefinition, simple(id, map[string]any{"ifVersion": 1, "triggers": []any{off}}), nil)
	o.fire(s, id)
	o.firings(id, 1)
	require.Empty(t, s.executionsOf(id), "an instant that comes after the commit starts nothing")
	o.hasSchedule(s, id, "the schedule is paused", paused(true))

	s.call(updateDefinition, simple(id, map[string]any{"ifVersion": 2, "triggers": []any{clockTrigger("30 9 1 * mon", nil)}}), nil)
	changed := o.hasSchedule(s, id, "the schedule fires at other times", func(d *engine.ScheduleDescription) bool {
		return !d.Schedule.State.Paused && len(d.Schedule.Spec.Calendars) == 2
	})
	require.Equal(t, "Europe/Berlin", changed.Schedule.Spec.TimeZoneName)
	s.call(updateDefinition, simple(id, map[string]any{"ifVersion": 3}), nil)
	o.losesSchedule(s, id, "the schedule is gone")
}

func TestSchedule_3_ADayThatNeverComes(t *testing.T) {
	s := begin(t)
	o := atTheEngine(t, engineNamespace)
	id := s.scheduled(never, nil)
	found := o.hasSchedule(s, id, "the schedule is there", isThere)
	require.Empty(t, found.Info.NextActionTimes)
	require.Equal(t, enumspb.SCHEDULE_OVERLAP_POLICY_ALLOW_ALL, found.Schedule.Policy.Overlap)
}

// Nobody writes the schedules to an engine here: what is counted are those that the
// definitions have.
func TestSchedule_4_AThousandOfAWorkspace(t *testing.T) {
	const most, each = 1000, 50
	s, _ := beginAt(t, undriven)
	full := func(n int, enabled bool) map[string]any {
		list := make([]any, n)
		for i := range list {
			clock := clockTrigger(never, map[string]any{"enabled": enabled})
			clock["triggerId"] = fmt.Sprint("clock-", i)
			list[i] = clock
		}
		return map[string]any{"triggers": list}
	}
	for range most/each - 1 {
		s.created(unique("definition"), full(each, true))
	}
	last := unique("definition")
	s.created(last, full(each-1, true))
	s.created(unique("definition"), full(each, false))
	s.created(unique("definition"), full(1, true))
	s.refusedAs("RESOURCE_EXHAUSTED", createDefinition, simple(unique("definition"), full(1, true)))
	more := simple(last, full(each, true))
	more["ifVersion"] = 1
	before := s.scheduleRows(last)
	s.refusedAs("RESOURCE_EXHAUSTED", updateDefinition, more)
	require.InDelta(t, 1, s.got(last)["version"], 0, "the update has changed nothing")
	require.Equal(t, before, s.scheduleRows(last))
	fewer := simple(last, full(each-2, true))
	fewer["ifVersion"] = 1
	s.call(updateDefinition, fewer, nil)
	s.created(unique("definition"), full(1, true))
}

// The engine is kept from hearing of the deletes, so each instant has a run, which ends
// before it is counted what was started. How long a run takes depends on the machine, so
// every outcome aims the next delete the other way.
func TestDeleteDefinition_3_SchedulesThatFireInTheMomentOfTheDelete(t *testing.T) {
	const atLeast, atMost = 6, 60
	l := newLab(t)
	s := l.begin(l.start("serve"))
	o := atTheEngineOf(t, l.Stack, l.Namespace)
	var after time.Duration
	started := map[bool]int{}
	for round := 0; round < atLeast || (round < atMost && (started[true] == 0 || started[false] == 0)); round++ {
		first := s.firesAsItIsDeleted(o, l, after)
		started[first]++
		after = max(0, after+map[bool]time.Duration{true: -5 * time.Millisecond, false: 20 * time.Millisecond}[first])
	}
	require.NotZero(t, started[true], "the race is one")
	require.NotZero(t, started[false], "the race is one")
}

// firesAsItIsDeleted deletes a definition a time after its schedule was told to fire, and
// gives whether an execution was first. Nothing starts after the delete.
func (s *scene) firesAsItIsDeleted(o *operator, l *lab, after time.Duration) (first bool) {
	s.t.Helper()
	id := s.scheduled(never, nil)
	o.hasSchedule(s, id, "the schedule is there", isThere)
	held := l.Engine.HoldRequest("DeleteSchedule", naming(id))
	defer held.Release()
	var deleted error
	together(2, func(i int) {
		if i == 0 {
			fine(s.t, o.schedule(s, id).Trigger(s.ctx, engine.ScheduleTriggerOptions{}))
			return
		}
		pause(s.ctx, after)
		_, deleted = client.Call[json.RawMessage](s.ctx, s.keyed, deleteDefinition, map[string]any{"definitionId": id})
	})
	before := len(s.executionsOf(id))
	if deleted != nil { // the execution was first, and has to end before
		require.Equal(s.t, "FAILED_PRECONDITION", client.Refusal(deleted).Status)
		s.firstOf(id).ends("completed")
		s.call(deleteDefinition, map[string]any{"definitionId": id}, nil)
		before = 1
	}
	o.firings(id, 1)
	require.Len(s.t, s.executionsOf(id), before, "nothing starts after the delete")
	held.Release()
	o.losesSchedule(s, id, "the schedule is gone")
	return before == 1
}

// What is defined and deleted while the engine is away is stored, and the engine's
// schedules follow when it is back.
func TestSchedule_5_WhileTheEngineIsAway(t *testing.T) {
	l := newLab(t)
	s := l.begin(l.start("serve"))
	o := atTheEngine(t, l.Namespace)
	gone := s.scheduled(never, nil)
	o.hasSchedule(s, gone, "the schedule is there", isThere)

	l.Engine.Down()
	id := s.scheduled(never, nil)
	s.call(deleteDefinition, map[string]any{"definitionId": gone}, nil)
	var stored view
	s.call(getDefinition, map[string]any{"definitionId": id}, &stored)
	require.NotEmpty(t, stored["triggers"])
	require.Nil(t, o.described(s, id))
	require.NotNil(t, o.described(s, gone))

	require.NoError(t, l.Engine.Up())
	o.hasSchedule(s, id, "the second one follows", isThere)
	o.losesSchedule(s, gone, "the first one is removed")
	o.fire(s, id)
	s.firstOf(id).ends("completed")
}

// A process that is gone between the commit and the schedule, and an engine that lost the
// schedule, are the same for whoever writes schedules.
func TestSchedule_5_TheScheduleFollowsTheDefinition(t *testing.T) {
	l := newLab(t)
	s := l.begin(l.start("api"))
	id := s.scheduled(never, nil)
	l.start("worker")
	o := atTheEngineOf(t, l.Stack, l.Namespace)
	o.hasSchedule(s, id, "the schedule is there", isThere)
	require.NoError(t, o.schedule(s, id).Delete(s.ctx))
	require.Nil(t, o.described(s, id))
	said, err := l.Run(s.ctx, "admin", "engine", "resync")
	require.NoError(t, err)
	require.Regexp(t, `schedules\s+1`, said)
	o.hasSchedule(s, id, "the schedule is there again", isThere)
	o.fire(s, id)
	s.firstOf(id).ends("completed")
}

// A namespace may be new although no worker made it, or the one that did is gone since.
func TestSchedule_5_ANamespaceThatSomebodyElseMade(t *testing.T) {
	l := newLabOfItsOwn(t)
	process := l.start("serve")
	s := l.begin(process)
	id := s.scheduled(never, nil)
	o := atTheEngineOf(t, l.Stack, l.Namespace)
	o.hasSchedule(s, id, "the schedule is there", isThere)
	process.Kill()
	_, err := o.OperatorService().DeleteNamespace(s.ctx, &operatorservice.DeleteNamespaceRequest{Namespace: l.Namespace})
	require.NoError(t, err)
	eventually(t, "somebody else makes it again", func() bool {
		_, err := o.WorkflowService().RegisterNamespace(s.ctx, &workflowservice.RegisterNamespaceRequest{
			Namespace: l.Namespace, WorkflowExecutionRetentionPeriod: durationpb.New(24 * time.Hour),
		})
		return err == nil
	})
	l.again(process)
	o.hasSchedule(s, id, "the schedule is there again", isThere)
	o.fire(s, id)
	s.firstOf(id).ends("completed")
}
