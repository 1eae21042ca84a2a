package search

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/subject"
	"github.com/redline-svc/redline/models/vector"
)

// NearRule asks for the rule nearest to a vector by the model that serves.
type NearRule struct {
	Vector []float32
	// OrganizationID adds the rules of an organization to those of no organization;
	// empty for these alone.
	OrganizationID string
	// Within is the greatest cosine distance that counts.
	Within float32
}

// CategoryOfNearestRule returns the category of the nearest rule of a live version that is
// near enough; "" where there is none, or it has none. It is for work that nobody waits
// for, and takes no slot of searches. Error: UNAVAILABLE when the index does not answer.
func (f *Searches) CategoryOfNearestRule(ctx context.Context, workspaceID string, index VectorIndex, q NearRule) (string, error) {
	s := &searchSnapshot{workspaceID: workspaceID, q: Query{Rules: true}}
	err := f.db.ReadBatch(ctx, s.open)
	if err != nil || !s.rules || s.suffix == "" {
		return "", err
	}
	if err := f.uses.NoteUse(ctx, workspaceID); err != nil {
		return "", err
	}
	partition := vector.Partition{Suffix: s.suffix, Workspace: workspaceID, Corpus: vector.Rules}
	for limit := spare; ; limit *= widen {
		hits, err := index.Nearest(ctx, partition, vector.Query{Vector: q.Vector, Limit: limit, Exclude: s.hidden})
		if err != nil {
			return "", err
		}
		near := hits
		for len(near) > 0 && near[len(near)-1].Distance > q.Within {
			near = near[:len(near)-1]
		}
		slices.SortFunc(near, func(a, b vector.Hit) int {
			return cmp.Or(cmp.Compare(a.Distance, b.Distance), strings.Compare(a.Version, b.Version), strings.Compare(a.Item, b.Item))
		})
		category, found, err := f.categoryOf(ctx, workspaceID, q.OrganizationID, near)
		if found || err != nil || len(near) < limit || limit > widest {
			return category, err
		}
	}
}

// nearestCategory finds the first of hits that is a rule of a live version, of a source
// that is there and scoped to nothing or to the organization.
var nearestCategory = `
SELECT coalesce(r.category, '')
FROM unnest($2::text[], $3::int[], $4::text[]) WITH ORDINALITY AS h (source_id, version, id, at)` + joinLive + `
JOIN rules r ON r.workspace_id = $1 AND r.source_id = v.source_id AND r.version = v.version AND r.id = h.id
JOIN sources s ON s.workspace_id = $1 AND s.id = v.source_id AND coalesce(` + subject.ID("s.organization_key") + ` = $5, s.organization_key IS NULL)
ORDER BY h.at LIMIT 1`

func (f *Searches) categoryOf(ctx context.Context, workspaceID, organizationID string, hits []vector.Hit) (category string, found bool, err error) {
	if len(hits) == 0 {
		return "", false, nil
	}
	sources, versions, items := make([]string, len(hits)), make([]int, len(hits)), make([]string, len(hits))
	for i, hit := range hits {
		sources[i], versions[i] = knowledge.VersionOf(hit.Version)
		items[i] = hit.Item
	}
	err = f.db.Pool.QueryRow(ctx, nearestCategory, workspaceID, sources, versions, items, organizationID).Scan(&category)
	if pg.IsNoRow(err) {
		return "", false, nil
	}
	return category, err == nil, pg.Translate(err)
}
