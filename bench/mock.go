package main

import (
	"context"
	"time"

	"github.com/redline-svc/redline/bench/measure"
	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

const (
	mockPairs = 5
	inARow    = 2000
)

// benchMock compares executions of one mock step, from dispatch to completed,
// with bare workflows of one local activity. Temporal's own clean-up after
// the last one is outside the time of both sides, and a part of it falls into the
// block that follows, so the two sides come first alternately.
func benchMock(ctx context.Context, r *rig) ([]measure.Row, error) {
	var blocks []measure.Pair
	for i := range mockPairs {
		var block measure.Pair
		sides := []func() error{
			func() (err error) { block.Against, err = r.bare.Instants(ctx, inARow); return err },
			func() (err error) { block.Measured, err = r.mockExecutions(ctx, inARow); return err },
		}
		for j := range sides {
			if err := sides[(i+j)%len(sides)](); err != nil {
				return nil, err
			}
		}
		blocks = append(blocks, block)
	}
	measured, against := measure.Medians(blocks)
	r.bareRate = against
	return []measure.Row{measure.AtLeast(0.8, measure.Row{
		Name: "executions of one mock step", Unit: "1/s", Measured: measured,
		What: "bare workflow, one local activity, eager", Against: against, Blocks: blocks,
	})}, nil
}

// mockExecutions runs n executions of one mock step and returns their rate.
func (r *rig) mockExecutions(ctx context.Context, n int) (float64, error) {
	definition, err := r.Define(ctx, []redline.NodeInput{client.Mock("only")})
	if err != nil {
		return 0, err
	}
	began := time.Now()
	if _, _, err := r.Dispatches(ctx, n, redline.DispatchRequest{DefinitionID: definition}); err != nil {
		return 0, err
	}
	if err := r.AwaitEnded(ctx, definition); err != nil {
		return 0, err
	}
	return float64(n) / time.Since(began).Seconds(), nil
}
