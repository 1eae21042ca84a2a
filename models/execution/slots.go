package execution

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/interpreter"
	"github.com/redline-svc/redline/models/internal/pg"
)

// waitingCalls returns, for each workspace with free slots that is not stopped, how many these are and
// its longest waiting calls: as many, and some more in case that the first ones
// cannot be given a slot.
const waitingCalls = `
WITH waiting AS (
    SELECT DISTINCT workspace_id FROM steps q WHERE queued_at IS NOT NULL
           AND NOT EXISTS (SELECT FROM workspaces w WHERE w.id = q.workspace_id AND w.stopped_at IS NOT NULL)
), free AS MATERIALIZED (
    SELECT w.workspace_id, $1 - (SELECT count(*) FROM steps h WHERE h.workspace_id = w.workspace_id AND h.locked_until > clock_timestamp()) AS slots
    FROM waiting w
)
SELECT q.workspace_id, q.execution_id, q.id, f.slots
FROM free f CROSS JOIN LATERAL (
    SELECT workspace_id, execution_id, id, queued_at FROM steps
    WHERE workspace_id = f.workspace_id AND queued_at IS NOT NULL ORDER BY queued_at
    LIMIT CASE WHEN f.slots > 0 THEN f.slots + $2 ELSE 0 END
) q ORDER BY q.queued_at`

// spareCalls is how many calls of a workspace may fail to take a slot before they
// hold up those behind them.
const spareCalls = 100

// waitingCall is a call and how many slots its workspace has free.
type waitingCall struct {
	WorkspaceID, ExecutionID, StepID string
	Free                             int
}

// GrantCallSlots grants the free slots to the calls that wait longest. An execution
// that errs is passed over: the next one gets its slot.
func (e *Executions) GrantCallSlots(ctx context.Context) error {
	rows, err := e.db.Pool.Query(ctx, waitingCalls, e.slots, spareCalls)
	if err != nil {
		return pg.Translate(err)
	}
	calls, err := pgx.CollectRows(rows, pgx.RowToStructByPos[waitingCall])
	if err != nil {
		return pg.Translate(err)
	}
	var failed []error
	given := map[string]int{}
	for _, c := range calls {
		if given[c.WorkspaceID] == c.Free {
			continue
		}
		if err := e.grantSlot(ctx, c); err == nil {
			given[c.WorkspaceID]++
		} else if failed = append(failed, err); ctx.Err() != nil {
			break
		}
	}
	return errors.Join(failed...)
}

func (e *Executions) grantSlot(ctx context.Context, c waitingCall) error {
	_, err := e.advance(ctx, command{
		workspaceID: c.WorkspaceID, executionID: c.ExecutionID, from: fromCaller,
		apply: func(_ *state, w *interpreter.Interpreter, _ *consequences) error { w.Unqueue(c.StepID); return nil },
	})
	return err
}
