package tests

import (
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"

	"github.com/redline-svc/redline/tests/client"
	"github.com/redline-svc/redline/tests/receiver"
)

func TestCancelEndsWhatIsLive(t *testing.T) {
	s := begin(t)
	r := s.dispatch(s.signOff(), s.withReceiver("/events"))
	r.waitsAt("review")
	s.call("workflow/executions/cancel", map[string]any{"executionId": r.id, "reason": "not needed", "actorId": "boss"}, nil)
	view := r.view()
	require.Equal(t, "cancelled", view.Status)
	require.NotNil(t, view.CancelledAt)
	require.Nil(t, view.CompletedAt)
	require.Equal(t, "cancelled", view.Steps[0].Status)

	step := r.events("step.cancelled")
	require.Len(t, step, 1)
	require.JSONEq(t, `{"actorId":"system:execution-cancelled","reason":"execution-cancelled"}`, string(step[0].Data))
	last := r.events("execution.cancelled")
	require.Len(t, last, 1)
	require.JSONEq(t, `{"actorId":"boss","reason":"not needed"}`, string(last[0].Data))
	require.Greater(t, last[0].Seq, step[0].Seq)

	got := bySeq(t, s.arrived("/events", receiver.Count(len(r.events()))))
	body, err := got[len(got)-1].Read()
	require.NoError(t, err)
	require.Equal(t, "execution.cancelled", body.Event, "deliveries go on after the end")
	require.Equal(t, "cancelled", *body.Status)
}

func TestCancel_2_AgainstTheLastApproval(t *testing.T) {
	s := begin(t)
	definition := s.signOff()
	for range 10 {
		r := s.dispatch(definition)
		decision := r.decision(r.waitsAt("review").StepID, "ann", "approve")
		var cancelled, recorded atomic.Bool
		together(2, func(i int) {
			if i == 0 {
				answer, err := client.Call[map[string]any](s.ctx, s.keyed, "workflow/executions/cancel", map[string]any{"executionId": r.id})
				cancelled.Store(answer["cancelled"] == true)
				fine(t, err)
				return
			}
			answer, err := s.workspace.Decide(s.ctx, decision)
			if failure := client.Refusal(err); failure != nil {
				assert.Equal(t, "FAILED_PRECONDITION", failure.Status)
				return
			}
			recorded.Store(answer.Recorded)
			fine(t, err)
		})
		require.NotEqual(t, cancelled.Load(), recorded.Load(), "one of the two took effect")
		wanted := map[bool]string{true: "cancelled", false: "completed"}[cancelled.Load()]
		r.ends(wanted)
		require.Len(t, r.events("execution.completed", "execution.cancelled", "execution.failed"), 1)
	}
}

func TestCancel_3_FiftyAtOnceMakeOneEvent(t *testing.T) {
	s := begin(t)
	r := s.dispatch(s.signOff())
	r.waitsAt("review")
	together(50, func(int) {
		answer, err := client.Call[map[string]any](s.ctx, s.keyed, "workflow/executions/cancel", map[string]any{"executionId": r.id})
		fine(t, err)
		assert.Equal(t, true, answer["cancelled"])
	})
	require.True(t, r.cancel(), "and once more later")
	require.Len(t, r.events("execution.cancelled"), 1)
	require.Len(t, r.events("step.cancelled"), 1)
}

func TestCancel_5_ACallOnTheWireEndsAndIsDropped(t *testing.T) {
	s := begin(t)
	gate := s.receiver().Hold("/slow")
	s.receiver().Answer("/slow", receiver.JSON(`{"late":true}`))
	r := s.dispatch(s.define([]client.Node{client.Hook("call", s.receiver().URL("/slow")), client.Mock("next")}, client.Always("call", "next")))
	reached(t, "the call", gate.Reached())
	require.True(t, r.cancel())
	gate.Release()
	s.answered("/slow", 1)

	marker := s.dispatch(s.define([]client.Node{client.Hook("call", s.receiver().URL("/marker"))}))
	marker.ends("completed")
	view := r.view()
	require.Equal(t, "cancelled", view.Status)
	require.Equal(t, "cancelled", view.Steps[0].Status)
	require.NotContains(t, string(view.Steps[0].Output), "late")
	require.Len(t, view.Steps, 1, "the successor never starts")
	require.Len(t, s.receiver().Requests("/slow"), 1)
}

