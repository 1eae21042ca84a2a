package execution

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/walk"
	"github.com/redline-svc/redline/models/internal/pg"
)

const (
	// claimFor is how long a claimed poke belongs to the relay that took it.
	claimFor = 15 * time.Second
	// retryAfter is when a poke that could not be sent may be claimed again: not at
	// once, because whatever refused it refuses the next one as well.
	retryAfter = 250 * time.Millisecond
)

// claimPokes claims from workspaces in turn: turn walks over those that owe
// something, one look at the index each, from the one behind $3 on and round again
// to it. Of those with something due $1 are taken at most, and each gives the same
// share, so it costs what is claimed and not what waits, and a workspace with
// thousands due does not keep others waiting.
//
// It moves the time of what it takes on, so a relay that dies gives its pokes back
// by itself. It updates the rows by ctid: for a join by their keys Postgres would
// read the whole table, since it cannot know how few rows the inner statement gives.
const claimPokes = `
WITH RECURSIVE turn (workspace_id) AS (
    SELECT coalesce((SELECT min(workspace_id) FROM executions WHERE poke_at IS NOT NULL AND workspace_id > $3),
                    (SELECT min(workspace_id) FROM executions WHERE poke_at IS NOT NULL))
    UNION
    SELECT coalesce((SELECT min(workspace_id) FROM executions WHERE poke_at IS NOT NULL AND workspace_id > t.workspace_id),
                    (SELECT min(workspace_id) FROM executions WHERE poke_at IS NOT NULL))
    FROM turn t WHERE t.workspace_id IS NOT NULL
), owing AS (
    SELECT workspace_id, row_number() OVER () AS n FROM (
        SELECT workspace_id FROM turn t
        WHERE EXISTS (SELECT 1 FROM executions WHERE workspace_id = t.workspace_id AND poke_at <= clock_timestamp()) LIMIT $1) t
), share AS (
    SELECT greatest(1, $1 / greatest(count(*), 1)) AS rows, (SELECT workspace_id FROM owing ORDER BY n DESC LIMIT 1) AS last FROM owing
), due AS (
    SELECT d.ctid AS at, d.poke_at, row_number() OVER (PARTITION BY o.workspace_id ORDER BY d.poke_at) AS rank
    FROM share s CROSS JOIN owing o CROSS JOIN LATERAL (
        SELECT ctid, poke_at FROM executions WHERE workspace_id = o.workspace_id AND poke_at <= clock_timestamp()
        ORDER BY poke_at LIMIT s.rows FOR UPDATE SKIP LOCKED) d
)
UPDATE executions SET poke_at = clock_timestamp() + $2 WHERE ctid = ANY (ARRAY(SELECT at FROM due))
RETURNING workspace_id, id, definition_id, definition_name, definition_version, key_space, idempotency_key, correlation_id, status,
          poke_due, run_started, coalesce(trace_parent, ''), (SELECT last FROM share), (SELECT max(rank) FROM due) >= (SELECT rows FROM share)`

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
			p.Ended = walk.Status(p.Status).Final()
			return p, err
		})
		return err
	})
	return batch, pg.Translate(e.db.Pool.SendBatch(ctx, b).Close())
}

const ackPokes = `
UPDATE executions e SET poke_due = NULL, poke_at = NULL, run_started = true
FROM unnest($1::text[], $2::text[], $3::bigint[]) AS p(workspace_id, id, revision)
WHERE e.workspace_id = p.workspace_id AND e.id = p.id AND e.poke_due = p.revision`

// AckPokes clears the marks of the pokes that the engine has got, where they
// still are for the same revision.
func (e *Executions) AckPokes(ctx context.Context, pokes []Poke) error {
	workspaces, ids, revisions := pokeKeys(pokes)
	_, err := e.db.Pool.Exec(ctx, ackPokes, workspaces, ids, revisions)
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
	workspaces, ids, revisions := pokeKeys(pokes)
	_, err := e.db.Pool.Exec(ctx, releasePokes, workspaces, ids, revisions, retryAfter)
	return pg.Translate(err)
}

// pokeKeys gives the pokes as the columns of a statement.
func pokeKeys(pokes []Poke) (workspaces, ids []string, revisions []int64) {
	for _, p := range pokes {
		workspaces, ids, revisions = append(workspaces, p.WorkspaceID), append(ids, p.ExecutionID), append(revisions, p.Revision)
	}
	return workspaces, ids, revisions
}
