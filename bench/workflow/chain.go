package workflow

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/redline-svc/redline/bench/measure"
	"github.com/redline-svc/redline/bench/receiving"
	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

const (
	chainPairs = 3
	// chainRuns are under way at once, each of chainSteps.
	chainRuns, chainSteps = 200, 10
	// chainConnections is the service's own default, so that the bare side has as many.
	chainConnections = 20
)

// Chain compares how many steps end a second in chains of webhook steps with
// hand-written workflows of as many activities, each of which makes the same request to
// the same receiver and writes about as many rows in as many transactions.
func Chain(ctx context.Context, s Side) ([]measure.Row, error) {
	receiver, err := receiving.Listen(s.Authority)
	if err != nil {
		return nil, err
	}
	defer receiver.Close()
	url := receiver.Base + "/call"
	nodes, edges := chained(func(name string) redline.NodeInput { return client.Hook(name, url) })
	definition, err := s.Define(ctx, nodes, edges...)
	if err != nil {
		return nil, err
	}
	kept, err := s.chainRows(ctx)
	if err != nil {
		return nil, err
	}
	defer kept.Close()
	if err := s.Bare.Keep(ctx, kept); err != nil {
		return nil, err
	}
	return s.chains(ctx, kept, definition, url)
}

// chains measures the blocks, and counts what each side wrote in them.
func (s Side) chains(ctx context.Context, kept *pgxpool.Pool, definition, url string) ([]measure.Row, error) {
	var blocks []measure.Pair
	var wrote measure.Pair
	for i := range chainPairs {
		var block measure.Pair
		sides := []func() error{
			func() (err error) {
				block.Against, err = measured(ctx, kept, &wrote.Against, func() (float64, error) { return s.Bare.Chains(ctx, url, chainRuns, chainSteps) })
				return err
			},
			func() (err error) {
				block.Measured, err = measured(ctx, s.Rows, &wrote.Measured, func() (float64, error) { return s.chainsDone(ctx, definition) })
				return err
			},
		}
		for j := range sides {
			if err := sides[(i+j)%len(sides)](); err != nil {
				return nil, err
			}
		}
		blocks = append(blocks, block)
	}
	rate, against := measure.Medians(blocks)
	const steps = chainPairs * chainRuns * chainSteps
	return []measure.Row{
		measure.AtLeast(0.9, measure.Row{
			Name: "steps ended in chains of 10 webhook steps, 200 at once", Unit: "1/s", Measured: rate,
			What: "hand-written workflow, an activity a step", Against: against, Blocks: blocks,
		}),
		measure.Beside(measure.Row{
			Name: "rows written for each of these steps", Unit: "rows", Measured: wrote.Measured / steps,
			What: "hand-written workflow", Against: wrote.Against / steps,
		}),
	}, nil
}

// chainsDone runs the executions and returns how many of their steps ended a second.
func (s Side) chainsDone(ctx context.Context, definition string) (float64, error) {
	began := time.Now()
	if _, _, err := s.Dispatches(ctx, chainRuns, redline.DispatchRequest{DefinitionID: definition}); err != nil {
		return 0, err
	}
	if err := s.AwaitEnded(ctx, definition); err != nil {
		return 0, err
	}
	took := time.Since(began)
	completed, err := s.Count(ctx, definition, "completed")
	if err == nil && completed%chainRuns != 0 {
		err = fmt.Errorf("%d executions completed", completed)
	}
	return chainRuns * chainSteps / took.Seconds(), err
}

// chained are ten nodes, and the edge from each to the next.
func chained(node func(name string) redline.NodeInput) ([]redline.NodeInput, []redline.EdgeInput) {
	var nodes []redline.NodeInput
	var edges []redline.EdgeInput
	for i := range chainSteps {
		nodes = append(nodes, node(fmt.Sprint("n", i)))
		if i > 0 {
			edges = append(edges, client.Always(nodes[i-1].NodeID, nodes[i].NodeID))
		}
	}
	return nodes, edges
}

// chainRows is a database for the rows of the hand-written workflows.
func (s Side) chainRows(ctx context.Context) (*pgxpool.Pool, error) {
	address, err := s.Stack.CreateDatabase(ctx, "bench_chain")
	if err != nil {
		return nil, err
	}
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, err
	}
	config.MaxConns = chainConnections
	return pgxpool.NewWithConfig(ctx, config)
}

// measured runs a block and adds to wrote how many rows were written during it.
func measured(ctx context.Context, rows *pgxpool.Pool, wrote *float64, block func() (float64, error)) (float64, error) {
	before, err := written(ctx, rows)
	if err != nil {
		return 0, err
	}
	rate, err := block()
	if err != nil {
		return 0, err
	}
	after, err := written(ctx, rows)
	*wrote += after - before
	return rate, err
}

// statisticsDelay is within which each connection of Postgres tells what it did.
const statisticsDelay = 2 * time.Second

// written is how many rows of the database were ever written.
func written(ctx context.Context, rows *pgxpool.Pool) (float64, error) {
	time.Sleep(statisticsDelay)
	var n float64
	err := rows.QueryRow(ctx, `SELECT coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0) FROM pg_stat_user_tables`).Scan(&n)
	return n, err
}
