package worker

import (
	"context"

	"github.com/redline-svc/redline/internal/pump"
)

// detectionsAtOnce is how many workspaces one look has their patterns looked for.
const detectionsAtOnce = 32

// Detections are what is due of the patterns of workspaces (*pattern.Patterns).
type Detections interface {
	// Begin turns up to limit workspaces whose time has come into jobs, and gives how
	// many.
	Begin(ctx context.Context, limit int) (int, error)
}

// beginDetections queues the jobs of what is due until ctx ends.
func (w *Worker) beginDetections(ctx context.Context) {
	pump.New(pollEvery).Run(ctx, func(ctx context.Context) bool {
		own, cancel := context.WithTimeout(ctx, rowsLimit)
		defer cancel()
		begun, err := w.o.Detections.Begin(own, detectionsAtOnce)
		if err != nil && ctx.Err() == nil {
			w.o.Log.WarnContext(ctx, "detections could not be begun", "error", err)
		}
		return begun == detectionsAtOnce
	})
}
