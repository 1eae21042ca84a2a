package main

import (
	"context"
	"fmt"

	"github.com/redline-svc/redline/bench/bare"
	"github.com/redline-svc/redline/bench/measure"
	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

const (
	replayPairs = 5
	replayBlock = 2000
)

// benchReplay compares the answer to a known key with a bare huma handler that
// makes the same two SELECTs, in a process of its own. One caller, so that the
// answer's own time is measured and not a queue.
func benchReplay(ctx context.Context, r *rig) ([]measure.Row, error) {
	definition, err := r.Define(ctx, []redline.NodeInput{client.Human("review", "ann"), client.Mock("end")}, client.Both("review", "end")...)
	if err != nil {
		return nil, err
	}
	data := redline.DispatchRequest{DefinitionID: definition, IdempotencyKey: new(measure.Unique("known"))}
	first, err := r.Workspace.Dispatch(ctx, data)
	if err != nil {
		return nil, err
	}
	address, stop, err := bare.Handler(ctx, r.stack.Env["REDLINE_DATABASE_URL"], r.Workspace.APIKey)
	if err != nil {
		return nil, err
	}
	defer stop()
	handler := r.Workspace.Keyed.At("http://" + address)
	replay := func(session *client.Session) func(context.Context, int) error {
		return func(ctx context.Context, _ int) error {
			answer, err := client.Call[redline.DispatchResult](ctx, session, "workflow/executions/dispatch", data)
			if err == nil && (answer.ExecutionID != first.ExecutionID || !answer.Deduplicated) {
				return fmt.Errorf("not a replay: %+v", answer)
			}
			return err
		}
	}
	var blocks []measure.Pair
	for range replayPairs {
		theirs, err := measure.Spread(ctx, 1, replayBlock, replay(handler))
		if err != nil {
			return nil, err
		}
		ours, err := measure.Spread(ctx, 1, replayBlock, replay(r.Workspace.Keyed))
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, measure.Pair{Measured: ours.P50(), Against: theirs.P50()})
	}
	measured, against := measure.Medians(blocks)
	return []measure.Row{measure.AtMost(1.5, measure.Row{
		Name: "replay of a known key, p50", Unit: "ms", Measured: measured,
		What: "bare huma handler, same two SELECTs, p50", Against: against, Blocks: blocks,
	})}, nil
}
