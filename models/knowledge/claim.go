package knowledge

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"github.com/redline-svc/redline/models/internal/pg"
)

// driveAgain is when a version in work is offered to the engine again; for one that
// has a run, that changes nothing.
const driveAgain = 30 * time.Second

// nextAccepted finds the first workspace behind another one that has versions
// accepted and not in work.
func nextAccepted(behind string) string {
	return `SELECT min(workspace_id) FROM source_versions WHERE state = 'accepted' AND workspace_id > ` + behind
}

// claimVersions claims what is due: versions in work first, then the oldest accepted
// ones of workspaces in turn, as long as they have fewer than $2 in work. Of those $1
// are taken at most, and each gives the same share, so it costs what is claimed and
// not what waits. SQL by hand: it chooses and changes many rows at once, and passes
// over locked ones.
var claimVersions = `
WITH RECURSIVE ` + pg.Turn("$4", nextAccepted) + `, visited AS (
    SELECT v.id, v.n, $2 - (SELECT count(*) FROM source_versions w WHERE w.workspace_id = v.id AND w.state = 'staging') AS free
    FROM (SELECT id, row_number() OVER () AS n FROM (SELECT id FROM turn WHERE id IS NOT NULL LIMIT 4 * $1) t) v
), room AS MATERIALIZED (
    SELECT id, n, free FROM visited WHERE free > 0 LIMIT $1
), share AS (
    SELECT greatest(1, $1 / greatest(count(*), 1)) AS rows FROM room
), stood AS (
    SELECT CASE WHEN (SELECT count(*) FROM room) = $1 THEN (SELECT id FROM room ORDER BY n DESC LIMIT 1)
           ELSE (SELECT id FROM visited ORDER BY n DESC LIMIT 1) END AS id
), chosen AS (
    (SELECT ctid AS at FROM source_versions WHERE state = 'staging' AND drive_after <= clock_timestamp() ORDER BY drive_after LIMIT $1)
    UNION ALL
    (SELECT d.ctid FROM share s CROSS JOIN room r CROSS JOIN LATERAL (
        SELECT ctid FROM source_versions WHERE workspace_id = r.id AND state = 'accepted'
        ORDER BY started_at, source_id LIMIT least(s.rows, r.free)) d)
), locked AS (
    SELECT ctid AS at FROM source_versions WHERE ctid = ANY (ARRAY(SELECT at FROM chosen LIMIT $1))
    AND state IN ('accepted', 'staging') AND drive_after <= clock_timestamp() FOR UPDATE SKIP LOCKED
), claimed AS (
    UPDATE source_versions SET drive_after = clock_timestamp() + $3::interval, state = 'staging'
    WHERE ctid = ANY (ARRAY(SELECT at FROM locked)) RETURNING workspace_id, source_id, version
)
SELECT coalesce(s.id, ''), c.workspace_id, c.source_id, c.version FROM stood s LEFT JOIN claimed c ON true`

// ClaimVersions claims up to limit versions for which the engine is to be asked for
// a run, of workspaces in turn, beginning behind the workspace after. They are due
// again after half a minute, until they have ended. last is the last workspace that
// was asked, where the next claim begins.
func (k *Knowledge) ClaimVersions(ctx context.Context, after string, limit int) (claimed []VersionRef, last string, err error) {
	b := &pgx.Batch{}
	b.Queue(pg.ByKeys)
	b.Queue(claimVersions, limit, WorkingVersions, driveAgain, after).Query(func(rows pgx.Rows) error {
		var workspaceID, sourceID *string
		var version *int
		_, err := pgx.ForEachRow(rows, []any{&last, &workspaceID, &sourceID, &version}, func() error {
			if workspaceID != nil {
				claimed = append(claimed, VersionRef{*workspaceID, *sourceID, *version})
			}
			return nil
		})
		return err
	})
	return claimed, last, pg.Translate(k.db.Pool.SendBatch(ctx, b).Close())
}

// VersionBack makes a claimed version due at once: the engine did not take it.
func (k *Knowledge) VersionBack(ctx context.Context, v VersionRef) error {
	_, err := gorm.G[versionRow](k.db.Gorm).Scopes(v.only).Where("drive_after IS NOT NULL").Update(ctx, "drive_after", pg.Clock)
	return pg.Translate(err)
}
