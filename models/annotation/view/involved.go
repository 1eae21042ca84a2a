package view

import (
	"context"
	_ "embed"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/pg"
)

// Involvement is in which documents of an organization a user has a part: the first
// MaxInvolved of them, latest annotation first, and how many these are in all.
type Involvement struct {
	DocumentIDs []string
	Count       int64
}

// MaxInvolved is how many documents of one user are named.
const MaxInvolved = 100

//go:embed involved.sql
var involved string

// Involved reads in which documents users have a part, by the users; who has none in any is
// not among them.
func (v *Views) Involved(ctx context.Context, workspaceID, organizationID string, userIDs []string) (map[string]Involvement, error) {
	rows, err := v.db.Pool.Query(ctx, involved, pgx.NamedArgs{
		"workspace": workspaceID, "organization": organizationID, "users": pg.Distinct(userIDs), "most": MaxInvolved,
	})
	if err != nil {
		return nil, pg.Translate(err)
	}
	found := map[string]Involvement{}
	var user, document string
	var count int64
	_, err = pgx.ForEachRow(rows, []any{&user, &document, &count}, func() error {
		found[user] = Involvement{append(found[user].DocumentIDs, document), count}
		return nil
	})
	return found, pg.Translate(err)
}
