package main

import (
	"context"

	"github.com/redline-svc/redline/bench/idle"
	"github.com/redline-svc/redline/bench/measure"
	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

const (
	fewExecutions  = 1000
	manyExecutions = 10_000
	// memoryBlock keeps the backlog, and with it what waits in memory, the same
	// all along.
	memoryBlock = 500
)

// benchMemory compares the resident memory of a fresh `redline serve` after
// 10,000 executions with that after 1,000.
func benchMemory(ctx context.Context, r *rig) ([]measure.Row, error) {
	if err := r.serve.Stop(); err != nil {
		return nil, err
	}
	if err := r.serve.Start(ctx); err != nil {
		return nil, err
	}
	definition, err := r.Define(ctx, []redline.NodeInput{client.Mock("only")})
	if err != nil {
		return nil, err
	}
	var few, many float64
	for done := 0; done < manyExecutions; done += memoryBlock {
		if done == fewExecutions {
			if few, err = measure.Resident(r.serve.PID()); err != nil {
				return nil, err
			}
		}
		if _, _, err := r.Dispatches(ctx, memoryBlock, redline.DispatchRequest{DefinitionID: definition}); err != nil {
			return nil, err
		}
		if err := r.AwaitEnded(ctx, definition); err != nil {
			return nil, err
		}
	}
	if many, err = measure.Resident(r.serve.PID()); err != nil {
		return nil, err
	}
	return []measure.Row{measure.AtMost(1.3, measure.Row{
		Name: "memory of redline serve after 10,000 executions", Unit: "MiB", Measured: many,
		What: "after 1,000", Against: few,
	})}, nil
}

// benchIdleTenants brings a text in, which makes the collections of the index.
func benchIdleTenants(ctx context.Context, r *rig) ([]measure.Row, error) {
	if _, err := r.bringIn(ctx, "The gate must be closed at night. Bills are due in May."); err != nil {
		return nil, err
	}
	return idle.Measure(ctx, idle.Service{Rows: r.Rows, Env: r.stack.Env, WorkspaceID: r.Workspace.ID})
}
