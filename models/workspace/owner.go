package workspace

import (
	"context"
	"time"

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

// ownerRow stands for one e-mail address as ownership compares it.
type ownerRow struct {
	ID        string `gorm:"primaryKey"`
	EmailKey  string
	CreatedAt time.Time `gorm:"default:clock_timestamp()"`
}

// TableName is GORM's hook for the table.
func (ownerRow) TableName() string { return "owners" }

// lockOwner gives the owner of an e-mail key, made if there is none, locked
// until the transaction ends: what one owner creates happens one by one.
func lockOwner(ctx context.Context, tx *gorm.DB, emailKey string) (ownerRow, error) {
	made := ownerRow{ID: id.New(id.Owner), EmailKey: emailKey}
	onConflict := clause.OnConflict{Columns: []clause.Column{{Name: "email_key"}}, DoNothing: true}
	if err := gorm.G[ownerRow](tx, onConflict).Create(ctx, &made); err != nil && !pg.IsNoRow(err) {
		return ownerRow{}, err
	}
	return gorm.G[ownerRow](tx, clause.Locking{Strength: clause.LockingStrengthUpdate}).
		Where("email_key = ?", emailKey).Take(ctx)
}
