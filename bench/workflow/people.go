package workflow

import (
	"context"
	"time"

	"github.com/redline-svc/redline/bench/measure"
	"github.com/redline-svc/redline/bench/receiving"
	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
	"github.com/redline-svc/redline/tests/kit/stack"
)

const (
	// fewWaiting is as many as a worker keeps runs in memory: from there on it shall need
	// no more, however many wait.
	fewWaiting, manyWaiting = 2000, 10_000
	// waitingBlock keeps what is started at once, and with it what lies in memory for
	// that, the same all along.
	waitingBlock = 500
	// restGap is how long the worker is left alone before its memory is read, so that
	// what it needed for the starts is collected.
	restGap = 30 * time.Second
	// memoryGoal is the ratio of both memories, restartGoal is in milliseconds.
	memoryGoal, restartGoal = 1.1, 2000
	restarts                = 5
)

// People is a worker with a database of its own, in which nothing else is.
type People struct {
	Runs
	Worker    *stack.Service
	Authority *receiver.Authority
}

// Measure compares the worker's memory while 10,000 executions wait for people with
// that while 2,000 do, then takes the worker away while somebody decides and measures
// from its start until the call behind the decision arrives.
func (c People) Measure(ctx context.Context) ([]measure.Row, error) {
	receiver, err := receiving.Listen(c.Authority)
	if err != nil {
		return nil, err
	}
	defer receiver.Close()
	asked, err := c.Define(ctx, []redline.NodeInput{client.Human("review", "ann"), client.Hook("call", receiver.Base+"/call")},
		client.Both("review", "call")...)
	if err != nil {
		return nil, err
	}
	memory, err := c.memory(ctx, asked)
	if err != nil {
		return nil, err
	}
	took, err := c.restarts(ctx, receiver, asked)
	if err != nil {
		return nil, err
	}
	return []measure.Row{
		measure.AtMost(memoryGoal, measure.Row{
			Name: "memory of a worker while 10,000 executions wait for people", Unit: "MiB", Measured: memory.Measured,
			What: "while 2,000 do", Against: memory.Against,
		}),
		measure.Below(restartGoal, measure.Row{
			Name: "start of a worker until the call behind a decision, the latest of 5", Unit: "ms", Measured: measure.Percentile(took, 100),
			What: "the median", Against: measure.Percentile(took, 50),
		}),
	}, nil
}

// memory is that of a worker with many that wait, against that of another one with few.
// Each of both has started as many: some of them wait, the others ended at once. So
// what is compared is the waiting, not what work leaves in a process.
func (c People) memory(ctx context.Context, asked string) (found measure.Pair, err error) {
	instant, err := c.Define(ctx, []redline.NodeInput{client.Mock("only")})
	if err != nil {
		return found, err
	}
	if found.Against, err = c.fill(ctx, instant, manyWaiting-fewWaiting, asked, fewWaiting); err != nil {
		return found, err
	}
	if err = c.Worker.Stop(); err == nil {
		err = c.Worker.Start(ctx)
	}
	if err != nil {
		return found, err
	}
	found.Measured, err = c.fill(ctx, instant, fewWaiting, asked, manyWaiting-fewWaiting)
	return found, err
}

// fill starts executions that end at once, then some that wait, and gives the worker's
// memory once it rests.
func (c People) fill(ctx context.Context, instant string, ended int, asked string, waiting int) (float64, error) {
	if err := c.start(ctx, instant, ended, c.AwaitEnded); err != nil {
		return 0, err
	}
	if err := c.start(ctx, asked, waiting, c.AwaitStarted); err != nil {
		return 0, err
	}
	time.Sleep(restGap)
	return measure.Resident(c.Worker.PID())
}

// start starts n executions, each block of them once the one before is done.
func (c People) start(ctx context.Context, definition string, n int, done func(context.Context, string) error) error {
	for range n / waitingBlock {
		if _, _, err := c.Dispatches(ctx, waitingBlock, redline.DispatchRequest{DefinitionID: definition}); err != nil {
			return err
		}
		if err := done(ctx, definition); err != nil {
			return err
		}
	}
	return nil
}

// restarts kills the worker that a run was just driven by, decides, and measures from
// the start of the next worker on.
func (c People) restarts(ctx context.Context, receiver *receiving.Receiver, definition string) ([]time.Duration, error) {
	took := make([]time.Duration, restarts)
	for i := range took {
		waiting, err := c.Waiting(ctx, definition, 1)
		if err != nil {
			return nil, err
		}
		c.Worker.Kill()
		if err := c.Approve(ctx, waiting[0]); err != nil {
			return nil, err
		}
		began := time.Now()
		if err := c.Worker.Launch(); err != nil {
			return nil, err
		}
		if took[i], err = receiver.After(ctx, waiting[0].ExecutionID, began); err != nil {
			return nil, err
		}
	}
	return took, nil
}
