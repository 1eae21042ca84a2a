package workflow

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/redline-svc/redline/bench/measure"
	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

// Runs makes definitions and executions of a workspace by the interface, and looks
// into the rows for how they stand.
type Runs struct {
	Workspace *client.Workspace
	Rows      *pgxpool.Pool
}

// Define creates a definition and returns its id.
func (r *Runs) Define(ctx context.Context, nodes []redline.NodeInput, edges ...redline.EdgeInput) (string, error) {
	id := measure.Unique("bench")
	if edges == nil {
		edges = []redline.EdgeInput{}
	}
	_, err := client.Call[redline.Definition](ctx, r.Workspace.Keyed, "workflow/definitions/create",
		redline.DefinitionRequest{DefinitionID: id, Name: "Benchmark", Nodes: nodes, Edges: edges})
	return id, err
}

// Dispatches starts n executions and returns their ids.
func (r *Runs) Dispatches(ctx context.Context, n int, data redline.DispatchRequest) ([]string, measure.Sample, error) {
	ids := make([]string, n)
	took, err := measure.Spread(ctx, measure.Callers, n, func(ctx context.Context, i int) error {
		answer, err := r.Workspace.Dispatch(ctx, data)
		ids[i] = answer.ExecutionID
		return err
	})
	return ids, took, err
}

// Count asks the rows how many executions of a definition have one of the statuses.
func (r *Runs) Count(ctx context.Context, definition string, statuses ...string) (int, error) {
	var n int
	err := r.Rows.QueryRow(ctx,
		`SELECT count(*) FROM executions WHERE workspace_id = $1 AND status = ANY ($3) AND definition_id = $2`,
		r.Workspace.ID, definition, statuses).Scan(&n)
	return n, err
}

// AwaitEnded waits until no execution of the definition is open.
func (r *Runs) AwaitEnded(ctx context.Context, definition string) error {
	return measure.Until(ctx, func() (bool, error) {
		open, err := r.Open(ctx, definition)
		return !open, err
	})
}

// Open reports whether an execution of the definition is open. It is asked often
// while a block runs, so it must not cost what it measures: it reads from the
// newest on, which end last, by the index that lists use. EXISTS would have the
// rows of all blocks read.
func (r *Runs) Open(ctx context.Context, definition string) (bool, error) {
	var open bool
	err := r.Rows.QueryRow(ctx, `SELECT coalesce((SELECT true FROM executions
WHERE workspace_id = $1 AND definition_id || '' = $2 AND status IN ('pending', 'running') ORDER BY started_at DESC, id DESC LIMIT 1), false)`,
		r.Workspace.ID, definition).Scan(&open)
	return open, err
}

// AwaitStarted waits until each execution of the definition has a run that asked for
// its plan.
func (r *Runs) AwaitStarted(ctx context.Context, definition string) error {
	return measure.Until(ctx, func() (bool, error) {
		pending, err := r.Count(ctx, definition, "pending")
		return pending == 0, err
	})
}

// Waiting are the decisions of ann that n new executions wait for, each with a run
// that has asked for its plan.
func (r *Runs) Waiting(ctx context.Context, definition string, n int) ([]redline.DecideStepRequest, error) {
	ids, _, err := r.Dispatches(ctx, n, redline.DispatchRequest{DefinitionID: definition})
	if err != nil {
		return nil, err
	}
	if err := r.AwaitStarted(ctx, definition); err != nil {
		return nil, err
	}
	decisions := make([]redline.DecideStepRequest, n)
	_, err = measure.Spread(ctx, measure.Callers, n, func(ctx context.Context, i int) error {
		view, err := r.Workspace.Get(ctx, ids[i])
		if err != nil {
			return err
		}
		decisions[i] = redline.DecideStepRequest{ExecutionID: ids[i], StepID: view.Steps[0].StepID, ReviewerID: "ann", Decision: "approve"}
		return nil
	})
	return decisions, err
}

// Approve records a decision, which must end its step.
func (r *Runs) Approve(ctx context.Context, decision redline.DecideStepRequest) error {
	answer, err := r.Workspace.Decide(ctx, decision)
	if err == nil && !answer.ResumeScheduled {
		return fmt.Errorf("the decision did not end the step: %+v", answer)
	}
	return err
}
