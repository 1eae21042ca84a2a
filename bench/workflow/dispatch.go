package workflow

import (
	"context"

	"github.com/redline-svc/redline/bench/measure"
	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

const (
	dispatchPairs = 3
	dispatchBlock = 2000
	startBlock    = 600
)

// Dispatch compares acknowledged dispatches with bare starts, 16 callers
// each, on a stack at rest. While the dispatches are taken the relay starts what was accepted; the
// bare starts are run by their worker meanwhile.
func Dispatch(ctx context.Context, s Side) ([]measure.Row, error) {
	definition, err := s.Define(ctx, []redline.NodeInput{client.Mock("only")})
	if err != nil {
		return nil, err
	}
	var took, rates []measure.Pair
	for range dispatchPairs {
		if err := s.Rest(ctx); err != nil {
			return nil, err
		}
		theirs, err := s.Bare.Starts(ctx, startBlock)
		if err != nil {
			return nil, err
		}
		if err := s.Rest(ctx); err != nil {
			return nil, err
		}
		_, ours, err := s.Dispatches(ctx, dispatchBlock, redline.DispatchRequest{DefinitionID: definition})
		if err != nil {
			return nil, err
		}
		if err := s.AwaitEnded(ctx, definition); err != nil {
			return nil, err
		}
		took = append(took, measure.Pair{Measured: ours.P50(), Against: theirs.P50()})
		rates = append(rates, measure.Pair{Measured: ours.PerSecond(), Against: theirs.PerSecond()})
	}
	measured, against := measure.Medians(took)
	rate, starts := measure.Medians(rates)
	return []measure.Row{
		measure.AtMost(0.1, measure.Row{
			Name: "dispatch acknowledged, 16 callers, p50", Unit: "ms", Measured: measured,
			What: "bare ExecuteWorkflow, 16 callers, p50", Against: against, Blocks: took,
		}),
		measure.AtLeast(8, measure.Row{
			Name: "dispatches acknowledged, relay starting meanwhile", Unit: "1/s", Measured: rate,
			What: "bare starts", Against: starts, Blocks: rates,
		}),
	}, nil
}
