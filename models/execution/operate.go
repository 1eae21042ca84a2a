package execution

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/interpreter"
)

// CancelStep ends a step for an operator; none of its edges fires. Errors: NOT_FOUND,
// FAILED_PRECONDITION for one that has ended.
func (e *Executions) CancelStep(ctx context.Context, workspaceID string, a Act, stepID string) error {
	return e.act(ctx, workspaceID, a, stepID, func(_ *state, w *interpreter.Interpreter, _ *consequences) *fault.Error {
		return w.CancelStep(stepID, a.ActorID, a.Reason)
	})
}

// Override ends a step by hand, or records a reviewer's act and the judgment that it
// is. Who acts, and why, is the override's. Errors: NOT_FOUND, FAILED_PRECONDITION,
// PERMISSION_DENIED for a reviewer's act by somebody else.
func (e *Executions) Override(ctx context.Context, workspaceID string, a Act, o interpreter.Override) error {
	return e.act(ctx, workspaceID, a, o.StepID, func(_ *state, w *interpreter.Interpreter, c *consequences) *fault.Error {
		o.ActorID, o.Reason = a.ActorID, a.Reason
		decision, refused := w.Override(o)
		if decision != nil {
			c.addJudgment(*decision)
		}
		return refused
	})
}

// Reassign puts a person in the place of a reviewer, and returns the reviewers of the
// step. Errors: NOT_FOUND, FAILED_PRECONDITION.
func (e *Executions) Reassign(ctx context.Context, workspaceID string, a Act, r interpreter.Reassignment) ([]definition.Reviewer, error) {
	var panel []definition.Reviewer
	err := e.act(ctx, workspaceID, a, r.StepID, func(_ *state, w *interpreter.Interpreter, _ *consequences) (refused *fault.Error) {
		r.ActorID, r.Reason = a.ActorID, a.Reason
		panel, refused = w.Reassign(r)
		return refused
	})
	return panel, err
}

// Act is what somebody does to an execution: who, and why, may be empty.
type Act struct {
	ExecutionID string
	// APIKeyID is the calling key's.
	APIKeyID        string
	ActorID, Reason string
}

// Pause keeps anything of an execution from starting, and gives since when it is
// paused, in epoch milliseconds. Errors: NOT_FOUND, FAILED_PRECONDITION for one that
// has ended.
func (e *Executions) Pause(ctx context.Context, workspaceID string, a Act) (pausedAt int64, err error) {
	err = e.act(ctx, workspaceID, a, "", func(s *state, w *interpreter.Interpreter, _ *consequences) *fault.Error {
		refused := w.Pause(a.ActorID, a.Reason)
		pausedAt = s.execution.PausedAt
		return refused
	})
	return pausedAt, err
}

// Resume lets a paused execution go on. Errors: those of Pause.
func (e *Executions) Resume(ctx context.Context, workspaceID string, a Act) error {
	return e.act(ctx, workspaceID, a, "", func(_ *state, w *interpreter.Interpreter, _ *consequences) *fault.Error {
		return w.Resume(a.ActorID, a.Reason)
	})
}

// act is the command of a caller about an execution, or about a step of it.
func (e *Executions) act(ctx context.Context, workspaceID string, a Act, stepID string,
	apply func(s *state, w *interpreter.Interpreter, c *consequences) *fault.Error,
) error {
	_, err := e.advance(ctx, command{
		workspaceID: workspaceID, executionID: a.ExecutionID, apiKeyID: a.APIKeyID, stepID: stepID, from: fromCaller,
		apply: func(s *state, w *interpreter.Interpreter, c *consequences) error {
			if refused := apply(s, w, c); refused != nil {
				return refused
			}
			return nil
		},
	})
	return err
}

// lockToReopen locks the definition of an execution as a dispatch does: a delete either
// finds the execution live again, or is seen by the retry.
const lockToReopen = `
SELECT FROM definitions WHERE workspace_id = $1 AND definition_id = (SELECT definition_id FROM executions WHERE workspace_id = $1 AND id = $2)
FOR KEY SHARE`

const readRevivable = `
SELECT e.definition_id = '` + definition.AgentRun + `'
       OR EXISTS (SELECT FROM definitions d WHERE d.workspace_id = e.workspace_id AND d.definition_id = e.definition_id AND d.status = 'active')
       AND EXISTS (SELECT FROM definition_versions v WHERE v.id = e.version_ref)
FROM executions e WHERE e.workspace_id = $1 AND e.id = $2`

// queueRevival reads, under the lock of the execution, whether it may be tried again.
func (s *state) queueRevival(b *pgx.Batch, executionID string) {
	b.Queue(readRevivable, s.workspaceID, executionID).Query(func(rows pgx.Rows) error {
		if rows.Next() { // of none that is not there
			return rows.Scan(&s.revivable)
		}
		return rows.Err()
	})
}

// Retry tries a failed execution again. Errors: NOT_FOUND; FAILED_PRECONDITION for one
// that has not failed, whose definition or version is gone, or that may have no more
// attempts; INVALID_ARGUMENT for a step to skip that would not be restarted.
func (e *Executions) Retry(ctx context.Context, workspaceID string, a Act, skipStepIDs []string) error {
	_, err := e.advance(ctx, command{
		workspaceID: workspaceID, executionID: a.ExecutionID, apiKeyID: a.APIKeyID, from: fromCaller, reopens: true,
		apply: func(s *state, w *interpreter.Interpreter, _ *consequences) error {
			if s.execution.Status == interpreter.Failed && !s.revivable {
				return fault.FailedPrecondition("definition-gone", "the definition, or the version of it that the execution follows, was deleted")
			}
			if refused := w.Retry(interpreter.Retry{SkipStepIDs: skipStepIDs, ActorID: a.ActorID, Reason: a.Reason}); refused != nil {
				return refused
			}
			return nil
		},
	})
	return err
}
