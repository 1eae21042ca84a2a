package interpreter_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/interpreter"
	"github.com/redline-svc/redline/internal/interpreter/plan"
)

const minute = int64(60_000)

func (s *env) pause() *fault.Error {
	w := s.interpreter()
	err := w.Pause("ann", "holidays")
	s.keep(w)
	return err
}

func (s *env) resume() *fault.Error {
	w := s.interpreter()
	err := w.Resume("ann", "")
	s.keep(w)
	return err
}

func TestADeadlineIsAsFarAwayAfterAPauseAsBefore(t *testing.T) {
	s := begin(t, human("review", "ann"), "")
	s.ask()
	s.step("review").DueAt = s.now + 10*minute
	require.Nil(t, s.pause())
	assert.Zero(t, plan.DriveDue(s.state), "no timer runs")
	planned := plan.Of(s.state, s.now)
	assert.Empty(t, planned.Live)
	assert.Contains(t, planned.Details, "paused since")
	assert.NotContains(t, planned.Details, "due")
	s.now += 60 * minute
	s.ask()
	require.Equal(t, interpreter.StepWaiting, s.step("review").Status, "it would have passed long ago")
	s.now += minute
	require.Nil(t, s.resume())
	assert.Equal(t, s.now+10*minute, plan.DriveDue(s.state))
	assert.Equal(t, s.now+10*minute, s.step("review").DueAt)
}

func TestWhatBecomesDueDuringAPauseStartsOnceItIsOver(t *testing.T) {
	s := begin(t, strings.Join([]string{human("review", "ann"), mock("publish")}, ","), edge("review", "publish", "approve")+","+edge("review", "publish", "reject"))
	s.ask()
	require.Nil(t, s.pause())
	require.True(t, s.decide("review", "ann", "approve").Recorded)
	require.Equal(t, interpreter.StepPending, s.step("publish").Status)
	s.ask()
	require.Equal(t, interpreter.StepPending, s.step("publish").Status)
	require.Nil(t, s.resume())
	require.Equal(t, interpreter.StepCompleted, s.step("publish").Status)
	require.Equal(t, interpreter.Completed, s.state.Status)
	require.Equal(t, fault.StatusFailedPrecondition, s.pause().Status)
	require.Equal(t, fault.StatusFailedPrecondition, s.resume().Status)
}

func TestADecisionThatEndsAnExecutionEndsAPausedOne(t *testing.T) {
	s := begin(t, human("review", "ann"), "")
	s.ask()
	require.Nil(t, s.pause())
	s.decide("review", "ann", "approve")
	require.Equal(t, interpreter.Completed, s.state.Status)
	require.Zero(t, s.state.PausedAt)
}

func TestAPauseHoldsCallsAndTheirNextTries(t *testing.T) {
	s := begin(t, hook("call"), "")
	s.ask()
	begins := func() bool {
		w := s.interpreter()
		_, ok := w.Begin(s.id("call"), time.Second, true)
		s.keep(w)
		return ok
	}
	require.True(t, begins())
	require.Nil(t, s.pause())
	s.now += 5 * minute
	w := s.interpreter()
	w.Finish(s.id("call"), interpreter.Outcome{Kind: interpreter.Transient, Code: "webhook-http-status", HTTPStatus: 503})
	s.keep(w)
	require.Equal(t, 1, s.step("call").Retries, "the outcome of a call under way is recorded")
	s.now += 5 * minute
	require.False(t, begins(), "paused")
	require.Nil(t, s.resume())
	require.False(t, begins())
	require.Equal(t, s.now+2_000, plan.DriveDue(s.state), "as long after the end of the pause as it was after the failure")
	s.now += 2_000
	require.True(t, begins())
}

func TestAPauseOfAPendingExecutionHoldsItsRun(t *testing.T) {
	s := begin(t, mock("a"), "")
	require.Nil(t, s.pause())
	require.False(t, s.ask().Any())
	require.Equal(t, interpreter.Pending, s.state.Status)
	w := s.interpreter()
	require.Nil(t, w.Resume("", ""))
	require.True(t, s.keep(w).Drives, "its run has to hear of it")
	require.Equal(t, interpreter.Pending, s.state.Status)
	s.ask()
	require.Equal(t, interpreter.Completed, s.state.Status)
}

func TestRepeatedPausesChangeNothing(t *testing.T) {
	s := begin(t, human("review", "ann"), "")
	s.ask()
	require.Nil(t, s.resume())
	require.Nil(t, s.pause())
	first := s.state.PausedAt
	s.now += minute
	require.Nil(t, s.pause())
	require.Equal(t, first, s.state.PausedAt)
	require.Nil(t, s.resume())
	require.Nil(t, s.resume())
	log := s.eventLog()
	require.Equal(t, 1, strings.Count(log, "execution.paused"))
	require.Equal(t, 1, strings.Count(log, "execution.resumed"))
	require.JSONEq(t, `{"actorId":"ann","reason":"holidays"}`, string(s.events[len(s.events)-2].Data))
}

func TestAPausedCallGivesItsTurnAway(t *testing.T) {
	s := begin(t, hook("call"), "")
	s.ask()
	w := s.interpreter()
	_, ok := w.Begin(s.id("call"), time.Second, false)
	s.keep(w)
	require.False(t, ok)
	require.NotZero(t, s.step("call").QueuedAt)
	require.Nil(t, s.pause())
	require.Zero(t, s.step("call").QueuedAt)
}
