package workflow

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// paused is what pause and resume answer.
type paused struct {
	ExecutionID string `json:"executionId"`
	Paused      bool   `json:"paused"`
	PausedAt    *int64 `json:"pausedAt"`
}

func pause(r *kit.Run) paused { return hold(r, client.PauseExecution) }

func resume(r *kit.Run) paused { return hold(r, client.ResumeExecution) }

func hold(r *kit.Run, operation string) (answer paused) {
	r.S.T.Helper()
	r.S.Call(operation, map[string]any{"executionId": r.ID, "actorId": "boss", "reason": "holidays"}, &answer)
	require.Equal(r.S.T, r.ID, answer.ExecutionID)
	return answer
}

// What is left of a deadline when an execution is paused is left when it goes on.
func TestPause_1_ADeadlineIsAsFarAwayAsBefore(t *testing.T) {
	env := kit.NewWorkspace(t)
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.Within(client.Human("review", "ann"), 8*time.Second), client.Mock("end")}, client.Always("review", "end"), client.Reject("review", "end")))
	due := *r.WaitsAt("review").DueAt
	began := *pause(r).PausedAt
	require.Nil(t, r.Step("review").DueAt)
	require.Nil(t, inboxOf(env, r, "ann")[0].DueAt)
	kit.RequireEventually(t, "the deadline would have passed", func() bool { return time.Now().UnixMilli() > due+500 })
	require.Equal(t, redline.StepStatusWaiting, r.Step("review").Status)
	resume(r)
	resumed := r.Events("execution.resumed")[0].Timestamp
	moved := r.Step("review").DueAt
	require.NotNil(t, moved)
	require.Equal(t, due+resumed-began, *moved)
	require.True(t, r.Cancel())
	require.Equal(t, moved, r.Step("review").DueAt, "that of a step that has ended stays")
}

// Ten minutes before its deadline a step is paused for an hour, and ten minutes are left.
func TestPause_1_AnHourTenMinutesBeforeTheDeadline(t *testing.T) {
	env := kit.NewWorkspace(t)
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.Within(client.Human("review", "ann"), time.Hour), client.Mock("end")}, client.Always("review", "end"), client.Reject("review", "end")))
	r.WaitsAt("review")
	ages(r, 50*time.Minute)
	due := *r.Step("review").DueAt
	pause(r)
	ages(r, time.Hour) // as if it had been paused an hour ago
	_, err := env.DB().Exec(env.Ctx, `UPDATE executions SET paused_at = paused_at - interval '1 hour' WHERE workspace_id = $1 AND id = $2`, env.Workspace.ID, r.ID)
	require.NoError(t, err)
	began := *r.View().PausedAt
	resume(r)
	left := *r.Step("review").DueAt - r.Events("execution.resumed")[0].Timestamp
	require.Equal(t, due-time.Hour.Milliseconds()-began, left)
	require.InDelta(t, (10 * time.Minute).Milliseconds(), left, float64(kit.Patience.Milliseconds()))
	require.Equal(t, redline.StepStatusWaiting, r.Step("review").Status)
	require.True(t, r.Decide("review", "ann", "approve").ResumeScheduled)
	r.Ends("completed")
}

// A try that waits goes on waiting while the execution is paused, and is made after
// that.
func TestPause_1_ANextTryWaitsForTheEndOfAPause(t *testing.T) {
	env := kit.NewWorkspace(t)
	env.Receiver().AnswerBy("/call", func(n int, _ receiver.Request) receiver.Answer {
		return receiver.Status(map[bool]int{true: 503, false: 200}[n == 1])
	})
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.Hook("call", env.Receiver().URL("/call"))}))
	kit.RequireEventually(t, "the first try failed", func() bool { return len(history(r, "step.retried")) == 1 })
	pause(r)
	require.Equal(t, redline.StepStatusRunning, r.Step("call").Status)
	resume(r)
	r.Ends("completed")
	require.Len(t, env.Receiver().Requests("/call"), 2)
}

func TestPause_2_TheSuccessorStartsOnceAfterTheEndOfThePause(t *testing.T) {
	env := kit.NewWorkspace(t)
	r := kit.Dispatch(env, kit.SignedOff(env), kit.WithReceiver(env, "/events"))
	r.WaitsAt("review")
	first := pause(r)
	require.True(t, first.Paused)
	require.Equal(t, first, pause(r), "a repetition is the same")
	require.Equal(t, first.PausedAt, r.View().PausedAt)
	require.True(t, r.Decide("review", "ann", "approve").Recorded)
	require.Equal(t, redline.StepStatusPending, r.Step("publish").Status)
	require.Nil(t, r.Step("publish").StartedAt)
	require.Equal(t, redline.ExecutionStatusRunning, r.View().Status)

	require.Equal(t, paused{ExecutionID: r.ID}, resume(r))
	require.Equal(t, paused{ExecutionID: r.ID}, resume(r), "a repetition is the same")
	view := r.Ends("completed")
	require.Nil(t, view.PausedAt)
	require.Len(t, kit.Steps(view, "publish"), 1)
	require.Len(t, env.Receiver().Requests("/publish"), 1)
	require.Equal(t, []string{
		"execution.dispatched", "step.awaiting-approval", "execution.paused", "step.completed", "execution.resumed", "step.completed", "execution.completed",
	}, names(r.Events()))
	require.JSONEq(t, `{"actorId":"boss","reason":"holidays"}`, string(r.Events("execution.paused")[0].Data))
	env.Arrived("/events", receiver.Count(len(r.Events())))

	env.RefusedAs("FAILED_PRECONDITION", client.PauseExecution, map[string]any{"executionId": r.ID})
	env.RefusedAs("FAILED_PRECONDITION", client.ResumeExecution, map[string]any{"executionId": r.ID})
}

