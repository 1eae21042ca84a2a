package knowledge

import (
	"context"
	"errors"

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

// IndexedWorkspaces gives the workspaces that have indexed versions.
func (k *Knowledge) IndexedWorkspaces(ctx context.Context) ([]string, error) {
	var found []string
	err := gorm.G[versionRow](k.db.Gorm).Distinct("workspace_id").Where("indexed").Order("workspace_id").Scan(ctx, &found)
	return found, pg.Translate(err)
}

// IndexedVersions gives the indexed versions of a workspace.
func (k *Knowledge) IndexedVersions(ctx context.Context, workspaceID string) ([]IndexedVersion, error) {
	rows, err := gorm.G[versionRow](k.db.Gorm).Select("workspace_id, source_id, version, state").Scopes(pg.Tenant(workspaceID)).
		Where("indexed").Order("source_id, version").Find(ctx)
	found := make([]IndexedVersion, len(rows))
	for i, row := range rows {
		found[i] = IndexedVersion{VersionRef: VersionRef{row.WorkspaceID, row.SourceID, row.Version}, Live: row.State == "live"}
	}
	return found, pg.Translate(err)
}

// Items gives the names of a version's items in the index, in their order. SQL by
// hand: the corpus decides about the table.
func (k *Knowledge) Items(ctx context.Context, v VersionRef, corpus vector.Corpus) ([]string, error) {
	t := corpusTables[corpus]
	rows, err := k.db.Pool.Query(ctx, `SELECT `+t.item+` FROM `+t.table+` WHERE workspace_id = $1 AND source_id = $2 AND version = $3 ORDER BY ordinal`,
		v.WorkspaceID, v.SourceID, v.Version)
	if err != nil {
		return nil, pg.Translate(err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	return found, pg.Translate(err)
}
