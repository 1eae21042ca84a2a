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
	// throughAll is how many executions a block has, and readThroughAll how many reads of one
	// follow, over all processes.
	throughAll, readThroughAll = 2000, 8000
)

// each is what a block did: rates a second, and milliseconds of processor that each part spent
// on an execution.
type each struct {
	executions, reads float64
	spent             map[string]float64
}

// spenders are the parts whose processor is looked at: the processes of a role, and servers.
var spenders = []string{"api", "worker", "temporal", "postgres", "weaviate"}

// benchTwoOfEach compares two processes of each role with one of each, on one machine: the ratio
// says what a further process is worth where nothing is added to what it runs on, and what each
// part spends on an execution which of them is full first.
func benchTwoOfEach(ctx context.Context, r *rig) (_ []measure.Row, err error) {
	if err := r.serve.Stop(); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.serve.Start(ctx)) }()
	var one, two []each
	for i := range twoPairs {
		found, err := r.withEach(ctx, fmt.Sprint("one-", i), 1)
		if err != nil {
			return nil, err
		}
		one = append(one, found)
		if found, err = r.withEach(ctx, fmt.Sprint("two-", i), 2); err != nil {
			return nil, err
		}
		two = append(two, found)
	}
	rows := []measure.Row{
		twoBesideOne("executions of one mock step with two processes of each role", "1/s", two, one, func(e each) float64 { return e.executions }),
		twoBesideOne("executions read with two processes of each role, 16 callers", "1/s", two, one, func(e each) float64 { return e.reads }),
	}
	for _, part := range spenders {
		rows = append(rows, twoBesideOne("processor of "+part+" for an execution, two of each role", "ms", two, one, func(e each) float64 { return e.spent[part] }))
	}
	return rows, nil
}

// twoBesideOne is a row of what the blocks with two processes of each role had, beside those with one.
func twoBesideOne(name, unit string, two, one []each, of func(each) float64) measure.Row {
	var blocks []measure.Pair
	for i := range two {
		blocks = append(blocks, measure.Pair{Measured: of(two[i]), Against: of(one[i])})
	}
	measured, against := measure.Medians(blocks)
	return measure.Beside(measure.Row{Name: name, Unit: unit, Measured: measured, What: "with one of each", Against: against, Blocks: blocks})
}

// withEach measures n processes of each role, which end afterwards.
func (r *rig) withEach(ctx context.Context, name string, n int) (found each, err error) {
	processes := map[string][]*stack.Service{}
	defer func() {
		for _, role := range processes {
			for _, process := range role {
				err = errors.Join(err, process.Stop())
			}
		}
	}()
	for i := range n {
		for _, role := range []string{"api", "worker"} {
			process, err := r.stack.Service(ctx, fmt.Sprint(name, "-", role, "-", i), role, nil)
			if err != nil {
				return found, err
			}
			processes[role] = append(processes[role], process)
		}
	}
	before, err := r.spent(ctx, processes)
	if err != nil {
		return found, err
	}
	if found.executions, err = r.executionsThrough(ctx, processes["api"]); err != nil {
		return found, err
	}
	after, err := r.spent(ctx, processes)
	found.spent = map[string]float64{}
	for part, took := range after {
		found.spent[part] = float64((took - before[part]).Microseconds()) / 1000 / throughAll
	}
	if err == nil {
		found.reads, err = r.readsThrough(ctx, processes["api"])
	}
	return found, err
}

// spent is the processor that each part has had, the processes of a role together.
func (r *rig) spent(ctx context.Context, processes map[string][]*stack.Service) (map[string]time.Duration, error) {
	found := map[string]time.Duration{}
	for _, part := range spenders {
		var pids []int
		for _, process := range processes[part] {
			pids = append(pids, process.PID())
		}
		if pids == nil {
			server, err := r.stack.PID(ctx, part)
			if err != nil {
				return nil, err
			}
			pids = []int{server}
		}
		for _, pid := range pids {
			took, err := measure.WithChildren(pid)
			if err != nil {
				return nil, err
			}
			found[part] += took
		}
	}
	return found, nil
}

// through are the processes as a caller of one workspace reaches each of them.
func (r *rig) through(faces []*stack.Service) []workflow.Runs {
	runs := make([]workflow.Runs, len(faces))
	for i, face := range faces {
		runs[i] = workflow.Runs{Workspace: r.Workspace.At(face.URL), Rows: r.Rows}
	}
	return runs
}

// readsThrough returns the rate of reads of one execution through all of the processes.
func (r *rig) readsThrough(ctx context.Context, faces []*stack.Service) (float64, error) {
	runs := r.through(faces)
	definition, err := runs[0].Define(ctx, []redline.NodeInput{client.Mock("only")})
	if err != nil {
		return 0, err
	}
	begun, err := runs[0].Workspace.Dispatch(ctx, redline.DispatchRequest{DefinitionID: definition})
	if err != nil {
		return 0, err
	}
	sample, err := measure.Spread(ctx, measure.Callers, readThroughAll, func(ctx context.Context, i int) error {
		_, err := runs[i%len(runs)].Workspace.Get(ctx, begun.ExecutionID)
		return err
	})
	return sample.PerSecond(), err
}

// executionsThrough returns the rate of executions that are dispatched through all of the processes.
func (r *rig) executionsThrough(ctx context.Context, faces []*stack.Service) (float64, error) {
	runs := r.through(faces)
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
