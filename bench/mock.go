package main

import (
	"context"
	"time"

	"github.com/redline-svc/redline/tests/client"
)

const (
	mockPairs = 5
	inARow    = 2000
)

// benchMock compares executions of one mock step, from dispatch to completed,
// with bare workflows of one local activity. The engine's own clean-up after
// the last one is outside the time of both sides, and a part of it falls into the
// block that follows, so the two sides come first alternately.
func benchMock(ctx context.Context, r *rig) ([]row, error) {
	var blocks []pair
	for i := range mockPairs {
		var block pair
		sides := []func() error{
			func() (err error) { block.Against, err = r.bareInstants(ctx, inARow); return err },
			func() (err error) { block.Measured, err = r.mockExecutions(ctx, inARow); return err },
		}
		for j := range sides {
			if err := sides[(i+j)%len(sides)](); err != nil {
				return nil, err
			}
		}
		blocks = append(blocks, block)
	}
	measured, against := medians(blocks)
	r.bareRate = against
	return []row{atLeast(0.8, row{
		Name: "executions of one mock step", Unit: "1/s", Measured: measured,
		What: "bare workflow, one local activity, eager", Against: against, Blocks: blocks,
	})}, nil
}

// bareInstants runs n bare workflows and gives their rate.
func (r *rig) bareInstants(ctx context.Context, n int) (float64, error) {
	goal, began := r.bare.did.Load()+int64(n), time.Now()
	runs := make([]string, n)
	_, err := spread(ctx, callers, n, func(ctx context.Context, i int) error {
		run, err := r.bare.start(ctx, r.bare.instant)
		if err == nil {
			runs[i] = run.GetID()
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	err = r.until(ctx, func() (bool, error) { return r.bare.did.Load() >= goal, nil })
	rate := float64(n) / time.Since(began).Seconds()
	if err != nil {
		return 0, err
	}
	return rate, r.bare.closed(ctx, runs)
}

// closed waits until the workflows have ended in the engine too.
func (b *bareEngine) closed(ctx context.Context, ids []string) error {
	_, err := spread(ctx, callers, len(ids), func(ctx context.Context, i int) error {
		return b.client.GetWorkflow(ctx, ids[i], "").Get(ctx, nil)
	})
	return err
}

// mockExecutions runs n executions of one mock step and gives their rate.
func (r *rig) mockExecutions(ctx context.Context, n int) (float64, error) {
	definition, err := r.define(ctx, []client.Node{client.Mock("only")})
	if err != nil {
		return 0, err
	}
	began := time.Now()
	if _, _, err := r.dispatches(ctx, n, client.Dispatch{DefinitionID: definition}); err != nil {
		return 0, err
	}
	if err := r.awaitEnded(ctx, definition); err != nil {
		return 0, err
	}
	return float64(n) / time.Since(began).Seconds(), nil
}
