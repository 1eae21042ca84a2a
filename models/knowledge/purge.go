package knowledge

import (
	"context"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/redline-svc/redline/models/internal/pg"
)

// Purge has remove take a hidden version out of the index, and notes that the index holds
// nothing of it any more. To remove objects is a use of the index. The version is held
// meanwhile: who would bring it in again waits, so that remove never takes what is new.
func (k *Knowledge) Purge(ctx context.Context, v VersionRef, remove func() error) error {
	if err := k.NoteUse(ctx, v.WorkspaceID); err != nil {
		return err
	}
	return k.db.InTx(ctx, func(tx *pg.Tx) error {
		hidden, err := gorm.G[versionRow](tx.Gorm()).Scopes(v.only).Where("indexed AND state IN ('failed', 'retired')").
			Set(clause.Assignments(map[string]any{"indexed": false})).Update(ctx)
		if err != nil || hidden == 0 {
			return err
		}
		if _, err := gorm.G[copyRow](tx.Gorm()).Scopes(v.only).Delete(ctx); err != nil {
			return err
		}
		return remove()
	})
}
