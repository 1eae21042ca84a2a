package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/redline-svc/redline/internal/contract"
)

const (
	// deliveryRounds is after how many activities a run continues as new.
	deliveryRounds = 200
	// dispatchLimit bounds one activity, which dispatches for 5 s as a rule, up to 40 s while
	// it is busy, and ends with a few statements. dispatchBeat is after how long
	// without a heartbeat its worker counts as dead.
	dispatchLimit = time.Minute
	dispatchBeat  = 5 * time.Second
	// dispatchFirstWait and dispatchLongestWait bound the pause before an activity
	// that failed, because the database is away, is tried again.
	dispatchFirstWait   = 500 * time.Millisecond
	dispatchLongestWait = 10 * time.Second
)

// delivery is the state of the run of one destination.
type delivery struct {
	in contract.DeliveryInput
	// root is cancelled when somebody cancels the run in Temporal; ctx is not.
	root, ctx workflow.Context
	signals   workflow.ReceiveChannel
}

// Delivery serves one destination: an activity claims and sends rows for some
// seconds, then the run sleeps until the next row is due or it is signalled. When
// nothing waits it ends; the next commit starts it again. Cancelling it in
// Temporal ends the rows that wait.
func Delivery(ctx workflow.Context, in contract.DeliveryInput) error {
	undisturbed, _ := workflow.NewDisconnectedContext(ctx)
	undisturbed = workflow.WithActivityOptions(undisturbed, workflow.ActivityOptions{
		StartToCloseTimeout: dispatchLimit, HeartbeatTimeout: dispatchBeat,
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: dispatchFirstWait, BackoffCoefficient: 2, MaximumInterval: dispatchLongestWait},
	})
	d := &delivery{in: in, root: ctx, ctx: undisturbed, signals: workflow.GetSignalChannel(ctx, contract.SignalChanged)}
	return d.run()
}

func (d *delivery) run() error {
	for range deliveryRounds {
		d.forgetSignals() // the activity that begins now sees the rows that they announced
		stands, err := d.dispatch()
		if err != nil {
			return err
		}
		workflow.SetCurrentDetails(d.ctx, stands.Details)
		if d.signals.Len() > 0 {
			continue
		}
		if stands.NextIn == nil {
			return nil
		}
		if err := d.sleep(time.Duration(*stands.NextIn) * time.Millisecond); err != nil {
			return err
		}
	}
	return workflow.NewContinueAsNewError(d.ctx, contract.WorkflowDelivery, d.in)
}

func (d *delivery) forgetSignals() {
	for d.signals.ReceiveAsync(nil) {
	}
}

// dispatch runs the activity that claims and sends rows. A cancellation meanwhile
// ends what waits at once and lets the activity end by itself.
func (d *delivery) dispatch() (contract.DispatchResult, error) {
	var stands contract.DispatchResult
	dispatching := workflow.ExecuteActivity(d.ctx, contract.ActivityDispatch, d.in)
	selector := workflow.NewSelector(d.ctx)
	selector.AddFuture(dispatching, func(workflow.Future) {})
	selector.AddReceive(d.root.Done(), func(workflow.ReceiveChannel, bool) {})
	selector.Select(d.ctx)
	if d.root.Err() != nil {
		err := d.cancel()
		if ended := dispatching.Get(d.ctx, nil); err == nil && ended != nil {
			err = ended
		}
		return stands, orCancelled(err)
	}
	return stands, dispatching.Get(d.ctx, &stands)
}

// sleep waits for the time of the next row or for a signal.
func (d *delivery) sleep(wait time.Duration) error {
	timed, stop := workflow.WithCancel(d.ctx)
	defer stop()
	selector := workflow.NewSelector(d.ctx)
	selector.AddFuture(workflow.NewTimer(timed, wait), func(workflow.Future) {})
	selector.AddReceive(d.signals, func(workflow.ReceiveChannel, bool) {})
	selector.AddReceive(d.root.Done(), func(workflow.ReceiveChannel, bool) {})
	selector.Select(d.ctx)
	if d.root.Err() != nil {
		return orCancelled(d.cancel())
	}
	return nil
}

// cancel ends the rows that wait.
func (d *delivery) cancel() error {
	return workflow.ExecuteActivity(d.ctx, contract.ActivityCancel, d.in).Get(d.ctx, nil)
}

// orCancelled closes the run as cancelled unless something went wrong.
func orCancelled(err error) error {
	if err == nil {
		return workflow.ErrCanceled
	}
	return err
}
