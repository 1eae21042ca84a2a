package receiver

import (
	"context"
	"sync"
)

// mostKept is how many items a store keeps; older ones go.
const mostKept = 50_000

// store keeps items in the order in which they came. The first has number 1,
// and no number is given twice.
type store[T any] struct {
	mu    sync.Mutex
	items []T
	// dropped is how many items have gone: items[i] has number dropped+i+1.
	dropped int
	// grown is closed and replaced whenever an item comes.
	grown chan struct{}
}

func newStore[T any]() *store[T] {
	return &store[T]{grown: make(chan struct{})}
}

// add keeps what make returns for the number it is given.
func (s *store[T]) add(build func(n int) T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items = append(s.items, build(s.dropped+len(s.items)+1))
	if len(s.items) > mostKept {
		s.items = append([]T(nil), s.items[mostKept/2:]...)
		s.dropped += mostKept / 2
	}
	close(s.grown)
	s.grown = make(chan struct{})
}

// after returns the wanted items with a number above n, and a channel that is
// closed when there is more to look at.
func (s *store[T]) after(n int, wanted func(T) bool) ([]T, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := []T{}
	for _, item := range s.items[min(max(0, n-s.dropped), len(s.items)):] {
		if wanted(item) {
			found = append(found, item)
		}
	}
	return found, s.grown
}

// await is after, but waits for a first item until the context ends.
func (s *store[T]) await(ctx context.Context, n int, wanted func(T) bool) []T {
	for {
		found, grown := s.after(n, wanted)
		if len(found) > 0 {
			return found
		}
		select {
		case <-ctx.Done():
			return found
		case <-grown:
		}
	}
}
