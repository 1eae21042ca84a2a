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
