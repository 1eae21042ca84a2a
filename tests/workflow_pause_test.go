package tests

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
	"github.com/redline-svc/redline/tests/receiver"
)

const (
	pauseExecution  = "workflow/executions/pause"
	resumeExecution = "workflow/executions/resume"
)

// paused is what pause and resume answer.
type paused struct {
	ExecutionID string `json:"executionId"`
	Paused      bool   `json:"paused"`
	PausedAt    *int64 `json:"pausedAt"`
}

func (r *run) pause() paused  { return r.hold(pauseExecution) }
func (r *run) resume() paused { return r.hold(resumeExecution) }

func (r *run) hold(operation string) (answer paused) {
	r.s.t.Helper()
	r.s.call(operation, map[string]any{"executionId": r.id, "actorId": "boss", "reason": "holidays"}, &answer)
	require.Equal(r.s.t, r.id, answer.ExecutionID)
	return answer
}

// What is left of a deadline when an execution is paused is left when it goes on.
func TestPause_1_ADeadlineIsAsFarAwayAsBefore(t *testing.T) {
	s := begin(t)
	r := s.dispatch(s.define([]client.Node{client.Human("review", "ann").Within(8 * time.Second), client.Mock("end")}, client.Always("review", "end"), client.Reject("review", "end")))
	due := *r.waitsAt("review").DueAt
	began := *r.pause().PausedAt
	require.Nil(t, r.step("review").DueAt)
	require.Nil(t, s.inboxOf(r, "ann")[0].DueAt)
	eventually(t, "the deadline would have passed", func() bool { return time.Now().UnixMilli() > due+500 })
	require.Equal(t, "waiting", r.step("review").Status)
	r.resume()
	resumed := r.events("execution.resumed")[0].Timestamp
	moved := r.step("review").DueAt
	require.NotNil(t, moved)
	require.Equal(t, due+resumed-began, *moved)
	require.True(t, r.cancel())
	require.Equal(t, moved, r.step("review").DueAt, "that of a step that has ended stays")
}

// Ten minutes before its deadline a step is paused for an hour, and ten minutes are left.
func TestPause_1_AnHourTenMinutesBeforeTheDeadline(t *testing.T) {
	s := begin(t)
	r := s.dispatch(s.define([]client.Node{client.Human("review", "ann").Within(time.Hour), client.Mock("end")}, client.Always("review", "end"), client.Reject("review", "end")))
	r.waitsAt("review")
	r.ages(50 * time.Minute)
	due := *r.step("review").DueAt
	r.pause()
	r.ages(time.Hour) // as if it had been paused an hour ago
	_, err := s.rows().Exec(s.ctx, `UPDATE executions SET paused_at = paused_at - interval '1 hour' WHERE workspace_id = $1 AND id = $2`, s.workspace.ID, r.id)
	require.NoError(t, err)
	began := *r.view().PausedAt
	r.resume()
	left := *r.step("review").DueAt - r.events("execution.resumed")[0].Timestamp
	require.Equal(t, due-time.Hour.Milliseconds()-began, left)
	require.InDelta(t, (10 * time.Minute).Milliseconds(), left, float64(patience.Milliseconds()))
	require.Equal(t, "waiting", r.step("review").Status)
	require.True(t, r.decide("review", "ann", "approve").ResumeScheduled)
	r.ends("completed")
}

// A try that waits goes on waiting while the execution is paused, and is made after
// that.
func TestPause_1_ANextTryWaitsForTheEndOfAPause(t *testing.T) {
	s := begin(t)
	s.receiver().AnswerBy("/call", func(n int, _ receiver.Request) receiver.Answer {
		return receiver.Status(map[bool]int{true: 503, false: 200}[n == 1])
	})
	r := s.dispatch(s.define([]client.Node{client.Hook("call", s.receiver().URL("/call"))}))
	eventually(t, "the first try failed", func() bool { return len(r.history("step.retried")) == 1 })
	r.pause()
	require.Equal(t, "running", r.step("call").Status)
	r.resume()
	r.ends("completed")
	require.Len(t, s.receiver().Requests("/call"), 2)
}

// signedOff is a definition in which ann decides and a receiver is called then.
func (s *scene) signedOff() string {
	s.t.Helper()
	return s.define([]client.Node{client.Human("review", "ann"), client.Hook("publish", s.receiver().URL("/publish"))},
		client.Both("review", "publish")...)
}

func TestPause_2_TheSuccessorStartsOnceAfterTheEndOfThePause(t *testing.T) {
	s := begin(t)
	r := s.dispatch(s.signedOff(), s.withReceiver("/events"))
	r.waitsAt("review")
	first := r.pause()
	require.True(t, first.Paused)
	require.Equal(t, first, r.pause(), "a repetition is the same")
	require.Equal(t, first.PausedAt, r.view().PausedAt)
	require.True(t, r.decide("review", "ann", "approve").Recorded)
	require.Equal(t, "pending", r.step("publish").Status)
	require.Nil(t, r.step("publish").StartedAt)
	require.Equal(t, "running", r.view().Status)

	require.Equal(t, paused{ExecutionID: r.id}, r.resume())
	require.Equal(t, paused{ExecutionID: r.id}, r.resume(), "a repetition is the same")
	view := r.ends("completed")
	require.Nil(t, view.PausedAt)
	require.Len(t, steps(view, "publish"), 1)
	require.Len(t, s.receiver().Requests("/publish"), 1)
	require.Equal(t, []string{
		"execution.dispatched", "step.awaiting-approval", "execution.paused", "step.completed", "execution.resumed", "step.completed", "execution.completed",
	}, names(r.events()))
	require.JSONEq(t, `{"actorId":"boss","reason":"holidays"}`, string(r.events("execution.paused")[0].Data))
	s.arrived("/events", receiver.Count(len(r.events())))

	s.refusedAs("FAILED_PRECONDITION", pauseExecution, map[string]any{"executionId": r.id})
	s.refusedAs("FAILED_PRECONDITION", resumeExecution, map[string]any{"executionId": r.id})
}

