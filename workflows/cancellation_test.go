package workflows_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/redline-svc/redline/internal/contract"
)

// A cancellation that comes while a run with a long history asks for its plan is
// reported before it continues as new: the run after it would not know of it.
func TestCancellationIsReportedBeforeTheRunContinuesAsNew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &rows{}
		env := newRun(t, r)
		r.plan = func(n int, in contract.PlanInput) (contract.Plan, error) {
			if in.Cancelled {
				return ended(3, "cancelled"), nil
			}
			if n == 2 {
				env.SetCurrentHistoryLength(100)
				env.CancelWorkflow()
			}
			plan := running(int64(n), wait("person", nil))
			plan.HistoryLimit = 100
			return plan, nil
		}
		env.RegisterDelayedCallback(func() { env.SignalWorkflow(contract.SignalChanged, nil) }, time.Minute)
		err := run(env)
		require.True(t, temporal.IsCanceledError(errors.Unwrap(err)), "%v", err)
		require.Len(t, r.asked, 3)
	})
}

func TestCancellationInTemporalIsReportedOnceAndClosesTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reported []bool
		r := &rows{}
		r.plan = func(n int, in contract.PlanInput) (contract.Plan, error) {
			reported = append(reported, in.Cancelled)
			if in.Cancelled {
				return ended(2, "cancelled"), nil
			}
			return running(1, wait("person", nil)), nil
		}
		env := newRun(t, r)
		env.RegisterDelayedCallback(env.CancelWorkflow, time.Minute)
		err := run(env)
		require.Equal(t, []bool{false, true}, reported)
		require.True(t, temporal.IsCanceledError(errors.Unwrap(err)), "%v", err)
	})
}

func TestCancellationThatComesTooLateLeavesTheEndAsItIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &rows{plan: func(n int, in contract.PlanInput) (contract.Plan, error) {
			if n == 1 {
				return running(1, wait("person", nil)), nil
			}
			return ended(2, "completed"), nil
		}}
		env := newRun(t, r)
		env.RegisterDelayedCallback(env.CancelWorkflow, time.Minute)
		require.NoError(t, run(env))
	})
}
