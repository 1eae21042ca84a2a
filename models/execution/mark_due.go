package execution

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/nudge"
)

// MarkDue marks an execution as owed a poke: for an activity whose result the
// engine no longer takes, because another run has replaced its own. An
// execution that is not there is no error.
func (e *Executions) MarkDue(ctx context.Context, workspaceID, executionID string) error {
	_, err := gorm.G[executionRow](e.db.Gorm).Scopes(pg.Tenant(workspaceID)).Where("id = ?", executionID).
		Set(clause.Assignments(map[string]any{"poke_due": gorm.Expr("revision"), "poke_at": pg.Clock})).Update(ctx)
	if err == nil {
		e.db.WakeAll(nudge.Executions)
	}
	return pg.Translate(err)
}

const (
	// overdueBy is how late a live step may be before the sweep thinks that
	// nothing drives it.
	overdueBy = 60 * time.Second
	// sweepBatch is how many executions one statement of the sweep marks.
	sweepBatch = 1000
)

const sweepOverdue = `
UPDATE executions SET poke_due = revision, poke_at = clock_timestamp()
WHERE ctid = ANY (ARRAY(SELECT ctid FROM executions
                        WHERE drive_due < clock_timestamp() - $1::interval AND poke_at IS NULL
                        ORDER BY drive_due LIMIT $2 FOR UPDATE SKIP LOCKED))`

// Sweep marks the executions that want the engine since a minute and that
// nothing drives, and tells how many these are.
func (e *Executions) Sweep(ctx context.Context) (int, error) {
	tag, err := e.db.Pool.Exec(ctx, sweepOverdue, overdueBy, sweepBatch)
	if err == nil && tag.RowsAffected() > 0 {
		e.db.WakeAll(nudge.Executions)
	}
	return int(tag.RowsAffected()), pg.Translate(err)
}

const resyncBatch = `
UPDATE executions SET poke_due = revision, poke_at = clock_timestamp()
WHERE (workspace_id, id) IN (SELECT workspace_id, id FROM executions
                             WHERE status IN ('pending', 'running') AND (workspace_id, id) > ($1, $2)
                             ORDER BY workspace_id, id LIMIT $3)
RETURNING workspace_id, id`

// Resync marks every open execution as owed a start or poke: after the engine
// lost its runs, or a backup was restored. It tells how many these are.
func (e *Executions) Resync(ctx context.Context) (int, error) {
	var total int
	var workspaceID, executionID string
	for {
		rows, err := e.db.Pool.Query(ctx, resyncBatch, workspaceID, executionID, sweepBatch)
		if err != nil {
			return total, pg.Translate(err)
		}
		var n int
		var ws, ex string
		_, err = pgx.ForEachRow(rows, []any{&ws, &ex}, func() error {
			n++
			if ws > workspaceID || (ws == workspaceID && ex > executionID) {
				workspaceID, executionID = ws, ex
			}
			return nil
		})
		if err != nil {
			return total, pg.Translate(err)
		}
		total += n
		if n < sweepBatch {
			e.db.WakeAll(nudge.Executions)
			return total, nil
		}
	}
}
