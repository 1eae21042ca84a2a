package tests

import (
	"encoding/json"
	"fmt"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

const (
	addDocuments    = "organizations/documents/add"
	getDocuments    = "organizations/documents/get"
	updateDocuments = "organizations/documents/update"
	deleteDocuments = "organizations/documents/delete"
	setAccess       = "organizations/documents/access/update"
	moveDocuments   = "organizations/documents/move"
)

// inAcme is a call about acme.
func inAcme(more ...map[string]any) map[string]any {
	data := map[string]any{"organizationId": "acme"}
	for _, fields := range more {
		maps.Copy(data, fields)
	}
	return data
}

// documents are those of a call about acme, by their ids.
func documents(ids ...string) map[string]any {
	list := make([]map[string]any, len(ids))
	for i, id := range ids {
		list[i] = map[string]any{"documentId": id}
	}
	return inAcme(map[string]any{"createOrganization": true, "documents": list})
}

// document is one of a call about acme, with more fields.
func document(id string, fields map[string]any) map[string]any {
	one := map[string]any{"documentId": id}
	maps.Copy(one, fields)
	return inAcme(map[string]any{"createOrganization": true, "documents": []any{one}})
}

// theseDocuments names documents of acme.
func theseDocuments(ids ...string) map[string]any { return inAcme(map[string]any{"documentIds": ids}) }

func (s *scene) oneDocument(id string) thingView {
	s.t.Helper()
	found := s.paged(getDocuments, theseDocuments(id, "unknown")).Data
	require.Len(s.t, found, 1)
	return found[0]
}

// numberedIDs are so many ids.
func numberedIDs(prefix string, n int) []string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprintf("%s%03d", prefix, i)
	}
	return ids
}

// accessView is an entry of documents/access/update.
type accessView struct {
	Success    bool    `json:"success"`
	AccessType *string `json:"accessType"`
	Code       string  `json:"code"`
}

// The answer does not wait for what is inside, however much that is: nothing of it is
// read or changed by the delete.
func TestDocumentsDelete_4_AllIsGoneAtOnceAndTheIdIsNew(t *testing.T) {
	s := begin(t)
	s.holds("d", 1000)
	s.annotate(made("d", annotated("kept", wrote("ann", "a"))))
	s.annotate(made("stays", annotated("other", wrote("ann", "a"))))
	s.items("users/add", acme(map[string]any{"documentId": "d"}, users("ann")...))
	deleted := s.items(deleteDocuments, theseDocuments("d", "d", "unknown"))
	require.Equal(t, map[string]string{"d": "", "unknown": "not-found"}, codesOf(deleted))
	s.seesNothing("d")
	require.Equal(t, [2]int{1, 1}, s.counts("bob", "stays")["stays"])
	require.Equal(t, "already-exists", s.items(addDocuments, documents("stays"))["stays"].Code)
	require.Equal(t, deleted["d"].ID, s.items(addDocuments, documents("d"))["d"].ID)
	require.Equal(t, [2]int{}, s.counts("bob", "d")["d"])
	require.Equal(t, "not-member", s.items("users/update", acme(map[string]any{"documentId": "d"}, users("ann")...))["ann"].Code)
	s.annotate(made("d", annotated("kept", wrote("ann", "again"))))
	read := older[[]annotationView](s, getAnnotations, doc("d"))
	require.Len(t, read.Data, 1)
	require.Equal(t, "again", read.Data[0].Comments[0].CommentText)
	require.Equal(t, "ALREADY_EXISTS", s.refused(addAnnotations, made("d", annotated("other", wrote("ann", "a")))).Status)
}

// Whatever is written while a document is deleted and made again goes with the old one
// or is refused; what one call added is in one document as a whole.
func TestDocuments_WritesIntoOneThatIsBeingDeleted(t *testing.T) {
	s := begin(t)
	for round := range 10 {
		s.annotate(made("d", annotated(unique("note"), wrote("ann", "a"))))
		late := fmt.Sprint("late", round)
		calls := []struct {
			operation string
			data      map[string]any
		}{
			{deleteDocuments, theseDocuments("d")},
			{addAnnotations, doc("d", map[string]any{"commentAnnotations": []any{annotated(late, wrote("ann", "a"), wrote("bob", "b"))}})},
			{updateDocuments, document("d", map[string]any{"documentName": "New"})},
			{setAccess, inAcme(map[string]any{"documentIds": []string{"d"}, "accessType": "restricted"})},
			{moveDocuments, inAcme(map[string]any{"documentIds": []string{"d"}, "folderId": "root"})},
			{"users/add", inAcme(map[string]any{"documentId": "d", "users": users("eve")})},
		}
		together(len(calls), func(i int) {
			_, err := client.Call[json.RawMessage](s.ctx, s.keyed, calls[i].operation, calls[i].data)
			if refused := client.Refusal(err); refused == nil || refused.Status != "NOT_FOUND" {
				fine(t, err)
			}
		})
		s.seesNothing("d")
		s.annotate(made("d", annotated(late, wrote("ann", "mine"))))
		require.Equal(t, [2]int{1, 1}, s.counts("eve", "d")["d"])
		got := s.oneDocument("d")
		require.Equal(t, []any{"d", "public"}, []any{got.DocumentName, *got.AccessType})
		s.items(deleteDocuments, theseDocuments("d"))
	}
}
