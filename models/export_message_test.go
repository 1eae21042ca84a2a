package models

import (
	"context"
)

// Occasion is what a transaction raises.
type Occasion = occasion

// Raise raises occasions in a transaction of their own.
func Raise(ctx context.Context, db *DB, workspaceID string, occasions ...Occasion) error {
	return db.InTx(ctx, func(tx *Tx) error { return raise(ctx, tx, workspaceID, occasions...) })
}
