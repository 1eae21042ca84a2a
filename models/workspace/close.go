package workspace

import (
	"context"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/internal/pg"
)

// Close closes a workspace for good: its credentials fail from the commit on, and no work of it
// begins. It gets an owner of its own, so that its name and its address are free; the owner whom it had
// goes with the last workspace. The error is NOT_FOUND, also for one that is closed already.
func Close(ctx context.Context, tx *pg.Tx, workspaceID string) error {
	row, err := takeWorkspace(ctx, tx, workspaceID)
	if err != nil {
		return err
	}
	// Whoever makes a workspace for the address meanwhile holds the row of its owner.
	lock := clause.Locking{Strength: clause.LockingStrengthUpdate}
	if _, err := gorm.G[ownerRow](tx.Gorm(), lock).Where("id = ?", row.OwnerID).Take(ctx); err != nil {
		return err
	}
	owner, err := lockOwner(ctx, tx, releasedKey+workspaceID)
	if err != nil {
		return err
	}
	closed, err := gorm.G[workspaceRow](tx.Gorm()).Where("id = ? AND deleted_at IS NULL", workspaceID).Set(clause.Assignments(map[string]any{
		"owner_id": owner.ID, "deleted_at": pg.Clock,
		"suspended_at": gorm.Expr("coalesce(suspended_at, clock_timestamp())"), "stopped_at": gorm.Expr("coalesce(stopped_at, clock_timestamp())"),
	})).Update(ctx)
	if err == nil && closed == 0 {
		err = fault.NotFound("workspace")
	}
	if err != nil || owner.ID == row.OwnerID {
		return err
	}
	_, err = gorm.G[ownerRow](tx.Gorm()).Where("id = ? AND NOT EXISTS (SELECT FROM workspaces w WHERE w.owner_id = owners.id)", row.OwnerID).Delete(ctx)
	return err
}
