package definition

import (
	"context"

	"github.com/redline-svc/redline/models/internal/pg"
)

// storeTriggers makes the triggers of a definition those of its new version.
func (s *Definitions) storeTriggers(ctx context.Context, tx *pg.Tx, v *newVersion) error {
	return s.storeInbound(ctx, tx, v)
}

// dropTriggers closes the triggers of a definition that is deleted.
func dropTriggers(ctx context.Context, tx *pg.Tx, workspaceID, definitionID string) error {
	_, err := dropInbound(ctx, tx, workspaceID, definitionID)
	return err
}
