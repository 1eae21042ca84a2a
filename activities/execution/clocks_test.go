package activities

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/guard"
)

// running gives the call that an execution wants.
func (s *site) running() contract.CallInput {
	s.t.Helper()
	executionID := s.dispatch()
	plan, err := s.executions.Plan(s.t.Context(), contract.PlanInput{
		WorkspaceID: siteWorkspace, ExecutionID: executionID, First: true,
		WorkflowID: contract.ExecutionWorkflowID(siteWorkspace, "call", contract.KeysOfCallers,
			ask[string](s, `SELECT idempotency_key FROM executions WHERE id = $1`, executionID)),
	})
	require.NoError(s.t, err)
	require.Len(s.t, plan.Live, 1)
	return contract.CallInput{WorkspaceID: siteWorkspace, ExecutionID: executionID, StepID: plan.Live[0].StepID}
}

// notNow lets both ask to make a call that may begin only at a time of Postgres,
// of which the run is told by how long it is until then.
func (s *site) notNow(in contract.CallInput, column string) {
	s.t.Helper()
	may := ask[time.Time](s, `SELECT `+column+` FROM steps WHERE id = $1`, in.StepID)
	for _, own := range []clock{s.fast, s.slow} {
		before := s.now()
		plan, err := callOf(s.t, s.caller(own), in)
		after := s.now()
		require.NoError(s.t, err)
		require.Len(s.t, plan.Live, 1)
		within(s.t, may, before.Add(time.Duration(*plan.Live[0].StartIn)*time.Millisecond), after.Sub(before)+time.Millisecond)
	}
	require.Empty(s.t, s.received(), "nobody calls before")
}

// shift sets the time of a step to so long from now.
func (s *site) shift(in contract.CallInput, column, wait string) {
	s.t.Helper()
	s.exec(`UPDATE steps SET `+column+` = clock_timestamp() + $2::interval WHERE id = $1`, in.StepID, wait)
}

func TestStepCalls_5_ClocksFarApart(t *testing.T) {
	s := newSite(t)
	in, begun := s.running(), s.now()
	arrived, release := make(chan struct{}), make(chan struct{})
	s.reply = func(context.Context, guard.Request) (*guard.Response, error) {
		close(arrived)
		<-release
		return answer(http.StatusServiceUnavailable, ""), nil
	}
	ended := make(chan error)
	go func() { _, err := callOf(t, s.caller(s.slow), in); ended <- err }()
	<-arrived
	first := s.received()
	require.Len(t, first, 1)
	s.signedWithin(first[0], begun, s.now())
	s.shift(in, "held_until", soon)
	s.notNow(in, "held_until")

	until := s.now().Add(100 * time.Second).Truncate(time.Second)
	close(release)
	require.NoError(t, <-ended)
	s.shift(in, "next_try_at", soon)
	s.notNow(in, "next_try_at")
	for _, own := range []clock{s.fast, s.slow} {
		s.shift(in, "next_try_at", "0")
		before := s.now()
		s.reply = busy(until)
		_, err := callOf(t, s.caller(own), in)
		require.NoError(t, err)
		require.Len(t, s.received(), 1, "at once when it is due")
		within(t, until, ask[time.Time](s, `SELECT next_try_at FROM steps WHERE id = $1`, in.StepID), s.now().Sub(before)+time.Millisecond)
		s.notNow(in, "next_try_at")
	}
}

func TestStepCalls_5_AHoldEndsByTheClockOfTheRows(t *testing.T) {
	s := newSite(t)
	for _, own := range []clock{s.fast, s.slow} {
		in := s.running()
		call, _, err := s.executions.Begin(t.Context(), in.WorkspaceID, in.ExecutionID, in.StepID)
		require.NoError(t, err)
		require.NotNil(t, call, "its worker dies with it")
		s.shift(in, "held_until", soon)
		s.notNow(in, "held_until")
		s.shift(in, "held_until", "0")
		plan, err := callOf(t, s.caller(own), in)
		require.NoError(t, err)
		assert.Equal(t, "completed", plan.Status)
		got := s.received()
		require.Len(t, got, 1)
		assert.Equal(t, "1", got[0].Header.Get("x-svc-attempt"))
	}
}
