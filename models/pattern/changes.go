package pattern

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/job"
)

// quiet is how long the judgments of a workspace rest before its patterns are looked for.
// While they do not rest it is done latestChange after the first change; after a removal
// it does not wait for rest, since what is gone must not go on speaking from a pattern.
const (
	quiet         = `interval '1 minute'`
	latestChange  = `interval '10 minutes'`
	latestRemoval = `interval '1 minute'`
	// again is when patterns are looked for though nothing has changed: judgments grow
	// too old, and rules change. What was looked through longer than fresh ago is so
	// then, whatever changed.
	again = `interval '1 day'`
	fresh = `interval '23 hours'`
)

// AfterChange is the text of a statement that carries out a change of judgments and notes
// it. The change gives the column workspace_id.
func AfterChange(change string) string { return noting(change, latestChange) }

// AfterRemoval is AfterChange for judgments that are gone. It may be a part of a statement
// whose change only reads what another part gives.
func AfterRemoval(change string) string { return noting(change, latestRemoval) }

// noting takes workspaces in order, so that two of these do not wait for each other.
func noting(change, latest string) string {
	return `WITH touched AS (` + change + `)
INSERT INTO pattern_changes AS p (workspace_id, due, latest)
SELECT c.workspace_id, clock_timestamp() + ` + quiet + `, clock_timestamp() + ` + latest + `
FROM (SELECT DISTINCT workspace_id FROM touched) c ORDER BY c.workspace_id
ON CONFLICT (workspace_id) DO UPDATE
SET due = least(excluded.due, p.latest, excluded.latest), latest = least(p.latest, excluded.latest)`
}

// dueByModel makes workspaces due whose patterns were looked for by vectors of another model
// than the one that serves now, a few at a time: so a switch to another generation of the
// index notes nothing, however many workspaces there are.
const dueByModel = `
WITH serving AS (SELECT model FROM index_generations WHERE state = 'serving'), turned AS (
    UPDATE pattern_runs r SET model = s.model FROM serving s
    WHERE r.workspace_id = ANY (ARRAY(SELECT o.workspace_id FROM pattern_runs o, serving n WHERE o.model < n.model OR o.model > n.model
                                      LIMIT $1 FOR UPDATE OF o SKIP LOCKED))
    RETURNING r.workspace_id
)
UPDATE pattern_changes SET due = clock_timestamp()
WHERE workspace_id = ANY (ARRAY(SELECT p.workspace_id FROM pattern_changes p JOIN turned t ON t.workspace_id = p.workspace_id
                                ORDER BY p.workspace_id FOR UPDATE OF p))`

// dueNow takes workspaces whose time has come and that have no open job; others look at
// the rest meanwhile.
const dueNow = `
SELECT workspace_id FROM pattern_changes p
WHERE due <= clock_timestamp()
      AND NOT EXISTS (SELECT FROM jobs j WHERE j.workspace_id = p.workspace_id AND j.kind = 'detection' AND j.ended_at IS NULL)
ORDER BY due LIMIT $1 FOR UPDATE SKIP LOCKED`

// Begin turns up to limit workspaces whose time has come into jobs, and gives how many.
// What changes from then on is due anew.
func (p *Patterns) Begin(ctx context.Context, limit int) (begun int, err error) {
	if _, err := p.db.Pool.Exec(ctx, dueByModel, limit); err != nil {
		return 0, pg.Translate(err)
	}
	err = p.db.InTx(ctx, func(tx *pg.Tx) error {
		rows, err := tx.Query(ctx, dueNow, limit)
		if err != nil {
			return err
		}
		due, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil || len(due) == 0 {
			return err
		}
		var queued []string
		for _, workspaceID := range due {
			mine, err := job.QueueOnly(ctx, tx, job.Job{WorkspaceID: workspaceID, ID: id.New(id.Detection), Kind: job.Detection, Input: []byte(`{}`)})
			if err != nil {
				return err
			}
			if mine {
				queued = append(queued, workspaceID)
			}
		}
		begun = len(queued)
		_, err = tx.Exec(ctx, `UPDATE pattern_changes SET due = NULL, latest = NULL WHERE workspace_id = ANY ($1)`, queued)
		return err
	})
	return begun, err
}

// makeDue is for the operator. A workspace without judgments and patterns has nothing to
// look for.
const makeDue = `
INSERT INTO pattern_changes (workspace_id, due)
SELECT id, clock_timestamp() FROM workspaces w
WHERE ($1 = '' OR id = $1)
      AND (EXISTS (SELECT FROM judgments WHERE workspace_id = w.id) OR EXISTS (SELECT FROM patterns WHERE workspace_id = w.id))
ORDER BY id
ON CONFLICT (workspace_id) DO UPDATE SET due = excluded.due`

// MakeDue has patterns looked for at once, whatever has changed: of a workspace, or of all of them without one.
// It gives of how many. Error: NOT_FOUND for an unknown workspace.
func (p *Patterns) MakeDue(ctx context.Context, workspaceID string) (int64, error) {
	var known bool
	err := p.db.Pool.QueryRow(ctx, `SELECT $1 = '' OR EXISTS (SELECT FROM workspaces WHERE id = $1)`, workspaceID).Scan(&known)
	if err != nil {
		return 0, pg.Translate(err)
	}
	if !known {
		return 0, fault.NotFound("workspace")
	}
	var made int64
	err = p.db.InTx(ctx, func(tx *pg.Tx) error {
		done, err := tx.Exec(ctx, makeDue, workspaceID)
		if made = done.RowsAffected(); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE pattern_scopes SET looked_at = NULL WHERE $1 = '' OR workspace_id = $1`, workspaceID)
		return err
	})
	return made, err
}
