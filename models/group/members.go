package group

import (
	"context"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
)

// joinGroup puts those of the users into a group who are members of the organization,
// and gives these.
const joinGroup = `
WITH members AS (
    SELECT g.user_id FROM grants g
    WHERE g.organization_key = $2 AND g.user_id = ANY($4) AND g.folder_key IS NULL AND g.document_key IS NULL AND ` + directory.Unexpired + `
), joined AS (
    INSERT INTO user_group_members (group_key, organization_key, workspace_id, user_id) SELECT $1, $2, $3, m.user_id FROM members m
    ON CONFLICT (group_key, user_id) DO NOTHING
)
SELECT user_id FROM members`

// AddUsers puts users into a group; who is in it stays so. Who is no member of the
// organization has the entry not-member. Errors: NOT_FOUND of the organization or the
// group.
func (s *Groups) AddUsers(ctx context.Context, workspaceID string, in Ref, userIDs []string) ([]directory.Entry, error) {
	return s.change(ctx, workspaceID, in, userIDs, func(tx *pg.Tx, organization, group int64) (map[string]bool, error) {
		return idsOf(ctx, tx, joinGroup, group, organization, workspaceID, userIDs)
	})
}

// RemoveUsers takes users out of a group. Who is not in it has the entry not-member.
// Errors: as of AddUsers.
func (s *Groups) RemoveUsers(ctx context.Context, workspaceID string, in Ref, userIDs []string) ([]directory.Entry, error) {
	return s.change(ctx, workspaceID, in, userIDs, func(tx *pg.Tx, _, group int64) (map[string]bool, error) {
		return idsOf(ctx, tx, `DELETE FROM user_group_members WHERE group_key = $1 AND user_id = ANY($2) RETURNING user_id`, group, userIDs)
	})
}

// Ref names a group of an organization.
type Ref struct{ OrganizationID, GroupID string }

// change changes who is in a group; done are those for whom it was done.
func (s *Groups) change(ctx context.Context, workspaceID string, in Ref, userIDs []string,
	change func(tx *pg.Tx, organization, group int64) (done map[string]bool, err error),
) ([]directory.Entry, error) {
	var done map[string]bool
	err := s.inGroup(ctx, workspaceID, in, func(tx *pg.Tx, organization, group int64) (err error) {
		done, err = change(tx, organization, group)
		return err
	})
	if err != nil {
		return nil, err
	}
	return directory.EntriesOf(userIDs, done, directory.CodeNotMember, directory.UserItem(workspaceID, in.OrganizationID)), nil
}

// inGroup runs a change of a group while it holds the row of the organization.
func (s *Groups) inGroup(ctx context.Context, workspaceID string, in Ref, change func(tx *pg.Tx, organization, group int64) error) error {
	return s.inOrganization(ctx, workspaceID, directory.Container{OrganizationID: in.OrganizationID}, func(tx *pg.Tx, organization int64) error {
		var group int64
		err := tx.QueryRow(ctx, `SELECT key FROM user_groups WHERE organization_key = $1 AND group_id = $2`, organization, in.GroupID).Scan(&group)
		if pg.IsNoRow(err) {
			return fault.NotFoundResource("group", in.GroupID)
		}
		if err != nil {
			return err
		}
		return change(tx, organization, group)
	})
}

// maxLeft is how many users an emptied group names at most.
const maxLeft = 10_000

// emptyGroup gives the id of a group to a new one like it, in which nobody is. So it
// costs the same however many were in it; a job removes the rows.
const emptyGroup = `
WITH former AS (
    UPDATE user_groups SET group_id = NULL WHERE key = $1 RETURNING workspace_id, organization_key, name, created_at
)
INSERT INTO user_groups (workspace_id, organization_key, group_id, name, created_at)
SELECT workspace_id, organization_key, $2, name, created_at FROM former`

// Empty takes all users out of a group and returns the entries of 10,000 of them at most.
// Errors: as of AddUsers.
func (s *Groups) Empty(ctx context.Context, workspaceID string, of Ref) ([]directory.Entry, error) {
	var left map[string]bool
	err := s.inGroup(ctx, workspaceID, of, func(tx *pg.Tx, _, group int64) (err error) {
		left, err = idsOf(ctx, tx, `SELECT user_id FROM user_group_members WHERE group_key = $1 ORDER BY user_id LIMIT $2`, group, maxLeft)
		if err != nil || len(left) == 0 {
			return err
		}
		if _, err := tx.Exec(ctx, emptyGroup, group, of.GroupID); err != nil {
			return err
		}
		return directory.QueueRemoval(ctx, tx, workspaceID, directory.Removal{Groups: 1})
	})
	if err != nil {
		return nil, err
	}
	users := slices.Sorted(maps.Keys(left))
	return directory.EntriesOf(users, left, directory.CodeNotMember, directory.UserItem(workspaceID, of.OrganizationID)), nil
}

// forgetUsers takes the users $3 out of all groups of the organization $2.
const forgetUsers = `
DELETE FROM user_group_members m USING organizations o
WHERE o.workspace_id = $1 AND o.organization_id = $2 AND m.organization_key = o.key AND m.user_id = ANY($3)`

// ForgetUsers queues that users are in no group of an organization any more. It is a
// directory.Forget.
func ForgetUsers(b *pgx.Batch, workspaceID, organizationID string, userIDs []string) {
	b.Queue(forgetUsers, workspaceID, organizationID, userIDs)
}
