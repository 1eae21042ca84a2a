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
	addOrganizations    = "organizations/add"
	getOrganizations    = "organizations/get"
	updateOrganizations = "organizations/update"
	deleteOrganizations = "organizations/delete"
)

// thingView is an organization or a document as read.
type thingView struct {
	ID               string          `json:"id"`
	OrganizationName string          `json:"organizationName"`
	DocumentName     string          `json:"documentName"`
	FolderID         *string         `json:"folderId"`
	AccessType       *string         `json:"accessType"`
	InheritAccess    bool            `json:"inheritAccess"`
	CreatedAt        int64           `json:"createdAt"`
	LastUpdated      int64           `json:"lastUpdated"`
	Own              json.RawMessage `json:"own"`
}

// paged reads a page of a list of things.
func (s *scene) paged(operation string, data map[string]any) pagedView[[]thingView] {
	s.t.Helper()
	var page pagedView[[]thingView]
	s.call(operation, data, &page)
	require.Equal(s.t, "success", page.Status)
	return page
}

// walked reads a list of things to its end.
func (s *scene) walked(operation string, data map[string]any) []thingView {
	s.t.Helper()
	query := maps.Clone(data)
	var all []thingView
	for {
		page := s.paged(operation, query)
		all = append(all, page.Data...)
		if page.NextPageToken == "" {
			return all
		}
		query["pageToken"] = page.NextPageToken
	}
}

// idsIn are the ids of things.
func idsIn(things []thingView) []string {
	ids := []string{}
	for _, thing := range things {
		ids = append(ids, thing.ID)
	}
	return ids
}

// organizations are those of a call, by their ids.
func organizations(ids ...string) map[string]any {
	list := make([]map[string]any, len(ids))
	for i, id := range ids {
		list[i] = map[string]any{"organizationId": id}
	}
	return map[string]any{"organizations": list}
}

// organization is one of a call, with more fields.
func organization(id string, fields map[string]any) map[string]any {
	one := map[string]any{"organizationId": id}
	maps.Copy(one, fields)
	return map[string]any{"organizations": []any{one}}
}

func (s *scene) oneOrganization(id string) thingView {
	s.t.Helper()
	found := s.paged(getOrganizations, map[string]any{"organizationIds": []string{id, "unknown"}}).Data
	require.Len(s.t, found, 1)
	return found[0]
}

// codesOf are the codes of entries, empty after success.
func codesOf(entries map[string]itemView) map[string]string {
	codes := map[string]string{}
	for id, entry := range entries {
		codes[id] = entry.Code
	}
	return codes
}

// holds fills a document of acme with annotations and what else belongs to it.
func (s *scene) holds(documentID string, annotations int) {
	s.t.Helper()
	for range annotations / 100 {
		notes := make([]map[string]any, 100)
		for i := range notes {
			notes[i] = annotated(unique("note"), wrote("ann", "a"))
		}
		s.annotate(made(documentID, notes...))
	}
}

// seesNothing proves that nothing of a document of acme is read.
func (s *scene) seesNothing(documentID string) {
	s.t.Helper()
	require.Equal(s.t, [2]int{}, s.counts("bob", documentID)[documentID])
	require.Empty(s.t, older[[]annotationView](s, getAnnotations, doc(documentID)).Data)
	require.Empty(s.t, s.paged(getDocuments, map[string]any{"organizationId": "acme", "documentIds": []string{documentID}}).Data)
	data := doc(documentID, map[string]any{"commentAnnotations": []any{annotated(unique("note"), wrote("ann", "a"))}})
	s.refusedAs("NOT_FOUND", addAnnotations, data)
	level := doc(documentID, map[string]any{"users": users("ann")})
	require.Equal(s.t, "not-found", s.items("users/update", level)["ann"].Code)
}

