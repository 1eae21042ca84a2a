package worker

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"sync"
	"time"

	"go.temporal.io/sdk/interceptor"
	sdkworker "go.temporal.io/sdk/worker"

	"github.com/redline-svc/redline/internal/telemetry"
	"github.com/redline-svc/redline/models/notifier"
	"github.com/redline-svc/redline/models/queue"
)

// Options is everything a worker is made of. The caller opens the database and
// makes the stores and the activities; the worker owns the connection to
// Temporal.
type Options struct {
	// Address and Namespace of Temporal (REDLINE_TEMPORAL_ADDR,
	// REDLINE_TEMPORAL_NAMESPACE); TLS is nil for none.
	Address, Namespace string
	TLS                *tls.Config
	// Interceptors are added to Temporal's client, for traces.
	Interceptors []interceptor.ClientInterceptor

	// Queue is the queue of work (*queue.Queue).
	Queue Queue
	// Executions are the rows that are started, signalled and found overdue
	// (*execution.Executions).
	Executions Executions
	// Destinations are the rows of deliveries whose runs are started
	// (*delivery.Deliveries).
	Destinations Destinations
	// Notifier of this process. The worker runs Listen; whoever commits runs Run.
	Notifier *notifier.Notifier

	// ExecutionActivities are *execution.Activities, DeliveryActivities
	// *delivery.Activities.
	ExecutionActivities ExecutionActivities
	DeliveryActivities  DeliveryActivities

	// Versions are the rows of sources in work (*knowledge.Knowledge) and
	// IngestionActivities what is done with them (*ingestion.Activities).
	Versions            Versions
	IngestionActivities IngestionActivities

	// Jobs are the rows of jobs (*job.Jobs) and JobActivities what works on them
	// (*job.Activities).
	Jobs          Jobs
	JobActivities JobActivities

	// Schedules are the rows of triggers that fire by the clock
	// (*definition.Definitions) and ScheduleActivities what their runs do
	// (*execution.Schedules).
	Schedules          Schedules
	ScheduleActivities ScheduleActivities

	// Detections are the workspaces whose patterns are looked for (*pattern.Patterns).
	Detections Detections

	// JudgmentIndexing is what is done with the index of judgments (*indexing.Judgments).
	JudgmentIndexing JudgmentIndexing

	// StartsInFlight is how many starts are asked of Temporal at once
	// (REDLINE_STARTS_IN_FLIGHT).
	StartsInFlight int
	// Sticky is how long a task waits for the worker that has its run in memory
	// (REDLINE_STICKY_WAIT).
	Sticky time.Duration
	// StopTimeout is how long running attempts may take to end when the worker
	// stops (REDLINE_SHUTDOWN_TIMEOUT).
	StopTimeout time.Duration
	// Metrics counts what nobody drives, and activities that keep failing; nil for
	// nobody.
	Metrics *telemetry.Metrics
	// Log takes background lines; nil for slog.Default.
	Log *slog.Logger
}

const (
	// rowsAtOnce is how many rows of a kind are handled side by side, where handling one is
	// one call to Temporal.
	rowsAtOnce = 8
	// judgmentsAtOnce are brought into the index together, unless they are long.
	judgmentsAtOnce = 64
	// cachedRuns is how many waiting runs are kept in memory; others are read
	// from their history when something happens.
	cachedRuns = 2000
	// retrySession is the pause before the next session after one that did not
	// come up.
	retrySession = time.Second
)

// Worker drives executions and deliveries until its Run ends.
type Worker struct {
	o            Options
	destinations *destinationLoop
	callSlots    *callSlots
	starts       *loop
	overdue      *loop
	versions     *loop
	jobs         *loop
	patterns     *loop
	rested       *loop
	schedules    *loop
	judgments    *loop
	removed      *loop
	loops        loops
	tries        *tries

	mu  sync.Mutex
	err error // why there is no usable session; nil when there is one
}

// errStarting is the state before the first session.
var errStarting = errors.New("no session with Temporal has begun yet")

