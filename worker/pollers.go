package worker

import (
	"sync"

	"go.temporal.io/sdk/interceptor"
	sdkworker "go.temporal.io/sdk/worker"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/telemetry"
)

// Numbers of pollers of a worker and of what it has under way at most. Slow calls
// wait for answers and take no processor, so there may be many.
const (
	taskPollers   = 8
	maxCalls      = 1000
	maxLocal      = 200
	workflowTasks = 200
)

// MaxDispatchers is how many destinations one worker sends to at once. One that
// waits for slots or outcomes takes no processor, so there may be many; those of
// receivers that hang leave room for others.
const MaxDispatchers = 1000

// pollers are the groups that take tasks from Temporal.
type pollers struct {
	groups []sdkworker.Worker
	broken chan error
}

// startPollers registers everything by its name in the contract and starts to
// poll.
func (w *Worker) startPollers(e *connection) (*pollers, error) {
	sdkworker.SetBinaryChecksum(telemetry.Version()) // else the whole program is read and summed up
	p := &pollers{broken: make(chan error, 1)}
	p.groups = []sdkworker.Worker{w.executions(e, p), w.deliveries(e, p), w.ingestions(e, p), w.jobRuns(e, p)}
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

		StickyScheduleToStartTimeout: w.o.Sticky,
		Interceptors:                 []interceptor.WorkerInterceptor{w.tries},
		OnFatalError: func(err error) {
			select {
			case p.broken <- err:
			default: // one is enough
			}
		},
	}
}

// executions drives runs and makes the calls of their steps, in one group for the
// reason that the comment of the package gives.
func (w *Worker) executions(e *connection, p *pollers) sdkworker.Worker {
	o := w.options(p)
	o.MaxConcurrentWorkflowTaskPollers = taskPollers
	o.MaxConcurrentActivityTaskPollers = taskPollers
	o.MaxConcurrentActivityExecutionSize = maxCalls
	o.MaxConcurrentWorkflowTaskExecutionSize = workflowTasks
	o.MaxConcurrentLocalActivityExecutionSize = maxLocal
	group := sdkworker.New(e.Client, contract.QueueExecutions, o)
	w.registerExecutions(group)
	return group
}

func (w *Worker) deliveries(e *connection, p *pollers) sdkworker.Worker {
	o := w.options(p)
	o.MaxConcurrentActivityExecutionSize = MaxDispatchers
	group := sdkworker.New(e.Client, contract.QueueDeliveries, o)
	w.registerDeliveries(group)
	return group
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
