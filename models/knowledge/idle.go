package knowledge

import (
	"context"
	"log/slog"
	"time"

	"gorm.io/gorm"

	"github.com/redline-svc/redline/models/internal/pg"
)

const (
	// NoteEvery is how old the note of a workspace's last use becomes before it is
	// renewed, so that searches write once an hour and not each time.
	NoteEvery = time.Hour
	// idleAfter is how long the index keeps a workspace in memory that nobody uses.
	// It is much longer than NoteEvery and than any stage of an ingestion lasts.
	idleAfter = 24 * time.Hour
)

// noteUse changes nothing while the note is young. SQL by hand: it decides by the
// clock of Postgres whether there is anything to write.
const noteUse = `
INSERT INTO index_uses AS u (workspace_id, used_at) VALUES ($1, clock_timestamp())
ON CONFLICT (workspace_id) DO UPDATE SET used_at = clock_timestamp(), released = false
WHERE u.released OR u.used_at < clock_timestamp() - $2::interval`

// NoteUse notes that the index is asked for or given something of a workspace,
// which brings the workspace into its memory.
func (k *Knowledge) NoteUse(ctx context.Context, workspaceID string) error {
	_, err := k.db.Pool.Exec(ctx, noteUse, workspaceID, NoteEvery)
	return pg.Translate(err)
}

// NoteSearch is NoteUse after a search, whose answer does not depend on it: the next
// search notes what this one could not.
func (k *Knowledge) NoteSearch(ctx context.Context, workspaceID string) {
	if err := k.NoteUse(ctx, workspaceID); err != nil {
		slog.WarnContext(ctx, "a use of the index could not be noted", "workspace_id", workspaceID, "error", err)
	}
}

func noteUseIn(ctx context.Context, tx *pg.Tx, workspaceID string) error {
	_, err := tx.Exec(ctx, noteUse, workspaceID, NoteEvery)
	return err
}

// idle keeps workspaces that nobody has used for a day and that are not released.
func idle(orm *gorm.DB) gorm.ChainInterface[useRow] {
	return gorm.G[useRow](orm).Where("NOT released AND used_at < clock_timestamp() - make_interval(secs => ?)", idleAfter.Seconds())
}

// IdleWorkspaces returns up to limit workspaces of which the index may release what
// it keeps in memory, the longest unused first.
func (k *Knowledge) IdleWorkspaces(ctx context.Context, limit int) ([]string, error) {
	var found []string
	err := idle(k.db.Gorm).Select("workspace_id").Order("used_at").Limit(limit).Scan(ctx, &found)
	return found, pg.Translate(err)
}

// Released notes that the index has released workspaces. One that was used since it
// was found idle may be in memory again, and stays noted as used.
func (k *Knowledge) Released(ctx context.Context, workspaceIDs []string) error {
	_, err := idle(k.db.Gorm).Where("workspace_id IN ?", workspaceIDs).Update(ctx, "released", true)
	return pg.Translate(err)
}
