package directory_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/modelstest"
)

// A page costs the same anywhere in a list of 20,000 users, and one document's users
// cost no more when others have many. Neither do those of a group, or one user.
func TestUsersGet_2_APageCostsTheSameAnywhere(t *testing.T) {
	t.Parallel()
	c := modelstest.NewPeople(t)
	for _, documentID := range []string{"d", "e"} {
		c.Adds(directory.Container{OrganizationID: "acme", DocumentID: documentID}, modelstest.Known("ann", "Ann"))
	}
	c.Exec(`INSERT INTO profiles (workspace_id, organization_key, user_id, created_at)
SELECT workspace_id, key, 'user-' || n, created_at - n * interval '1 second' FROM organizations, generate_series(1, 20000) n`)
	c.Exec(`INSERT INTO grants (workspace_id, organization_key, user_id, role) SELECT workspace_id, organization_key, user_id, 'viewer' FROM profiles`)
	c.Exec(`INSERT INTO grants (workspace_id, organization_key, user_id, role, document_key)
SELECT p.workspace_id, p.organization_key, p.user_id, 'viewer', d.key FROM profiles p, documents d WHERE p.user_id LIKE 'user-%' AND d.document_id = 'd'`)
	c.Exec(`VACUUM ANALYZE profiles`)
	c.Exec(`VACUUM ANALYZE grants`)
	const size = 100
	users := directory.NewUsers(c.DB)
	for name, f := range map[string]directory.UserFilter{
		"members": {OrganizationID: "acme"}, "of all documents": {OrganizationID: "acme", AllDocuments: true},
		"by document": {OrganizationID: "acme", AllDocuments: true, ByDocument: true},
	} {
		cost := func(after *directory.UserPosition) int {
			query, args := f.Statement(modelstest.Workspace, after, size)
			return c.Blocks(query, args)
		}
		first, err := users.Get(t.Context(), modelstest.Workspace, f, nil, size)
		require.NoError(t, err)
		require.Len(t, first.Items, size, name)
		late, read := first, size
		for late.Next != nil && read < 15000 {
			late, err = users.Get(t.Context(), modelstest.Workspace, f, late.Next, 1000)
			require.NoError(t, err)
			read += len(late.Items)
		}
		require.NotNil(t, late.Next, name)
		assert.LessOrEqual(t, cost(late.Next), 2*cost(nil), name)
		assert.Less(t, cost(nil), 2000, name)
	}
	query, args := directory.UserFilter{OrganizationID: "acme", DocumentID: "e"}.Statement(modelstest.Workspace, nil, size)
	assert.Less(t, c.BlocksByKeys(query, args), 100, "one document's")
	c.Exec(`INSERT INTO user_groups (workspace_id, organization_key, group_id, name) SELECT workspace_id, key, 'g', 'g' FROM organizations`)
	c.Exec(`INSERT INTO user_group_members (workspace_id, organization_key, user_id, group_key)
SELECT workspace_id, organization_key, 'user-19000', key FROM user_groups`)
	for name, f := range map[string]directory.UserFilter{
		"one group's": {OrganizationID: "acme", GroupIDs: []string{"g", "h"}}, "one user": {OrganizationID: "acme", UserIDs: []string{"user-19000"}},
	} {
		query, args := f.Statement(modelstest.Workspace, nil, size)
		assert.Less(t, c.Blocks(query, args), 100, name)
		found, err := users.Get(t.Context(), modelstest.Workspace, f, nil, size)
		require.NoError(t, err)
		require.Len(t, found.Items, 1, name)
	}
}
