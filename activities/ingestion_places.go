package activities

import (
	"context"

	"go.temporal.io/sdk/activity"

	"github.com/redline-svc/redline/internal/embed"
)

// workPlaces is how many stages work at once in a process. They share the
// processor and the connections to the rows, so more would only make each slower.
const workPlaces = 8

// places are held by the stages that work. One that waits for the model gives
// its own back meanwhile: sources with many texts, or a slow model, keep no other
// one from going on.
type places chan struct{}

// take waits for a place until ctx ends or the worker stops.
func (p places) take(ctx context.Context) error {
	if err := stopping(ctx); err != nil {
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

func (p places) leave() { <-p }

// untilStop also ends with the worker: behind many others a model may take long
// to answer.
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

// apart is a model whose callers hold places.
type apart struct {
	embed.Embedder

	places places
}

// Embed is that of the model, without the place of the caller, who has it again
// afterwards.
func (m apart) Embed(ctx context.Context, texts []string, use embed.Use) ([][]float32, error) {
	m.places.leave()
	defer func() { m.places <- struct{}{} }()
	own, cancel := untilStop(ctx)
	defer cancel()
	vectors, err := m.Embedder.Embed(own, texts, use)
	if stopped := stopping(ctx); err != nil && stopped != nil {
		return nil, stopped
	}
	return vectors, err
}
