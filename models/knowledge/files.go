package knowledge

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/pg"
)

// unclaimedFor is how long a file may be without a row that names it: longer than
// any request lasts that writes one and commits its row.
const unclaimedFor = time.Hour

// UnclaimedFile is a file that is being written, or was and no row names it.
type UnclaimedFile struct{ WorkspaceID, BlobKey string }

// NoteFile notes the key of a file that is about to be written. The transaction
// that names the file claims it; what nobody claims is removed.
func (k *Knowledge) NoteFile(ctx context.Context, f UnclaimedFile) error {
	_, err := k.db.Pool.Exec(ctx, `INSERT INTO unclaimed_files (workspace_id, blob_key, since) VALUES ($1, $2, clock_timestamp())`,
		f.WorkspaceID, f.BlobKey)
	return pg.Translate(err)
}

// claimFile notes that a row of the transaction names a file.
func claimFile(ctx context.Context, tx *pg.Tx, f UnclaimedFile) error {
	_, err := tx.Exec(ctx, `DELETE FROM unclaimed_files WHERE workspace_id = $1 AND blob_key = $2`, f.WorkspaceID, f.BlobKey)
	return err
}

// UnclaimedFiles gives up to limit files that nobody claimed in time, the oldest
// first.
func (k *Knowledge) UnclaimedFiles(ctx context.Context, limit int) ([]UnclaimedFile, error) {
	rows, err := k.db.Pool.Query(ctx, `SELECT workspace_id, blob_key FROM unclaimed_files
WHERE since < now() - $2::interval ORDER BY since LIMIT $1`, limit, unclaimedFor)
	if err != nil {
		return nil, pg.Translate(err)
	}
	files, err := pgx.CollectRows(rows, pgx.RowToStructByPos[UnclaimedFile])
	return files, pg.Translate(err)
}

// DropFile forgets a file that nobody claimed once remove has removed it.
func (k *Knowledge) DropFile(ctx context.Context, f UnclaimedFile, remove func() error) error {
	return k.db.InTx(ctx, func(tx *pg.Tx) error {
		tag, err := tx.Exec(ctx, `DELETE FROM unclaimed_files WHERE workspace_id = $1 AND blob_key = $2 AND since < now() - $3::interval`,
			f.WorkspaceID, f.BlobKey, unclaimedFor)
		if err != nil || tag.RowsAffected() == 0 {
			return err
		}
		return remove()
	})
}
