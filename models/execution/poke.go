package execution

import (
	"context"
	"time"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/nudge"
)

const markDue = `
UPDATE executions SET poke_due = revision, poke_at = clock_timestamp() WHERE workspace_id = $1 AND id = $2`

// MarkDue marks an execution as owed a poke: for an activity whose result the
// engine no longer takes, because another run is in the place of its own. An
// execution that is not there is no error.
func (e *Executions) MarkDue(ctx context.Context, workspaceID, executionID string) error {
	_, err := e.db.Pool.Exec(ctx, markDue, workspaceID, executionID)
	if err == nil {
		e.db.WakeAll(nudge.Executions)
	}
	return pg.Translate(err)
}

// retryAfter is when a poke that could not be sent may be claimed again: not at
// once, because whatever refused it refuses the next one as well.
const retryAfter = 250 * time.Millisecond

// releasePokes: what is owed by now for a later revision has not been refused yet. It
// stands under the same claim where it did not drive anything by itself.
const releasePokes = `
UPDATE executions e SET poke_at = clock_timestamp() + CASE WHEN e.poke_due = p.revision THEN $4::interval ELSE interval '0' END
FROM unnest($1::text[], $2::text[], $3::bigint[]) AS p(workspace_id, id, revision)
WHERE e.workspace_id = p.workspace_id AND e.id = p.id AND e.poke_due >= p.revision AND e.poke_at > clock_timestamp()`

// ReleasePokes gives claims back that could not be sent, so that nobody has to
// wait until they run out; those that were carried over to a later revision are
// due at once.
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
