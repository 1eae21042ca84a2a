package execution

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/walk"
)

// lockToRevive locks the definition of an execution as a dispatch does: a delete either
// finds the execution live again, or is seen by the retry.
const lockToRevive = `
SELECT FROM definitions WHERE workspace_id = $1 AND definition_id = (SELECT definition_id FROM executions WHERE workspace_id = $1 AND id = $2)
FOR KEY SHARE`

const readRevivable = `
SELECT EXISTS (SELECT FROM definitions d WHERE d.workspace_id = e.workspace_id AND d.definition_id = e.definition_id AND d.status = 'active')
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

// Retry tries a failed execution again, and gives it as it is then. Errors: NOT_FOUND;
// FAILED_PRECONDITION for one that has not failed, whose definition or version is gone,
// or that may have no more attempts; INVALID_ARGUMENT for a step to skip that would not
// be restarted.
func (e *Executions) Retry(ctx context.Context, workspaceID string, a Act, skipStepIDs []string) (*View, error) {
	_, err := e.advance(ctx, command{
		workspaceID: workspaceID, executionID: a.ExecutionID, apiKeyID: a.APIKeyID, from: fromCaller, revives: true,
		apply: func(s *state, w *walk.Walk, _ *consequences) error {
			if s.walk.Status == walk.Failed && !s.revivable {
				return fault.Precondition("definition-gone", "the definition, or the version of it that the execution follows, was deleted")
			}
			if refused := w.Retry(walk.Retry{SkipStepIDs: skipStepIDs, ActorID: a.ActorID, Reason: a.Reason}); refused != nil {
				return refused
			}
			return nil
		},
	})
	if err != nil {
		return nil, err
	}
	return e.Get(ctx, workspaceID, a.ExecutionID, nil)
}
