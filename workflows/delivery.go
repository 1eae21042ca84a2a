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
	// drainLimit bounds one activity, which draws for 5 s and ends with a few
	// statements; drainBeat is after which silence its worker counts as dead.
	drainLimit = time.Minute
	drainBeat  = 5 * time.Second
	// drainFirstWait and drainLongestWait bound the pause before an activity that
	// failed, because the database is away, is tried again.
	drainFirstWait   = 500 * time.Millisecond
	drainLongestWait = 10 * time.Second
)

// delivery is the state of the run of one destination.
type delivery struct {
	in contract.DeliveryInput
	// queue is where the next activity that draws belongs.
	queue string
	// root is cancelled when somebody cancels the run in the engine; ctx is not.
	root, ctx workflow.Context
	pokes     workflow.ReceiveChannel
}

// Delivery serves one destination: an activity draws and sends for some
// seconds, then the run sleeps until the next row is due or it is poked. With
// nothing waiting it ends; the next commit starts it again. Cancelling it in
// the engine ends the rows that wait.
func Delivery(ctx workflow.Context, in contract.DeliveryInput) error {
	undisturbed, _ := workflow.NewDisconnectedContext(ctx)
	undisturbed = workflow.WithActivityOptions(undisturbed, workflow.ActivityOptions{
		StartToCloseTimeout: drainLimit, HeartbeatTimeout: drainBeat,
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: drainFirstWait, BackoffCoefficient: 2, MaximumInterval: drainLongestWait},
	})
	d := &delivery{in: in, queue: contract.QueueDeliveries, root: ctx, ctx: undisturbed, pokes: workflow.GetSignalChannel(ctx, contract.SignalPoke)}
	return d.run()
}

func (d *delivery) run() error {
	for range deliveryRounds {
		d.forgetPokes() // what they tell of is seen by the activity that begins now
		stands, err := d.drain()
		if err != nil {
			return err
		}
		workflow.SetCurrentDetails(d.ctx, stands.Details)
		if d.queue = contract.QueueDeliveries; stands.Slow {
			d.queue = contract.QueueSlowDeliveries
		}
		if d.pokes.Len() > 0 {
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

func (d *delivery) forgetPokes() {
	for d.pokes.ReceiveAsync(nil) {
	}
}

// drain runs the activity that draws. A cancellation meanwhile ends what waits
// at once and lets the activity end by itself.
func (d *delivery) drain() (contract.DrainResult, error) {
	var stands contract.DrainResult
	drawing := workflow.ExecuteActivity(workflow.WithTaskQueue(d.ctx, d.queue), contract.ActivityDrain, d.in)
	selector := workflow.NewSelector(d.ctx)
	selector.AddFuture(drawing, func(workflow.Future) {})
	selector.AddReceive(d.root.Done(), func(workflow.ReceiveChannel, bool) {})
	selector.Select(d.ctx)
	if d.root.Err() != nil {
		err := d.cancel()
		if ended := drawing.Get(d.ctx, nil); err == nil && ended != nil {
			err = ended
		}
		return stands, orCancelled(err)
	}
	return stands, drawing.Get(d.ctx, &stands)
}

// sleep waits for the time of the next row or for a poke.
func (d *delivery) sleep(wait time.Duration) error {
	timed, stop := workflow.WithCancel(d.ctx)
	defer stop()
	selector := workflow.NewSelector(d.ctx)
	selector.AddFuture(workflow.NewTimer(timed, wait), func(workflow.Future) {})
	selector.AddReceive(d.pokes, func(workflow.ReceiveChannel, bool) {})
	selector.AddReceive(d.root.Done(), func(workflow.ReceiveChannel, bool) {})
	selector.Select(d.ctx)
	if d.root.Err() != nil {
		return orCancelled(d.cancel())
	}
	return nil
}

// cancel ends the rows that wait.
func (d *delivery) cancel() error {
	return workflow.ExecuteActivity(workflow.WithTaskQueue(d.ctx, contract.QueueDeliveries), contract.ActivityCancel, d.in).Get(d.ctx, nil)
}

// orCancelled closes the run as cancelled unless something went wrong.
func orCancelled(err error) error {
	if err == nil {
		return workflow.ErrCanceled
	}
	return err
}
