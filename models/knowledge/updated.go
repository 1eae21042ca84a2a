package knowledge

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/subject"
)

// UpdatedSources counts the sources, within a scope or without one, whose content was
// replaced by a version that became live in the time before now. An empty scope is all.
func (k *Knowledge) UpdatedSources(ctx context.Context, workspaceID string, scope subject.Filter, within time.Duration) (count int, err error) {
	err = scope.Read(ctx, k.db, workspaceID, func(b *pgx.Batch, n subject.Narrow) {
		q := pg.NewConditions(workspaceID)
		q.And("v.completed_at > clock_timestamp() - %s::interval", within)
		switch organizations, documents := n.Keys(); {
		case documents != nil:
			q.And("(s.organization_key IS NULL OR s.document_key = ANY (%s))", documents)
		case organizations != nil:
			q.And("(s.organization_key IS NULL OR s.organization_key = ANY (%s))", organizations)
		}
		b.Queue(`SELECT count(*) FROM source_versions v JOIN sources s ON s.workspace_id = v.workspace_id AND s.id = v.source_id
WHERE v.workspace_id = $1 AND v.state = 'live' AND v.version > 1 AND `+VisibleSource+q.Text(), q.Args...).
			QueryRow(func(row pgx.Row) error { return row.Scan(&count) })
	})
	return count, err
}
