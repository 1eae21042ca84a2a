package workspace

import (
	"context"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/models/internal/pg"
)

// Owner is who a workspace belongs to. ID is the same for all workspaces of an
// owner; the rest is a label of this workspace.
type Owner struct {
	ID     string
	Email  string
	Name   string
	Avatar *string
}

// lockOwner returns the owner of an e-mail key, made if there is none, locked
// until the transaction ends: what one owner creates happens one by one.
func lockOwner(ctx context.Context, tx *pg.Tx, emailKey string) (ownerRow, error) {
	made := ownerRow{ID: id.New(id.Owner), EmailKey: emailKey}
	onConflict := clause.OnConflict{Columns: []clause.Column{{Name: "email_key"}}, DoNothing: true}
	if err := gorm.G[ownerRow](tx.Gorm(), onConflict).Create(ctx, &made); err != nil && !pg.IsNoRow(err) {
		return ownerRow{}, err
	}
	return gorm.G[ownerRow](tx.Gorm(), clause.Locking{Strength: clause.LockingStrengthUpdate}).
		Where("email_key = ?", emailKey).Take(ctx)
}
