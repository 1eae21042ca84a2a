package definition

import (
	"context"

	"github.com/redline-svc/redline/models/internal/pg"
)

// storeTriggers makes the triggers of a definition those of its new version. Errors:
// RESOURCE_EXHAUSTED (MaxSchedules enabled ones).
func (s *Definitions) storeTriggers(ctx context.Context, tx *pg.Tx, v *newVersion) error {
	if err := s.storeInbound(ctx, tx, v); err != nil {
		return err
	}
	return storeSchedules(ctx, tx, v)
}

// dropTriggers closes the triggers of a definition that is deleted.
func dropTriggers(ctx context.Context, tx *pg.Tx, workspaceID, definitionID string) error {
	if _, err := dropInbound(ctx, tx, workspaceID, definitionID); err != nil {
		return err
	}
	return removeSchedules(ctx, tx, workspaceID, definitionID, nil)
}
