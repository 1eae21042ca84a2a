package knowledge

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/internal/pg"
)

// Deleted says how many chunks and rules the live version of a deleted source had.
type Deleted struct{ Chunks, Rules int }

// readEnding is what is read of a source that is to be deleted, under the locks of the sources and of
// its row: whether a version is in work, and the counts of the live one.
var readEnding = `
SELECT EXISTS (SELECT FROM source_versions w WHERE w.workspace_id = s.workspace_id AND w.source_id = s.id AND w.state IN ('accepted', 'staging')),
       coalesce(v.chunk_count, 0), coalesce(v.rule_count, 0)
FROM sources s LEFT JOIN source_versions v ON v.workspace_id = s.workspace_id AND v.source_id = s.id AND v.version = s.live
WHERE s.workspace_id = $1 AND s.id = $2 AND ` + VisibleSource

// handOn gives those whose bytes the source $2 had first another one that had them
// first: the oldest of them that still holds them, as its live or only version. That one
// is a duplicate of none.
var handOn = `
WITH first AS (
    SELECT DISTINCT ON (v.sha256) v.sha256, s.id
    FROM source_versions v JOIN sources s ON s.workspace_id = v.workspace_id AND s.id = v.source_id
    WHERE v.workspace_id = $1 AND v.dedup_of = $2 AND ` + holdsBytes + ` AND ` + VisibleSource + `
    ORDER BY v.sha256, s.created_at, s.id
)
UPDATE source_versions v SET dedup_of = nullif(f.id, v.source_id)
FROM source_versions d LEFT JOIN first f ON f.sha256 = d.sha256
WHERE d.workspace_id = $1 AND d.dedup_of = $2 AND v.workspace_id = d.workspace_id AND v.source_id = d.source_id AND v.version = d.version`

// Delete removes a source: from the commit on nothing finds it. What it leaves in the
// index, in rows and files goes as that of RemoveBatch. The lock of the sources keeps
// others from becoming duplicates of it meanwhile. Errors: NOT_FOUND; ABORTED
// (ingest-in-progress) while a version is in work, unless force ends that work.
func (k *Knowledge) Delete(ctx context.Context, workspaceID, sourceID string, force bool) (Deleted, error) {
	var gone Deleted
	err := k.db.InTx(ctx, func(tx *pg.Tx) error {
		var inWork bool
		b := &pgx.Batch{}
		b.Queue(lockSources, workspaceID)
		b.Queue(lockOne, workspaceID, sourceID)
		b.Queue(readEnding, workspaceID, sourceID).QueryRow(func(row pgx.Row) error { return row.Scan(&inWork, &gone.Chunks, &gone.Rules) })
		switch err := tx.SendBatch(ctx, b).Close(); {
		case pg.IsNoRow(err):
			return UnknownSource()
		case err != nil:
			return err
		case inWork && !force:
			return fault.Aborted("ingest-in-progress", "a version of the source is being brought in; wait for its end, or delete with force")
		}
		if err := endSources(ctx, tx, workspaceID, []string{sourceID}); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, handOn, workspaceID, sourceID)
		return err
	})
	return gone, err
}
