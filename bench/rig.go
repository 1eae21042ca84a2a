package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/redline-svc/redline/bench/bare"
	"github.com/redline-svc/redline/bench/measure"
	"github.com/redline-svc/redline/tests/client"
	"github.com/redline-svc/redline/tests/receiver"
	"github.com/redline-svc/redline/tests/stack"
)

// bareConnections is the service's own default, so that the bare side has as many.
const bareConnections = 20

// rig is the stack with both sides on it.
type rig struct {
	folder    string
	stack     *stack.Stack
	serve     *stack.Service
	authority *receiver.Authority
	workspace *client.Workspace
	rows      *pgxpool.Pool
	bare      *bare.Engine
	// bareRate is the rate of bare workflows a second measured in this run, 0 before.
	bareRate float64
}

// newRig brings up a fresh stack, the service and the bare worker.
func newRig(ctx context.Context) (*rig, error) {
	folder, err := os.MkdirTemp("", "redline-bench-")
	if err != nil {
		return nil, err
	}
	r := &rig{folder: folder}
	if err := r.start(ctx); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

func (r *rig) start(ctx context.Context) error {
	binary, err := stack.Build(ctx, r.folder, os.Getenv("REDLINE_BENCH_BINARY"))
	if err != nil {
		return err
	}
	if r.stack, err = stack.Start(ctx, binary, filepath.Join(r.folder, "stack"), "none"); err != nil {
		return err
	}
	if err = r.noteCommits(ctx); err != nil {
		return err
	}
	if r.authority, err = receiver.ReadAuthority(r.stack.Folder); err != nil {
		return err
	}
	if _, err = r.stack.Run(ctx, nil, "migrate"); err != nil {
		return err
	}
	if r.serve, err = r.stack.Service(ctx, "serve", "serve", nil); err != nil {
		return err
	}
	config, err := pgxpool.ParseConfig(r.stack.Env["REDLINE_DATABASE_URL"])
	if err != nil {
		return err
	}
	config.MaxConns = bareConnections
	if r.rows, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return err
	}
	if r.workspace, err = client.CreateWorkspace(ctx, r.serve.URL, measure.Unique("bench")+"@bench.example.com"); err != nil {
		return err
	}
	r.bare, err = bare.StartEngine(ctx, r.stack.Env["REDLINE_TEMPORAL_ADDR"], r.authority)
	return err
}

// noteCommits has Postgres note when transactions commit, which has to be set before
// its start.
func (r *rig) noteCommits(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, r.stack.Env["REDLINE_DATABASE_URL"])
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "ALTER SYSTEM SET track_commit_timestamp = on")
	_ = conn.Close(ctx) // the server stops now
	if err != nil {
		return err
	}
	return r.stack.Part(ctx, "postgres", "restart")
}

// close ends all that was started and removes the data.
func (r *rig) close() {
	if r.bare != nil {
		r.bare.Close()
	}
	if r.rows != nil {
		r.rows.Close()
	}
	if r.serve != nil && r.serve.Running() {
		_ = r.serve.Stop()
	}
	if r.stack != nil {
		_ = r.stack.Stop()
	}
	if err := stack.Remove(r.folder); err != nil {
		fmt.Fprintln(os.Stderr, "data could not be removed:", err)
	}
}

// define creates a definition.
func (r *rig) define(ctx context.Context, nodes []client.Node, edges ...client.Edge) (string, error) {
	id := measure.Unique("bench")
	if edges == nil {
		edges = []client.Edge{}
	}
	_, err := client.Call[client.DefinitionView](ctx, r.workspace.Keyed, "workflow/definitions/create",
		client.Definition{DefinitionID: id, Name: "Benchmark", Nodes: nodes, Edges: edges})
	return id, err
}

// dispatches starts n executions and gives their ids.
func (r *rig) dispatches(ctx context.Context, n int, data client.Dispatch) ([]string, measure.Sample, error) {
	ids := make([]string, n)
	took, err := measure.Spread(ctx, measure.Callers, n, func(ctx context.Context, i int) error {
		answer, err := r.workspace.Dispatch(ctx, data)
		ids[i] = answer.ExecutionID
		return err
	})
	return ids, took, err
}

// count asks the rows how many executions of a definition have the status.
func (r *rig) count(ctx context.Context, definition string, statuses ...string) (int, error) {
	var n int
	err := r.rows.QueryRow(ctx,
		`SELECT count(*) FROM executions WHERE workspace_id = $1 AND status = ANY ($3) AND definition_id = $2`,
		r.workspace.ID, definition, statuses).Scan(&n)
	return n, err
}

// awaitEnded waits until no execution of the definition is open.
func (r *rig) awaitEnded(ctx context.Context, definition string) error {
	return measure.Until(ctx, func() (bool, error) {
		open, err := r.open(ctx, definition)
		return !open, err
	})
}

// open gives whether an execution of the definition is open. It is asked often
// while a block runs, so it must not cost what it measures: it reads from the
// newest on, which end last, by the index that lists use. EXISTS would have the
// rows of all blocks read.
func (r *rig) open(ctx context.Context, definition string) (bool, error) {
	var open bool
	err := r.rows.QueryRow(ctx, `SELECT coalesce((SELECT true FROM executions
WHERE workspace_id = $1 AND definition_id || '' = $2 AND status IN ('pending', 'running') ORDER BY started_at DESC, id DESC LIMIT 1), false)`,
		r.workspace.ID, definition).Scan(&open)
	return open, err
}