func TestCancelOfAnEndedExecution(t *testing.T) {
	s := begin(t)
	r := s.dispatch(s.instant())
	before := r.ends("completed")
	require.False(t, r.cancel())
	require.Equal(t, before, r.view(), "nothing changed")
	s.refusedAs("NOT_FOUND", "workflow/executions/cancel", map[string]any{"executionId": "exec_1_aaaaaaaa"})
	for name, data := range map[string]map[string]any{
		"no id": {}, "reason above 500": {"executionId": r.id, "reason": strings.Repeat("r", 501)},
		"actor above 256": {"executionId": r.id, "actorId": strings.Repeat("a", 257)}, "surplus": {"executionId": r.id, "force": true},
	} {
		assert.Equal(t, "INVALID_ARGUMENT", s.refused("workflow/executions/cancel", data).Status, name)
	}
}

func TestGet_1_ReadableAfterItsDefinitionWasPurged(t *testing.T) {
	s := begin(t)
	definition := s.instant()
	r := s.dispatch(definition)
	before := r.ends("completed")
	s.call("workflow/definitions/delete", map[string]any{"definitionId": definition, "purge": true}, nil)
	require.Equal(t, before, r.view())
	require.NotEmpty(t, r.events())
}

func TestGet_1_ReadableAfterTheEngineForgotTheRun(t *testing.T) {
	s := begin(t)
	o := atTheEngine(t, engineNamespace)
	r := s.dispatch(s.signOff(), input(map[string]any{"title": "Spring"}))
	r.waitsAt("review")
	o.open(r)
	r.decide("review", "ann", "approve", "fine")
	before, events := r.ends("completed"), r.history()
	o.forgets(o.closes(r, enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED))
	require.Equal(t, before, r.view())
	require.JSONEq(t, `{"title":"Spring"}`, contextOf(r))
	require.Equal(t, events, r.history())
}

func TestGet_2_OneConsistentMoment(t *testing.T) {
	s := begin(t)
	definition := s.signOff()
	for range 5 {
		r := s.dispatch(definition)
		decision := r.decision(r.waitsAt("review").StepID, "ann", "approve")
		together(5, func(i int) {
			if i == 0 {
				_, err := s.workspace.Decide(s.ctx, decision)
				fine(t, err)
				return
			}
			for {
				view, err := s.workspace.Get(s.ctx, r.id)
				if !fine(t, err) || assertConsistent(t, view) {
					return
				}
			}
		})
	}
}

// assertConsistent checks one view and tells whether the execution has ended.
func assertConsistent(t *testing.T, view client.Execution) bool {
	t.Helper()
	live := 0
	for _, step := range view.Steps {
		if step.Status == "pending" || step.Status == "running" || step.Status == "waiting" {
			live++
			assert.Nil(t, step.CompletedAt, "%s is live", step.StepID)
		}
	}
	if final(view.Status) {
		assert.Zero(t, live, "an ended execution has no live step: %+v", view.Steps)
	} else {
		assert.NotZero(t, live, "an open execution has one: %+v", view.Steps)
	}
	return final(view.Status)
}

func TestGetShapeAndSomeSteps(t *testing.T) {
	s := begin(t)
	r := s.dispatch(s.signOff())
	r.waitsAt("review")
	r.decide("review", "ann", "reject", "too long")
	view := r.ends("completed")
	require.Len(t, view.Steps, 2)

	var part client.Execution
	s.call("workflow/executions/get", map[string]any{"executionId": r.id, "stepIds": []string{view.Steps[1].StepID}}, &part)
	require.Len(t, part.Steps, 1)
	require.Equal(t, view.Steps[1], part.Steps[0])
	require.Equal(t, 2, part.StepCount)

	var raw map[string]json.RawMessage
	s.call("workflow/executions/get", map[string]any{"executionId": r.id}, &raw)
	for _, name := range []string{
		"executionId", "status", "startedAt", "completedAt", "cancelledAt", "definitionId", "definitionVersion", "correlationId", "idempotencyKey",
		"failureReason", "organizationId", "documentId", "folderId", "attempt", "pausedAt", "stepCount", "steps", "triggerContext",
	} {
		assert.Contains(t, raw, name, "no field is left out, null where there is nothing")
	}
	for name, data := range map[string]map[string]any{
		"no id": {}, "id above 200": {"executionId": strings.Repeat("x", 201)}, "no steps": {"executionId": r.id, "stepIds": []string{}},
		"too many steps": {"executionId": r.id, "stepIds": make([]string, 101)},
	} {
		assert.Equal(t, "INVALID_ARGUMENT", s.refused("workflow/executions/get", data).Status, name)
	}
	s.refusedAs("NOT_FOUND", "workflow/executions/get", map[string]any{"executionId": "anything at all"})
}
