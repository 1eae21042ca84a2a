package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/redline-svc/redline/bench/bare"
	"github.com/redline-svc/redline/bench/measure"
	"github.com/redline-svc/redline/bench/workflow"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
	"github.com/redline-svc/redline/tests/kit/stack"
)

// bareConnections is the service's own default, so that the bare side has as many.
const bareConnections = 20

// rig is the stack with both sides on it.
type rig struct {
	workflow.Runs
	folder string
	// keeps is set where the folder was named: its data stays for the next run.
	keeps     bool
	stack     *stack.Stack
	serve     *stack.Service
	authority *receiver.Authority
	bare      *bare.Temporal
	// bareRate is the rate of bare workflows a second measured in this run, 0 before.
	bareRate float64
}

// newRig brings up the stack, the service and the bare worker: with fresh data, or with
// those of the folder.
func newRig(ctx context.Context, folder string) (*rig, error) {
	r := &rig{folder: folder, keeps: folder != ""}
	if !r.keeps {
		var err error
		if r.folder, err = os.MkdirTemp("", "redline-bench-"); err != nil {
			return nil, err
		}
	}
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
	if r.Rows, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return err
	}
	if r.Workspace, err = r.tenant(ctx); err != nil {
		return err
	}
	r.bare, err = bare.StartTemporal(ctx, r.stack.Env["REDLINE_TEMPORAL_ADDR"], r.authority)
	return err
}

// tenant is the workspace of the kept data, or a new one.
func (r *rig) tenant(ctx context.Context) (*client.Workspace, error) {
	file := filepath.Join(r.folder, "workspace.json")
	var kept client.Credentials
	if raw, err := os.ReadFile(file); err == nil {
		if err := json.Unmarshal(raw, &kept); err != nil {
			return nil, err
		}
		return client.OpenWorkspace(r.serve.URL, kept), nil
	}
	made, err := client.CreateWorkspace(ctx, r.serve.URL, measure.Unique("bench")+"@bench.example.com")
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(made.Credentials)
	if err != nil {
		return nil, err
	}
	return made, os.WriteFile(file, raw, 0o600)
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

// close ends all that was started and removes the data, unless they are to stay.
func (r *rig) close() {
	if r.bare != nil {
		r.bare.Close()
	}
	if r.Rows != nil {
		r.Rows.Close()
	}
	if r.serve != nil && r.serve.Running() {
		_ = r.serve.Stop()
	}
	if r.stack != nil {
		_ = r.stack.Stop()
	}
	if r.keeps {
		return
	}
	if err := stack.Remove(r.folder); err != nil {
		fmt.Fprintln(os.Stderr, "data could not be removed:", err)
	}
}
