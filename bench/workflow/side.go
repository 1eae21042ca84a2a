package workflow

import (
	"context"

	"github.com/redline-svc/redline/bench/bare"
	"github.com/redline-svc/redline/bench/measure"
	"github.com/redline-svc/redline/tests/kit/receiver"
	"github.com/redline-svc/redline/tests/kit/stack"
)

// Side is both sides of a row, on one stack.
type Side struct {
	Runs
	Bare  *bare.Temporal
	Stack *stack.Stack
	// Authority signs the receivers' certificates.
	Authority *receiver.Authority
	// Rest waits until the stack does nothing: what a block leaves to Temporal would
	// otherwise be done while the next block is measured.
	Rest func(ctx context.Context) error
}

// blocks measures both sides in turn, each on a stack at rest, and returns a pair for each turn.
func (s Side) blocks(ctx context.Context, pairs int, theirs, ours func(ctx context.Context) (float64, error)) (blocks []measure.Pair, err error) {
	for range pairs {
		var p measure.Pair
		if p.Against, err = s.rested(ctx, theirs); err != nil {
			return nil, err
		}
		if p.Measured, err = s.rested(ctx, ours); err != nil {
			return nil, err
		}
		blocks = append(blocks, p)
	}
	return blocks, nil
}

func (s Side) rested(ctx context.Context, block func(ctx context.Context) (float64, error)) (float64, error) {
	if err := s.Rest(ctx); err != nil {
		return 0, err
	}
	return block(ctx)
}