// Nothing starts before the run knows of the execution, after it does, in a process
// that starts again, or in a run that continues as new.
func TestPause_3_4_APausedExecutionSurvivesFromBeforeItsStart(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	process := isolated.StartProcess("serve", "REDLINE_CONTINUE_AS_NEW_EVENTS=20")
	env := isolated.NewWorkspace(process)
	definition := kit.Define(env, []redline.NodeInput{client.Hook("call", env.Receiver().URL("/call"))})
	held := isolated.Temporal.HoldRequest(kit.TemporalStart, kit.Naming(definition))
	r := kit.Dispatch(env, definition)
	kit.RequireReached(t, "the start", held.Reached())
	since := pause(r).PausedAt
	require.Equal(t, redline.ExecutionStatusPending, r.View().Status)
	held.Release()
	o := kit.TemporalClientFor(t, isolated.Namespace)
	of := open(o, r)
	continues(o, of.GetWorkflowId())
	require.Equal(t, redline.ExecutionStatusPending, r.View().Status)

	process.Kill()
	isolated.Restart(process)
	continues(o, of.GetWorkflowId())
	view := r.View()
	require.Equal(t, redline.ExecutionStatusPending, view.Status)
	require.Equal(t, since, view.PausedAt)
	require.Empty(t, env.Receiver().Requests("/call"))

	resume(r)
	r.Ends("completed")
	require.Len(t, env.Receiver().Requests("/call"), 1)
}

// A person is waited for until a deadline when the execution is paused. The pause outlasts
// a process and a run, and the deadline, and what was left of that is left afterwards.
func TestPause_3_AWaitingStepWithADeadlineSurvivesAsItWas(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	process := isolated.StartProcess("serve", "REDLINE_CONTINUE_AS_NEW_EVENTS=20")
	env := isolated.NewWorkspace(process)
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.Within(client.Human("review", "ann"), time.Hour), client.Mock("end")}, client.Always("review", "end"), client.Reject("review", "end")))
	r.WaitsAt("review")
	r.Runs()
	due := *r.Step("review").DueAt
	since := *pause(r).PausedAt
	before := r.View()
	require.Equal(t, []any{redline.ExecutionStatusRunning, since}, []any{before.Status, *before.PausedAt})
	require.Nil(t, before.Steps[0].DueAt)
	ages(r, 2*time.Hour)
	o := kit.TemporalClientFor(t, isolated.Namespace)
	of := open(o, r)
	continues(o, of.GetWorkflowId())
	require.Equal(t, before, r.View())

	process.Kill()
	isolated.Restart(process)
	continues(o, of.GetWorkflowId())
	require.Equal(t, before, r.View())
	ages(r, -2*time.Hour)
	resume(r)
	require.Equal(t, due+r.Events("execution.resumed")[0].Timestamp-since, *r.Step("review").DueAt)
	require.True(t, r.Decide("review", "ann", "approve").ResumeScheduled)
	r.Ends("completed")
	require.Empty(t, r.Events("step.breached"))
}

func TestPauseOfACallUnderWayAndTheEndsOfAPausedExecution(t *testing.T) {
	env := kit.NewWorkspace(t)
	gate := env.Receiver().Hold("/slow")
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.Hook("call", env.Receiver().URL("/slow")), client.Mock("next")}, client.Always("call", "next")))
	kit.RequireReached(t, "the call", gate.Reached())
	pause(r)
	gate.Release()
	r.Reaches("next", "pending")
	require.Equal(t, redline.StepStatusCompleted, r.Step("call").Status, "the outcome of a call under way is recorded")
	require.True(t, r.Cancel())
	require.Nil(t, r.View().PausedAt, "a final status clears it")

	last := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.Human("review", "ann"), client.Mock("no")}, client.Reject("review", "no")))
	last.WaitsAt("review")
	pause(last)
	last.Decide("review", "ann", "approve")
	require.Equal(t, redline.ExecutionStatusCompleted, last.View().Status, "what ends the execution ends a paused one at once")
}

func TestPauseShape(t *testing.T) {
	env := kit.NewWorkspace(t)
	r := kit.Dispatch(env, kit.SignOff(env))
	r.WaitsAt("review")
	for _, operation := range []string{client.PauseExecution, client.ResumeExecution} {
		for name, data := range map[string]map[string]any{
			"no id": {}, "reason above 500": {"executionId": r.ID, "reason": strings.Repeat("ü", 501)},
			"actor above 256": {"executionId": r.ID, "actorId": strings.Repeat("x", 257)}, "surplus": {"executionId": r.ID, "until": 1},
		} {
			assert.Equal(t, redline.ProblemStatusInvalidArgument, env.Refused(operation, data).Status, name)
		}
		env.RefusedAs("NOT_FOUND", operation, map[string]any{"executionId": "anything at all"})
	}
	require.Nil(t, r.View().PausedAt)
	resume(r)
	require.Empty(t, r.Events("execution.resumed"), "it was not paused")
}
