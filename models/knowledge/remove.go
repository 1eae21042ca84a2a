package knowledge

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/subject"
)

const (
	// endedBatch is how many sources end in one transaction, each with its versions in
	// work and its live one, which is seldom more than one in all.
	endedBatch = 400
	// removeBatch is how many rows a transaction removes or marks at most.
	removeBatch = 1000
	// endedFor is how long a version has ended before it is removed from the index, or
	// at all: no search that saw it lasts so long, and who works on it has noticed.
	// deletedFor is the same for one that was live and has gone with its source: nobody
	// works on it, so only searches count, which last half a minute at most.
	endedFor, deletedFor = time.Minute, 35 * time.Second
)

// endedLong finds versions v, of sources s, that ended so long ago; $2 is endedFor, $3
// deletedFor.
const endedLong = `(v.updated_at < clock_timestamp() - $2::interval
      OR s.removed AND v.completed_at IS NOT NULL AND v.updated_at < clock_timestamp() - $3::interval)`

// lockStray locks sources whose organization or document was removed. It is a statement
// of its own, so that the next one sees the versions of updates that held the lock.
const lockStray = `
SELECT s.id FROM sources s
WHERE s.workspace_id = $1 AND s.id = ANY (ARRAY(SELECT g.id FROM stray_sources($1) g LIMIT $2)) ORDER BY s.id FOR NO KEY UPDATE`

// endVersions ends sources that are locked and returns their versions that end with them. SQL by
// hand: many at a time.
const endVersions = `
WITH ended AS (
    UPDATE sources s SET removed = true, live = NULL WHERE s.workspace_id = $1 AND s.id = ANY ($2) RETURNING s.id
), versions AS (
    UPDATE source_versions v SET state = 'retired', updated_at = clock_timestamp()
    FROM ended WHERE v.workspace_id = $1 AND v.source_id = ended.id AND v.state IN ('accepted', 'staging', 'live')
    RETURNING v.source_id, v.version
)
SELECT source_id, version FROM versions`

// endSources ends sources that are locked.
func endSources(ctx context.Context, tx *pg.Tx, workspaceID string, ids []string) error {
	rows, err := tx.Query(ctx, endVersions, workspaceID, ids)
	if err != nil {
		return err
	}
	v := VersionRef{WorkspaceID: workspaceID}
	_, err = pgx.ForEachRow(rows, []any{&v.SourceID, &v.Version}, func() error {
		unqueue(tx, v)
		return nil
	})
	return err
}

// withoutSources are removed subjects to which no source is scoped. Under the lock of
// the sources nobody is about to make one.
const withoutSources = `
SELECT r.key FROM subjects r WHERE r.workspace_id = $1 AND r.removed_at IS NOT NULL AND NOT r.sources_gone
      AND NOT EXISTS (SELECT FROM sources s WHERE s.organization_key = r.key AND NOT s.removed)
      AND NOT EXISTS (SELECT FROM sources s WHERE s.document_key = r.key AND NOT s.removed) LIMIT $2`

// RemoveBatch ends sources of organizations and documents that were removed, and returns
// how many: 0 when none are left. They are hidden already. Work on them stops, and
// what they leave in the index, in rows and files is removed by whoever asks for
// HiddenVersions and RemovedVersions. It may be repeated.
func (k *Knowledge) RemoveBatch(ctx context.Context, workspaceID string) (int, error) {
	ended, noted := 0, removeBatch
	for ended == 0 && noted == removeBatch {
		err := k.db.InTx(ctx, func(tx *pg.Tx) error {
			if _, err := tx.Exec(ctx, lockSources, workspaceID); err != nil {
				return err
			}
			var err error
			if ended, err = endStray(ctx, tx, workspaceID); err != nil || ended > 0 {
				return err
			}
			noted, err = subject.Gone(ctx, tx, subject.Sources, withoutSources, workspaceID, removeBatch)
			return err
		})
		if err != nil {
			return 0, err
		}
	}
	return ended, nil
}

// RemovedVersion is a version that nobody needs any more, with its files: the one that
// was brought in, and that of its canonical markdown, empty where it has none.
type RemovedVersion struct {
	VersionRef

	OriginalKey, CanonicalKey string
}

// endStray ends some sources whose organization or document was removed.
func endStray(ctx context.Context, tx *pg.Tx, workspaceID string) (ended int, err error) {
	rows, err := tx.Query(ctx, lockStray, workspaceID, endedBatch)
	if err != nil {
		return 0, err
	}
	stray, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(stray) == 0 {
		return 0, err
	}
	return len(stray), endSources(ctx, tx, workspaceID, stray)
}

// readRemoved is followed by what the versions have in common.
const readRemoved = `
SELECT v.workspace_id, v.source_id, v.version, v.original_key, coalesce(v.canonical_key, '')
FROM source_versions v JOIN sources s ON s.workspace_id = v.workspace_id AND s.id = v.source_id
WHERE NOT v.indexed AND ` + endedLong + ` AND `

// RemovedVersions returns up to limit versions of removed sources of which the index
// holds nothing any more and nobody works on.
func (k *Knowledge) RemovedVersions(ctx context.Context, limit int) ([]RemovedVersion, error) {
	return k.removed(ctx, `s.removed`, limit)
}

// FormerVersions returns up to limit versions that a later one has replaced or overtaken
// some time ago (endedFor), and of which the index holds nothing any more.
func (k *Knowledge) FormerVersions(ctx context.Context, limit int) ([]RemovedVersion, error) {
	return k.removed(ctx, `v.state = 'retired'`, limit)
}

func (k *Knowledge) removed(ctx context.Context, which string, limit int) ([]RemovedVersion, error) {
	rows, err := k.db.Pool.Query(ctx, readRemoved+which+` LIMIT $1`, limit, endedFor, deletedFor)
	if err != nil {
		return nil, pg.Translate(err)
	}
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (RemovedVersion, error) {
		var v RemovedVersion
		return v, row.Scan(&v.WorkspaceID, &v.SourceID, &v.Version, &v.OriginalKey, &v.CanonicalKey)
	})
	return found, pg.Translate(err)
}
