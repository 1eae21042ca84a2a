package main

import (
	"context"
	"fmt"

	"github.com/redline-svc/redline/bench/bare"
	"github.com/redline-svc/redline/bench/measure"
	"github.com/redline-svc/redline/bench/receiving"
	"github.com/redline-svc/redline/bench/workflow"
	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/stack"
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
// Temporal has nothing else to do. The bare side sends as many rows of its own.
// Both find the disk at rest: writing the rows is not what is measured.
func benchDeliveries(ctx context.Context, r *rig) ([]measure.Row, error) {
	if err := r.serve.Stop(); err != nil {
		return nil, err
	}
	before, err := r.writes(ctx)
	if err != nil {
		return nil, err
	}
	var blocks []measure.Pair
	for range deliveryPairs {
		ours, err := r.backlog(ctx)
		if err != nil {
			return nil, err
		}
		theirs, err := r.bareBacklog(ctx)
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, measure.Pair{Measured: ours, Against: theirs})
	}
	if err := r.serve.Start(ctx); err != nil {
		return nil, err
	}
	after, err := r.writes(ctx)
	if err != nil {
		return nil, err
	}
	ours, theirs := measure.Medians(blocks)
	return []measure.Row{
		after.since(before),
		measure.Above(1600, measure.Row{Name: "deliveries to 10 fast receivers", Unit: "1/s", Measured: ours, What: "best peer", Against: peerRate}),
		measure.AtLeast(0.5, measure.Row{
			Name: "deliveries to 10 fast receivers", Unit: "1/s", Measured: ours,
			What: "bare pgx, grouped scheme, no Temporal", Against: theirs, Blocks: blocks,
		}),
	}, nil
}

// tableWrites is what Postgres counted of the table of deliveries.
type tableWrites struct {
	updated, onPage float64
	read, scans     float64
}

func (r *rig) writes(ctx context.Context) (w tableWrites, err error) {
	err = r.Rows.QueryRow(ctx, `SELECT n_tup_upd, n_tup_hot_upd, seq_tup_read, seq_scan FROM pg_stat_user_tables WHERE relname = 'deliveries'`).
		Scan(&w.updated, &w.onPage, &w.read, &w.scans)
	return w, err
}

// since is the share of the updates that wrote no index.
func (w tableWrites) since(before tableWrites) measure.Row {
	return measure.AtLeast(0.5, measure.Row{
		Name: "updates of deliveries that write no index", Unit: "rows", Measured: w.onPage - before.onPage,
		What: "all updates of them", Against: w.updated - before.updated,
		Note: fmt.Sprintf("%.0f rows were read by %.0f scans of the whole table", w.read-before.read, w.scans-before.scans),
	})
}

// backlog makes the rows with an api alone and sends them with a worker alone.
func (r *rig) backlog(ctx context.Context) (float64, error) {
	receivers, stop, err := receiving.ListenAll(r.authority, fastReceivers)
	if err != nil {
		return 0, err
	}
	defer stop()
	api, err := r.stack.Service(ctx, "deliveries-api", "api", nil)
	if err != nil {
		return 0, err
	}
	made := r.pileUp(ctx, api, receivers)
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
	return receiving.Rate(ctx, receivers, goal)
}

// bareBacklog makes as many rows and sends them without the service.
func (r *rig) bareBacklog(ctx context.Context) (float64, error) {
	receivers, stop, err := receiving.ListenAll(r.authority, fastReceivers)
	if err != nil {
		return 0, err
	}
	defer stop()
	sender := &bare.Sender{Rows: r.Rows, Authority: r.authority, Secret: benchSecret}
	if err := sender.Fill(ctx, waitingRows, len(receivers)); err != nil {
		return 0, err
	}
	if err := r.quiet(ctx); err != nil {
		return 0, err
	}
	if err := sender.Send(ctx, receivers); err != nil {
		return 0, err
	}
	return receiving.Rate(ctx, receivers, waitingRows)
}

func (r *rig) pileUp(ctx context.Context, api *stack.Service, receivers []*receiving.Receiver) error {
	workspace := r.Workspace.At(api.URL)
	owner := &workflow.Runs{Workspace: workspace}
	definition, err := owner.Define(ctx, []redline.NodeInput{client.Mock("only")})
	if err != nil {
		return err
	}
	_, err = measure.Spread(ctx, measure.Callers, waitingRows/eventsEach, func(ctx context.Context, i int) error {
		answer, err := workspace.Dispatch(ctx, redline.DispatchRequest{
			DefinitionID: definition, WebhookURL: new(receivers[i%len(receivers)].Base + "/events"), WebhookSecret: new(benchSecret),
		})
		if err != nil {
			return err
		}
		_, err = client.Call[map[string]any](ctx, workspace.Keyed, "workflow/executions/cancel", map[string]any{"executionId": answer.ExecutionID})
		return err
	})
	return err
}
