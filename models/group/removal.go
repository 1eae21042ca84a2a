package group

import "context"

// removeBatch is how many rows a transaction removes at most.
const removeBatch = 1000

// gone are the keys of groups that were deleted or emptied, and of those of deleted
// organizations.
const gone = `(
    SELECT key FROM user_groups WHERE workspace_id = $1 AND group_id IS NULL
    UNION ALL
    SELECT u.key FROM organizations o JOIN user_groups u ON u.organization_key = o.key
    WHERE o.workspace_id = $1 AND o.organization_id IS NULL) AS gone`

// Members go before the groups that they are in, since there may be any number.
const (
	removeMembers = `
DELETE FROM user_group_members WHERE ctid = ANY(ARRAY(
    SELECT m.ctid FROM ` + gone + ` JOIN user_group_members m ON m.group_key = gone.key LIMIT $2))`
	removeGroups = `DELETE FROM user_groups WHERE key = ANY(ARRAY(SELECT key FROM ` + gone + ` LIMIT $2))`
)

// RemoveBatch removes rows of groups that nobody finds any more and returns how many
// these were; 0 means that nothing is left. It may be repeated.
func (s *Groups) RemoveBatch(ctx context.Context, workspaceID string) (int, error) {
	for _, statement := range []string{removeMembers, removeGroups} {
		if n, err := s.db.Exec(ctx, statement, workspaceID, removeBatch); err != nil || n > 0 {
			return int(n), err
		}
	}
	return 0, nil
}
