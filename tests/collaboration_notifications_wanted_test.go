package tests

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

// preferenceView is what a user wants to be told of, and where.
type preferenceView struct {
	Config   map[string]string `json:"config"`
	Metadata map[string]string `json:"metadata"`
}

// wanted is what holds for a user in acme: in the organization, then in documents.
func (s *scene) wanted(user string, documentIDs ...string) (all []string) {
	s.t.Helper()
	var found client.Wrapped[[]preferenceView]
	s.call(getPreferences, inAcme(forUser(user), map[string]any{"documentIds": documentIDs, "getOrganizationConfig": true}), &found)
	for _, p := range found.Data {
		require.Equal(s.t, []string{"acme", user}, []string{p.Metadata["organizationId"], p.Metadata["userId"]})
		all = append(all, p.Metadata["documentId"]+" "+p.Config["inbox"]+"/"+p.Config["email"])
	}
	return all
}

// Each is told by the ways that they want, and once, for the first reason.
func TestNotificationsConfig_WhoIsTold(t *testing.T) {
	s := begin(t)
	s.mailBy(map[string]any{})
	boxes := map[string]string{}
	for _, id := range []string{"ann", "all", "mine", "none", "inbox", "letters", "here"} {
		boxes[id] = mailbox()
		s.people(user(id, "The "+id, boxes[id]))
	}
	s.annotate(made("d", annotated("quiet", wrote("ann", "a"))))
	s.wants(map[string]any{"inbox": "ALL", "email": "ALL"}, []string{"all", "ann"})
	s.wants(map[string]any{"inbox": "ALL", "email": "NONE"}, []string{"inbox"})
	s.wants(map[string]any{"inbox": "NONE", "email": "ALL"}, []string{"letters"})
	s.wants(map[string]any{"inbox": "NONE", "email": "NONE"}, []string{"none", "here"})
	s.wants(map[string]any{"inbox": "ALL"}, []string{"here"}, "d")
	s.annotate(made("d", annotated("n", wrote("ann", "1", loud))))
	s.reply(replying(wrote("ann", "2 {{all}} {{mine}} {{none}} {{inbox}}", loud)))
	s.reply(replying(wrote("mine", "3", loud)))
	all := s.notices(inDocument("d"), map[string]any{"order": "asc"})
	require.Len(t, all, 3)
	require.Equal(t, "all all, here all, inbox all", all[0].notified())
	require.Equal(t, "all mention, here all, inbox mention, mine mention", all[1].notified())
	require.Equal(t, "all all, ann reply, here all, inbox all", all[2].notified())
	require.Equal(t, []string{"all", "mention", "reply"}, []string{all[0].Reason, all[1].Reason, all[2].Reason})
	require.Equal(t, "The ann replied in “d”", all[0].DisplayHeadlineMessage)
	const tagged = "2 The all The mine The none The inbox"
	s.inBoxes(map[string][]string{
		boxes["all"]: {"1", tagged, "3"}, boxes["letters"]: {"1", tagged, "3"}, boxes["mine"]: {tagged}, boxes["ann"]: {"3"},
		boxes["none"]: {}, boxes["inbox"]: {}, boxes["here"]: {},
	})
	s.annotate(made("e", annotated("o", wrote("bob", "4", loud))))
	require.Equal(t, "all all, ann all, inbox all", s.notices(inDocument("e"))[0].notified(), "a preference of a document is for that document")
}

// What a user wanted goes with the user, the document and the organization.
func TestNotificationsConfig_GoesWithWhatItIsAbout(t *testing.T) {
	s, l := beginAt(t, twoProcesses)
	s.items("users/add", map[string]any{"organizationId": "acme", "users": users("bob", "eve")})
	s.annotate(made("d", annotated("n", wrote("ann", "a"))))
	for _, documents := range [][]string{nil, {"d"}} {
		s.wants(map[string]any{"inbox": "ALL"}, []string{"bob", "eve"}, documents...)
	}
	remove := func(level map[string]any) {
		require.True(t, s.items("users/delete", inAcme(level, map[string]any{"userIds": []string{"bob"}}))["bob"].Success)
	}
	s.items("users/add", doc("d", map[string]any{"users": users("bob")}))
	remove(inDocument("d"))
	require.Equal(t, []string{" ALL/MINE", "d ALL/MINE"}, s.wanted("bob", "d"), "only a grant went")
	remove(nil)
	s.items("users/add", map[string]any{"organizationId": "acme", "users": users("bob")})
	require.Equal(t, []string{" MINE/MINE", "d MINE/MINE"}, s.wanted("bob", "d"))
	require.Equal(t, []string{" ALL/MINE", "d ALL/MINE"}, s.wanted("eve", "d"))
	s.migrated(s.migrates("d", "e"))
	require.Equal(t, []string{" ALL/MINE", "e ALL/MINE"}, s.wanted("eve", "d", "e"))

	stored := func() (n int) {
		require.NoError(t, l.rows().QueryRow(t.Context(), `SELECT count(*) FROM notification_preferences WHERE workspace_id = $1`, s.workspace.ID).Scan(&n))
		return n
	}
	require.Equal(t, 2, stored())
	s.items(deleteDocuments, inAcme(map[string]any{"documentIds": []string{"e"}}))
	l.jobsEnd()
	require.Equal(t, 1, stored())
	s.items("organizations/delete", map[string]any{"organizationIds": []string{"acme"}})
	require.Empty(t, s.wanted("eve"))
	l.jobsEnd()
	require.Zero(t, stored())
	l.atRest()
}
