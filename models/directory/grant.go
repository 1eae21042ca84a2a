package directory

import (
	"context"

	"github.com/redline-svc/redline/models/internal/pg"
)

// DefaultRole is that of a grant whose caller sent none.
const DefaultRole = "editor"

// HeldGrant is a grant at one level as it is now.
type HeldGrant struct {
	role    string
	Expired bool
}

// atLevel is the condition for grants at exactly the level that is opened.
const atLevel = `organization_key = $1 AND folder_key IS NOT DISTINCT FROM $2 AND document_key IS NOT DISTINCT FROM $3`

// ReadGrants returns the grants of these users at exactly this level, by user.
func ReadGrants(ctx context.Context, tx *pg.Tx, at Scope, userIDs []string) (map[string]HeldGrant, error) {
	rows, err := tx.Query(ctx, `SELECT user_id, role, coalesce(expires_at <= clock_timestamp(), false) FROM grants
WHERE `+atLevel+` AND user_id = ANY($4)`, at.Organization, at.folder, at.Document, userIDs)
	if err != nil {
		return nil, err
	}
	found := map[string]HeldGrant{}
	for rows.Next() {
		var user string
		var g HeldGrant
		if err := rows.Scan(&user, &g.role, &g.Expired); err != nil {
			return nil, err
		}
		found[user] = g
	}
	return found, rows.Err()
}

// upsertGrants makes an expired grant a new one without an end: one statement
// for all grants of a call.
const upsertGrants = `
INSERT INTO grants (organization_key, folder_key, document_key, workspace_id, user_id, role)
SELECT $1, $2, $3, $4, u.id, u.role FROM unnest($5::text[], $6::text[]) AS u (id, role)
ON CONFLICT ON CONSTRAINT grants_once DO UPDATE SET role = excluded.role,
   expires_at = CASE WHEN grants.expires_at > clock_timestamp() THEN grants.expires_at END, granted_at = ` + grantedAgain

// grantedAgain is when a grant was made that is written again: now, where it had ended.
const grantedAgain = `CASE WHEN grants.expires_at <= clock_timestamp() THEN clock_timestamp() ELSE grants.granted_at END`

// Grant is a user and the role at one level.
type Grant struct{ UserID, Role string }

// WriteGrants stores grants at one level in one statement. The users have
// profiles.
func WriteGrants(ctx context.Context, tx *pg.Tx, workspaceID string, at Scope, grants []Grant) error {
	if len(grants) == 0 {
		return nil
	}
	users, roles := make([]string, len(grants)), make([]string, len(grants))
	for i, g := range grants {
		users[i], roles[i] = g.UserID, g.Role
	}
	_, err := tx.Exec(ctx, upsertGrants, at.Organization, at.folder, at.Document, workspaceID, users, roles)
	return err
}
