package workflow

import (
	"context"
	"fmt"

	"go.temporal.io/api/workflowservice/v1"
	engine "go.temporal.io/sdk/client"

	"github.com/redline-svc/redline/bench/bare"
	"github.com/redline-svc/redline/bench/measure"
	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

const (
	historyGoal = 30
	// lessThanUpdates is what a history has to be shorter than where each decision
	// comes so late that the run was told of the one before.
	lessThanUpdates = 1
)

// History counts the events in Temporal's history of ten people who decide one after
// the other, without deadlines: once as fast as they can, once each only when the run
// has heard of the one before, so that nothing is spared by telling it of several at
// once. Both are compared with a workflow of as many updates.
func History(ctx context.Context, s Side) ([]measure.Row, error) {
	theirs, err := s.Bare.Decided(ctx, chainSteps)
	if err != nil {
		return nil, err
	}
	dialed, err := engine.Dial(engine.Options{
		HostPort: s.Stack.Env["REDLINE_TEMPORAL_ADDR"], Namespace: s.Stack.Env["REDLINE_TEMPORAL_NAMESPACE"], Logger: bare.Silent{},
	})
	if err != nil {
		return nil, err
	}
	defer dialed.Close()
	soon, err := s.decided(ctx, dialed, func(string) error { return nil })
	if err != nil {
		return nil, err
	}
	late, err := s.decided(ctx, dialed, func(id string) error { return s.heard(ctx, id) })
	if err != nil {
		return nil, err
	}
	const updates = "workflow of 10 updates with local activities"
	return []measure.Row{
		measure.Below(historyGoal, measure.Row{
			Name: "history of 10 decisions one after the other", Unit: "events", Measured: soon, What: updates, Against: float64(theirs),
		}),
		measure.AtMost(lessThanUpdates, measure.Row{
			Name: "the same, each once the run has heard of the one before", Unit: "events", Measured: late, What: updates, Against: float64(theirs),
		}),
	}, nil
}

// decided takes one execution through ten people and returns how many events its run
// has; between is called between two decisions.
func (s Side) decided(ctx context.Context, dialed engine.Client, between func(executionID string) error) (float64, error) {
	nodes, _ := chained(func(name string) redline.NodeInput { return client.Human(name, "ann") })
	nodes = append(nodes, client.Mock("end"))
	var edges []redline.EdgeInput
	for i, node := range nodes[1:] {
		edges = append(edges, client.Both(nodes[i].NodeID, node.NodeID)...)
	}
	definition, err := s.Define(ctx, nodes, edges...)
	if err != nil {
		return 0, err
	}
	waiting, err := s.Waiting(ctx, definition, 1)
	if err != nil {
		return 0, err
	}
	decision := waiting[0]
	for i := range chainSteps {
		view, err := s.Workspace.Get(ctx, decision.ExecutionID)
		if err != nil {
			return 0, err
		}
		decision.StepID = view.Steps[i].StepID
		if err := s.Approve(ctx, decision); err != nil {
			return 0, err
		}
		if err := between(decision.ExecutionID); err != nil {
			return 0, err
		}
	}
	if err := s.AwaitEnded(ctx, definition); err != nil {
		return 0, err
	}
	return s.events(ctx, dialed, decision.ExecutionID)
}

// heard waits until nothing of an execution is queued for Temporal.
func (s Side) heard(ctx context.Context, executionID string) error {
	return measure.Until(ctx, func() (bool, error) {
		var heard bool
		err := s.Rows.QueryRow(ctx, `SELECT NOT EXISTS (SELECT FROM work WHERE kind = 'execution' AND key = $1)`, executionID).Scan(&heard)
		return heard, err
	})
}

// events waits until the run of an execution has closed and counts its history.
func (s Side) events(ctx context.Context, dialed engine.Client, executionID string) (float64, error) {
	query := fmt.Sprintf("RedlineExecutionId = '%s' AND ExecutionStatus = 'Completed'", executionID)
	n := 0
	err := measure.Until(ctx, func() (bool, error) {
		found, err := dialed.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{Query: query})
		if err != nil || len(found.GetExecutions()) == 0 {
			return false, err
		}
		run := found.GetExecutions()[0].GetExecution()
		n, err = bare.Events(ctx, dialed, run.GetWorkflowId(), run.GetRunId())
		return true, err
	})
	return float64(n), err
}
