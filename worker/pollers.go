package worker

import (
	"context"
	"sync"

	"go.temporal.io/sdk/activity"
	sdkworker "go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/workflows"
)

// ExecutionActivities are the activities of the Execution workflow
// (*activities.Executions).
type ExecutionActivities interface {
	Plan(ctx context.Context, in contract.PlanInput) (contract.Plan, error)
	Call(ctx context.Context, in contract.CallInput) (contract.Plan, error)
}

// Numbers of pollers and places of a worker. Slow calls wait for answers and
// take no processor, so they have many places.
const (
	taskPollers   = 8
	callPlaces    = 1000
	localPlaces   = 200
	workflowTasks = 200
)

// DrainPlaces is how many destinations one worker draws from at once.
const DrainPlaces = 200

// pollers are the three groups that take tasks from the engine.
type pollers struct {
	groups []sdkworker.Worker
	broken chan error
}

// startPollers registers everything by its name in the contract and starts to
// poll.
func (w *Worker) startPollers(e *engine) (*pollers, error) {
	p := &pollers{broken: make(chan error, 1)}
	p.groups = []sdkworker.Worker{w.executions(e, p), w.calls(e, p), w.deliveries(e, p)}
	for _, group := range p.groups {
		if err := group.Start(); err != nil {
			p.stop()
			return nil, err
		}
	}
	return p, nil
}

// options are common to the groups. A poller that gave up breaks the session.
func (w *Worker) options(p *pollers) sdkworker.Options {
	return sdkworker.Options{
		WorkerStopTimeout: w.o.StopTimeout,
		OnFatalError: func(err error) {
			select {
			case p.broken <- err:
			default: // one is enough
			}
		},
	}
}

func (w *Worker) executions(e *engine, p *pollers) sdkworker.Worker {
	o := w.options(p)
	o.LocalActivityWorkerOnly = true
	o.MaxConcurrentWorkflowTaskPollers = taskPollers
	o.MaxConcurrentWorkflowTaskExecutionSize = workflowTasks
	o.MaxConcurrentLocalActivityExecutionSize = localPlaces
	group := sdkworker.New(e.Client, contract.QueueExecutions, o)
	group.RegisterWorkflowWithOptions(workflows.Execution, workflow.RegisterOptions{Name: contract.WorkflowExecution})
	group.RegisterActivityWithOptions(w.o.ExecutionActivities.Plan, activity.RegisterOptions{Name: contract.ActivityPlan})
	return group
}

func (w *Worker) calls(e *engine, p *pollers) sdkworker.Worker {
	o := w.options(p)
	o.DisableWorkflowWorker = true
	o.MaxConcurrentActivityTaskPollers = taskPollers
	o.MaxConcurrentActivityExecutionSize = callPlaces
	group := sdkworker.New(e.Client, contract.QueueCalls, o)
	group.RegisterActivityWithOptions(w.call, activity.RegisterOptions{Name: contract.ActivityCall})
	return group
}

// call is the activity of a call; its end may have set a place free.
func (w *Worker) call(ctx context.Context, in contract.CallInput) (contract.Plan, error) {
	defer w.places.rouse()
	return w.o.ExecutionActivities.Call(ctx, in)
}

// stop ends the groups side by side: each stops polling and waits for what it
// has under way, up to the stop timeout.
func (p *pollers) stop() {
	var all sync.WaitGroup
	for _, group := range p.groups {
		all.Go(group.Stop)
	}
	all.Wait()
}

// DeliveryActivities are the activities of the Delivery workflow
// (*activities.Deliveries).
type DeliveryActivities interface {
	// Activities gives each activity under its name in the contract.
	Activities() map[string]any
}

func (w *Worker) deliveries(e *engine, p *pollers) sdkworker.Worker {
	o := w.options(p)
	o.MaxConcurrentActivityExecutionSize = DrainPlaces
	group := sdkworker.New(e.Client, contract.QueueDeliveries, o)
	group.RegisterWorkflowWithOptions(workflows.Delivery, workflow.RegisterOptions{Name: contract.WorkflowDelivery})
	for name, fn := range w.o.DeliveryActivities.Activities() {
		group.RegisterActivityWithOptions(fn, activity.RegisterOptions{Name: name})
	}
	return group
}
