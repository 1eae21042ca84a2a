package deletion

import (
	"context"
	_ "embed"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/backup"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/queue"
)

// atOnce is how many rows a statement removes at most, beside what goes with them.
const atOnce = 1000

const cancelLive = `
UPDATE executions SET status = 'cancelled', cancelled_at = clock_timestamp() WHERE (workspace_id, id) IN (
    SELECT workspace_id, id FROM executions WHERE workspace_id = $1 AND status IN ('pending', 'running') LIMIT $2)`

// Cancel ends some of the executions of a workspace, without events, and returns how many.
func (d *Deletions) Cancel(ctx context.Context, workspaceID string) (int64, error) {
	return d.db.Exec(ctx, cancelLive, workspaceID, atOnce)
}

// ScheduleRef names a schedule.
type ScheduleRef struct{ DefinitionID, TriggerID string }

// NextSchedules returns some of the schedules of a workspace.
func (d *Deletions) NextSchedules(ctx context.Context, workspaceID string, limit int) ([]ScheduleRef, error) {
	rows, err := d.db.Pool.Query(ctx, `SELECT definition_id, trigger_id FROM schedules WHERE workspace_id = $1 LIMIT $2`, workspaceID, limit)
	if err != nil {
		return nil, pg.Translate(err)
	}
	refs, err := pgx.CollectRows(rows, pgx.RowToStructByPos[ScheduleRef])
	return refs, pg.Translate(err)
}

// ScheduleRemoved removes the row of a schedule of which Temporal has nothing any more.
func (d *Deletions) ScheduleRemoved(ctx context.Context, workspaceID string, s ScheduleRef) error {
	_, err := d.db.Exec(ctx, `DELETE FROM schedules WHERE workspace_id = $1 AND definition_id = $2 AND trigger_id = $3`, workspaceID, s.DefinitionID, s.TriggerID)
	return err
}

// Organizations returns the keys of some of the organizations of a workspace, deleted ones too.
func (d *Deletions) Organizations(ctx context.Context, workspaceID string, limit int) ([]int64, error) {
	rows, err := d.db.Pool.Query(ctx, `
(SELECT key FROM organizations WHERE workspace_id = $1 AND organization_id IS NULL LIMIT $2) UNION ALL
(SELECT key FROM organizations WHERE workspace_id = $1 AND organization_id IS NOT NULL LIMIT $2)`, workspaceID, limit)
	if err != nil {
		return nil, pg.Translate(err)
	}
	keys, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	return keys, pg.Translate(err)
}

var (
	//go:embed remove_versions.sql
	removeVersions string
	//go:embed remove_uploads.sql
	removeUploads string
	//go:embed remove_sent.sql
	removeSent string
	//go:embed remove_mails.sql
	removeMails string
	//go:embed remove_judgments.sql
	removeJudgments string
)

// removals are the statements for rows that need more than a look at their table, in their order: $1 is
// the workspace, $2 how many at once.
var removals = []string{
	some("chunks", "workspace_id = $1"), some("rules", "workspace_id = $1"), removeVersions, removeUploads,
	some("attempts", "workspace_id = $1 AND message_id IS NOT NULL"), removeSent, removeMails, removeJudgments,
}

// some removes rows of a table.
func some(table, which string) string {
	return `DELETE FROM ` + table + ` WHERE ctid = ANY (ARRAY(SELECT ctid FROM ` + table + ` WHERE ` + which + ` LIMIT $2))`
}

// rest are the statements for rows of tables that no index finds by the workspace. Each reads a table of
// small rows as a whole, once nothing else is left.
var rest = []string{some("work", "workspace_id = $1"), some("judgment_index", "workspace_id = $1")}

// kept are the tables that Finish is for, of which a row names files or schedules, or that stay.
var kept = []string{"audit_rows", "jobs", "schedules", "source_versions", "storage_use", "unclaimed_files", "uploads"}

//go:embed tables.sql
var tables string

// Remove removes some of the rows of a workspace and returns how many; 0 when none are left but those of
// files and of the workspace as such.
func (d *Deletions) Remove(ctx context.Context, workspaceID string) (removed int64, err error) {
	statements, err := d.statements(ctx)
	if err != nil {
		return 0, err
	}
	for _, statement := range statements {
		if removed, err = d.db.Exec(ctx, statement, workspaceID, atOnce); err != nil || removed > 0 {
			return removed, err
		}
	}
	return 0, nil
}

