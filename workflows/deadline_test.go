package workflows_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/contract"
)

func TestDeadlineIsAskedAboutAndOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &rows{plan: func(n int, _ contract.PlanInput) (contract.Plan, error) {
			if n == 1 {
				return running(1, wait("person", new(int64(3_600_000)))), nil
			}
			return ended(2, "failed"), nil
		}}
		env := newRun(t, r)
		require.Error(t, run(env))
		require.Len(t, r.asked, 2)
		require.GreaterOrEqual(t, r.asked[1].Sub(r.asked[0]), time.Hour)
		require.Less(t, r.asked[1].Sub(r.asked[0]), time.Hour+time.Second)
	})
}

func TestDeadlineIsAskedAboutWhileACallIsUnderWay(t *testing.T) {
	step := callStep("a", 0, 0)
	step.DueIn = new(int64(5_000))
	r := &rows{plan: func(n int, _ contract.PlanInput) (contract.Plan, error) {
		if n == 1 {
			return running(1, step), nil
		}
		return ended(2, "failed"), nil
	}}
	env := newRun(t, r)
	env.OnActivity(contract.ActivityCall, mock.Anything, mock.Anything).After(time.Minute).Return(running(1), nil)
	require.Error(t, run(env))
	require.Len(t, r.asked, 2)
	require.GreaterOrEqual(t, r.asked[1].Sub(r.asked[0]), 5*time.Second)
	require.Less(t, r.asked[1].Sub(r.asked[0]), 6*time.Second)
}

func TestDeadlineBeforeTheStartOfACallIsAskedAbout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		step := callStep("a", 1, 60_000)
		step.DueIn = new(int64(5_000))
		r := &rows{plan: func(n int, _ contract.PlanInput) (contract.Plan, error) {
			if n == 1 {
				return running(1, step), nil
			}
			return ended(2, "failed"), nil
		}}
		require.Error(t, run(newRun(t, r)))
		require.Empty(t, r.calls)
		require.Less(t, r.asked[1].Sub(r.asked[0]), 6*time.Second)
	})
}

// A pause of a month costs a run nothing: its plan has nothing live, no timer runs, and
// the deadline is as far away afterwards as it was.
func TestAPausedRunSleepsUntilItIsSignalled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const month = 30 * 24 * time.Hour
		plans := []contract.Plan{
			running(1, wait("person", new((70*time.Minute).Milliseconds()))), running(2), running(3, wait("person", new((10*time.Minute).Milliseconds()))), ended(4, "failed"),
		}
		r := &rows{plan: func(n int, _ contract.PlanInput) (contract.Plan, error) { return plans[n-1], nil }}
		env := newRun(t, r)
		for _, at := range []time.Duration{time.Hour, time.Hour + month} {
			env.RegisterDelayedCallback(func() { env.SignalWorkflow(contract.SignalChanged, nil) }, at)
		}
		require.Error(t, run(env))
		require.Len(t, r.asked, len(plans))
		require.Equal(t, time.Hour, r.asked[1].Sub(r.asked[0]))
		require.Equal(t, month, r.asked[2].Sub(r.asked[1]))
		require.GreaterOrEqual(t, r.asked[3].Sub(r.asked[2]), 10*time.Minute)
		require.Less(t, r.asked[3].Sub(r.asked[2]), 10*time.Minute+time.Second)
	})
}
