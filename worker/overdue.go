package worker

import (
	"context"
	"time"

	"github.com/redline-svc/redline/internal/poll"
)

// overdueEvery is how often a worker looks for destinations that nobody drives.
const overdueEvery = 60 * time.Second

// Kinds of what is found that nobody drives.
const (
	kindExecution   = "execution"
	kindDestination = "destination"
)

// findIdleDestinations looks for destinations that nobody drives until ctx ends.
func (w *Worker) findIdleDestinations(ctx context.Context) {
	poll.New(overdueEvery).Run(ctx, func(ctx context.Context) bool {
		own, cancel := context.WithTimeout(ctx, rowsLimit)
		defer cancel()
		n, err := w.destinations.overdue(own)
		if err != nil && ctx.Err() == nil {
			w.o.Log.WarnContext(ctx, "looking for overdue destinations has failed", "error", err)
		}
		if n > 0 {
			w.foundOverdue(ctx, kindDestination, n)
		}
		return false
	})
}

// foundOverdue counts what was found that nobody drives; ids are further fields of the line.
func (w *Worker) foundOverdue(ctx context.Context, kind string, n int, ids ...any) {
	w.o.Log.WarnContext(ctx, "found what nobody drives", append([]any{"kind", kind, "count", n}, ids...)...)
	if w.o.Metrics != nil {
		w.o.Metrics.OverdueFound.WithLabelValues(kind).Add(float64(n))
	}
}