// New makes a worker. It does not connect: Run does, and keeps trying.
func New(o Options) (*Worker, error) {
	if o.Address == "" || o.Namespace == "" {
		return nil, errors.New("the address and the namespace of Temporal are required")
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	sdkworker.SetStickyWorkflowCacheSize(cachedRuns)
	w := &Worker{o: o, err: errStarting}
	w.destinations = newDestinationLoop(o.Destinations, o.Log)
	w.callSlots = newCallSlots(o.Executions, o.Log)
	w.starts = newLoop(queue.Executions, o, o.StartsInFlight)
	w.overdue = newLoop(queue.Overdue, o, rowsAtOnce)
	w.versions = newLoop(queue.Versions, o, rowsAtOnce)
	w.jobs = newLoop(queue.Jobs, o, rowsAtOnce)
	w.patterns = newLoop(queue.Patterns, o, rowsAtOnce)
	w.rested = newLoop(queue.Rested, o, rowsAtOnce)
	w.schedules = newLoop(queue.Schedules, o, rowsAtOnce)
	w.tries = newTries(o.Metrics)
	w.judgments = newLoop(queue.Judgments, o, judgmentsAtOnce)
	w.removed = newLoop(queue.RemovedJudgments, o, judgmentsAtOnce)
	o.Notifier.On(notifier.Destinations, w.destinations.note)
	w.loops = loops{}
	for _, l := range []*loop{w.starts, w.overdue, w.versions, w.jobs, w.patterns, w.rested, w.schedules, w.judgments, w.removed} {
		w.loops[l.kind] = l
		o.Notifier.On(l.kind.Topic(), func([]string) { l.poll.Notify() })
	}
	return w, nil
}

// Check returns nil while Temporal answers and the pollers run, else why not.
func (w *Worker) Check(context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

func (w *Worker) noteState(err error) {
	w.mu.Lock()
	before := w.err
	w.err = err
	w.mu.Unlock()
	switch {
	case err == nil && before != nil:
		w.o.Log.Info("Temporal is usable", "namespace", w.o.Namespace)
	case err != nil && (before == nil || errors.Is(before, errStarting)):
		w.o.Log.Warn("Temporal is not usable, trying again", "error", err)
	}
}

// Run drives until ctx ends, then stops polling, lets running attempts end and
// gives back the rest. It returns when everything has ended.
func (w *Worker) Run(ctx context.Context) error {
	var ending sync.WaitGroup
	ending.Go(func() { w.o.Notifier.Listen(ctx) })
	ending.Go(func() { w.loops.look(ctx, w.o) })
	ending.Go(func() { w.judgments.runBatches(ctx, w.o.JudgmentIndexing.BringIn) }) // it needs no Temporal
	ending.Go(func() { w.removed.runBatches(ctx, w.o.JudgmentIndexing.TakeOut) })
	for ctx.Err() == nil {
		if err := w.session(ctx, &ending); err != nil {
			w.noteState(err)
			pause(ctx, retrySession)
		}
	}
	ending.Wait()
	return nil
}

// session works with one connection and one namespace until something about
// them has changed. What it has under way ends in the background.
func (w *Worker) session(ctx context.Context, ending *sync.WaitGroup) error {
	e, err := connect(w.o)
	if err != nil {
		return err
	}
	id, err := e.prepare(ctx)
	if err != nil {
		e.Close()
		return err
	}
	p, err := w.startPollers(e)
	if err != nil {
		e.Close()
		return err
	}
	w.noteState(nil)
	own, end := context.WithCancel(ctx)
	var drivers sync.WaitGroup
	drivers.Go(func() { w.starts.run(own, w.startExecutions(e.start)) })
	drivers.Go(func() { w.overdue.run(own, w.findOverdue) })
	drivers.Go(func() { w.destinations.run(own, e.startDelivery) })
	drivers.Go(func() { w.findIdleDestinations(own) })
	drivers.Go(func() { w.callSlots.run(own) })
	drivers.Go(func() { w.tries.run(own) })
	drivers.Go(func() { w.versions.run(own, w.startIngestions(e)) })
	drivers.Go(func() { w.removeLeftovers(own) })
	drivers.Go(func() { w.jobs.run(own, w.startJobs(e)) })
	drivers.Go(func() { w.patterns.run(own, w.beginDetection) })
	drivers.Go(func() { w.rested.run(own, w.beginDetection) })
	drivers.Go(func() { w.queueTurned(own) })
	drivers.Go(func() { w.driveSchedules(own, e) })
	w.watch(ctx, e, id, p.broken)
	end()
	ending.Go(func() {
		drivers.Wait() // eager starts need the pollers
		p.stop()
		e.Close()
	})
	return nil
}

// watch waits until the session should be replaced.
func (w *Worker) watch(ctx context.Context, e *connection, id string, broken <-chan error) {
	away := false
	for {
		select {
		case <-ctx.Done():
			return
		case err := <-broken:
			w.o.Log.WarnContext(ctx, "Temporal's pollers have ended", "error", err)
			return
		case <-time.After(pollEvery):
		}
		now, err := e.namespaceID(ctx)
		switch {
		case errors.Is(err, errNoNamespace), err == nil && now != id:
			w.noteState(errNoNamespace)
			return
		case err != nil && ctx.Err() == nil:
			w.noteState(err)
			away = true
		case err == nil && away:
			return // the old pollers wait up to 10 s before they look again
		}
	}
}
