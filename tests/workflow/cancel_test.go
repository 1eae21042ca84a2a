package workflow

import (
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

func TestCancelEndsWhatIsLive(t *testing.T) {
	env := kit.NewWorkspace(t)
	r := kit.Dispatch(env, kit.SignOff(env), kit.WithReceiver(env, "/events"))
	r.WaitsAt("review")
	env.Call(client.CancelExecution, map[string]any{"executionId": r.ID, "reason": "not needed", "actorId": "boss"}, nil)
	view := r.View()
	require.Equal(t, redline.ExecutionStatusCancelled, view.Status)
	require.NotNil(t, view.CancelledAt)
	require.Nil(t, view.CompletedAt)
	require.Equal(t, redline.StepStatusCancelled, view.Steps[0].Status)

	step := r.Events("step.cancelled")
	require.Len(t, step, 1)
	require.JSONEq(t, `{"actorId":"system:execution-cancelled","reason":"execution-cancelled"}`, string(step[0].Data))
	last := r.Events("execution.cancelled")
	require.Len(t, last, 1)
	require.JSONEq(t, `{"actorId":"boss","reason":"not needed"}`, string(last[0].Data))
	require.Greater(t, last[0].Seq, step[0].Seq)

	got := kit.BySeq(t, env.Arrived("/events", receiver.Count(len(r.Events()))))
	body, err := got[len(got)-1].Read()
	require.NoError(t, err)
	require.Equal(t, "execution.cancelled", body.Event, "deliveries go on after the end")
	require.Equal(t, "cancelled", *body.Status)
}

func TestCancel_2_AgainstTheLastApproval(t *testing.T) {
	env := kit.NewWorkspace(t)
	definition := kit.SignOff(env)
	for range 10 {
		r := kit.Dispatch(env, definition)
		decision := r.Decision(r.WaitsAt("review").StepID, "ann", "approve")
		var cancelled, recorded atomic.Bool
		kit.Concurrently(2, func(i int) {
			if i == 0 {
				answer, err := client.Call[map[string]any](env.Ctx, env.Keyed, client.CancelExecution, map[string]any{"executionId": r.ID})
				cancelled.Store(answer["cancelled"] == true)
				kit.NoError(t, err)
				return
			}
			answer, err := env.Workspace.Decide(env.Ctx, decision)
			if failure := redline.AsError(err); failure != nil {
				assert.Equal(t, redline.ProblemStatusFailedPrecondition, failure.Status)
				return
			}
			recorded.Store(answer.Recorded)
			kit.NoError(t, err)
		})
		require.NotEqual(t, cancelled.Load(), recorded.Load(), "one of the two took effect")
		wanted := map[bool]string{true: "cancelled", false: "completed"}[cancelled.Load()]
		r.Ends(wanted)
		require.Len(t, r.Events("execution.completed", "execution.cancelled", "execution.failed"), 1)
	}
}

func TestCancel_3_FiftyAtOnceMakeOneEvent(t *testing.T) {
	env := kit.NewWorkspace(t)
	r := kit.Dispatch(env, kit.SignOff(env))
	r.WaitsAt("review")
	kit.Concurrently(50, func(int) {
		answer, err := client.Call[map[string]any](env.Ctx, env.Keyed, client.CancelExecution, map[string]any{"executionId": r.ID})
		kit.NoError(t, err)
		assert.Equal(t, true, answer["cancelled"])
	})
	require.True(t, r.Cancel(), "and once more later")
	require.Len(t, r.Events("execution.cancelled"), 1)
	require.Len(t, r.Events("step.cancelled"), 1)
}

func TestCancel_5_ACallOnTheWireEndsAndIsDropped(t *testing.T) {
	env := kit.NewWorkspace(t)
	gate := env.Receiver().Hold("/slow")
	env.Receiver().Answer("/slow", receiver.JSON(`{"late":true}`))
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.Hook("call", env.Receiver().URL("/slow")), client.Mock("next")}, client.Always("call", "next")))
	kit.RequireReached(t, "the call", gate.Reached())
	require.True(t, r.Cancel())
	gate.Release()
	answered(env, "/slow", 1)

	marker := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.Hook("call", env.Receiver().URL("/marker"))}))
	marker.Ends("completed")
	view := r.View()
	require.Equal(t, redline.ExecutionStatusCancelled, view.Status)
	require.Equal(t, redline.StepStatusCancelled, view.Steps[0].Status)
	require.NotContains(t, string(view.Steps[0].Output), "late")
	require.Len(t, view.Steps, 1, "the successor never starts")
	require.Len(t, env.Receiver().Requests("/slow"), 1)
}

