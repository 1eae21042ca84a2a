package workflows_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/workflows"
)

var destination = contract.DeliveryInput{WorkspaceID: "ws_1", DestinationID: "dst_1"}

// outbox plays the rows of one destination: it gives their state after each
// activity, and notes when it was asked.
type outbox struct {
	mu         sync.Mutex
	stands     func(n int) (contract.DispatchResult, error)
	dispatched []time.Time
	cancelled  int
	env        *testsuite.TestWorkflowEnvironment
}

func (o *outbox) Dispatch(_ context.Context, in contract.DeliveryInput) (contract.DispatchResult, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if in != destination {
		return contract.DispatchResult{}, errors.New("another destination")
	}
	o.dispatched = append(o.dispatched, o.env.Now())
	return o.stands(len(o.dispatched))
}

func (o *outbox) Cancel(_ context.Context, in contract.DeliveryInput) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if in != destination {
		return errors.New("another destination")
	}
	o.cancelled++
	return nil
}

func newDeliveryRun(t *testing.T, stands func(n int) (contract.DispatchResult, error)) *outbox {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	o := &outbox{stands: stands, env: env}
	env.RegisterWorkflowWithOptions(workflows.Delivery, workflow.RegisterOptions{Name: contract.WorkflowDelivery})
	env.RegisterActivityWithOptions(o.Dispatch, activity.RegisterOptions{Name: contract.ActivityDispatch})
	env.RegisterActivityWithOptions(o.Cancel, activity.RegisterOptions{Name: contract.ActivityCancel})
	return o
}

func (o *outbox) run() error {
	o.env.ExecuteWorkflow(contract.WorkflowDelivery, destination)
	return o.env.GetWorkflowError()
}

func (o *outbox) signal() { o.env.SignalWorkflow(contract.SignalChanged, nil) }

func nothing(int) (contract.DispatchResult, error) { return contract.DispatchResult{}, nil }

// dueIn stands with a row due in so many milliseconds the first time, with
// nothing afterwards.
func dueIn(next int64) func(int) (contract.DispatchResult, error) {
	return func(n int) (contract.DispatchResult, error) {
		if n > 1 {
			return contract.DispatchResult{}, nil
		}
		return contract.DispatchResult{NextIn: new(next), Details: "rows waiting: 1"}, nil
	}
}

func TestDeliveryEndsWithNothingWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newDeliveryRun(t, nothing)
		require.NoError(t, o.run())
		require.Len(t, o.dispatched, 1)
	})
}

func TestDeliverySleepsUntilTheNextRowIsDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newDeliveryRun(t, dueIn(128_000))
		require.NoError(t, o.run())
		require.Len(t, o.dispatched, 2)
		require.GreaterOrEqual(t, o.dispatched[1].Sub(o.dispatched[0]), 128*time.Second)
	})
}

func TestASignalGoesToTheDeliveryRunAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newDeliveryRun(t, dueIn(512_000))
		o.env.RegisterDelayedCallback(o.signal, 3*time.Second)
		require.NoError(t, o.run())
		require.Len(t, o.dispatched, 2)
		require.Less(t, o.dispatched[1].Sub(o.dispatched[0]), 10*time.Second)
	})
}

// A signal that comes while the activity ends is about a row it may not have
// seen: the run looks again before it ends.
func TestASignalDuringTheActivityIsNotLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var o *outbox
		o = newDeliveryRun(t, func(n int) (contract.DispatchResult, error) {
			if n == 1 {
				o.signal()
			}
			return contract.DispatchResult{}, nil
		})
		require.NoError(t, o.run())
		require.Len(t, o.dispatched, 2)
	})
}

func TestAFailedDispatchIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newDeliveryRun(t, func(n int) (contract.DispatchResult, error) {
			if n < 6 {
				return contract.DispatchResult{}, temporal.NewApplicationError("a part of the service is away", "UNAVAILABLE")
			}
			return contract.DispatchResult{}, nil
		})
		require.NoError(t, o.run())
		require.Len(t, o.dispatched, 6)
	})
}

func TestDeliveryContinuesAsNewAfter200Activities(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newDeliveryRun(t, func(int) (contract.DispatchResult, error) {
			return contract.DispatchResult{NextIn: new(int64(10))}, nil
		})
		var again *workflow.ContinueAsNewError
		require.ErrorAs(t, o.run(), &again)
		require.Equal(t, contract.WorkflowDelivery, again.WorkflowType.Name)
		require.Len(t, o.dispatched, 200)
	})
}

func TestCancellingASleepingDeliveryRunEndsWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newDeliveryRun(t, dueIn(512_000))
		o.env.RegisterDelayedCallback(o.env.CancelWorkflow, 3*time.Second)
		err := o.run()
		require.True(t, temporal.IsCanceledError(errors.Unwrap(err)), "%v", err)
		require.Equal(t, 1, o.cancelled)
		require.Len(t, o.dispatched, 1)
	})
}

func TestCancellingDuringTheActivityEndsWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var o *outbox
		o = newDeliveryRun(t, func(int) (contract.DispatchResult, error) {
			o.env.CancelWorkflow()
			return contract.DispatchResult{NextIn: new(int64(1000))}, nil
		})
		err := o.run()
		require.True(t, temporal.IsCanceledError(errors.Unwrap(err)), "%v", err)
		require.Equal(t, 1, o.cancelled)
	})
}

func TestDetailsShowTheStateOfTheDestination(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newDeliveryRun(t, dueIn(60_000))
		var shown string
		o.env.RegisterDelayedCallback(func() { shown = currentDetails(t, o.env) }, 3*time.Second)
		require.NoError(t, o.run())
		require.Equal(t, "rows waiting: 1", shown)
	})
}
