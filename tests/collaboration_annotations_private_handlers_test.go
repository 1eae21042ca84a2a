package tests

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Neither being tagged nor having replied opens what is private to an
// organization; being a member of it, and of no other, does.
func TestPrivateToAnOrganization_WhoSeesIt(t *testing.T) {
	s := begin(t)
	s.items("users/add", map[string]any{"organizationId": "partners", "users": users("pat")})
	s.people(user("eve", "Eve", mailbox()), user("ann", "Ann", mailbox()))
	s.annotate(made("d", amongPartners(annotated("a", wrote("ann", "{{eve}} {{pat}}"), wrote("eve", "mine"), wrote("pat", "ours"), wrote("ann", "all")))))
	seen := map[string][2]int{}
	for _, user := range []string{"pat", "eve", "ann", "nobody"} {
		seen[user] = s.counts(user, "d")["d"]
	}
	require.Equal(t, map[string][2]int{"pat": {1, 1}, "eve": {0, 0}, "ann": {1, 0}, "nobody": {0, 0}}, seen)
	require.Equal(t, []string{"ours"}, textsOf(s.thread("a", "pat")))
	require.Nil(t, s.thread("a", "eve"), "a reply of one's own opens nothing")
	require.Equal(t, []string{"{{eve}} {{pat}}", "all"}, textsOf(s.thread("a", "ann")), "the author of the root")
	require.Equal(t, []string{"mine", "ours"}, textsOf(s.thread("a", "eve", "pat")), "one of them may see it")
	require.Nil(t, s.thread("a", "eve", "nobody"))
}

// Membership counts from the next read on, also in an organization that was
// not there yet, and a place on one of its documents is none.
func TestPrivateToAnOrganization_MembershipActsAtOnce(t *testing.T) {
	s := begin(t)
	s.annotate(made("d", amongPartners(annotated("a", wrote("ann", "a")))))
	require.Equal(t, [][2]int{{0, 0}, {1, 0}}, [][2]int{s.counts("pat", "d")["d"], s.counts("ann", "d")["d"]}, "nobody but the author")
	s.items("users/add", map[string]any{"organizationId": "partners", "documentId": "theirs", "createDocument": true, "users": users("pat")})
	require.Equal(t, [2]int{}, s.counts("pat", "d")["d"])
	require.Nil(t, s.thread("a", "pat"))
	s.items("users/add", map[string]any{"organizationId": "partners", "users": users("pat")})
	require.Equal(t, [2]int{1, 1}, s.counts("pat", "d")["d"])
	require.Equal(t, []*commentView{}, s.thread("a", "pat"), "seen, and not one comment is theirs")
	s.items("users/delete", map[string]any{"organizationId": "partners", "userIds": []string{"pat"}})
	require.Equal(t, [2]int{}, s.counts("pat", "d")["d"])
	require.Nil(t, s.thread("a", "pat"))
}