// statements are those of Remove. Tables come behind those that refer to them.
func (d *Deletions) statements(ctx context.Context) ([]string, error) {
	rows, err := d.db.Pool.Query(ctx, tables)
	if err != nil {
		return nil, pg.Translate(err)
	}
	referring := map[string][]string{}
	var table string
	var by []string
	if _, err = pgx.ForEachRow(rows, []any{&table, &by}, func() error { referring[table] = by; return nil }); err != nil {
		return nil, pg.Translate(err)
	}
	statements := slices.Clone(removals)
	for _, table := range inOrder(referring) {
		if !slices.Contains(kept, table) {
			statements = append(statements, some(table, "workspace_id = $1"))
		}
	}
	return append(statements, rest...), nil
}

// inOrder are tables, each behind those that refer to it.
func inOrder(referring map[string][]string) (order []string) {
	var add func(table string)
	seen := map[string]bool{}
	add = func(table string) {
		by, known := referring[table]
		if !known || seen[table] {
			return
		}
		seen[table] = true
		for _, other := range by {
			add(other)
		}
		order = append(order, table)
	}
	names := make([]string, 0, len(referring))
	for table := range referring {
		names = append(names, table)
	}
	slices.Sort(names)
	for _, table := range names {
		add(table)
	}
	return order
}

// RemovingFiles lets the caller remove files until release is called; held is true while a
// backup copies them: then none may be removed, and those of a workspace that is gone go
// with all others that no row names.
func (d *Deletions) RemovingFiles(ctx context.Context) (release func(), held bool, err error) {
	return backup.RemovingFiles(ctx, d.db)
}

// NextFiles returns the keys of some of the files of a workspace whose rows are gone.
func (d *Deletions) NextFiles(ctx context.Context, workspaceID string, limit int) ([]string, error) {
	rows, err := d.db.Pool.Query(ctx, `SELECT blob_key FROM unclaimed_files WHERE workspace_id = $1 LIMIT $2`, workspaceID, limit)
	if err != nil {
		return nil, pg.Translate(err)
	}
	keys, err := pgx.CollectRows(rows, pgx.RowTo[string])
	return keys, pg.Translate(err)
}

// FilesRemoved forgets files that are gone.
func (d *Deletions) FilesRemoved(ctx context.Context, workspaceID string, keys []string) error {
	_, err := d.db.Exec(ctx, `DELETE FROM unclaimed_files WHERE workspace_id = $1 AND blob_key = ANY ($2::text[])`, workspaceID, keys)
	return err
}

// Finish removes the workspace's own row with all that goes with it, the job among it.
func (d *Deletions) Finish(ctx context.Context, workspaceID, jobID string) error {
	return d.db.InTx(ctx, func(tx *pg.Tx) error {
		queue.Remove(tx, queue.Jobs, jobID)
		tx.NotifyAll(queue.Jobs.Topic())
		var owner string
		err := tx.QueryRow(ctx, `DELETE FROM workspaces WHERE id = $1 AND deleted_at IS NOT NULL RETURNING owner_id`, workspaceID).Scan(&owner)
		if pg.IsNoRow(err) {
			return nil
		}
		if err == nil {
			_, err = tx.Exec(ctx, `DELETE FROM owners o WHERE id = $1 AND NOT EXISTS (SELECT FROM workspaces w WHERE w.owner_id = o.id)`, owner)
		}
		return err
	})
}

// countedTo is up to where rows that are left are counted.
const countedTo = 10_000

// Left returns what is left of a workspace: how many rows of which tables, up to 10,000 of each.
func (d *Deletions) Left(ctx context.Context, workspaceID string) (map[string]int64, error) {
	rows, err := d.db.Pool.Query(ctx, `SELECT table_name FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND column_name = 'workspace_id' AND table_name NOT IN ('audit_rows', 'storage_changes')
UNION ALL SELECT 'workspaces'`)
	if err != nil {
		return nil, pg.Translate(err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, pg.Translate(err)
	}
	left := map[string]int64{}
	for _, table := range names {
		column := "workspace_id"
		if table == "workspaces" {
			column = "id"
		}
		var n int64
		err := d.db.Pool.QueryRow(ctx, `SELECT count(*) FROM (SELECT FROM `+table+` WHERE `+column+` = $1 LIMIT $2) f`, workspaceID, countedTo).Scan(&n)
		if err != nil {
			return nil, pg.Translate(err)
		}
		if n > 0 {
			left[table] = n
		}
	}
	return left, nil
}
