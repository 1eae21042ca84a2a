package ingestion

import (
	"context"
	"errors"
)

// knownFaults is how many faults of one look at waste are made known; others are mostly
// the same.
const knownFaults = 5

// finder returns up to so many pieces of waste.
type finder[T comparable] func(ctx context.Context, limit int) ([]T, error)

// leavings are pieces of waste that a call could not remove.
type leavings[T comparable] struct {
	pieces map[T]bool
	faults []error
}

// note notes the pieces that a fault, if it is one, has left.
func (l *leavings[T]) note(err error, pieces ...T) {
	if err == nil {
		return
	}
	if len(l.faults) < knownFaults {
		l.faults = append(l.faults, err)
	}
	for _, piece := range pieces {
		l.pieces[piece] = true
	}
}

// batches has waste removed, batch by batch until nothing is found but what could not
// be removed, which is tried once. What is left is asked for besides a batch, so that it
// takes the place of nothing else.
func batches[T comparable](ctx context.Context, size int, find finder[T], remove func([]T, *leavings[T])) error {
	left := &leavings[T]{pieces: map[T]bool{}}
	for {
		found, err := find(ctx, size+len(left.pieces))
		if err != nil {
			return errors.Join(append(left.faults, err)...)
		}
		var untried []T
		for _, piece := range found {
			if !left.pieces[piece] && len(untried) < size {
				untried = append(untried, piece)
			}
		}
		if len(untried) == 0 || ctx.Err() != nil {
			return errors.Join(left.faults...)
		}
		remove(untried, left)
	}
}

// each is batches for what is removed one by one.
func each[T comparable](ctx context.Context, find finder[T], remove func(T) error) error {
	return batches(ctx, removeBatch, find, func(found []T, left *leavings[T]) {
		for _, piece := range found {
			left.note(remove(piece), piece)
		}
	})
}
