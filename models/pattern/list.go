package pattern

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/subject"
)

// mostShown is how many patterns a workspace is shown.
const mostShown = 100

// View is a stored pattern. OrganizationID is nil for one of the workspace as a whole,
// ContentType for one of all content.
type View struct {
	ID, Decision                     string
	OrganizationID, ContentType      *string
	Description, Category            string
	Confidence                       float64
	Votes, Agreeing, UniqueReviewers int
	Top                              []string
	DiscoveredAt, UpdatedAt          time.Time
}

// listPatterns chooses the most confident ones. Those of an organization that is removed
// go later and are left out. SQL by hand: two orders.
var listPatterns = `
SELECT p.id, decision, ` + subject.ID("p.organization_key") + `, content_type, description, category, confidence, votes, agreeing, unique_reviewers, top,
       discovered_at, updated_at
FROM (SELECT * FROM patterns p WHERE p.workspace_id = $1 AND ` + subject.Shown("p.organization_key", "NULL::bigint") + `
      ORDER BY p.confidence DESC, p.updated_at DESC, p.id LIMIT $2) p
ORDER BY p.updated_at DESC, p.id`

// Count returns how many patterns a workspace has.
func (p *Patterns) Count(ctx context.Context, workspaceID string) (count int64, err error) {
	err = p.db.Pool.QueryRow(ctx, `SELECT count(*) FROM patterns p WHERE p.workspace_id = $1 AND `+subject.Shown("p.organization_key", "NULL::bigint"),
		workspaceID).Scan(&count)
	return count, pg.Translate(err)
}

// List returns the 100 most confident patterns of a workspace, the most recently updated
// first, then by id.
func (p *Patterns) List(ctx context.Context, workspaceID string) ([]View, error) {
	rows, err := p.db.Pool.Query(ctx, listPatterns, workspaceID, mostShown)
	if err != nil {
		return nil, pg.Translate(err)
	}
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (View, error) {
		var v View
		return v, row.Scan(&v.ID, &v.Decision, &v.OrganizationID, &v.ContentType, &v.Description, &v.Category, &v.Confidence, &v.Votes, &v.Agreeing,
			&v.UniqueReviewers, &v.Top, &v.DiscoveredAt, &v.UpdatedAt)
	})
	return found, pg.Translate(err)
}
