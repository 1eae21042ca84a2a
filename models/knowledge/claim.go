package knowledge

import (
	"context"
	"strconv"
	"time"

	"gorm.io/gorm"

	"github.com/redline-svc/redline/models/internal/pg"
)

// driveAgain is when a version in work is offered to the engine again; for one that
// has a run, that changes nothing.
const driveAgain = 30 * time.Second

// claimVersions claims versions for the engine.
var claimVersions = pg.Queue{
	Update: `UPDATE source_versions`, From: `FROM source_versions`, Waiting: "accepted", Working: "staging",
	Order: `started_at, source_id`, Columns: `workspace_id, source_id, version::text`,
}.Statement()

// ClaimVersions claims up to limit versions for which the engine is to be asked for
// a run, of workspaces in turn, beginning behind the workspace after. They are due
// again after half a minute, until they have ended. last is the last workspace that
// was asked, where the next claim begins.
func (k *Knowledge) ClaimVersions(ctx context.Context, after string, limit int) (claimed []VersionRef, last string, err error) {
	rows, last, err := k.db.Claim(ctx, claimVersions, after, limit, WorkingVersions, driveAgain)
	for _, row := range rows {
		version, err := strconv.Atoi(row[2])
		if err != nil {
			return nil, "", pg.Translate(err)
		}
		claimed = append(claimed, VersionRef{row[0], row[1], version})
	}
	return claimed, last, err
}

// VersionBack makes a claimed version due at once: the engine did not take it.
func (k *Knowledge) VersionBack(ctx context.Context, v VersionRef) error {
	_, err := gorm.G[versionRow](k.db.Gorm).Scopes(v.only).Where("drive_after IS NOT NULL").Update(ctx, "drive_after", pg.Clock)
	return pg.Translate(err)
}