// The answer does not wait for what is inside, however much that is: nothing of it is
// read or changed by the delete.
func TestOrganizationsDelete_2and3_AllIsGoneAtOnceAndTheIdIsNew(t *testing.T) {
	s := begin(t)
	s.holds("d", 1000)
	s.annotate(made("d", annotated("kept", wrote("ann", "a"))))
	s.items("users/add", map[string]any{"organizationId": "acme", "folderId": "f", "createFolder": true, "users": users("ann")})
	page := older[[]annotationView](s, getAnnotations, doc("d", map[string]any{"pageSize": 1}))
	documents := map[string]any{"organizationId": "acme", "pageSize": 1}
	s.items(addDocuments, map[string]any{"organizationId": "acme", "documents": []any{map[string]any{"documentId": "second"}}})
	listed := s.paged(getDocuments, documents)
	require.True(t, page.NextPageToken != "" && listed.NextPageToken != "")

	id := s.oneOrganization("acme")
	deleted := s.items(deleteOrganizations, map[string]any{"organizationIds": []string{"acme", "acme", "nobody"}})
	require.Equal(t, map[string]string{"acme": "", "nobody": "not-found"}, codesOf(deleted))
	s.seesNothing("d")
	require.Empty(t, s.walked(getOrganizations, map[string]any{}))
	require.Equal(t, "not-found", s.items(deleteOrganizations, map[string]any{"organizationIds": []string{"acme"}})["acme"].Code)

	added := s.items(addOrganizations, organizations("acme"))
	require.True(t, added["acme"].Success)
	require.Equal(t, deleted["acme"].ID, added["acme"].ID, "the service's own id follows from the caller's")
	require.GreaterOrEqual(t, s.oneOrganization("acme").CreatedAt, id.LastUpdated)
	s.seesNothing("d")
	require.Equal(t, "not-found", s.items("users/update", acme(nil, users("ann")...))["ann"].Code)
	s.annotate(made("d", annotated("new", wrote("ann", "a")), annotated("kept", wrote("ann", "again"))))
	require.Equal(t, [2]int{2, 2}, s.counts("bob", "d")["d"])
	rest := older[[]annotationView](s, getAnnotations, doc("d", map[string]any{"pageSize": 1, "pageToken": page.NextPageToken}))
	for _, a := range rest.Data {
		require.Contains(t, []string{"new", "kept"}, a.AnnotationID, "an old token gives nothing of the former")
	}
	documents["pageToken"] = listed.NextPageToken
	require.Empty(t, s.paged(getDocuments, documents).Data, "all that is there now is newer")
	level := map[string]any{"organizationId": "acme", "folderId": "f", "users": users("ann")}
	require.Equal(t, "not-found", s.items("users/update", level)["ann"].Code)
}

// What is written while its organization is deleted is refused or goes with it, and is
// never seen in the one that has the id afterwards.
func TestOrganizations_4_WritesIntoOneThatIsBeingDeleted(t *testing.T) {
	s := begin(t)
	for round := range 10 {
		s.items(addOrganizations, organizations("acme"))
		s.annotate(made("d", annotated(unique("note"), wrote("ann", "a"))))
		calls := []struct {
			operation string
			data      map[string]any
		}{
			{deleteOrganizations, map[string]any{"organizationIds": []string{"acme"}}},
			{addAnnotations, doc("d", map[string]any{"commentAnnotations": []any{annotated(fmt.Sprint("late", round), wrote("ann", "a"))}})},
			{addAnnotations, doc("other", map[string]any{"createDocument": true, "commentAnnotations": []any{annotated(unique("note"), wrote("ann", "a"))}})},
			{"users/add", map[string]any{"organizationId": "acme", "createOrganization": false, "users": users("eve")}},
			{addDocuments, map[string]any{"organizationId": "acme", "documents": []any{map[string]any{"documentId": "third"}}}},
			{updateDocuments, map[string]any{"organizationId": "acme", "documents": []any{map[string]any{"documentId": "d", "documentName": "New"}}}},
			{updateOrganizations, organization("acme", map[string]any{"organizationName": "New"})},
		}
		together(len(calls), func(i int) {
			_, err := client.Call[json.RawMessage](s.ctx, s.keyed, calls[i].operation, calls[i].data)
			if refused := client.Refusal(err); refused == nil || refused.Status != "NOT_FOUND" {
				fine(t, err)
			}
		})
		s.seesNothing("d")
		s.items(addOrganizations, organizations("acme"))
		require.Empty(t, s.walked(getDocuments, map[string]any{"organizationId": "acme"}))
		require.Equal(t, "acme", s.oneOrganization("acme").OrganizationName)
		require.Equal(t, "not-found", s.items("users/update", acme(nil, users("eve")...))["eve"].Code)
		s.annotate(made("again", annotated(fmt.Sprint("late", round), wrote("ann", "a"))))
		s.items(deleteOrganizations, map[string]any{"organizationIds": []string{"acme"}})
	}
}
