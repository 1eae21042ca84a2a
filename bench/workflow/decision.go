package workflow

import (
	"context"
	"time"

	"github.com/redline-svc/redline/bench/measure"
	"github.com/redline-svc/redline/bench/receiving"
	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

const (
	decisionPairs = 3
	decisionBlock = 320
	// decisionsBlock is how many decisions a block of theirs has: 320 take a third of a
	// second, in which a process that has just begun does little but prepare statements.
	decisionsBlock = 1600
)

// Decision compares a reviewer's decision, each on an execution of its own
// that it ends, with an update of a waiting bare workflow that it ends.
func Decision(ctx context.Context, s Side) ([]measure.Row, error) {
	nodes := []redline.NodeInput{client.Human("review", "ann"), client.Mock("end")}
	definition, err := s.Define(ctx, nodes, client.Both("review", "end")...)
	if err != nil {
		return nil, err
	}
	blocks, err := s.blocks(ctx, decisionPairs, func(ctx context.Context) (float64, error) {
		took, err := s.Bare.Updates(ctx, decisionBlock)
		return took.P50(), err
	}, func(ctx context.Context) (float64, error) {
		took, err := s.decisions(ctx, definition, decisionsBlock)
		return took.P50(), err
	})
	if err != nil {
		return nil, err
	}
	measured, against := measure.Medians(blocks)
	return []measure.Row{measure.AtMost(0.1, measure.Row{
		Name: "reviewer decision answered, 16 callers, p50", Unit: "ms", Measured: measured,
		What: "bare update with one local activity, p50", Against: against, Blocks: blocks,
	})}, nil
}

func (s Side) decisions(ctx context.Context, definition string, n int) (measure.Sample, error) {
	waiting, err := s.Waiting(ctx, definition, n)
	if err != nil {
		return measure.Sample{}, err
	}
	took, err := measure.Spread(ctx, measure.Callers, n, func(ctx context.Context, i int) error { return s.Approve(ctx, waiting[i]) })
	if err != nil {
		return took, err
	}
	return took, s.AwaitEnded(ctx, definition)
}

// NextCall compares the time from a decision's call to the request of the
// webhook step behind it with the time from a bare update's call to the request
// of the activity behind it. Both requests go to one https receiver; each
// caller decides again when its request has arrived.
func NextCall(ctx context.Context, s Side) ([]measure.Row, error) {
	receiver, err := receiving.Listen(s.Authority)
	if err != nil {
		return nil, err
	}
	defer receiver.Close()
	nodes := []redline.NodeInput{client.Human("review", "ann"), client.Hook("call", receiver.Base+"/call")}
	definition, err := s.Define(ctx, nodes, client.Both("review", "call")...)
	if err != nil {
		return nil, err
	}
	blocks, err := s.blocks(ctx, decisionPairs, func(ctx context.Context) (float64, error) {
		return s.Bare.Calls(ctx, receiver, decisionBlock)
	}, func(ctx context.Context) (float64, error) {
		return s.callsAfterDecisions(ctx, receiver, definition, decisionBlock)
	})
	if err != nil {
		return nil, err
	}
	measured, against := measure.Medians(blocks)
	return []measure.Row{measure.AtMost(1.2, measure.Row{
		Name: "decision's call to the next step's request, p50", Unit: "ms", Measured: measured,
		What: "bare update's call to its activity's request", Against: against, Blocks: blocks,
	})}, nil
}

func (s Side) callsAfterDecisions(ctx context.Context, receiver *receiving.Receiver, definition string, n int) (float64, error) {
	waiting, err := s.Waiting(ctx, definition, n)
	if err != nil {
		return 0, err
	}
	took := make([]time.Duration, n)
	_, err = measure.Spread(ctx, measure.Callers, n, func(ctx context.Context, i int) error {
		began := time.Now()
		if err := s.Approve(ctx, waiting[i]); err != nil {
			return err
		}
		var err error
		took[i], err = receiver.After(ctx, waiting[i].ExecutionID, began)
		return err
	})
	if err != nil {
		return 0, err
	}
	return measure.Percentile(took, 50), s.AwaitEnded(ctx, definition)
}
