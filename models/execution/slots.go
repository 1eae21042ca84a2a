package execution

import (
	"context"
	_ "embed"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/interpreter"
	"github.com/redline-svc/redline/models/internal/pg"
)

//go:embed waiting_calls.sql
var waitingCalls string

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
	rows, err := e.db.Pool.Query(ctx, waitingCalls, pgx.NamedArgs{"slots": e.slots, "spare": spareCalls})
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
