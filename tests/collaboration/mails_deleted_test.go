package collaboration

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// What waits in the mail about a document, or for somebody of an organization, does not
// leave once that was deleted, also when another one has the id by then.
func TestMails_OfWhatWasDeletedDoNotLeave(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	env := isolated.NewWorkspace(isolated.StartProcess("api"))
	host, config := kit.OwnHost(env)
	require.NoError(t, host.Open())
	kit.MailBy(env, config)
	bob, later := kit.Mailbox(), kit.Mailbox()
	hello := func(organizationID, documentID string) map[string]any {
		data := kit.Made(documentID, kit.Annotated(kit.Unique("note"), kit.Wrote("ann", "Hi {{bob}}", kit.Loud)))
		data["organizationId"] = organizationID
		return data
	}
	for _, organization := range []string{"acme", "other"} {
		level := kit.Acme(nil, kit.User("bob", "Bob", bob))
		level["organizationId"] = organization
		kit.Items(env, client.AddUsers, level)
	}
	kit.Annotate(env, hello("acme", "gone"))
	kit.Annotate(env, hello("acme", "again"))
	kit.Annotate(env, hello("other", "d"))
	kit.Annotate(env, kit.Made("talk", kit.Annotated("a", kit.Wrote("ann", "Hi {{bob}}", kit.Loud)), kit.Annotated("b", kit.Wrote("ann", "Hi {{bob}}", kit.Loud)),
		kit.Annotated("c", kit.Wrote("ann", "Hi"), kit.Wrote("ann", "{{bob}}", kit.Loud, map[string]any{"commentId": 2}))))
	kit.Items(env, client.DeleteAnnotations, kit.Doc("talk", map[string]any{"annotationIds": []string{"a"}}))
	kit.Items(env, client.DeleteComments, kit.Doc("talk", map[string]any{"annotationId": "b"}))
	kit.Items(env, client.DeleteComments, kit.Doc("talk", map[string]any{"annotationId": "c", "commentIds": []int{2}}))
	kit.Annotate(env, kit.Made("talk", kit.Annotated("a", kit.Wrote("ann", "Hi {{bob}}"))))
	require.Len(t, kit.Items(env, client.DeleteDocuments, kit.TheseDocuments("gone", "again")), 2)
	kit.Items(env, client.AddDocuments, kit.Documents("again"))
	require.True(t, kit.Items(env, client.DeleteOrganizations, map[string]any{"organizationIds": []string{"other"}})["other"].Success)
	kit.Items(env, client.AddUsers, map[string]any{"organizationId": "other", "users": []any{kit.User("bob", "Bob", bob)}})
	isolated.StartProcess("worker")
	kit.Mention(env, "cat", later)
	kit.RequireEventually(t, "a later mail", func() bool { return len(host.Letters()) > 0 })
	kit.Annotate(env, hello("acme", "stays"))
	kit.RequireEventually(t, "the last mail", func() bool { return len(host.Letters()) > 1 })
	require.Equal(t, []string{later, bob}, []string{host.Letters()[0].To, host.Letters()[1].To})
}
