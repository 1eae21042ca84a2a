package quota

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/pg"
)

// countLost is when a count is begun again whose process has died.
const countLost = 6 * time.Hour

const (
	// claimCount makes one process the one that counts.
	claimCount = `
INSERT INTO storage_counts (id, due_at) VALUES (1, clock_timestamp() + $1::interval)
ON CONFLICT (id) DO UPDATE SET due_at = excluded.due_at WHERE storage_counts.due_at <= clock_timestamp()`
	// endCount has the next one begin at three in the night after.
	endCount = `UPDATE storage_counts SET due_at = (date_trunc('day', clock_timestamp() AT TIME ZONE 'UTC') + interval '27 hours') AT TIME ZONE 'UTC'`
)

// CountNightly counts once a night: one process of all does.
func (q *Quotas) CountNightly(ctx context.Context) error {
	tag, err := q.db.Pool.Exec(ctx, claimCount, countLost)
	if err != nil || tag.RowsAffected() == 0 {
		return pg.Translate(err)
	}
	if err := q.Count(ctx); err != nil {
		return err
	}
	_, err = q.db.Pool.Exec(ctx, endCount)
	return pg.Translate(err)
}

const (
	// countedTables are those of which triggers count the rows.
	countedTables = `SELECT tgrelid::regclass::text FROM pg_trigger WHERE tgname = 'count_added' ORDER BY 1`
	// countTable is followed by the table.
	countTable = `SELECT r.workspace_id, sum(octet_length(record_send(r)))::bigint FROM `
	countFiles = `
SELECT f.workspace_id, sum(f.bytes)::bigint FROM (
    SELECT v.workspace_id, v.file_size AS bytes FROM source_versions v
    UNION ALL SELECT u.workspace_id, uploaded_bytes(u) FROM uploads u WHERE u.state = 'uploaded'
    UNION ALL SELECT e.workspace_id, exported_bytes(e) FROM exports e) f GROUP BY 1`
	// countCounted returns what is counted, below zero.
	countCounted = `
SELECT c.workspace_id, -sum(c.bytes)::bigint FROM (
    SELECT workspace_id, kind, bytes FROM storage_use UNION ALL SELECT workspace_id, kind, bytes FROM storage_changes) c
WHERE c.kind = $1 GROUP BY 1`
	addMissing = `INSERT INTO storage_changes (workspace_id, kind, bytes)
SELECT m.workspace_id, $1, m.bytes FROM unnest($2::text[], $3::bigint[]) AS m (workspace_id, bytes)`
	// byPages reads tables whole.
	byPages = `SET LOCAL enable_seqscan = on`
)

// Count compares what is counted of rows and files with what one snapshot shows of all
// workspaces, and notes the differences as changes. What is written meanwhile is
// in neither of the two, and counts beside.
func (q *Quotas) Count(ctx context.Context) error {
	missing := map[Kind]map[string]int64{Rows: {}, Files: {}}
	err := q.db.Read(ctx, func(tx *pg.Tx) error {
		if _, err := tx.Exec(ctx, byPages); err != nil {
			return err
		}
		if err := addSums(ctx, tx, missing[Files], countFiles); err != nil {
			return err
		}
		if err := countRows(ctx, tx, missing[Rows]); err != nil {
			return err
		}
		for kind, sums := range missing {
			if err := addSums(ctx, tx, sums, countCounted, kind); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	b := &pgx.Batch{}
	for kind, sums := range missing {
		queueMissing(b, kind, sums)
	}
	return pg.Translate(q.db.Pool.SendBatch(ctx, b).Close())
}

// countRows adds the bytes of all tables whose rows are counted.
func countRows(ctx context.Context, tx *pg.Tx, sums map[string]int64) error {
	rows, err := tx.Query(ctx, countedTables)
	if err != nil {
		return err
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, table := range tables {
		if err := addSums(ctx, tx, sums, countTable+table+` r GROUP BY 1`); err != nil {
			return err
		}
	}
	return nil
}

// addSums adds what a query returns of each workspace.
func addSums(ctx context.Context, tx *pg.Tx, sums map[string]int64, query string, args ...any) error {
	rows, err := tx.Query(ctx, query, args...)
	if err != nil {
		return err
	}
	var workspaceID string
	var bytes int64
	_, err = pgx.ForEachRow(rows, []any{&workspaceID, &bytes}, func() error {
		sums[workspaceID] += bytes
		return nil
	})
	return err
}

// queueMissing notes the differences that there are.
func queueMissing(b *pgx.Batch, kind Kind, sums map[string]int64) {
	var workspaces []string
	var bytes []int64
	for workspaceID, missing := range sums {
		if missing != 0 {
			workspaces, bytes = append(workspaces, workspaceID), append(bytes, missing)
		}
	}
	b.Queue(addMissing, kind, workspaces, bytes)
}
