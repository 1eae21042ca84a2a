package judgment

import (
	"context"
	_ "embed"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/pg"
)

//go:embed delete_records.sql
var deleteRecords string

// Delete removes judgments of any origin and returns the ids of those that were there.
// SQL by hand: what the index has is noted with the rows.
func (s *Judgments) Delete(ctx context.Context, workspaceID string, recordIDs []string) ([]string, error) {
	var gone []string
	b := &pgx.Batch{}
	b.Queue(lockRecords, workspaceID, recordIDs)
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		b.Queue(deleteRecords, pgx.NamedArgs{"workspace": workspaceID, "ids": recordIDs}).Query(removedNamed(tx, workspaceID, &gone))
		return tx.SendBatch(ctx, b).Close()
	})
	return gone, err
}
