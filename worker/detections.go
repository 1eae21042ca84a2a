package worker

import (
	"context"

	"github.com/redline-svc/redline/internal/poll"
	"github.com/redline-svc/redline/models/queue"
)

// turnedAtOnce is how many workspaces one look queues that another model looked through.
const turnedAtOnce = 32

// Detections are the workspaces whose patterns are looked for (*pattern.Patterns).
type Detections interface {
	// Begin turns a workspace into a job, and reports whether it did: while another one is
	// open it does not.
	Begin(ctx context.Context, workspaceID string) (bool, error)
	// QueueTurned queues up to limit workspaces that another model looked through than the
	// one that serves, and returns how many.
	QueueTurned(ctx context.Context, limit int) (int, error)
}

// beginDetection is the handler of patterns, whose time has come or whose judgments have
// rested. While a detection of the workspace is open it is put off.
func (w *Worker) beginDetection(ctx context.Context, c queue.Claimed) (done bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, rowsLimit)
	defer cancel()
	begun, err := w.o.Detections.Begin(ctx, c.Key)
	if err == nil && !begun {
		err = errNotYet
	}
	return begun, err
}

// queueTurned queues workspaces that another model looked through until ctx ends.
func (w *Worker) queueTurned(ctx context.Context) {
	poll.New(pollEvery).Run(ctx, func(ctx context.Context) bool {
		own, cancel := context.WithTimeout(ctx, rowsLimit)
		defer cancel()
		n, err := w.o.Detections.QueueTurned(own, turnedAtOnce)
		if err != nil && ctx.Err() == nil {
			w.o.Log.WarnContext(ctx, "patterns of another model could not be queued", "error", err)
		}
		return n == turnedAtOnce
	})
}
