package collaboration

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// Who loses the grant on the organization is in no group of it any more, whatever else
// is granted; who is taken from a folder or a document stays.
func TestGroups_GoWithTheMembership(t *testing.T) {
	env := kit.NewWorkspace(t)
	kit.Folders(env, "f")
	kit.Items(env, client.AddUsers, kit.Acme(nil, kit.Users("ann", "bob", "cat")...))
	kit.Items(env, client.AddUsers, kit.Acme(map[string]any{"folderId": "f"}, kit.Users("ann", "bob")...))
	kit.Items(env, client.AddGroups, kit.Groups("acme", "g"))
	kit.Joins(env, "g", "ann", "bob", "cat")
	kit.Items(env, client.DeleteUsers, kit.AcmeWith("userIds", []string{"ann"}, map[string]any{"folderId": "f"}))
	kit.Takes(env, "bob", kit.Resource("folder", "f"))
	require.Equal(t, map[string]int{"g": 3}, kit.MembersOf(env, "acme"))
	kit.Grant(env, "bob", kit.Resource("folder", "f"))
	kit.Takes(env, "bob", kit.Resource("folder", "f"), kit.Resource("organization", "acme"), kit.Resource("organization", "unknown"))
	require.Equal(t, map[string]int{"g": 2}, kit.MembersOf(env, "acme"))
	kit.Grant(env, "bob", kit.Resource("organization", "acme"))
	require.Equal(t, map[string]int{"g": 2}, kit.MembersOf(env, "acme"), "no old group comes back")
	require.Equal(t, "not-member", kit.CodesInGroup(env, client.DeleteGroupUsers, kit.InGroup("g", "bob"))["bob"])
}
