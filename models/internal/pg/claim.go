package pg

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Queue is a table of what is owed to the engine. Its rows have a workspace_id, a
// state and the time drive_after from which on they are owed a run; rows in the state
// Waiting have none yet, those in the state Working have one.
type Queue struct {
	// Update begins the statement: UPDATE and the table.
	Update string
	// From is FROM and the table.
	From string
	// Waiting and Working are the two states.
	Waiting, Working string
	// Order is that of the waiting rows of a workspace, as columns. It needs an index
	// behind workspace_id, over rows that wait.
	Order string
	// Columns are those that a claim gives, each as text.
	Columns string
}

// Next is the text of a query for the first workspace behind another one that has rows
// waiting.
func (q Queue) Next(behind string) string {
	return fmt.Sprintf(`SELECT min(workspace_id) %s WHERE state = '%s' AND workspace_id > %s`, q.From, q.Waiting, behind)
}

// Statement is the text of a claim: rows that have a run and are due for another
// offer of it first, then the oldest waiting ones of workspaces in turn, of each as
// long as it has fewer than $2 rows working. Of those $1 are taken at most, and each
// workspace gives the same share, so it costs what is claimed and not what waits: a
// workspace is visited only while fewer than $1 have room. Locked rows are passed over.
func (q Queue) Statement() string {
	return fmt.Sprintf(`
WITH RECURSIVE %[1]s, visited AS (
    SELECT v.id, v.n, $2 - (SELECT count(*) %[2]s w WHERE w.workspace_id = v.id AND w.state = '%[4]s') AS free
    FROM (SELECT id, row_number() OVER () AS n FROM (SELECT id FROM turn WHERE id IS NOT NULL LIMIT 4 * $1) t) v
), room AS MATERIALIZED (
    SELECT id, n, free FROM visited WHERE free > 0 LIMIT $1
), share AS (
    SELECT greatest(1, $1 / greatest(count(*), 1)) AS rows FROM room
), stood AS (
    SELECT CASE WHEN (SELECT count(*) FROM room) = $1 THEN (SELECT id FROM room ORDER BY n DESC LIMIT 1)
           ELSE (SELECT id FROM visited ORDER BY n DESC LIMIT 1) END AS id
), chosen AS (
    (SELECT ctid AS at %[2]s WHERE state = '%[4]s' AND drive_after <= clock_timestamp() ORDER BY drive_after LIMIT $1)
    UNION ALL
    (SELECT d.ctid FROM share s CROSS JOIN room r CROSS JOIN LATERAL (
        SELECT ctid %[2]s WHERE workspace_id = r.id AND state = '%[3]s' ORDER BY %[5]s LIMIT least(s.rows, r.free)) d)
), locked AS (
    SELECT ctid AS at %[2]s WHERE ctid = ANY (ARRAY(SELECT at FROM chosen LIMIT $1))
    AND state IN ('%[3]s', '%[4]s') AND drive_after <= clock_timestamp() FOR UPDATE SKIP LOCKED
), claimed AS (
    %[6]s SET drive_after = clock_timestamp() + $3::interval, state = '%[4]s'
    WHERE ctid = ANY (ARRAY(SELECT at FROM locked)) RETURNING ARRAY[%[7]s] AS row
)
SELECT coalesce(s.id, ''), c.row FROM stood s LEFT JOIN claimed c ON true`,
		Turn("$4", q.Next), q.From, q.Waiting, q.Working, q.Order, q.Update, q.Columns)
}

// Claim claims up to limit rows of workspaces in turn, beginning behind the workspace
// after; none of these gets more than working rows. They are due again after a while.
// rows are their columns; last is the last workspace that was asked, where the next
// claim begins.
func (db *DB) Claim(ctx context.Context, statement, after string, limit, working int, again time.Duration) (rows [][]string, last string, err error) {
	b := &pgx.Batch{}
	b.Queue(ByKeys)
	b.Queue(statement, limit, working, again, after).Query(func(found pgx.Rows) error {
		var row []string
		_, err := pgx.ForEachRow(found, []any{&last, &row}, func() error {
			if row != nil {
				rows = append(rows, row)
			}
			row = nil
			return nil
		})
		return err
	})
	return rows, last, Translate(db.Pool.SendBatch(ctx, b).Close())
}

// ExecByKeys sends one statement that is planned by keys and gives how many rows it
// has changed.
func (db *DB) ExecByKeys(ctx context.Context, statement string, args ...any) (changed int64, err error) {
	b := &pgx.Batch{}
	b.Queue(ByKeys)
	b.Queue(statement, args...).Exec(func(tag pgconn.CommandTag) error {
		changed = tag.RowsAffected()
		return nil
	})
	return changed, Translate(db.Pool.SendBatch(ctx, b).Close())
}
