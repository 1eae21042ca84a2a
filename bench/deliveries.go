package main

import (
	"context"
	"fmt"
	"time"

	"github.com/redline-svc/redline/tests/client"
	"github.com/redline-svc/redline/tests/stack"
)

const (
	deliveryPairs = 3
	fastReceivers = 10
	waitingRows   = 20_000
	// eventsEach are those of an execution that is cancelled before it starts:
	// dispatched, its step cancelled, cancelled.
	eventsEach = 3
	peerRate   = 1331
)

// benchDeliveries lets 20,000 deliveries to ten receivers pile up while no
// worker runs, then starts one and measures from the first request to the last
// of the distinct ones. The executions are cancelled before they start, so that
// the engine has nothing else to do. The bare side sends as many rows of its own.
// Both find the disk at rest: writing the rows is not what is measured.
func benchDeliveries(ctx context.Context, r *rig) ([]row, error) {
	if err := r.serve.Stop(); err != nil {
		return nil, err
	}
	var blocks []pair
	for range deliveryPairs {
		ours, err := r.backlog(ctx)
		if err != nil {
			return nil, err
		}
		bare, err := r.bareDeliveries(ctx, waitingRows)
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, pair{Measured: ours, Against: bare})
	}
	if err := r.serve.Start(ctx); err != nil {
		return nil, err
	}
	ours, bare := medians(blocks)
	return []row{
		above(1600, row{Name: "deliveries to 10 fast receivers", Unit: "1/s", Measured: ours, What: "best peer", Against: peerRate}),
		atLeast(0.5, row{
			Name: "deliveries to 10 fast receivers", Unit: "1/s", Measured: ours,
			What: "bare pgx, grouped scheme, no engine", Against: bare, Blocks: blocks,
		}),
	}, nil
}

// backlog makes the rows with an api alone and sends them with a worker alone.
func (r *rig) backlog(ctx context.Context) (float64, error) {
	ears, stop, err := r.listenAll()
	if err != nil {
		return 0, err
	}
	defer stop()
	api, err := r.stack.Service(ctx, "deliveries-api", "api", nil)
	if err != nil {
		return 0, err
	}
	made := r.pileUp(ctx, api, ears)
	api.Kill()
	if made != nil {
		return 0, made
	}
	if err := r.quiet(ctx); err != nil {
		return 0, err
	}
	worker, err := r.stack.Service(ctx, "deliveries-worker", "worker", nil)
	if err != nil {
		return 0, err
	}
	defer worker.Kill()
	const goal = waitingRows / eventsEach * eventsEach
	return r.rateOf(ctx, ears, goal)
}

func (r *rig) listenAll() ([]*ear, func(), error) {
	var ears []*ear
	stop := func() {
		for _, e := range ears {
			e.close()
		}
	}
	for range fastReceivers {
		e, err := listen(r.authority)
		if err != nil {
			stop()
			return nil, nil, err
		}
		ears = append(ears, e)
	}
	return ears, stop, nil
}

func (r *rig) pileUp(ctx context.Context, api *stack.Service, ears []*ear) error {
	workspace := r.workspace.At(api.URL)
	owner := &rig{workspace: workspace}
	definition, err := owner.define(ctx, []client.Node{client.Mock("only")})
	if err != nil {
		return err
	}
	_, err = spread(ctx, callers, waitingRows/eventsEach, func(ctx context.Context, i int) error {
		answer, err := workspace.Dispatch(ctx, client.Dispatch{
			DefinitionID: definition, WebhookURL: ears[i%len(ears)].base + "/events", WebhookSecret: benchSecret,
		})
		if err != nil {
			return err
		}
		_, err = client.Call[map[string]any](ctx, workspace.Keyed, "workflow/executions/cancel", map[string]any{"executionId": answer.ExecutionID})
		return err
	})
	return err
}

// rateOf waits for the goal and gives distinct requests a second, from the
// first to the last.
func (r *rig) rateOf(ctx context.Context, ears []*ear, goal int) (float64, error) {
	var first, last time.Time
	err := r.until(ctx, func() (bool, error) {
		total := 0
		for _, e := range ears {
			n, began, ended := e.distinct()
			total += n
			if n > 0 && (first.IsZero() || began.Before(first)) {
				first = began
			}
			if ended.After(last) {
				last = ended
			}
		}
		return total >= goal, nil
	})
	if err != nil {
		return 0, err
	}
	if !last.After(first) {
		return 0, fmt.Errorf("no time passed between the first and the last of %d", goal)
	}
	return float64(goal) / last.Sub(first).Seconds(), nil
}
