package execution

import (
	"context"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/walk"
)

// CancelStep ends a step for an operator; none of its edges fires. Errors: NOT_FOUND,
// FAILED_PRECONDITION for one that has ended.
func (e *Executions) CancelStep(ctx context.Context, workspaceID string, a Act, stepID string) error {
	return e.act(ctx, workspaceID, a, stepID, func(_ *state, w *walk.Walk, _ *consequences) *fault.Error {
		return w.CancelStep(stepID, a.ActorID, a.Reason)
	})
}

// Override ends a step by hand, or records a reviewer's act and the judgment that it
// is. Who acts, and why, is the override's. Errors: NOT_FOUND, FAILED_PRECONDITION,
// PERMISSION_DENIED for a reviewer's act by somebody else.
func (e *Executions) Override(ctx context.Context, workspaceID string, a Act, o walk.Override) error {
	return e.act(ctx, workspaceID, a, o.StepID, func(_ *state, w *walk.Walk, c *consequences) *fault.Error {
		o.ActorID, o.Reason = a.ActorID, a.Reason
		decision, refused := w.Override(o)
		if decision != nil {
			c.addJudgment(*decision)
		}
		return refused
	})
}

// Reassign puts a person in the place of a reviewer, and gives the reviewers of the
// step. Errors: NOT_FOUND, FAILED_PRECONDITION.
func (e *Executions) Reassign(ctx context.Context, workspaceID string, a Act, r walk.Reassignment) ([]definition.Reviewer, error) {
	var panel []definition.Reviewer
	err := e.act(ctx, workspaceID, a, r.StepID, func(_ *state, w *walk.Walk, _ *consequences) (refused *fault.Error) {
		r.ActorID, r.Reason = a.ActorID, a.Reason
		panel, refused = w.Reassign(r)
		return refused
	})
	return panel, err
}
