package directory

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/pg"
)

// peopleOf are the organizations, of $3 or where that is NULL of all, in which users $2 of the workspace $1 have profiles.
const peopleOf = `
SELECT o.key, o.organization_id FROM organizations o WHERE o.organization_id IS NOT NULL AND o.key = ANY (ARRAY(
    SELECT p.organization_key FROM profiles p
    WHERE hashtextextended(p.user_id, 0) = ANY (ARRAY(SELECT hashtextextended(u, 0) FROM unnest($2::text[]) u)) AND p.workspace_id = $1 AND p.user_id = ANY ($2)
          AND ($3::bigint[] IS NULL OR p.organization_key = ANY ($3))))
ORDER BY o.key ` + LockPeople

// EraseAccess removes the profiles of users, with their grants and memberships of groups, in the organizations with these keys,
// nil for all; forget is what goes with them there.
func EraseAccess(ctx context.Context, tx *pg.Tx, workspaceID string, users []string, organizations []int64, forget ...Forget) error {
	rows, err := tx.Query(ctx, peopleOf, workspaceID, users, organizations)
	if err != nil {
		return err
	}
	var keys []int64
	b := &pgx.Batch{}
	var key int64
	var organizationID string
	if _, err = pgx.ForEachRow(rows, []any{&key, &organizationID}, func() error {
		keys = append(keys, key)
		for _, f := range forget {
			f(b, workspaceID, organizationID, users)
		}
		return nil
	}); err != nil || len(keys) == 0 {
		return err
	}
	b.Queue(`DELETE FROM profiles WHERE organization_key = ANY ($1) AND user_id = ANY ($2)`, keys, users)
	return tx.SendBatch(ctx, b).Close()
}
