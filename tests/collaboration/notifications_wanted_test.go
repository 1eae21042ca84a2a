package collaboration

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// Each is told by the ways that they want, and once, for the first reason.
func TestNotificationsConfig_WhoIsTold(t *testing.T) {
	env := kit.NewWorkspace(t)
	kit.MailBy(env, map[string]any{})
	boxes := map[string]string{}
	for _, id := range []string{"ann", "all", "mine", "none", "inbox", "letters", "here"} {
		boxes[id] = kit.Mailbox()
		kit.AddPeople(env, kit.User(id, "The "+id, boxes[id]))
	}
	kit.Annotate(env, kit.Made("d", kit.Annotated("quiet", kit.Wrote("ann", "a"))))
	kit.Wants(env, map[string]any{"inbox": "ALL", "email": "ALL"}, []string{"all", "ann"})
	kit.Wants(env, map[string]any{"inbox": "ALL", "email": "NONE"}, []string{"inbox"})
	kit.Wants(env, map[string]any{"inbox": "NONE", "email": "ALL"}, []string{"letters"})
	kit.Wants(env, map[string]any{"inbox": "NONE", "email": "NONE"}, []string{"none", "here"})
	kit.Wants(env, map[string]any{"inbox": "ALL"}, []string{"here"}, "d")
	kit.Annotate(env, kit.Made("d", kit.Annotated("n", kit.Wrote("ann", "1", kit.Loud))))
	kit.Reply(env, kit.Replying(kit.Wrote("ann", "2 {{all}} {{mine}} {{none}} {{inbox}}", kit.Loud)))
	kit.Reply(env, kit.Replying(kit.Wrote("mine", "3", kit.Loud)))
	all := kit.Notices(env, kit.InDocument("d"), map[string]any{"order": "asc"})
	require.Len(t, all, 3)
	require.Equal(t, "all all, here all, inbox all", kit.Notified(all[0]))
	require.Equal(t, "all mention, here all, inbox mention, mine mention", kit.Notified(all[1]))
	require.Equal(t, "all all, ann reply, here all, inbox all", kit.Notified(all[2]))
	require.Equal(t, []string{"all", "mention", "reply"}, []string{string(all[0].Reason), string(all[1].Reason), string(all[2].Reason)})
	require.Equal(t, "The ann replied in “d”", all[0].DisplayHeadlineMessage)
	const tagged = "2 The all The mine The none The inbox"
	inBoxes(env, map[string][]string{
		boxes["all"]: {"1", tagged, "3"}, boxes["letters"]: {"1", tagged, "3"}, boxes["mine"]: {tagged}, boxes["ann"]: {"3"},
		boxes["none"]: {}, boxes["inbox"]: {}, boxes["here"]: {},
	})
	kit.Annotate(env, kit.Made("e", kit.Annotated("o", kit.Wrote("bob", "4", kit.Loud))))
	require.Equal(t, "all all, ann all, inbox all", kit.Notified(kit.Notices(env, kit.InDocument("e"))[0]), "a preference of a document is for that document")
}

// What a user wanted goes with the user, the document and the organization.
func TestNotificationsConfig_GoesWithWhatItIsAbout(t *testing.T) {
	env, isolated := kit.NewVariantWorkspace(t, kit.TwoProcesses)
	kit.Items(env, client.AddUsers, map[string]any{"organizationId": "acme", "users": kit.Users("bob", "eve")})
	kit.Annotate(env, kit.Made("d", kit.Annotated("n", kit.Wrote("ann", "a"))))
	for _, documents := range [][]string{nil, {"d"}} {
		kit.Wants(env, map[string]any{"inbox": "ALL"}, []string{"bob", "eve"}, documents...)
	}
	remove := func(level map[string]any) {
		require.True(t, kit.Items(env, client.DeleteUsers, kit.InAcme(level, map[string]any{"userIds": []string{"bob"}}))["bob"].Success)
	}
	kit.Items(env, client.AddUsers, kit.Doc("d", map[string]any{"users": kit.Users("bob")}))
	remove(kit.InDocument("d"))
	require.Equal(t, []string{" ALL/MINE", "d ALL/MINE"}, kit.Wanted(env, "bob", "d"), "only a grant went")
	remove(nil)
	kit.Items(env, client.AddUsers, map[string]any{"organizationId": "acme", "users": kit.Users("bob")})
	require.Equal(t, []string{" MINE/MINE", "d MINE/MINE"}, kit.Wanted(env, "bob", "d"))
	require.Equal(t, []string{" ALL/MINE", "d ALL/MINE"}, kit.Wanted(env, "eve", "d"))
	kit.Migrated(env, kit.Migrates(env, "d", "e"))
	require.Equal(t, []string{" ALL/MINE", "e ALL/MINE"}, kit.Wanted(env, "eve", "d", "e"))

	stored := func() (n int) {
		require.NoError(t, isolated.DB().QueryRow(t.Context(), `SELECT count(*) FROM notification_preferences WHERE workspace_id = $1`, env.Workspace.ID).Scan(&n))
		return n
	}
	require.Equal(t, 2, stored())
	kit.Items(env, client.DeleteDocuments, kit.InAcme(map[string]any{"documentIds": []string{"e"}}))
	jobsEnd(isolated)
	require.Equal(t, 1, stored())
	kit.Items(env, client.DeleteOrganizations, map[string]any{"organizationIds": []string{"acme"}})
	require.Empty(t, kit.Wanted(env, "eve"))
	jobsEnd(isolated)
	require.Zero(t, stored())
	isolated.AtRest()
}
