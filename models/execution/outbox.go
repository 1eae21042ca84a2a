package execution

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/walk"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/nudge"
)

const (
	// claimFor is how long a claimed poke belongs to the relay that took it.
	claimFor = 15 * time.Second
	// overdueBy is how late a live step may be before the sweep thinks that
	// nothing drives it.
	overdueBy = 60 * time.Second
	// sweepBatch is how many executions one statement of the sweep marks.
	sweepBatch = 1000
)

// claimPokes pushes the due time of what it takes, so a relay that dies gives
// its pokes back by itself. The rows are updated by the places where they lie:
// a join by their keys would have the whole table read, since nobody knows how
// few they are before it runs.
const claimPokes = `
UPDATE executions SET poke_at = clock_timestamp() + $2
WHERE ctid = ANY (ARRAY(SELECT ctid FROM executions WHERE poke_at <= clock_timestamp()
                        ORDER BY poke_at LIMIT $1 FOR UPDATE SKIP LOCKED))
RETURNING workspace_id, id, definition_id, definition_name, definition_version, key_space, idempotency_key, correlation_id, status,
          poke_due, run_started, coalesce(trace_parent, '')`

// ClaimPokes takes up to limit executions that are owed a start or a poke now.
// They belong to the caller for 15 s.
func (e *Executions) ClaimPokes(ctx context.Context, limit int) ([]Poke, error) {
	rows, err := e.db.Pool.Query(ctx, claimPokes, limit, claimFor)
	if err != nil {
		return nil, pg.Translate(err)
	}
	pokes, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Poke, error) {
		var p Poke
		var space, key string
		err := row.Scan(&p.WorkspaceID, &p.ExecutionID, &p.DefinitionID, &p.DefinitionName, &p.DefinitionVersion, &space, &key,
			&p.CorrelationID, &p.Status, &p.Revision, &p.Started, &p.TraceParent)
		p.WorkflowID = workflowID(p.WorkspaceID, p.DefinitionID, space, key)
		p.Ended = walk.Status(p.Status).Final()
		return p, err
	})
	return pokes, pg.Translate(err)
}

const ackPokes = `
UPDATE executions e SET poke_due = NULL, poke_at = NULL, run_started = true
FROM unnest($1::text[], $2::text[], $3::bigint[]) AS p(workspace_id, id, revision)
WHERE e.workspace_id = p.workspace_id AND e.id = p.id AND e.poke_due = p.revision`

// AckPokes clears the marks that the engine has heard of, where they still
// stand for the same revision.
func (e *Executions) AckPokes(ctx context.Context, pokes []Poke) error {
	workspaces, ids, revisions := pokeKeys(pokes)
	_, err := e.db.Pool.Exec(ctx, ackPokes, workspaces, ids, revisions)
	return pg.Translate(err)
}

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
