package activities

import (
	"context"

	"go.temporal.io/sdk/activity"
)

// workPlaces is how many stages work at once in a process. They share the
// processor and the connections to the rows, so more would only make each slower.
const workPlaces = 8

// places are held by the stages that work. One that waits for the model gives
// its own back meanwhile: sources with many texts, or a slow model, keep no other
// one from going on.
type places chan struct{}

// take waits for a place until ctx ends or the worker stops. Without places
// there is one for everybody.
func (p places) take(ctx context.Context) error {
	if err := stopping(ctx); err != nil || p == nil {
		return err
	}
	var stop <-chan struct{}
	if activity.IsActivity(ctx) {
		stop = activity.GetWorkerStopChannel(ctx)
	}
	select {
	case p <- struct{}{}:
		return nil
	case <-stop:
	case <-ctx.Done():
	}
	return stopping(ctx)
}

func (p places) leave() {
	if p != nil {
		<-p
	}
}

// back takes the place again that was given back, whatever has ended meanwhile:
// its holder leaves it as ever.
func (p places) back() {
	if p != nil {
		p <- struct{}{}
	}
}

// untilStop gives a context that also ends with the worker.
func untilStop(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	if activity.IsActivity(ctx) {
		go func() {
			select {
			case <-activity.GetWorkerStopChannel(ctx):
				cancel()
			case <-ctx.Done():
			}
		}()
	}
	return ctx, cancel
}
