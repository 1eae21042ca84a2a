package tests

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// amongPartners makes an annotation private to an organization beside acme.
func amongPartners(annotation map[string]any) map[string]any {
	annotation["visibility"] = map[string]any{"type": "organizationPrivate", "organizationId": "partners", "userIds": []string{"eve"}}
	return annotation
}

// thread is what one user's read of comments gives.
func (s *scene) thread(annotationID string, authors ...string) []*commentView {
	s.t.Helper()
	return older[[]*commentView](s, getComments, doc("d", map[string]any{"annotationId": annotationID, "userIds": authors})).Data
}

func textsOf(comments []*commentView) []string {
	texts := []string{}
	for _, c := range comments {
		texts = append(texts, c.CommentText)
	}
	return texts
}

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

// A mail goes to the tagged member alone; the payload goes to the workspace's
// own system and names who must not have it.
func TestPrivateToAnOrganization_WhoIsNotified(t *testing.T) {
	s := begin(t).hooked()
	s.endpointAt("/told", map[string]any{"filterTypes": []string{"comment_annotation.add", "comment_annotation.assign", "comment.add"}})
	s.mailBy(map[string]any{})
	inside, outside := mailbox(), mailbox()
	s.people(user("eve", "Eve", outside), user("pat", "Pat", inside))
	s.items("users/add", map[string]any{"organizationId": "partners", "users": users("pat")})
	private := assigned(amongPartners(annotated("a", wrote("ann", "{{pat}} {{eve}}", loud))), user("eve", "Eve", outside))
	s.annotate(made("d", private))
	require.Equal(t, []string{"ann mentioned you in “d”"}, subjects(s.mails(inside, 1)))
	for _, m := range s.heard("/told", 3) {
		var data struct {
			Visibility        json.RawMessage `json:"visibility"`
			AccessDenied      []string        `json:"accessDeniedUsers"`
			CommentAnnotation struct {
				Visibility json.RawMessage `json:"visibility"`
			} `json:"commentAnnotation"`
		}
		require.NoError(t, json.Unmarshal(m.Data, &data))
		require.JSONEq(t, `{"type":"organizationPrivate","organizationId":"partners"}`, string(data.Visibility), "what the type does not use is dropped")
		require.JSONEq(t, string(data.Visibility), string(data.CommentAnnotation.Visibility))
		require.Equal(t, []string{"eve"}, data.AccessDenied, m.Event)
	}
	s.annotate(made("later", annotated("b", wrote("ann", "{{eve}}", loud))))
	require.Equal(t, []string{"ann mentioned you in “later”"}, subjects(s.mails(outside, 1)), "only of the open one, which came later")
}
