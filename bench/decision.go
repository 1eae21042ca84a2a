package main

import (
	"context"
	"fmt"
	"time"

	"github.com/redline-svc/redline/tests/client"
)

const (
	decisionPairs = 3
	decisionBlock = 320
)

// benchDecision compares a reviewer's decision, each on an execution of its own
// that it ends, with an update of a waiting bare workflow that it ends.
func benchDecision(ctx context.Context, r *rig) ([]row, error) {
	nodes := []client.Node{client.Human("review", "ann"), client.Mock("end")}
	definition, err := r.define(ctx, nodes, client.Both("review", "end")...)
	if err != nil {
		return nil, err
	}
	var blocks []pair
	for range decisionPairs {
		theirs, err := r.bareUpdates(ctx, decisionBlock)
		if err != nil {
			return nil, err
		}
		ours, err := r.decisions(ctx, definition, decisionBlock)
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, pair{Measured: ours.p50(), Against: theirs.p50()})
	}
	measured, against := medians(blocks)
	return []row{atMost(0.1, row{
		Name: "reviewer decision answered, 16 callers, p50", Unit: "ms", Measured: measured,
		What: "bare update with one local activity, p50", Against: against, Blocks: blocks,
	})}, nil
}

func (r *rig) decisions(ctx context.Context, definition string, n int) (sample, error) {
	waiting, err := r.waiting(ctx, definition, n)
	if err != nil {
		return sample{}, err
	}
	took, err := spread(ctx, callers, n, func(ctx context.Context, i int) error { return r.approve(ctx, waiting[i]) })
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
	err = r.until(ctx, func() (bool, error) {
		pending, err := r.count(ctx, definition, "pending")
		return pending == 0, err
	})
	if err != nil {
		return nil, err
	}
	decisions := make([]client.Decision, n)
	_, err = spread(ctx, callers, n, func(ctx context.Context, i int) error {
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

func (r *rig) bareUpdates(ctx context.Context, n int) (sample, error) {
	ids, err := r.bareWaiting(ctx, n, r.bare.waiting)
	if err != nil {
		return sample{}, err
	}
	took, err := spread(ctx, callers, n, func(ctx context.Context, i int) error { return r.bare.decide(ctx, ids[i]) })
	if err != nil {
		return took, err
	}
	return took, r.bare.closed(ctx, ids)
}

// bareWaiting starts n workflows that wait for their update. kind takes the
// arguments that args makes of the workflow's number, none without it.
func (r *rig) bareWaiting(ctx context.Context, n int, kind any, args ...func(i int) any) ([]string, error) {
	ids := make([]string, n)
	_, err := spread(ctx, callers, n, func(ctx context.Context, i int) error {
		given := make([]any, len(args))
		for at, arg := range args {
			given[at] = arg(i)
		}
		run, err := r.bare.start(ctx, kind, given...)
		if err == nil {
			ids[i] = run.GetID()
		}
		return err
	})
	return ids, err
}

// benchNextCall compares the time from a decision's call to the request of the
// webhook step behind it with the time from a bare update's call to the request
// of the activity behind it. Both requests go to one https receiver; each
// caller decides again when its request has arrived.
func benchNextCall(ctx context.Context, r *rig) ([]row, error) {
	receiver, err := listen(r.authority)
	if err != nil {
		return nil, err
	}
	defer receiver.close()
	nodes := []client.Node{client.Human("review", "ann"), client.Hook("call", receiver.base+"/call")}
	definition, err := r.define(ctx, nodes, client.Both("review", "call")...)
	if err != nil {
		return nil, err
	}
	var blocks []pair
	for range decisionPairs {
		theirs, err := r.bareCalls(ctx, receiver, decisionBlock)
		if err != nil {
			return nil, err
		}
		ours, err := r.callsAfterDecisions(ctx, receiver, definition, decisionBlock)
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, pair{Measured: ours, Against: theirs})
	}
	measured, against := medians(blocks)
	return []row{atMost(1.2, row{
		Name: "decision's call to the next step's request, p50", Unit: "ms", Measured: measured,
		What: "bare update's call to its activity's request", Against: against, Blocks: blocks,
	})}, nil
}

func (r *rig) callsAfterDecisions(ctx context.Context, receiver *ear, definition string, n int) (float64, error) {
	waiting, err := r.waiting(ctx, definition, n)
	if err != nil {
		return 0, err
	}
	took := make([]time.Duration, n)
	_, err = spread(ctx, callers, n, func(ctx context.Context, i int) error {
		began := time.Now()
		if err := r.approve(ctx, waiting[i]); err != nil {
			return err
		}
		return arrival(ctx, receiver, waiting[i].ExecutionID, began, &took[i])
	})
	if err != nil {
		return 0, err
	}
	return percentile(took, 50), r.awaitEnded(ctx, definition)
}

func (r *rig) bareCalls(ctx context.Context, receiver *ear, n int) (float64, error) {
	names := make([]string, n)
	for i := range names {
		names[i] = unique("call")
	}
	ids, err := r.bareWaiting(ctx, n, r.bare.calling,
		func(int) any { return receiver.base + "/call" }, func(i int) any { return names[i] })
	if err != nil {
		return 0, err
	}
	took := make([]time.Duration, n)
	_, err = spread(ctx, callers, n, func(ctx context.Context, i int) error {
		began := time.Now()
		if err := r.bare.decide(ctx, ids[i]); err != nil {
			return err
		}
		return arrival(ctx, receiver, names[i], began, &took[i])
	})
	if err != nil {
		return 0, err
	}
	return percentile(took, 50), r.bare.closed(ctx, ids)
}

// arrival waits for the request of an id and sets how long after began it came.
func arrival(ctx context.Context, receiver *ear, id string, began time.Time, took *time.Duration) error {
	select {
	case at := <-receiver.expect(id):
		*took = at.Sub(began)
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(backlogLimit):
		return fmt.Errorf("the request of %s never came", id)
	}
}
