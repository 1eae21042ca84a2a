package indexing

import (
	"context"

	"github.com/redline-svc/redline/activities"
)

// Slots are held by those who work, one each. Whoever waits for the model gives its
// slot back meanwhile, so that sources with many texts, or a slow model, keep no
// other source from going on. Nil Slots have one for everybody.
type Slots chan struct{}

// NewSlots makes n slots.
func NewSlots(n int) Slots { return make(Slots, n) }

// Acquire waits for a slot until ctx ends or the worker stops.
func (s Slots) Acquire(ctx context.Context) error {
	if err := activities.Stopping(ctx); err != nil || s == nil {
		return err
	}
	select {
	case s <- struct{}{}:
		return nil
	case <-activities.WorkerStop(ctx):
	case <-ctx.Done():
	}
	return activities.Stopping(ctx)
}

// Release gives a slot back.
func (s Slots) Release() {
	if s != nil {
		<-s
	}
}

// Resume takes a slot again after Release, even when ctx has ended or the worker
// stops meanwhile: its holder releases it as usual.
func (s Slots) Resume() {
	if s != nil {
		s <- struct{}{}
	}
}
