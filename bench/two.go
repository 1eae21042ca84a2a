package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/redline-svc/redline/bench/measure"
	"github.com/redline-svc/redline/bench/workflow"
	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/stack"
)

const (
	twoPairs = 3
	// throughAll is how many executions a block has, over all processes.
	throughAll = 2000
)

// benchTwoOfEach compares two processes of each role with one of each, on one machine: the ratio
// says what a further process is worth where nothing is added to what it runs on.
func benchTwoOfEach(ctx context.Context, r *rig) (_ []measure.Row, err error) {
	if err := r.serve.Stop(); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.serve.Start(ctx)) }()
	var blocks []measure.Pair
	for i := range twoPairs {
		var block measure.Pair
		if block.Against, err = r.withEach(ctx, fmt.Sprint("one-", i), 1); err != nil {
			return nil, err
		}
		if block.Measured, err = r.withEach(ctx, fmt.Sprint("two-", i), 2); err != nil {
			return nil, err
		}
		blocks = append(blocks, block)
	}
	measured, against := measure.Medians(blocks)
	return []measure.Row{measure.Beside(measure.Row{
		Name: "executions of one mock step with two processes of each role", Unit: "1/s", Measured: measured, What: "with one of each", Against: against, Blocks: blocks,
	})}, nil
}

// withEach returns the rate of executions with n processes of each role, which end afterwards.
func (r *rig) withEach(ctx context.Context, name string, n int) (rate float64, err error) {
	var faces, all []*stack.Service
	defer func() {
		for _, process := range all {
			err = errors.Join(err, process.Stop())
		}
	}()
	for i := range n {
		for _, role := range []string{"api", "worker"} {
			process, err := r.stack.Service(ctx, fmt.Sprint(name, "-", role, "-", i), role, nil)
			if err != nil {
				return 0, err
			}
			all = append(all, process)
			if role == "api" {
				faces = append(faces, process)
			}
		}
	}
	return r.executionsThrough(ctx, faces)
}

// executionsThrough returns the rate of executions that are dispatched through all of the processes.
func (r *rig) executionsThrough(ctx context.Context, faces []*stack.Service) (float64, error) {
	runs := make([]workflow.Runs, len(faces))
	for i, face := range faces {
		runs[i] = workflow.Runs{Workspace: r.Workspace.At(face.URL), Rows: r.Rows}
	}
	definition, err := runs[0].Define(ctx, []redline.NodeInput{client.Mock("only")})
	if err != nil {
		return 0, err
	}
	began, failed := time.Now(), make([]error, len(runs))
	var dispatching sync.WaitGroup
	for i := range runs {
		dispatching.Go(func() {
			_, _, failed[i] = runs[i].Dispatches(ctx, throughAll/len(runs), redline.DispatchRequest{DefinitionID: definition})
		})
	}
	dispatching.Wait()
	if err := errors.Join(failed...); err != nil {
		return 0, err
	}
	err = runs[0].AwaitEnded(ctx, definition)
	return throughAll / time.Since(began).Seconds(), err
}
