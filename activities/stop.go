package activities

import (
	"context"

	"go.temporal.io/sdk/activity"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/slots"
)

// WorkerStop is closed once the worker of an activity is about to stop; nil, which
// never is, outside of activities.
func WorkerStop(ctx context.Context) <-chan struct{} {
	if !activity.IsActivity(ctx) {
		return nil
	}
	return activity.GetWorkerStopChannel(ctx)
}

// Stopping returns an error once the worker is about to stop, or ctx has ended:
// another one goes on from the rows.
func Stopping(ctx context.Context) error {
	select {
	case <-WorkerStop(ctx):
		return fault.Unavailable(context.Canceled)
	case <-ctx.Done():
		return ctx.Err()
	default:
		return nil
	}
}

// Acquire waits for a slot of a workspace until ctx ends or the worker stops.
func Acquire(ctx context.Context, s *slots.Slots, workspaceID string) error {
	if err := Stopping(ctx); err != nil {
		return err
	}
	own, cancel := UntilStop(ctx)
	defer cancel()
	if s.Acquire(own, workspaceID, 1) != nil {
		return Stopping(ctx)
	}
	return nil
}

// GiveBack releases a slot while its holder waits for something else, and takes it again
// by what it returns, even when ctx has ended or the worker stops meanwhile.
func GiveBack(ctx context.Context, s *slots.Slots, workspaceID string) (again func()) {
	s.Release(workspaceID, 1)
	return func() {
		_ = s.Acquire(context.WithoutCancel(ctx), workspaceID, 1) // without an end there is no error
	}
}

// UntilStop returns a context that also ends with the worker.
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
