package subject

import (
	"context"

	"github.com/redline-svc/redline/models/internal/pg"
)

// Leave is a statement that notes that the users $3 leave the organization $2 of the
// workspace $1: their rows up to a number, given as an expression, are hidden from the
// commit on. Rows that they write later have higher numbers.
func Leave(number string) string {
	return `
INSERT INTO former_members (workspace_id, organization_key, user_id, through)
SELECT $1, s.key, u.id, ` + number + ` FROM subjects s CROSS JOIN (SELECT id FROM unnest($3::text[]) n (id) ORDER BY id COLLATE "C") u
WHERE s.workspace_id = $1 AND s.id = $2 AND s.parent_key IS NULL AND s.current
ON CONFLICT (organization_key, user_id) DO UPDATE SET through = excluded.through, since = excluded.since`
}

// Stayed is the text of a condition: the row with a number is not one of a user who left
// the organization since. It looks up each row.
func Stayed(organization, user, number string) string {
	return `coalesce((SELECT ` + number + ` > gone.through FROM former_members gone
       WHERE gone.organization_key = ` + organization + ` AND gone.user_id = ` + user + `), true)`
}

// StayedAmong is Stayed for a statement that looks at many rows of the workspace $1: it
// reads once who left, and looks up their rows alone.
func StayedAmong(organization, user, number string) string {
	return `(((` + organization + `, ` + user + `) IN (SELECT who.organization_key, who.user_id FROM former_members who WHERE who.workspace_id = $1)) IS NOT TRUE
       OR ` + Stayed(organization, user, number) + `)`
}

// ForgetFormerMembers is a statement that forgets some of those, $2 at most, who left the
// workspace $1 and of whom a condition says that nothing is left; d is the table. Who was
// writing when they left has ended by then: no transaction lasts ten minutes.
func ForgetFormerMembers(gone string) string {
	return `DELETE FROM former_members WHERE ctid = ANY (ARRAY(
    SELECT d.ctid FROM former_members d WHERE d.workspace_id = $1 AND d.since < clock_timestamp() - interval '10 minutes' AND ` + gone + ` LIMIT $2 FOR UPDATE SKIP LOCKED))`
}

// LeaveAll is Leave for users $2 of the workspace $1 in all organizations that a query returns, with
// the user of each: rows of (organization_key, user_id).
func LeaveAll(number, from string) string {
	return `
INSERT INTO former_members (workspace_id, organization_key, user_id, through)
SELECT $1, f.organization_key, f.user_id, ` + number + ` FROM (` + from + `) f ORDER BY 2, 3
ON CONFLICT (organization_key, user_id) DO UPDATE SET through = excluded.through, since = excluded.since`
}

// ForgetErased forgets that users left the workspace's organizations, nil for all: of what they wrote until then
// nothing is left, and nobody shall know any more that they were there.
func ForgetErased(ctx context.Context, tx *pg.Tx, workspaceID string, users []string, organizations []int64) error {
	_, err := tx.Exec(ctx, `DELETE FROM former_members WHERE workspace_id = $1 AND user_id = ANY ($2) AND ($3::bigint[] IS NULL OR organization_key = ANY ($3))`,
		workspaceID, users, organizations)
	return err
}
