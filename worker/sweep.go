package worker

import (
	"context"
	"sync"
	"time"

	"github.com/redline-svc/redline/internal/pump"
)

const (
	// sweepExecutions and sweepDestinations are how often a worker looks for
	// what nobody drives.
	sweepExecutions   = 30 * time.Second
	sweepDestinations = 60 * time.Second
)

// Kinds of what the sweep sets going again.
const (
	kindExecution   = "execution"
	kindDestination = "destination"
)

// sweep looks for what nobody drives until ctx ends.
func (w *Worker) sweep(ctx context.Context) {
	var kinds sync.WaitGroup
	kinds.Go(func() { w.sweepEvery(ctx, sweepExecutions, kindExecution, w.o.Executions.Sweep) })
	kinds.Go(func() { w.sweepEvery(ctx, sweepDestinations, kindDestination, w.waker.overdue) })
	kinds.Wait()
}

func (w *Worker) sweepEvery(ctx context.Context, every time.Duration, kind string, look func(context.Context) (int, error)) {
	pump.New(every).Run(ctx, func(ctx context.Context) bool {
		w.swept(ctx, kind, look)
		return false
	})
}

func (w *Worker) swept(ctx context.Context, kind string, look func(context.Context) (int, error)) {
	own, cancel := context.WithTimeout(ctx, rowsLimit)
	defer cancel()
	n, err := look(own)
	switch {
	case err != nil && ctx.Err() == nil:
		w.o.Log.WarnContext(ctx, "the sweep has failed", "kind", kind, "error", err)
	case n > 0:
		w.o.Log.WarnContext(ctx, "the sweep found what nobody drives", "kind", kind, "count", n)
		if w.o.Metrics != nil {
			w.o.Metrics.SweeperRestarts.WithLabelValues(kind).Add(float64(n))
		}
	}
}
