package proxy

import (
	"context"
	"sync"
)

// Hold is a point at which traffic stops until Release.
type Hold struct {
	reached  chan struct{}
	released chan struct{}
	arrive   sync.Once
	leave    sync.Once
}

func newHold() *Hold {
	return &Hold{reached: make(chan struct{}), released: make(chan struct{})}
}

// Reached is closed once the first request or answer stands at the point.
func (h *Hold) Reached() <-chan struct{} { return h.reached }

// Release lets what stands there and all that comes go on.
func (h *Hold) Release() { h.leave.Do(func() { close(h.released) }) }

// wait stands at the point until it is released or the caller has gone.
func (h *Hold) wait(ctx context.Context) error {
	h.arrive.Do(func() { close(h.reached) })
	select {
	case <-h.released:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
