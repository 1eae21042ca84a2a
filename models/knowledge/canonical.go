package knowledge

import (
	"context"

	"github.com/redline-svc/redline/models/internal/pg"
)

// liveText is one look by hand: the source and its live version.
var liveText = `
SELECT coalesce(v.canonical_key, '') FROM sources s
JOIN source_versions v ON v.workspace_id = s.workspace_id AND v.source_id = s.id AND v.version = s.live
WHERE s.workspace_id = $1 AND s.id = $2 AND ` + VisibleSource

// Canonical returns where the canonical markdown of a source's live version is kept; empty
// where there is no such source, or nothing of it is live.
func (k *Knowledge) Canonical(ctx context.Context, workspaceID, sourceID string) (key string, err error) {
	err = k.db.Pool.QueryRow(ctx, liveText, workspaceID, sourceID).Scan(&key)
	if pg.IsNoRow(err) {
		return "", nil
	}
	return key, pg.Translate(err)
}
