package main

import (
	"context"

	"github.com/redline-svc/redline/tests/client"
)

const (
	dispatchPairs = 3
	dispatchBlock = 2000
	startBlock    = 600
)

// benchDispatch compares acknowledged dispatches with bare starts, 16 callers
// each. While the dispatches are taken the relay starts what was accepted; the
// bare starts are run by their worker meanwhile.
func benchDispatch(ctx context.Context, r *rig) ([]row, error) {
	definition, err := r.define(ctx, []client.Node{client.Mock("only")})
	if err != nil {
		return nil, err
	}
	var took, rates []pair
	for range dispatchPairs {
		theirs, err := r.bareStarts(ctx, startBlock)
		if err != nil {
			return nil, err
		}
		_, ours, err := r.dispatches(ctx, dispatchBlock, client.Dispatch{DefinitionID: definition})
		if err != nil {
			return nil, err
		}
		if err := r.awaitEnded(ctx, definition); err != nil {
			return nil, err
		}
		took = append(took, pair{Measured: ours.p50(), Against: theirs.p50()})
		rates = append(rates, pair{Measured: ours.perSecond(), Against: theirs.perSecond()})
	}
	measured, against := medians(took)
	rate, starts := medians(rates)
	return []row{
		atMost(0.1, row{
			Name: "dispatch acknowledged, 16 callers, p50", Unit: "ms", Measured: measured,
			What: "bare ExecuteWorkflow, 16 callers, p50", Against: against, Blocks: took,
		}),
		atLeast(8, row{
			Name: "dispatches acknowledged, relay starting meanwhile", Unit: "1/s", Measured: rate,
			What: "bare starts", Against: starts, Blocks: rates,
		}),
	}, nil
}

// bareStarts starts n bare workflows; only the starts are in the sample.
func (r *rig) bareStarts(ctx context.Context, n int) (sample, error) {
	runs := make([]string, n)
	took, err := spread(ctx, callers, n, func(ctx context.Context, i int) error {
		run, err := r.bare.start(ctx, r.bare.instant)
		if err == nil {
			runs[i] = run.GetID()
		}
		return err
	})
	if err != nil {
		return took, err
	}
	return took, r.bare.closed(ctx, runs)
}
