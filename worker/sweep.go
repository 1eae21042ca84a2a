package worker

import (
	"context"
	"log/slog"
	"time"
)

const (
	// sweepExecutions and sweepDestinations are how often a worker looks for
	// what nobody drives.
	sweepExecutions   = 30 * time.Second
	sweepDestinations = 60 * time.Second
	// placesEvery is how often free places for calls are given away, placesSoon
	// how long after a call has ended, so that many ends cost one look.
	placesEvery = time.Second
	placesSoon  = 100 * time.Millisecond
)

// Kinds of what the sweep sets going again.
const (
	kindExecution   = "execution"
	kindDestination = "destination"
)

// sweep looks for what nobody drives until ctx ends.
func (w *Worker) sweep(ctx context.Context) {
	executions, destinations := time.NewTicker(sweepExecutions), time.NewTicker(sweepDestinations)
	defer executions.Stop()
	defer destinations.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-executions.C:
			w.swept(ctx, kindExecution, w.o.Executions.Sweep)
		case <-destinations.C:
			w.swept(ctx, kindDestination, w.waker.overdue)
		}
	}
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

// places gives free places to the calls that wait longest.
type places struct {
	rows  Executions
	log   *slog.Logger
	nudge chan struct{}
}

func newPlaces(rows Executions, log *slog.Logger) *places {
	return &places{rows: rows, log: log, nudge: make(chan struct{}, 1)}
}

// rouse tells that a place may have become free. It never blocks.
func (p *places) rouse() {
	select {
	case p.nudge <- struct{}{}:
	default: // it is going to look anyway
	}
}

func (p *places) run(ctx context.Context) {
	for ctx.Err() == nil {
		wait, cancel := context.WithTimeout(ctx, placesEvery)
		select {
		case <-p.nudge:
			pause(ctx, placesSoon)
		case <-wait.Done():
		}
		cancel()
		own, cancel := context.WithTimeout(ctx, rowsLimit)
		if err := p.rows.FreePlaces(own); err != nil && ctx.Err() == nil {
			p.log.WarnContext(ctx, "free places could not be given away", "error", err)
		}
		cancel()
	}
}
