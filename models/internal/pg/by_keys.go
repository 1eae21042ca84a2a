package pg

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// ExecByKeys sends one statement that is planned by keys and gives how many rows it
// has changed.
func (db *DB) ExecByKeys(ctx context.Context, statement string, args ...any) (changed int64, err error) {
	b := &pgx.Batch{}
	b.Queue(ByKeys)
	b.Queue(statement, args...).Exec(func(tag pgconn.CommandTag) error {
		changed = tag.RowsAffected()
		return nil
	})
	return changed, Translate(db.Pool.SendBatch(ctx, b).Close())
}
