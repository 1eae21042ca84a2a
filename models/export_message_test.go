package models

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Occasion is what a transaction raises.
type Occasion = occasion

// Raise raises occasions in a transaction of their own.
func Raise(ctx context.Context, db *DB, workspaceID string, occasions ...Occasion) (wake []string, err error) {
	err = db.pgTx(ctx, func(tx pgx.Tx) error {
		wake, err = raise(ctx, tx, workspaceID, occasions...)
		return err
	})
	return wake, err
}
