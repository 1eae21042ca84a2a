package proxy

import (
	"context"
	"errors"
	"sync"
)

// Hold is a point at which traffic stops until Release.
type Hold struct {
	reached  chan struct{}
	released chan struct{}
	arrive   sync.Once
	leave    sync.Once

	mu      sync.Mutex
	dropped chan struct{} // of what stands there now
}

func newHold() *Hold {
	return &Hold{reached: make(chan struct{}), released: make(chan struct{}), dropped: make(chan struct{})}
}

// Reached returns a channel that is closed once the first request or answer stands at the point.
func (h *Hold) Reached() <-chan struct{} { return h.reached }

// Release lets go on what stands at the point and all that comes.
func (h *Hold) Release() { h.leave.Do(func() { close(h.released) }) }

// Drop loses what stands at the point, as if its sender had died before it was sent,
// and lets all that comes go on. The death of a process may be seen later here
// than by a test, so a request of the dead is dropped, never released.
func (h *Hold) Drop() {
	h.mu.Lock()
	close(h.dropped)
	h.dropped = make(chan struct{})
	h.mu.Unlock()
	h.Release()
}

// errDropped ends the connection of what was dropped.
var errDropped = errors.New("dropped at a hold")

// wait stands at the point until it is released or the caller has gone.
func (h *Hold) wait(ctx context.Context) error {
	h.mu.Lock()
	dropped := h.dropped
	h.mu.Unlock()
	h.arrive.Do(func() { close(h.reached) })
	select {
	case <-h.released:
	case <-dropped:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-dropped: // both may have come at once
		return errDropped
	default:
		return nil
	}
}
