package group_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/group"
	"github.com/redline-svc/redline/models/modelstest"
)

// club is a store of groups beside one of people.
type club struct {
	*modelstest.People
	groups *group.Groups
}

func newClub(t *testing.T, groupIDs ...string) *club {
	t.Helper()
	c := &club{People: modelstest.NewPeople(t)}
	c.groups = group.New(c.DB)
	c.Adds(modelstest.Acme, modelstest.Known("ann", "Ann"), modelstest.Known("bob", "Bob"))
	sent := make([]group.Group, len(groupIDs))
	for i, id := range groupIDs {
		sent[i] = group.Group{ID: id, Name: id}
	}
	_, err := c.groups.Add(t.Context(), modelstest.Workspace, modelstest.Acme, sent)
	require.NoError(t, err)
	return c
}

// fill puts so many more members of acme into all groups.
func (c *club) fill(members int) {
	c.T.Helper()
	c.Exec(`INSERT INTO profiles (workspace_id, organization_key, user_id) SELECT workspace_id, key, 'user-' || n FROM organizations, generate_series(1, $1::int) n`, members)
	c.Exec(`INSERT INTO grants (workspace_id, organization_key, user_id, role) SELECT workspace_id, organization_key, user_id, 'viewer' FROM profiles WHERE user_id LIKE 'user-%'`)
	c.Exec(`INSERT INTO user_group_members (workspace_id, organization_key, user_id, group_key)
SELECT p.workspace_id, p.organization_key, p.user_id, g.key FROM profiles p, user_groups g WHERE p.user_id LIKE 'user-%'`)
}

// total is how many rows groups have.
func (c *club) total() (count int) {
	c.T.Helper()
	require.NoError(c.T, c.DB.Pool.QueryRow(c.T.Context(),
		`SELECT (SELECT count(*) FROM user_groups) + (SELECT count(*) FROM user_group_members)`).Scan(&count))
	return count
}

// portions removes what nobody finds any more.
func (c *club) portions() {
	c.T.Helper()
	for before := c.total(); ; {
		removed, err := c.groups.RemoveBatch(c.T.Context(), modelstest.Workspace)
		require.NoError(c.T, err)
		require.LessOrEqual(c.T, removed, 1000)
		after := c.total()
		require.Equal(c.T, removed, before-after, "nothing goes along unseen")
		if before = after; removed == 0 {
			return
		}
	}
}

// in names a group of acme.
func in(groupID string) group.Ref { return group.Ref{OrganizationID: "acme", GroupID: groupID} }

// Whoever joins while leaving the organization waits for that, and is no member then.
func TestGroups_2_WhoJoinsWaitsForWhoDeletes(t *testing.T) {
	t.Parallel()
	c := newClub(t, "g")
	leaving, err := c.DB.Pool.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = leaving.Rollback(context.WithoutCancel(t.Context())) }()
	for _, statement := range []string{
		`SELECT FROM organizations WHERE organization_id = 'acme' FOR NO KEY UPDATE`, `DELETE FROM profiles WHERE user_id = 'ann'`,
	} {
		_, err = leaving.Exec(t.Context(), statement)
		require.NoError(t, err)
	}
	type answer struct {
		entries []directory.Entry
		err     error
	}
	joined := make(chan answer, 1)
	go func() {
		entries, err := c.groups.AddUsers(t.Context(), modelstest.Workspace, in("g"), []string{"ann", "bob"})
		joined <- answer{entries, err}
	}()
	modelstest.AwaitWaiting(t, c.DB, 1)
	require.NoError(t, leaving.Commit(t.Context()))
	got := <-joined
	require.Equal(t, map[string]string{"ann": "not-member", "bob": ""}, c.Codes(got.entries, got.err))
	require.Equal(t, []string{"bob"}, c.Rows(`SELECT user_id FROM user_group_members`))
}

// A group is deleted without a look at who is in it, and what is emptied or deleted is
// removed in portions, whatever else is there.
func TestGroups_3and5_AreRemovedInPortions(t *testing.T) {
	t.Parallel()
	c := newClub(t, "emptied", "deleted", "kept")
	const members = 1500
	c.fill(members)
	left, err := c.groups.Empty(t.Context(), modelstest.Workspace, in("emptied"))
	require.NoError(t, err)
	require.Len(t, left, members)
	holding, err := c.DB.Pool.Begin(t.Context())
	require.NoError(t, err)
	_, err = holding.Exec(t.Context(), `LOCK TABLE user_group_members IN ACCESS EXCLUSIVE MODE`)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"deleted": ""}, c.Codes(c.groups.Delete(t.Context(), modelstest.Workspace, "acme", []string{"deleted"})))
	require.NoError(t, holding.Rollback(t.Context()))
	require.Equal(t, []string{"2"}, c.Rows(`SELECT count(*)::text FROM jobs WHERE kind = 'removal'`), "the removals are promised")
	c.portions()
	require.Equal(t, members+2, c.total(), "who is in the group that is kept, that one, and the one that was emptied")
	require.Equal(t, []string{"emptied", "kept"}, c.Rows(`SELECT group_id FROM user_groups ORDER BY 1`))
	entries, err := directory.NewOrganizations(c.DB).Delete(t.Context(), modelstest.Workspace, []string{"acme"})
	require.NoError(t, err)
	require.True(t, entries[0].Success())
	c.portions()
	require.Zero(t, c.total())
}
