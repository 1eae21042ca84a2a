package knowledge

import (
	"context"

	"github.com/redline-svc/redline/models/internal/pg"
)

// Totals are how many sources of any status a workspace has, and how many chunks and
// rules their live versions have.
type Totals struct{ Sources, Chunks, Rules int64 }

var readTotals = `
SELECT count(*), coalesce(sum(v.chunk_count), 0), coalesce(sum(v.rule_count), 0)
FROM sources s LEFT JOIN source_versions v ON v.workspace_id = s.workspace_id AND v.source_id = s.id AND v.version = s.live
WHERE s.workspace_id = $1 AND ` + VisibleSource

// Totals counts what is there, as one moment saw it. A workspace has few enough sources
// to look at each.
func (k *Knowledge) Totals(ctx context.Context, workspaceID string) (Totals, error) {
	var t Totals
	err := k.db.Pool.QueryRow(ctx, readTotals, workspaceID).Scan(&t.Sources, &t.Chunks, &t.Rules)
	return t, pg.Translate(err)
}
