package knowledge

import (
	"context"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/redline-svc/redline/models/backup"
	"github.com/redline-svc/redline/models/internal/pg"
)

// unclaimedFor is how long a file may be without a row that names it: longer than
// any request lasts that writes one and commits its row.
const unclaimedFor = time.Hour

// UnclaimedFile is a file that is being written, or was and no row names it.
type UnclaimedFile struct{ WorkspaceID, BlobKey string }

// noteAgain moves the time of a file that is noted already.
var noteAgain = clause.OnConflict{
	Columns: []clause.Column{{Name: "workspace_id"}, {Name: "blob_key"}}, DoUpdates: clause.AssignmentColumns([]string{"since"}),
}

// NoteFile notes the key of a file that is about to be written, again too. The transaction
// that names the file claims it; what nobody claims is removed.
func (k *Knowledge) NoteFile(ctx context.Context, f UnclaimedFile) error {
	err := gorm.G[unclaimedRow](k.db.Gorm, noteAgain).Set(clause.Assignments(map[string]any{
		"workspace_id": f.WorkspaceID, "blob_key": f.BlobKey, "since": pg.Clock,
	})).Create(ctx)
	return pg.Translate(err)
}

// ClaimFile notes that a row of the transaction names a file.
func ClaimFile(ctx context.Context, tx *pg.Tx, f UnclaimedFile) error {
	_, err := gorm.G[unclaimedRow](tx.Gorm()).Where("workspace_id = ? AND blob_key = ?", f.WorkspaceID, f.BlobKey).Delete(ctx)
	return err
}

// AbandonFile notes that no row names a file from the transaction on: it is removed
// with what nobody claimed in time.
func AbandonFile(ctx context.Context, tx *pg.Tx, f UnclaimedFile) error {
	return gorm.G[unclaimedRow](tx.Gorm(), noteAgain).Set(clause.Assignments(map[string]any{
		"workspace_id": f.WorkspaceID, "blob_key": f.BlobKey,
		"since": gorm.Expr("clock_timestamp() - make_interval(secs => ?)", unclaimedFor.Seconds()),
	})).Create(ctx)
}

// RemovingFiles lets the caller remove files until release is called; held is true while a
// backup copies them: then none may be removed.
func (k *Knowledge) RemovingFiles(ctx context.Context) (release func(), held bool, err error) {
	return backup.RemovingFiles(ctx, k.db)
}

// UnclaimedFiles returns up to limit files that nobody claimed in time, the oldest
// first.
func (k *Knowledge) UnclaimedFiles(ctx context.Context, limit int) ([]UnclaimedFile, error) {
	rows, err := gorm.G[unclaimedRow](k.db.Gorm).Where("since < clock_timestamp() - make_interval(secs => ?)", unclaimedFor.Seconds()).Order("since").Limit(limit).Find(ctx)
	if err != nil {
		return nil, pg.Translate(err)
	}
	files := make([]UnclaimedFile, len(rows))
	for i, row := range rows {
		files[i] = UnclaimedFile{row.WorkspaceID, row.BlobKey}
	}
	return files, nil
}

// DropFile forgets a file that nobody claimed once remove has removed it.
func (k *Knowledge) DropFile(ctx context.Context, f UnclaimedFile, remove func() error) error {
	return k.db.InTx(ctx, func(tx *pg.Tx) error {
		found, err := gorm.G[unclaimedRow](tx.Gorm()).
			Where("workspace_id = ? AND blob_key = ?", f.WorkspaceID, f.BlobKey).
			Where("since < clock_timestamp() - make_interval(secs => ?)", unclaimedFor.Seconds()).Delete(ctx)
		if err != nil || found == 0 {
			return err
		}
		return remove()
	})
}
