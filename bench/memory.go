package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/redline-svc/redline/tests/client"
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
func benchMemory(ctx context.Context, r *rig) ([]row, error) {
	if err := r.serve.Stop(); err != nil {
		return nil, err
	}
	if err := r.serve.Start(ctx); err != nil {
		return nil, err
	}
	definition, err := r.define(ctx, []client.Node{client.Mock("only")})
	if err != nil {
		return nil, err
	}
	var few, many float64
	for done := 0; done < manyExecutions; done += memoryBlock {
		if done == fewExecutions {
			if few, err = resident(r.serve.PID()); err != nil {
				return nil, err
			}
		}
		if _, _, err := r.dispatches(ctx, memoryBlock, client.Dispatch{DefinitionID: definition}); err != nil {
			return nil, err
		}
		if err := r.awaitEnded(ctx, definition); err != nil {
			return nil, err
		}
	}
	if many, err = resident(r.serve.PID()); err != nil {
		return nil, err
	}
	return []row{atMost(1.3, row{
		Name: "memory of redline serve after 10,000 executions", Unit: "MiB", Measured: many,
		What: "after 1,000", Against: few,
	})}, nil
}

// resident is a process's resident memory in MiB.
func resident(pid int) (float64, error) {
	value := field(fmt.Sprintf("/proc/%d/status", pid), "VmRSS")
	number, found := strings.CutSuffix(value, " kB")
	if !found {
		return 0, errors.New("the system does not report a process's memory")
	}
	kib, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	return kib / 1024, err
}