// Nothing starts before the run knows of the execution, after it does, in a process
// that starts anew, or in a run that continues as new.
func TestPause_3_4_APausedExecutionSurvivesFromBeforeItsStart(t *testing.T) {
	l := newLab(t)
	process := l.start("serve", "REDLINE_CONTINUE_AS_NEW_EVENTS=20")
	s := l.begin(process)
	definition := s.define([]client.Node{client.Hook("call", s.receiver().URL("/call"))})
	held := l.Engine.HoldRequest(engineStart, naming(definition))
	r := s.dispatch(definition)
	reached(t, "the start", held.Reached())
	since := r.pause().PausedAt
	require.Equal(t, "pending", r.view().Status)
	held.Release()
	o := atTheEngine(t, l.Namespace)
	of := o.open(r)
	o.continues(of.GetWorkflowId())
	require.Equal(t, "pending", r.view().Status)

	process.Kill()
	l.again(process)
	o.continues(of.GetWorkflowId())
	view := r.view()
	require.Equal(t, "pending", view.Status)
	require.Equal(t, since, view.PausedAt)
	require.Empty(t, s.receiver().Requests("/call"))

	r.resume()
	r.ends("completed")
	require.Len(t, s.receiver().Requests("/call"), 1)
}

// A person is waited for until a deadline when the execution is paused. The pause outlasts
// a process and a run, and the deadline, and what was left of that is left afterwards.
func TestPause_3_AWaitingStepWithADeadlineSurvivesAsItWas(t *testing.T) {
	l := newLab(t)
	process := l.start("serve", "REDLINE_CONTINUE_AS_NEW_EVENTS=20")
	s := l.begin(process)
	r := s.dispatch(s.define([]client.Node{client.Human("review", "ann").Within(time.Hour), client.Mock("end")}, client.Always("review", "end"), client.Reject("review", "end")))
	r.waitsAt("review")
	r.runs()
	due := *r.step("review").DueAt
	since := *r.pause().PausedAt
	before := r.view()
	require.Equal(t, []any{"running", since}, []any{before.Status, *before.PausedAt})
	require.Nil(t, before.Steps[0].DueAt)
	r.ages(2 * time.Hour)
	o := atTheEngine(t, l.Namespace)
	of := o.open(r)
	o.continues(of.GetWorkflowId())
	require.Equal(t, before, r.view())

	process.Kill()
	l.again(process)
	o.continues(of.GetWorkflowId())
	require.Equal(t, before, r.view())
	r.ages(-2 * time.Hour)
	r.resume()
	require.Equal(t, due+r.events("execution.resumed")[0].Timestamp-since, *r.step("review").DueAt)
	require.True(t, r.decide("review", "ann", "approve").ResumeScheduled)
	r.ends("completed")
	require.Empty(t, r.events("step.breached"))
}

func TestPauseOfACallUnderWayAndTheEndsOfAPausedExecution(t *testing.T) {
	s := begin(t)
	gate := s.receiver().Hold("/slow")
	r := s.dispatch(s.define([]client.Node{client.Hook("call", s.receiver().URL("/slow")), client.Mock("next")}, client.Always("call", "next")))
	reached(t, "the call", gate.Reached())
	r.pause()
	gate.Release()
	r.reaches("next", "pending")
	require.Equal(t, "completed", r.step("call").Status, "the outcome of a call under way is recorded")
	require.True(t, r.cancel())
	require.Nil(t, r.view().PausedAt, "a final status clears it")

	last := s.dispatch(s.define([]client.Node{client.Human("review", "ann"), client.Mock("no")}, client.Reject("review", "no")))
	last.waitsAt("review")
	last.pause()
	last.decide("review", "ann", "approve")
	require.Equal(t, "completed", last.view().Status, "what ends the execution ends a paused one at once")
}

func TestPauseShape(t *testing.T) {
	s := begin(t)
	r := s.dispatch(s.signOff())
	r.waitsAt("review")
	for _, operation := range []string{pauseExecution, resumeExecution} {
		for name, data := range map[string]map[string]any{
			"no id": {}, "reason above 500": {"executionId": r.id, "reason": strings.Repeat("ü", 501)},
			"actor above 256": {"executionId": r.id, "actorId": strings.Repeat("x", 257)}, "surplus": {"executionId": r.id, "until": 1},
		} {
			assert.Equal(t, "INVALID_ARGUMENT", s.refused(operation, data).Status, name)
		}
		s.refusedAs("NOT_FOUND", operation, map[string]any{"executionId": "anything at all"})
	}
	require.Nil(t, r.view().PausedAt)
	r.resume()
	require.Empty(t, r.events("execution.resumed"), "it was not paused")
}
