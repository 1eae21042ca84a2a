package api_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// Neither being tagged nor having replied opens what is private to an
// organization; being a member of it, and of no other, does.
func TestPrivateToAnOrganization_WhoSeesIt(t *testing.T) {
	env := newWorkspace(t)
	kit.Items(env, client.AddUsers, map[string]any{"organizationId": "partners", "users": kit.Users("pat")})
	kit.AddPeople(env, kit.User("eve", "Eve", kit.Mailbox()), kit.User("ann", "Ann", kit.Mailbox()))
	kit.Annotate(env, kit.Made("d", kit.AmongPartners(kit.Annotated("a", kit.Wrote("ann", "{{eve}} {{pat}}"), kit.Wrote("eve", "mine"), kit.Wrote("pat", "ours"), kit.Wrote("ann", "all")))))
	seen := map[string][2]int{}
	for _, user := range []string{"pat", "eve", "ann", "nobody"} {
		seen[user] = kit.Counts(env, user, "d")["d"]
	}
	require.Equal(t, map[string][2]int{"pat": {1, 1}, "eve": {0, 0}, "ann": {1, 0}, "nobody": {0, 0}}, seen)
	require.Equal(t, []string{"ours"}, kit.TextsOf(kit.Thread(env, "a", "pat")))
	require.Nil(t, kit.Thread(env, "a", "eve"), "a reply of one's own opens nothing")
	require.Equal(t, []string{"{{eve}} {{pat}}", "all"}, kit.TextsOf(kit.Thread(env, "a", "ann")), "the author of the root")
	require.Equal(t, []string{"mine", "ours"}, kit.TextsOf(kit.Thread(env, "a", "eve", "pat")), "one of them may see it")
	require.Nil(t, kit.Thread(env, "a", "eve", "nobody"))
}

// Membership counts from the next read on, also in an organization that was
// not there yet, and a place on one of its documents is none.
func TestPrivateToAnOrganization_MembershipActsAtOnce(t *testing.T) {
	env := newWorkspace(t)
	kit.Annotate(env, kit.Made("d", kit.AmongPartners(kit.Annotated("a", kit.Wrote("ann", "a")))))
	require.Equal(t, [][2]int{{0, 0}, {1, 0}}, [][2]int{kit.Counts(env, "pat", "d")["d"], kit.Counts(env, "ann", "d")["d"]}, "nobody but the author")
	kit.Items(env, client.AddUsers, map[string]any{"organizationId": "partners", "documentId": "theirs", "createDocument": true, "users": kit.Users("pat")})
	require.Equal(t, [2]int{}, kit.Counts(env, "pat", "d")["d"])
	require.Nil(t, kit.Thread(env, "a", "pat"))
	kit.Items(env, client.AddUsers, map[string]any{"organizationId": "partners", "users": kit.Users("pat")})
	require.Equal(t, [2]int{1, 1}, kit.Counts(env, "pat", "d")["d"])
	require.Equal(t, []*redline.ThreadComment{}, kit.Thread(env, "a", "pat"), "seen, and not one comment is theirs")
	kit.Items(env, client.DeleteUsers, map[string]any{"organizationId": "partners", "userIds": []string{"pat"}})
	require.Equal(t, [2]int{}, kit.Counts(env, "pat", "d")["d"])
	require.Nil(t, kit.Thread(env, "a", "pat"))
}
