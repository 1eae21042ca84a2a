package collaboration

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// A mail goes to the tagged member alone; the payload goes to the workspace's
// own system and names who must not have it.
func TestPrivateToAnOrganization_WhoIsNotified(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	kit.EndpointAt(env, "/told", map[string]any{"filterTypes": []string{"comment_annotation.add", "comment_annotation.assign", "comment.add"}})
	kit.MailBy(env, map[string]any{})
	inside, outside := kit.Mailbox(), kit.Mailbox()
	kit.AddPeople(env, kit.User("eve", "Eve", outside), kit.User("pat", "Pat", inside))
	kit.Items(env, client.AddUsers, map[string]any{"organizationId": "partners", "users": kit.Users("pat")})
	private := assigned(kit.AmongPartners(kit.Annotated("a", kit.Wrote("ann", "{{pat}} {{eve}}", kit.Loud))), kit.User("eve", "Eve", outside))
	kit.Annotate(env, kit.Made("d", private))
	require.Equal(t, []string{"ann mentioned you in “d”"}, subjects(kit.Mails(env, inside, 1)))
	for _, m := range kit.Heard(env, "/told", 3) {
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
	kit.Annotate(env, kit.Made("later", kit.Annotated("b", kit.Wrote("ann", "{{eve}}", kit.Loud))))
	require.Equal(t, []string{"ann mentioned you in “later”"}, subjects(kit.Mails(env, outside, 1)), "only of the open one, which came later")
}
