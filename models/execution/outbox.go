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

// claimPokes moves the time of what it takes on, so a relay that dies gives its
// pokes back by itself. It updates the rows by ctid: for a join by their keys
// Postgres would read the whole table, since it cannot know how few rows the inner
// statement gives.
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
