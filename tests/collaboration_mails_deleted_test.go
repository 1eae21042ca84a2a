package tests

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What waits in the mail about a document, or for somebody of an organization, does not
// leave once that was deleted, also when another one has the id by then.
func TestMails_OfWhatWasDeletedDoNotLeave(t *testing.T) {
	l := newLab(t)
	s := l.begin(l.start("api"))
	host, config := s.ownHost()
	require.NoError(t, host.Open())
	s.mailBy(config)
	bob, later := mailbox(), mailbox()
	hello := func(organizationID, documentID string) map[string]any {
		data := made(documentID, annotated(unique("note"), wrote("ann", "Hi {{bob}}", loud)))
		data["organizationId"] = organizationID
		return data
	}
	for _, organization := range []string{"acme", "other"} {
		level := acme(nil, user("bob", "Bob", bob))
		level["organizationId"] = organization
		s.items("users/add", level)
	}
	s.annotate(hello("acme", "gone"))
	s.annotate(hello("acme", "again"))
	s.annotate(hello("other", "d"))
	s.annotate(made("talk", annotated("a", wrote("ann", "Hi {{bob}}", loud)), annotated("b", wrote("ann", "Hi {{bob}}", loud)),
		annotated("c", wrote("ann", "Hi"), wrote("ann", "{{bob}}", loud, map[string]any{"commentId": 2}))))
	s.items(deleteAnnotations, doc("talk", map[string]any{"annotationIds": []string{"a"}}))
	s.items(deleteComments, doc("talk", map[string]any{"annotationId": "b"}))
	s.items(deleteComments, doc("talk", map[string]any{"annotationId": "c", "commentIds": []int{2}}))
	s.annotate(made("talk", annotated("a", wrote("ann", "Hi {{bob}}"))))
	require.Len(t, s.items(deleteDocuments, theseDocuments("gone", "again")), 2)
	s.items(addDocuments, documents("again"))
	require.True(t, s.items(deleteOrganizations, map[string]any{"organizationIds": []string{"other"}})["other"].Success)
	s.items("users/add", map[string]any{"organizationId": "other", "users": []any{user("bob", "Bob", bob)}})
	l.start("worker")
	s.mention("cat", later)
	eventually(t, "a later mail", func() bool { return len(host.Letters()) > 0 })
	s.annotate(hello("acme", "stays"))
	eventually(t, "the last mail", func() bool { return len(host.Letters()) > 1 })
	require.Equal(t, []string{later, bob}, []string{host.Letters()[0].To, host.Letters()[1].To})
}
