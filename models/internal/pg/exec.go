package pg

import "context"

// Exec sends one statement and returns how many rows it has changed.
func (db *DB) Exec(ctx context.Context, statement string, args ...any) (changed int64, err error) {
	tag, err := db.Pool.Exec(ctx, statement, args...)
	return tag.RowsAffected(), Translate(err)
}
