package knowledge

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/vector"
)

// ErrReindexing says that somebody else builds or repairs the index.
var ErrReindexing = errors.New("the index is being built or repaired already")

// LockIndex lets one caller at a time work on the index as a whole, until release
// or the end of its connection. The advisory lock has no row, and is taken by hand.
// Error: ErrReindexing.
func (k *Knowledge) LockIndex(ctx context.Context) (release func(), err error) {
	conn, err := k.db.Pool.Acquire(ctx)
	if err != nil {
		return nil, pg.Translate(err)
	}
	release = func() {
		_ = conn.Conn().Close(context.WithoutCancel(ctx)) // the lock goes with it
		conn.Release()
	}
	var mine bool
	err = conn.QueryRow(ctx, `SELECT pg_try_advisory_lock(hashtextextended('reindex', 0))`).Scan(&mine)
	if err == nil && mine {
		return release, nil
	}
	release()
	if err == nil {
		return nil, ErrReindexing
	}
	return nil, pg.Translate(err)
}

// IndexedVersion is a version of which the index may hold objects.
type IndexedVersion struct {
	VersionRef

	Live bool
}

// IndexedWorkspaces returns the workspaces that have indexed versions.
func (k *Knowledge) IndexedWorkspaces(ctx context.Context) ([]string, error) {
	var found []string
	err := gorm.G[versionRow](k.db.Gorm).Distinct("workspace_id").Where("indexed").Order("workspace_id").Scan(ctx, &found)
	return found, pg.Translate(err)
}

// IndexedVersions returns the indexed versions of a workspace.
func (k *Knowledge) IndexedVersions(ctx context.Context, workspaceID string) ([]IndexedVersion, error) {
	rows, err := gorm.G[versionRow](k.db.Gorm).Select("workspace_id, source_id, version, state").Scopes(pg.Tenant(workspaceID)).
		Where("indexed").Order("source_id, version").Find(ctx)
	found := make([]IndexedVersion, len(rows))
	for i, row := range rows {
		found[i] = IndexedVersion{VersionRef: VersionRef{row.WorkspaceID, row.SourceID, row.Version}, Live: row.State == "live"}
	}
	return found, pg.Translate(err)
}

// IndexedItem is what the index should hold of a row: its name, and the text by which it
// is found.
type IndexedItem struct{ Name, Text string }

// indexedItems reads rows by what they have in the index.
const indexedItems = `SELECT %[2]s, ` + textOfRow + ` FROM %[1]s r
WHERE r.workspace_id = $1 AND r.source_id = $2 AND r.version = $3 ORDER BY r.ordinal`

// Items passes on what the index should hold of a version, in its order. SQL by hand: the
// corpus decides about the table.
func (k *Knowledge) Items(ctx context.Context, v VersionRef, corpus vector.Corpus, each func(IndexedItem)) error {
	t := corpusTables[corpus]
	rows, err := k.db.Pool.Query(ctx, fmt.Sprintf(indexedItems, t.table, t.item, t.path), v.WorkspaceID, v.SourceID, v.Version)
	if err != nil {
		return pg.Translate(err)
	}
	var item IndexedItem
	_, err = pgx.ForEachRow(rows, []any{&item.Name, &item.Text}, func() error {
		each(item)
		return nil
	})
	return pg.Translate(err)
}

// filledBy are the questions whether rows of the workspace $1 fill a corpus of the index.
var filledBy = map[vector.Corpus]string{
	vector.Chunks:    `SELECT FROM source_versions WHERE workspace_id = $1 AND state = 'live' AND chunk_count > 0`,
	vector.Rules:     `SELECT FROM source_versions WHERE workspace_id = $1 AND state = 'live' AND rule_count > 0`,
	vector.Judgments: `SELECT FROM judgments j JOIN judgment_index i ON i.key = j.key WHERE j.workspace_id = $1 AND i.indexed`,
}

// Fills reports whether rows say that a place of the index holds something which searches
// read: it is in the collections of the generation that serves, and what belongs there was
// brought in. SQL by hand, since it is asked in one question of tables that have nothing else
// in common.
func (k *Knowledge) Fills(ctx context.Context, p vector.Partition) (fills bool, err error) {
	err = k.db.Pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM index_generations WHERE state = 'serving' AND suffix = $2) AND EXISTS (`+filledBy[p.Corpus]+`)`,
		p.Workspace, p.Suffix).Scan(&fills)
	return fills, pg.Translate(err)
}
