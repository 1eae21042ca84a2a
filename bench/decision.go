package main

import (
	"context"
	"fmt"
	"time"

	"github.com/redline-svc/redline/bench/ear"
	"github.com/redline-svc/redline/bench/measure"
	"github.com/redline-svc/redline/tests/client"
)

const (
	decisionPairs = 3
	decisionBlock = 320
)

// benchDecision compares a reviewer's decision, each on an execution of its own
// that it ends, with an update of a waiting bare workflow that it ends.
func benchDecision(ctx context.Context, r *rig) ([]measure.Row, error) {
	nodes := []client.Node{client.Human("review", "ann"), client.Mock("end")}
	definition, err := r.define(ctx, nodes, client.Both("review", "end")...)
	if err != nil {
		return nil, err
	}
	var blocks []measure.Pair
	for range decisionPairs {
		theirs, err := r.bare.Updates(ctx, decisionBlock)
		if err != nil {
			return nil, err
		}
		ours, err := r.decisions(ctx, definition, decisionBlock)
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, measure.Pair{Measured: ours.P50(), Against: theirs.P50()})
	}
	measured, against := measure.Medians(blocks)
	return []measure.Row{measure.AtMost(0.1, measure.Row{
		Name: "reviewer decision answered, 16 callers, p50", Unit: "ms", Measured: measured,
		What: "bare update with one local activity, p50", Against: against, Blocks: blocks,
	})}, nil
}

func (r *rig) decisions(ctx context.Context, definition string, n int) (measure.Sample, error) {
	waiting, err := r.waiting(ctx, definition, n)
	if err != nil {
		return measure.Sample{}, err
	}
	took, err := measure.Spread(ctx, measure.Callers, n, func(ctx context.Context, i int) error { return r.approve(ctx, waiting[i]) })
	if err != nil {
		return took, err
	}
	return took, r.awaitEnded(ctx, definition)
}

// waiting are the steps of n new executions that wait for ann, each with a run
// that has asked for its plan.
func (r *rig) waiting(ctx context.Context, definition string, n int) ([]client.Decision, error) {
	ids, _, err := r.dispatches(ctx, n, client.Dispatch{DefinitionID: definition})
	if err != nil {
		return nil, err
	}
	err = measure.Until(ctx, func() (bool, error) {
		pending, err := r.count(ctx, definition, "pending")
		return pending == 0, err
	})
	if err != nil {
		return nil, err
	}
	decisions := make([]client.Decision, n)
	_, err = measure.Spread(ctx, measure.Callers, n, func(ctx context.Context, i int) error {
		view, err := r.workspace.Get(ctx, ids[i])
		if err != nil {
			return err
		}
		decisions[i] = client.Decision{ExecutionID: ids[i], StepID: view.Steps[0].StepID, ReviewerID: "ann", Decision: "approve"}
		return nil
	})
	return decisions, err
}

func (r *rig) approve(ctx context.Context, decision client.Decision) error {
	answer, err := r.workspace.Decide(ctx, decision)
	if err == nil && !answer.ResumeScheduled {
		return fmt.Errorf("the decision did not end the step: %+v", answer)
	}
	return err
}

// benchNextCall compares the time from a decision's call to the request of the
// webhook step behind it with the time from a bare update's call to the request
// of the activity behind it. Both requests go to one https receiver; each
// caller decides again when its request has arrived.
func benchNextCall(ctx context.Context, r *rig) ([]measure.Row, error) {
	receiver, err := ear.Listen(r.authority)
	if err != nil {
		return nil, err
	}
	defer receiver.Close()
	nodes := []client.Node{client.Human("review", "ann"), client.Hook("call", receiver.Base+"/call")}
	definition, err := r.define(ctx, nodes, client.Both("review", "call")...)
	if err != nil {
		return nil, err
	}
	var blocks []measure.Pair
	for range decisionPairs {
		theirs, err := r.bare.Calls(ctx, receiver, decisionBlock)
		if err != nil {
			return nil, err
		}
		ours, err := r.callsAfterDecisions(ctx, receiver, definition, decisionBlock)
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, measure.Pair{Measured: ours, Against: theirs})
	}
	measured, against := measure.Medians(blocks)
	return []measure.Row{measure.AtMost(1.2, measure.Row{
		Name: "decision's call to the next step's request, p50", Unit: "ms", Measured: measured,
		What: "bare update's call to its activity's request", Against: against, Blocks: blocks,
	})}, nil
}

func (r *rig) callsAfterDecisions(ctx context.Context, receiver *ear.Ear, definition string, n int) (float64, error) {
	waiting, err := r.waiting(ctx, definition, n)
	if err != nil {
		return 0, err
	}
	took := make([]time.Duration, n)
	_, err = measure.Spread(ctx, measure.Callers, n, func(ctx context.Context, i int) error {
		began := time.Now()
		if err := r.approve(ctx, waiting[i]); err != nil {
			return err
		}
		var err error
		took[i], err = receiver.After(ctx, waiting[i].ExecutionID, began)
		return err
	})
	if err != nil {
		return 0, err
	}
	return measure.Percentile(took, 50), r.awaitEnded(ctx, definition)
}
