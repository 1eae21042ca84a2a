package workflow

import (
	"encoding/json"
	"errors"
	"fmt"
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

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// never is a cron line that no day fits.
const never = "0 0 31 2 *"

// scheduled is a definition that the clock starts.
func scheduled(env *kit.Env, cron string, more map[string]any) (id string) {
	env.T.Helper()
	id = kit.Unique("definition")
	kit.Created(env, id, map[string]any{"triggers": []any{kit.ClockTrigger(cron, more)}})
	return id
}

// schedule is how an operator reaches the schedule of a definition.
func schedule(o *kit.TemporalClient, env *kit.Env, definitionID string) engine.ScheduleHandle {
	return o.ScheduleClient().GetHandle(o.T.Context(), "schedule/"+env.Workspace.ID+"/"+definitionID+"/clock")
}

// described is the schedule as Temporal has it, nil if it has none.
func described(o *kit.TemporalClient, env *kit.Env, definitionID string) *engine.ScheduleDescription {
	o.T.Helper()
	found, err := schedule(o, env, definitionID).Describe(o.T.Context())
	if _, missing := errors.AsType[*serviceerror.NotFound](err); missing {
		return nil
	}
	require.NoError(o.T, err)
	return found
}

// hasSchedule waits until Temporal's schedule fits. Temporal may be late with its
// answers, and its namespace not be there yet.
func hasSchedule(o *kit.TemporalClient, env *kit.Env, definitionID, what string, fits func(*engine.ScheduleDescription) bool) *engine.ScheduleDescription {
	o.T.Helper()
	var found *engine.ScheduleDescription
	kit.RequireEventually(o.T, what, func() bool {
		var err error
		found, err = schedule(o, env, definitionID).Describe(o.T.Context())
		return err == nil && fits(found)
	})
	return found
}

// losesSchedule waits until Temporal has no schedule any more.
func losesSchedule(o *kit.TemporalClient, env *kit.Env, definitionID, what string) {
	o.T.Helper()
	kit.RequireEventually(o.T, what, func() bool {
		_, err := schedule(o, env, definitionID).Describe(o.T.Context())
		_, missing := errors.AsType[*serviceerror.NotFound](err)
		return missing
	})
}

func isThere(*engine.ScheduleDescription) bool { return true }

// fire has Temporal fire the schedule now.
func fire(o *kit.TemporalClient, env *kit.Env, definitionID string) {
	o.T.Helper()
	require.NoError(o.T, schedule(o, env, definitionID).Trigger(o.T.Context(), engine.ScheduleTriggerOptions{}))
}

// firings waits until so many runs of the schedule have ended.
func firings(o *kit.TemporalClient, definitionID string, n int) []*workflowpb.WorkflowExecutionInfo {
	o.T.Helper()
	var runs []*workflowpb.WorkflowExecutionInfo
	kit.RequireEventually(o.T, fmt.Sprintf("%d runs of the schedule have ended", n), func() bool {
		runs = o.Search("RedlineKind = 'schedule' AND RedlineDefinitionId = '" + definitionID + "' AND ExecutionStatus = 'Completed'")
		return len(runs) >= n
	})
	require.Len(o.T, runs, n)
	return runs
}

// executionsOf are those of a definition.
func executionsOf(env *kit.Env, definitionID string) []redline.Execution {
	env.T.Helper()
	return kit.EveryPage[redline.Execution](env, client.ListExecutions, map[string]any{"definitionId": definitionID})
}

// firstExecutionOf waits for the first execution of a definition.
func firstExecutionOf(env *kit.Env, definitionID string) *kit.Run {
	env.T.Helper()
	var found []redline.Execution
	kit.RequireEventually(env.T, "an execution of "+definitionID, func() bool {
		found = executionsOf(env, definitionID)
		return len(found) > 0
	})
	return &kit.Run{S: env, ID: found[0].ExecutionID}
}

var scheduleKey = regexp.MustCompile(`^sched:clock:(\d{13})$`)

func TestSchedule_AnInstantStartsAnExecution(t *testing.T) {
	env := kit.NewWorkspace(t)
	o := kit.TemporalClientFor(t, temporalNamespace)
	id := kit.Unique("definition")
	kit.Created(env, id, map[string]any{
		"scope":    map[string]any{"level": "organization", "organizationId": "acme"},
		"triggers": []any{kit.ClockTrigger(never, map[string]any{"payloadTemplate": map[string]any{"n": json.Number(aboveDouble), "u": "http://127.0.0.1/"}})},
	})
	hasSchedule(o, env, id, "the schedule is there", isThere)
	fire(o, env, id)
	r := firstExecutionOf(env, id)
	view := r.Ends("completed")
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
	require.NoError(t, json.Unmarshal(r.View().TriggerContext, &input))
	require.Equal(t, "clock", input.Schedule.TriggerID)
	require.Equal(t, key[1], strconv.FormatInt(input.Schedule.ScheduledAt.UnixMilli(), 10))
	require.JSONEq(t, `{"n":`+aboveDouble+`,"u":"http://127.0.0.1/"}`, string(input.Schedule.Payload))
	require.Contains(t, string(input.Schedule.Payload), aboveDouble)
}

// The one test that waits for the clock of Temporal.
func TestSchedule_AMinuteOfTheClock(t *testing.T) {
	env := kit.NewWorkspace(t)
	id := scheduled(env, "* * * * *", nil)
	const aMinuteAndTheRest = 3 * time.Minute
	kit.RequireWithin(t, aMinuteAndTheRest, "an execution of the minute", func() bool { return len(executionsOf(env, id)) > 0 })
	env.Call(client.UpdateDefinition, kit.Simple(id, map[string]any{"ifVersion": 1, "triggers": []any{kit.ClockTrigger("* * * * *", map[string]any{"enabled": false})}}), nil)
	for _, execution := range executionsOf(env, id) {
		key := scheduleKey.FindStringSubmatch(execution.IdempotencyKey)
		require.NotNil(t, key, execution.IdempotencyKey)
		require.True(t, strings.HasSuffix(key[1], "000"), "it is a whole second: %s", key[1])
		at, err := time.ParseDuration(key[1] + "ms")
		require.NoError(t, err)
		require.Zero(t, at%time.Minute, "it is a whole minute: %s", key[1])
	}
}

func TestSchedule_1_OneExecutionOfAnInstantThatRunsAgain(t *testing.T) {
	env := kit.NewWorkspace(t)
	o := kit.TemporalClientFor(t, temporalNamespace)
	id := scheduled(env, never, nil)
	hasSchedule(o, env, id, "the schedule is there", isThere)
	fire(o, env, id)
	first := firstExecutionOf(env, id)
	done := firings(o, id, 1)[0]
	reset(o, done.GetExecution())
	firings(o, id, 2)
	require.Len(t, executionsOf(env, id), 1)
	require.Equal(t, first.ID, executionsOf(env, id)[0].ExecutionID)
}

func TestSchedule_2_DisabledAndRemoved(t *testing.T) {
	env := kit.NewWorkspace(t)
	o := kit.TemporalClientFor(t, temporalNamespace)
	id := scheduled(env, "0 12 * * *", nil)
	paused := func(want bool) func(*engine.ScheduleDescription) bool {
		return func(d *engine.ScheduleDescription) bool { return d.Schedule.State.Paused == want }
	}
	hasSchedule(o, env, id, "the schedule fires", paused(false))
	off := kit.ClockTrigger("0 12 * * *", map[string]any{"enabled": false})
	env.Call(client.UpdateDefinition, kit.Simple(id, map[string]any{"ifVersion": 1, "triggers": []any{off}}), nil)
	fire(o, env, id)
	firings(o, id, 1)
	require.Empty(t, executionsOf(env, id), "an instant that comes after the commit starts nothing")
	hasSchedule(o, env, id, "the schedule is paused", paused(true))

	env.Call(client.UpdateDefinition, kit.Simple(id, map[string]any{"ifVersion": 2, "triggers": []any{kit.ClockTrigger("30 9 1 * mon", nil)}}), nil)
	changed := hasSchedule(o, env, id, "the schedule fires at other times", func(d *engine.ScheduleDescription) bool {
		return !d.Schedule.State.Paused && len(d.Schedule.Spec.Calendars) == 2
	})
	require.Equal(t, "Europe/Berlin", changed.Schedule.Spec.TimeZoneName)
	env.Call(client.UpdateDefinition, kit.Simple(id, map[string]any{"ifVersion": 3}), nil)
	losesSchedule(o, env, id, "the schedule is gone")
}

func TestSchedule_3_ADayThatNeverComes(t *testing.T) {
	env := kit.NewWorkspace(t)
	o := kit.TemporalClientFor(t, temporalNamespace)
	id := scheduled(env, never, nil)
	found := hasSchedule(o, env, id, "the schedule is there", isThere)
	require.Empty(t, found.Info.NextActionTimes)
	require.Equal(t, enumspb.SCHEDULE_OVERLAP_POLICY_ALLOW_ALL, found.Schedule.Policy.Overlap)
}

// Temporal is kept from hearing of the deletes, so each instant has a run, which ends
// before it is counted what was started. How long a run takes depends on the machine, so
// every outcome aims the next delete the other way.
func TestDeleteDefinition_3_SchedulesThatFireInTheMomentOfTheDelete(t *testing.T) {
	const atLeast, atMost = 6, 60
	isolated := kit.NewIsolatedStack(t)
	env := isolated.NewWorkspace(isolated.StartProcess("serve"))
	o := kit.TemporalClientAt(t, isolated.Stack, isolated.Namespace)
	var after time.Duration
	started := map[bool]int{}
	for round := 0; round < atLeast || (round < atMost && (started[true] == 0 || started[false] == 0)); round++ {
		first := firesAsItIsDeleted(env, o, isolated, after)
		started[first]++
		after = max(0, after+map[bool]time.Duration{true: -5 * time.Millisecond, false: 20 * time.Millisecond}[first])
	}
	require.NotZero(t, started[true], "the race is one")
	require.NotZero(t, started[false], "the race is one")
}

// firesAsItIsDeleted deletes a definition a time after its schedule was told to fire, and
// reports whether an execution was first. Nothing starts after the delete.
func firesAsItIsDeleted(env *kit.Env, o *kit.TemporalClient, isolated *kit.IsolatedStack, after time.Duration) (first bool) {
	env.T.Helper()
	id := scheduled(env, never, nil)
	hasSchedule(o, env, id, "the schedule is there", isThere)
	held := isolated.Temporal.HoldRequest("DeleteSchedule", kit.Naming(id))
	defer held.Release()
	var deleted error
	kit.Concurrently(2, func(i int) {
		if i == 0 {
			kit.NoError(env.T, schedule(o, env, id).Trigger(env.Ctx, engine.ScheduleTriggerOptions{}))
			return
		}
		kit.Pause(env.Ctx, after)
		_, deleted = client.Call[json.RawMessage](env.Ctx, env.Keyed, client.DeleteDefinition, map[string]any{"definitionId": id})
	})
	before := len(executionsOf(env, id))
	if deleted != nil { // the execution was first, and has to end before
		require.Equal(env.T, redline.ProblemStatusFailedPrecondition, redline.AsError(deleted).Status)
		firstExecutionOf(env, id).Ends("completed")
		env.Call(client.DeleteDefinition, map[string]any{"definitionId": id}, nil)
		before = 1
	}
	firings(o, id, 1)
	require.Len(env.T, executionsOf(env, id), before, "nothing starts after the delete")
	held.Release()
	losesSchedule(o, env, id, "the schedule is gone")
	return before == 1
}

// What is defined and deleted while Temporal is away is stored, and Temporal's
// schedules follow when it is back.
func TestSchedule_5_WhileTemporalIsAway(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	env := isolated.NewWorkspace(isolated.StartProcess("serve"))
	o := kit.TemporalClientFor(t, isolated.Namespace)
	gone := scheduled(env, never, nil)
	hasSchedule(o, env, gone, "the schedule is there", isThere)

	isolated.Temporal.Down()
	id := scheduled(env, never, nil)
	env.Call(client.DeleteDefinition, map[string]any{"definitionId": gone}, nil)
	var stored kit.View
	env.Call(client.GetDefinition, map[string]any{"definitionId": id}, &stored)
	require.NotEmpty(t, stored["triggers"])
	require.Nil(t, described(o, env, id))
	require.NotNil(t, described(o, env, gone))

	require.NoError(t, isolated.Temporal.Up())
	hasSchedule(o, env, id, "the second one follows", isThere)
	losesSchedule(o, env, gone, "the first one is removed")
	fire(o, env, id)
	firstExecutionOf(env, id).Ends("completed")
}

// A process that is gone between the commit and the schedule, and a Temporal that lost the
// schedule, are the same for whoever writes schedules.
func TestSchedule_5_TheScheduleFollowsTheDefinition(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	env := isolated.NewWorkspace(isolated.StartProcess("api"))
	id := scheduled(env, never, nil)
	isolated.StartProcess("worker")
	o := kit.TemporalClientAt(t, isolated.Stack, isolated.Namespace)
	hasSchedule(o, env, id, "the schedule is there", isThere)
	require.NoError(t, schedule(o, env, id).Delete(env.Ctx))
	require.Nil(t, described(o, env, id))
	said, err := isolated.Run(env.Ctx, "admin", "temporal", "resync")
	require.NoError(t, err)
	require.Regexp(t, `schedules\s+1`, said)
	hasSchedule(o, env, id, "the schedule is there again", isThere)
	fire(o, env, id)
	firstExecutionOf(env, id).Ends("completed")
}

// A namespace may be new although no worker made it, or the one that did is gone since.
func TestSchedule_5_ANamespaceThatSomebodyElseMade(t *testing.T) {
	isolated := kit.NewIsolatedStackWithNewNamespace(t)
	process := isolated.StartProcess("serve")
	env := isolated.NewWorkspace(process)
	id := scheduled(env, never, nil)
	o := kit.TemporalClientAt(t, isolated.Stack, isolated.Namespace)
	hasSchedule(o, env, id, "the schedule is there", isThere)
	process.Kill()
	_, err := o.OperatorService().DeleteNamespace(env.Ctx, &operatorservice.DeleteNamespaceRequest{Namespace: isolated.Namespace})
	require.NoError(t, err)
	kit.RequireEventually(t, "somebody else makes it again", func() bool {
		_, err := o.WorkflowService().RegisterNamespace(env.Ctx, &workflowservice.RegisterNamespaceRequest{
			Namespace: isolated.Namespace, WorkflowExecutionRetentionPeriod: durationpb.New(24 * time.Hour),
		})
		return err == nil
	})
	isolated.Restart(process)
	hasSchedule(o, env, id, "the schedule is there again", isThere)
	fire(o, env, id)
	firstExecutionOf(env, id).Ends("completed")
}