func TestCancelOfAnEndedExecution(t *testing.T) {
	env := kit.NewWorkspace(t)
	r := kit.Dispatch(env, kit.Instant(env))
	before := r.Ends("completed")
	require.False(t, r.Cancel())
	require.Equal(t, before, r.View(), "nothing changed")
	env.RefusedAs("NOT_FOUND", client.CancelExecution, map[string]any{"executionId": "exec_1_aaaaaaaa"})
	for name, data := range map[string]map[string]any{
		"no id": {}, "reason above 500": {"executionId": r.ID, "reason": strings.Repeat("r", 501)},
		"actor above 256": {"executionId": r.ID, "actorId": strings.Repeat("a", 257)}, "surplus": {"executionId": r.ID, "force": true},
	} {
		assert.Equal(t, redline.ProblemStatusInvalidArgument, env.Refused(client.CancelExecution, data).Status, name)
	}
}

func TestGet_1_ReadableAfterItsDefinitionWasPurged(t *testing.T) {
	env := kit.NewWorkspace(t)
	definition := kit.Instant(env)
	r := kit.Dispatch(env, definition)
	before := r.Ends("completed")
	env.Call(client.DeleteDefinition, map[string]any{"definitionId": definition, "purge": true}, nil)
	require.Equal(t, before, r.View())
	require.NotEmpty(t, r.Events())
}

func TestGet_1_ReadableAfterTemporalForgotTheRun(t *testing.T) {
	env := kit.NewWorkspace(t)
	o := kit.TemporalClientFor(t, temporalNamespace)
	r := kit.Dispatch(env, kit.SignOff(env), kit.Input(map[string]any{"title": "Spring"}))
	r.WaitsAt("review")
	open(o, r)
	r.Decide("review", "ann", "approve", "fine")
	before, events := r.Ends("completed"), history(r)
	forgets(o, o.Closes(r, enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED))
	require.Equal(t, before, r.View())
	require.JSONEq(t, `{"title":"Spring"}`, kit.ContextOf(r))
	require.Equal(t, events, history(r))
}

func TestGet_2_OneConsistentMoment(t *testing.T) {
	env := kit.NewWorkspace(t)
	definition := kit.SignOff(env)
	for range 5 {
		r := kit.Dispatch(env, definition)
		decision := r.Decision(r.WaitsAt("review").StepID, "ann", "approve")
		kit.Concurrently(5, func(i int) {
			if i == 0 {
				_, err := env.Workspace.Decide(env.Ctx, decision)
				kit.NoError(t, err)
				return
			}
			for {
				view, err := env.Workspace.Get(env.Ctx, r.ID)
				if !kit.NoError(t, err) || assertConsistent(t, view) {
					return
				}
			}
		})
	}
}

// assertConsistent checks one view and reports whether the execution has ended.
func assertConsistent(t *testing.T, view redline.Execution) bool {
	t.Helper()
	live := 0
	for _, step := range view.Steps {
		if step.Status == "pending" || step.Status == "running" || step.Status == "waiting" {
			live++
			assert.Nil(t, step.CompletedAt, "%s is live", step.StepID)
		}
	}
	if kit.Final(string(view.Status)) {
		assert.Zero(t, live, "an ended execution has no live step: %+v", view.Steps)
	} else {
		assert.NotZero(t, live, "an open execution has one: %+v", view.Steps)
	}
	return kit.Final(string(view.Status))
}

func TestGetShapeAndSomeSteps(t *testing.T) {
	env := kit.NewWorkspace(t)
	r := kit.Dispatch(env, kit.SignOff(env))
	r.WaitsAt("review")
	r.Decide("review", "ann", "reject", "too long")
	view := r.Ends("completed")
	require.Len(t, view.Steps, 2)

	var part redline.Execution
	env.Call(client.GetExecution, map[string]any{"executionId": r.ID, "stepIds": []string{view.Steps[1].StepID}}, &part)
	require.Len(t, part.Steps, 1)
	require.Equal(t, view.Steps[1], part.Steps[0])
	require.Equal(t, int64(2), part.StepCount)

	var raw map[string]json.RawMessage
	env.Call(client.GetExecution, map[string]any{"executionId": r.ID}, &raw)
	for _, name := range []string{
		"executionId", "status", "startedAt", "completedAt", "cancelledAt", "definitionId", "definitionVersion", "correlationId", "idempotencyKey",
		"failureReason", "organizationId", "documentId", "folderId", "attempt", "pausedAt", "stepCount", "steps", "triggerContext",
	} {
		assert.Contains(t, raw, name, "no field is left out, null where there is nothing")
	}
	for name, data := range map[string]map[string]any{
		"no id": {}, "id above 200": {"executionId": strings.Repeat("x", 201)}, "no steps": {"executionId": r.ID, "stepIds": []string{}},
		"too many steps": {"executionId": r.ID, "stepIds": make([]string, 101)},
	} {
		assert.Equal(t, redline.ProblemStatusInvalidArgument, env.Refused(client.GetExecution, data).Status, name)
	}
	env.RefusedAs("NOT_FOUND", client.GetExecution, map[string]any{"executionId": "anything at all"})
}
