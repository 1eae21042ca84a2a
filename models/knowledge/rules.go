package knowledge

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/pg"
)

// Rule is a rule of a live version. Index is where it stands among them, from 0;
// Category is nil where no heading is above it.
type Rule struct {
	ID, Content string
	Category    *string
	Index       int
}

// readRules returns one row for a source without rules, so that it is told apart from
// one that does not exist. SQL by hand: both are one look.
var readRules = `
SELECT r.id, r.content, r.category, r.ordinal
FROM sources s LEFT JOIN rules r ON r.workspace_id = s.workspace_id AND r.source_id = s.id AND r.version = s.live
WHERE s.workspace_id = $1 AND s.id = $2 AND ` + VisibleSource + ` ORDER BY r.ordinal`

// Rules returns the rules of a source's live version in the order of the text; none
// while nothing is live. Error: NOT_FOUND.
func (k *Knowledge) Rules(ctx context.Context, workspaceID, sourceID string) ([]Rule, error) {
	rows, err := k.db.Pool.Query(ctx, readRules, workspaceID, sourceID)
	if err != nil {
		return nil, pg.Translate(err)
	}
	known, rules := false, []Rule{}
	var id, content *string
	var category *string
	var ordinal *int
	_, err = pgx.ForEachRow(rows, []any{&id, &content, &category, &ordinal}, func() error {
		known = true
		if id != nil {
			rules = append(rules, Rule{*id, *content, category, *ordinal})
		}
		return nil
	})
	if err == nil && !known {
		return nil, UnknownSource()
	}
	return rules, pg.Translate(err)
}
