package execution

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/activities"
	"github.com/redline-svc/redline/activities/activitytest"
	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/guard"
	"github.com/redline-svc/redline/models/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// callSite is one database that two workers share whose clocks are far apart.
type callSite struct {
	*activitytest.Site

	t *testing.T
}

func newCallSite(t *testing.T) *callSite {
	t.Helper()
	return &callSite{activitytest.New(t), t}
}

// caller makes the calls of steps by its own clock.
func (s *callSite) caller(own activities.Clock) *Activities {
	e := New(s.Executions, &WebhookCaller{client: func(string) sender { return s }}, 0)
	e.clock = own
	return e
}

// running returns the call that an execution wants.
func (s *callSite) running() contract.CallInput {
	s.t.Helper()
	executionID := s.Dispatch()
	plan, err := s.Executions.Plan(s.t.Context(), contract.PlanInput{
		WorkspaceID: activitytest.Workspace, ExecutionID: executionID,
		WorkflowID: contract.ExecutionWorkflowID(activitytest.Workspace, "call", contract.KeysOfCallers,
			activitytest.Ask[string](s.Site, `SELECT idempotency_key FROM executions WHERE id = $1`, executionID)),
	})
	require.NoError(s.t, err)
	require.Len(s.t, plan.Live, 1)
	return contract.CallInput{WorkspaceID: activitytest.Workspace, ExecutionID: executionID, StepID: plan.Live[0].StepID}
}

// notNow lets both ask to make a call that may begin only at a time of Postgres,
// of which the run learns by how long it is until then.
func (s *callSite) notNow(in contract.CallInput, column string) {
	s.t.Helper()
	may := activitytest.Ask[time.Time](s.Site, `SELECT `+column+` FROM steps WHERE id = $1`, in.StepID)
	for _, own := range []activities.Clock{s.Fast, s.Slow} {
		before := s.Now()
		plan, err := callOf(s.t, s.caller(own), in)
		after := s.Now()
		require.NoError(s.t, err)
		require.Len(s.t, plan.Live, 1)
		activitytest.Within(s.t, may, before.Add(time.Duration(*plan.Live[0].StartIn)*time.Millisecond), after.Sub(before)+time.Millisecond)
	}
	require.Empty(s.t, s.Received(), "nobody calls before")
}

// shift sets the time of a step to so long from now.
func (s *callSite) shift(in contract.CallInput, column, wait string) {
	s.t.Helper()
	s.Exec(`UPDATE steps SET `+column+` = clock_timestamp() + $2::interval WHERE id = $1`, in.StepID, wait)
}

func TestStepCalls_5_ClocksFarApart(t *testing.T) {
	s := newCallSite(t)
	in, begun := s.running(), s.Now()
	arrived, release := make(chan struct{}), make(chan struct{})
	s.Reply(func(context.Context, guard.Request) (*guard.Response, error) {
		close(arrived)
		<-release
		return activitytest.Answer(http.StatusServiceUnavailable, ""), nil
	})
	ended := make(chan error)
	go func() { _, err := callOf(t, s.caller(s.Slow), in); ended <- err }()
	<-arrived
	first := s.Received()
	require.Len(t, first, 1)
	s.SignedWithin(first[0], begun, s.Now())
	s.shift(in, "locked_until", activitytest.Soon)
	s.notNow(in, "locked_until")

	until := s.Now().Add(100 * time.Second).Truncate(time.Second)
	close(release)
	require.NoError(t, <-ended)
	s.shift(in, "next_try_at", activitytest.Soon)
	s.notNow(in, "next_try_at")
	for _, own := range []activities.Clock{s.Fast, s.Slow} {
		s.shift(in, "next_try_at", "0")
		before := s.Now()
		s.Reply(activitytest.Busy(until))
		_, err := callOf(t, s.caller(own), in)
		require.NoError(t, err)
		require.Len(t, s.Received(), 1, "at once when it is due")
		activitytest.Within(t, until, activitytest.Ask[time.Time](s.Site, `SELECT next_try_at FROM steps WHERE id = $1`, in.StepID), s.Now().Sub(before)+time.Millisecond)
		s.notNow(in, "next_try_at")
	}
}

func TestStepCalls_5_AHoldEndsByTheClockOfTheRows(t *testing.T) {
	s := newCallSite(t)
	for _, own := range []activities.Clock{s.Fast, s.Slow} {
		in := s.running()
		call, _, err := s.Executions.Begin(t.Context(), in)
		require.NoError(t, err)
		require.NotNil(t, call, "its worker dies with it")
		s.shift(in, "locked_until", activitytest.Soon)
		s.notNow(in, "locked_until")
		s.shift(in, "locked_until", "0")
		plan, err := callOf(t, s.caller(own), in)
		require.NoError(t, err)
		assert.Equal(t, "completed", plan.Status)
		got := s.Received()
		require.Len(t, got, 1)
		assert.Equal(t, "1", got[0].Header.Get("x-svc-attempt"))
	}
}
