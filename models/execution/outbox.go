package execution

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/redline-svc/redline/internal/interpreter"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/notifier"
)

const (
	// claimFor is how long a claimed poke belongs to the relay that took it.
	claimFor = 15 * time.Second
	// retryAfter is when a poke that could not be sent may be claimed again: not at
	// once, because whatever refused it refuses the next one as well.
	retryAfter = 250 * time.Millisecond
)

// nextOwing finds the first workspace behind another one that owes Temporal
// something, now or later.
func nextOwing(behind string) string {
	return `SELECT min(workspace_id) FROM executions WHERE poke_at IS NOT NULL AND workspace_id > ` + behind
}

// claimPokes claims from workspaces in turn. Of those with something due $1 are
// taken at most, and each gives the same share, so it costs what is claimed and not
// what waits, and a workspace with thousands due does not keep others waiting.
//
// It moves the time of what it takes on, so a relay that dies gives its pokes back
// by itself. It updates the rows by ctid: for a join by their keys Postgres would
// read the whole table, since it cannot know how few rows the inner statement gives.
var claimPokes = `
WITH RECURSIVE ` + pg.Turn("$3", nextOwing) + `, visited AS (
    SELECT id, row_number() OVER () AS n FROM (SELECT id FROM turn WHERE id IS NOT NULL LIMIT 4 * $1) t
), owing AS (
    SELECT id, n FROM visited v
    WHERE EXISTS (SELECT 1 FROM executions WHERE workspace_id = v.id AND poke_at <= clock_timestamp()) ORDER BY n LIMIT $1
), share AS (
    SELECT greatest(1, $1 / greatest(count(*), 1)) AS rows, max(n) AS last FROM owing
), due AS (
    SELECT d.ctid AS at, row_number() OVER (PARTITION BY o.id ORDER BY d.poke_at) AS rank
    FROM share s CROSS JOIN owing o CROSS JOIN LATERAL (
        SELECT ctid, poke_at FROM executions WHERE workspace_id = o.id AND poke_at <= clock_timestamp()
        ORDER BY poke_at LIMIT s.rows FOR UPDATE SKIP LOCKED) d
)
UPDATE executions SET poke_at = clock_timestamp() + $2 WHERE ctid = ANY (ARRAY(SELECT at FROM due))
RETURNING workspace_id, id, definition_id, definition_name, definition_version, key_space, idempotency_key, correlation_id, status,
          poke_due, run_started, coalesce(trace_parent, ''), (SELECT v.id FROM share s JOIN visited v ON v.n = s.last),
          (SELECT max(rank) FROM due) >= (SELECT rows FROM share)`

// PokeBatch is what one claim gave.
type PokeBatch struct {
	Pokes []Poke
	// Last is the last workspace that was asked: the next claim begins behind it.
	Last string
	// More says that more may be due.
	More bool
}

// ClaimPokes takes up to limit executions that are owed a start or a poke now, of
// workspaces in turn, beginning behind the workspace after. They belong to the
// caller for 15 s.
func (e *Executions) ClaimPokes(ctx context.Context, after string, limit int) (PokeBatch, error) {
	var batch PokeBatch
	b := &pgx.Batch{}
	b.Queue(pg.ByKeys)
	b.Queue(claimPokes, limit, claimFor, after).Query(func(rows pgx.Rows) (err error) {
		batch.Pokes, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (Poke, error) {
			var p Poke
			var space, key string
			err := row.Scan(&p.WorkspaceID, &p.ExecutionID, &p.DefinitionID, &p.DefinitionName, &p.DefinitionVersion, &space, &key,
				&p.CorrelationID, &p.Status, &p.Revision, &p.Started, &p.TraceParent, &batch.Last, &batch.More)
			p.WorkflowID = workflowID(p.WorkspaceID, p.DefinitionID, space, key)
			p.Ended = interpreter.Status(p.Status).Final()
			return p, err
		})
		return err
	})
	return batch, pg.Translate(e.db.Pool.SendBatch(ctx, b).Close())
}

// AckPoke clears the mark of a poke that Temporal has got, where it still is for
// the same revision.
func (e *Executions) AckPoke(ctx context.Context, p Poke) error {
	_, err := gorm.G[executionRow](e.db.Gorm).Scopes(pg.Tenant(p.WorkspaceID)).Where("id = ? AND poke_due = ?", p.ExecutionID, p.Revision).
		Set(clause.Assignments(map[string]any{"poke_due": nil, "poke_at": nil, "run_started": true})).Update(ctx)
	return pg.Translate(err)
}

// releasePokes makes a poke that was refused due again after a pause. If a command
// has moved poke_due on to a later revision under the same claim, nobody has tried
// to send that one, so it is due at once.
const releasePokes = `
UPDATE executions e SET poke_at = clock_timestamp() + CASE WHEN e.poke_due = p.revision THEN $4::interval ELSE interval '0' END
FROM unnest($1::text[], $2::text[], $3::bigint[]) AS p(workspace_id, id, revision)
WHERE e.workspace_id = p.workspace_id AND e.id = p.id AND e.poke_due >= p.revision AND e.poke_at > clock_timestamp()`

// ReleasePokes gives back the claims of pokes that could not be sent, so that
// nobody has to wait until they run out.
func (e *Executions) ReleasePokes(ctx context.Context, pokes []Poke) error {
	var workspaces, ids []string
	var revisions []int64
	for _, p := range pokes {
		workspaces, ids, revisions = append(workspaces, p.WorkspaceID), append(ids, p.ExecutionID), append(revisions, p.Revision)
	}
	_, err := e.db.Pool.Exec(ctx, releasePokes, workspaces, ids, revisions, retryAfter)
	return pg.Translate(err)
}

// MarkDue marks an execution as owed a poke: for an activity whose result
// Temporal no longer takes, because another run has replaced its own. An
// execution that is not there is no error.
func (e *Executions) MarkDue(ctx context.Context, workspaceID, executionID string) error {
	_, err := gorm.G[executionRow](e.db.Gorm).Scopes(pg.Tenant(workspaceID)).Where("id = ?", executionID).
		Set(clause.Assignments(map[string]any{"poke_due": gorm.Expr("revision"), "poke_at": pg.Clock})).Update(ctx)
	if err == nil {
		e.db.NotifyAll(notifier.Executions)
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

// Sweep marks the executions that want Temporal since a minute and that
// nothing drives, and tells how many these are.
func (e *Executions) Sweep(ctx context.Context) (int, error) {
	tag, err := e.db.Pool.Exec(ctx, sweepOverdue, overdueBy, sweepBatch)
	if err == nil && tag.RowsAffected() > 0 {
		e.db.NotifyAll(notifier.Executions)
	}
	return int(tag.RowsAffected()), pg.Translate(err)
}

const resyncBatch = `
UPDATE executions SET poke_due = revision, poke_at = clock_timestamp()
WHERE (workspace_id, id) IN (SELECT workspace_id, id FROM executions
                             WHERE status IN ('pending', 'running') AND (workspace_id, id) > ($1, $2)
                             ORDER BY workspace_id, id LIMIT $3)
RETURNING workspace_id, id`

// Resync marks every open execution as owed a start or poke: after Temporal
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
			e.db.NotifyAll(notifier.Executions)
			return total, nil
		}
	}
}
