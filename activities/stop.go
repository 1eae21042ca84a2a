package activities

import (
	"context"

	"go.temporal.io/sdk/activity"

	"github.com/redline-svc/redline/internal/fault"
)

// WorkerStop is closed once the worker of an activity is about to stop; nil, which
// never is, outside of activities.
func WorkerStop(ctx context.Context) <-chan struct{} {
	if !activity.IsActivity(ctx) {
		return nil
	}
	return activity.GetWorkerStopChannel(ctx)
}

// Stopping gives an error once the worker is about to stop, or ctx has ended:
// another one goes on from the rows.
func Stopping(ctx context.Context) error {
	select {
	case <-WorkerStop(ctx):
		return fault.Away(context.Canceled)
	case <-ctx.Done():
		return ctx.Err()
	default:
		return nil
	}
}

// UntilStop gives a context that also ends with the worker.
func UntilStop(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	if stop := WorkerStop(ctx); stop != nil {
		go func() {
			select {
			case <-stop:
				cancel()
			case <-ctx.Done():
			}
		}()
	}
	return ctx, cancel
}
