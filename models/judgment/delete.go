package judgment

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/pattern"
)

var deleteRecords = owingRemoval(`
DELETE FROM judgments WHERE workspace_id = $1 AND record_id = ANY ($2) AND ` + shownRow("judgments"))

// Delete removes judgments of any origin and returns the ids of those that were there.
// SQL by hand: what is owed to the index goes with the rows.
func (s *Judgments) Delete(ctx context.Context, workspaceID string, recordIDs []string) ([]string, error) {
	var gone []string
	b := &pgx.Batch{}
	b.Queue(lockRecords, workspaceID, recordIDs)
	b.Queue(deleteRecords, workspaceID, recordIDs).Query(func(rows pgx.Rows) (err error) {
		gone, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		err := tx.SendBatch(ctx, b).Close()
		if len(gone) > 0 {
			pattern.Removed(tx, workspaceID)
		}
		return err
	})
	return gone, err
}
