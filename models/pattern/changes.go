package pattern

import (
	"context"
	_ "embed"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/job"
	"github.com/redline-svc/redline/models/queue"
)

// quiet is how long the judgments of a workspace rest before its patterns are looked for.
// While they do not rest it is done latestChange after the first change; after a removal
// it does not wait for rest, since what is gone must not go on speaking from a pattern.
const (
	quiet         = time.Minute
	latestChange  = 10 * time.Minute
	latestRemoval = time.Minute
	// again is when patterns are looked for though nothing has changed: judgments grow
	// too old, and rules change. What was looked through longer than fresh ago is so
	// then, whatever changed.
	again = 24 * time.Hour
	fresh = `interval '23 hours'`
)

// Changed queues workspaces of which judgments have changed: their patterns are looked for
// once the judgments rest, and at the latest ten minutes from now.
func Changed(tx *pg.Tx, workspaceIDs ...string) {
	for _, workspaceID := range workspaceIDs {
		queue.Put(tx, queue.Work{Kind: queue.Patterns, Key: workspaceID, WorkspaceID: workspaceID, After: latestChange})
		queue.Put(tx, queue.Work{Kind: queue.Rested, Key: workspaceID, WorkspaceID: workspaceID, After: quiet})
	}
}

// Removed queues workspaces of which judgments are gone: their patterns are looked for in a
// minute.
func Removed(tx *pg.Tx, workspaceIDs ...string) {
	for _, workspaceID := range workspaceIDs {
		queue.Put(tx, queue.Work{Kind: queue.Patterns, Key: workspaceID, WorkspaceID: workspaceID, After: latestRemoval})
	}
}

//go:embed turned.sql
var turned string

// QueueTurned queues up to limit workspaces whose patterns were looked for by vectors of
// another model than the one that serves now, and returns how many. So a switch to another
// generation of the index notes nothing, however many workspaces there are.
func (p *Patterns) QueueTurned(ctx context.Context, limit int) (n int, err error) {
	err = p.db.InTx(ctx, func(tx *pg.Tx) error {
		n, err = queueFound(ctx, tx, turned, pgx.NamedArgs{"most": limit})
		return err
	})
	return n, err
}

// queueFound queues the workspaces that a statement returns, due now.
func queueFound(ctx context.Context, tx *pg.Tx, statement string, args pgx.NamedArgs) (n int, err error) {
	rows, err := tx.Query(ctx, statement, args)
	if err != nil {
		return 0, err
	}
	var workspaceID string
	_, err = pgx.ForEachRow(rows, []any{&workspaceID}, func() error {
		n++
		queue.Put(tx, queue.Work{Kind: queue.Patterns, Key: workspaceID, WorkspaceID: workspaceID})
		return nil
	})
	return n, err
}

// Begin turns a workspace whose time has come into a job, and reports whether it did: of a
// workspace one job is open at a time. What changes from then on is due again.
func (p *Patterns) Begin(ctx context.Context, workspaceID string) (begun bool, err error) {
	err = p.db.InTx(ctx, func(tx *pg.Tx) error {
		begun, err = job.QueueOnly(ctx, tx, job.Job{WorkspaceID: workspaceID, ID: id.New(id.Detection), Kind: job.Detection, Input: []byte(`{}`)})
		if begun {
			queue.Remove(tx, queue.Patterns, workspaceID)
			queue.Remove(tx, queue.Rested, workspaceID)
		}
		return err
	})
	return begun, err
}

//go:embed judged.sql
var judged string

// MakeDue has patterns looked for at once, whatever has changed: of a workspace, or of all of them without one.
// It returns of how many. Error: NOT_FOUND for an unknown workspace.
func (p *Patterns) MakeDue(ctx context.Context, workspaceID string) (made int, err error) {
	var known bool
	err = p.db.Pool.QueryRow(ctx, `SELECT $1 = '' OR EXISTS (SELECT FROM workspaces WHERE id = $1)`, workspaceID).Scan(&known)
	if err != nil {
		return 0, pg.Translate(err)
	}
	if !known {
		return 0, fault.NotFound("workspace")
	}
	err = p.db.InTx(ctx, func(tx *pg.Tx) error {
		if made, err = queueFound(ctx, tx, judged, pgx.NamedArgs{"workspace": workspaceID}); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE pattern_scopes SET looked_at = NULL WHERE $1 = '' OR workspace_id = $1`, workspaceID)
		return err
	})
	return made, err
}
