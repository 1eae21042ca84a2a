package tests

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
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

func TestOrganizations_AreAddedReadAndChanged(t *testing.T) {
	s := begin(t)
	own := json.RawMessage(`{"n":12345678901234567890,"f":0.1000}`)
	added := s.items(addOrganizations, organization("acme", map[string]any{
		"organizationName": "Acme", "accessType": "restricted", "own": own, "absent": nil, "createdAt": 7,
	}))
	require.Regexp(t, "^[0-9a-f]{32}$", added["acme"].ID)
	first := s.oneOrganization("acme")
	require.Equal(t, []any{"acme", "Acme", "restricted", string(own)}, []any{first.ID, first.OrganizationName, *first.AccessType, string(first.Own)})
	require.NotEqual(t, int64(7), first.CreatedAt)
	require.Equal(t, first.CreatedAt, first.LastUpdated)

	again := s.items(addOrganizations, organization("acme", map[string]any{"organizationName": "Other", "own": 1}))
	require.Equal(t, itemView{ID: added["acme"].ID, Code: "already-exists", Message: again["acme"].Message}, again["acme"])
	require.Equal(t, first, s.oneOrganization("acme"), "it stays as it is")

	updated := s.items(updateOrganizations, map[string]any{"organizations": []any{
		map[string]any{"organizationId": "acme", "organizationName": "Acme Ltd"}, map[string]any{"organizationId": "nobody"},
	}})
	require.Equal(t, map[string]string{"acme": "", "nobody": "not-found"}, codesOf(updated))
	second := s.oneOrganization("acme")
	require.Equal(t, []any{"Acme Ltd", "restricted", string(own)}, []any{second.OrganizationName, *second.AccessType, string(second.Own)})
	require.Equal(t, first.CreatedAt, second.CreatedAt)
	require.GreaterOrEqual(t, second.LastUpdated, first.LastUpdated)
	s.items(updateOrganizations, organization("acme", map[string]any{"organizationName": nil, "accessType": nil, "own": nil}))
	third := s.oneOrganization("acme")
	require.Equal(t, []any{"acme", true, true}, []any{third.OrganizationName, third.AccessType == nil, third.Own == nil}, "null clears")
}

func TestOrganizations_WhatIsRefused(t *testing.T) {
	s := begin(t)
	hundred := make([]string, 101)
	for i := range hundred {
		hundred[i] = fmt.Sprint("o", i)
	}
	for _, operation := range []string{addOrganizations, updateOrganizations} {
		s.refusedAs("INVALID_ARGUMENT", operation, organizations())
		s.refusedAs("INVALID_ARGUMENT", operation, organizations(hundred...))
		require.Equal(t, []string{"organizations", "2", "organizationId"},
			s.refusedAs("INVALID_ARGUMENT", operation, organizations("a", "b", "a")).Issues[0].Path)
		for _, fields := range []map[string]any{
			{"organizationName": strings.Repeat("x", 201)}, {"accessType": "open"}, {"own": strings.Repeat("x", 8<<10)}, {"own": "a\x00"}, {"organizationId": ""},
		} {
			s.refusedAs("INVALID_ARGUMENT", operation, organization("a", fields))
		}
	}
	s.refusedAs("INVALID_ARGUMENT", deleteOrganizations, map[string]any{"organizationIds": hundred})
	s.refusedAs("INVALID_ARGUMENT", getOrganizations, map[string]any{"organizationIds": hundred[:31]})
	require.Empty(t, s.walked(getOrganizations, map[string]any{}), "nothing was made")

	require.Len(t, s.items(addOrganizations, organizations(hundred[:100]...)), 100)
	half := strings.Repeat("x", 5<<10)
	s.items(updateOrganizations, organization("o1", map[string]any{"own": half}))
	s.refusedAs("INVALID_ARGUMENT", updateOrganizations, map[string]any{"organizations": []any{
		map[string]any{"organizationId": "o0", "own": 1}, map[string]any{"organizationId": "o1", "more": half},
	}})
	require.Nil(t, s.oneOrganization("o0").Own, "a refused call changes nothing")
}

func TestOrganizations_1_TwoConcurrentAdds(t *testing.T) {
	s := begin(t)
	for round := range 10 {
		forth := []string{fmt.Sprint("a", round), fmt.Sprint("b", round)}
		calls := []map[string]any{organizations(forth...), organizations(forth[1], forth[0])}
		answers := make([]itemsView, len(calls))
		together(len(calls), func(i int) {
			var err error
			answers[i], err = client.Call[itemsView](s.ctx, s.keyed, addOrganizations, calls[i])
			fine(t, err)
		})
		for _, id := range forth {
			codes := []string{answers[0].Data[id].Code, answers[1].Data[id].Code}
			require.ElementsMatch(t, []string{"", "already-exists"}, codes, id)
		}
	}
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

func TestOrganizations_5_AnotherWorkspacesWithTheSameId(t *testing.T) {
	s := begin(t)
	other := s.elsewhere()
	ids := append([]string{strings.Repeat("🧑‍🚀", 66)}, oddIDs...)
	for _, of := range []*scene{s, other} {
		require.Len(t, of.items(addOrganizations, organizations(ids...)), len(ids))
		of.annotate(made("d", annotated("a", wrote("ann", "a"))))
	}
	require.Equal(t, "already-exists", s.items(addOrganizations, organizations("a/b"))["a/b"].Code)
	s.items(updateOrganizations, organization("a/b", map[string]any{"organizationName": "Mine"}))
	require.Equal(t, "a/b", other.oneOrganization("a/b").OrganizationName)
	for id, entry := range s.items(deleteOrganizations, map[string]any{"organizationIds": append([]string{"acme"}, ids...)}) {
		require.True(t, entry.Success, id)
	}
	require.Empty(t, s.walked(getOrganizations, map[string]any{}))
	require.ElementsMatch(t, append([]string{"acme"}, ids...), idsIn(other.walked(getOrganizations, map[string]any{"pageSize": 5})))
	require.Equal(t, [2]int{1, 1}, other.counts("bob", "d")["d"])
}

func TestOrganizationsGet_PagesAndTokens(t *testing.T) {
	s := begin(t)
	var want []string
	for i := range 12 {
		id := fmt.Sprintf("o%02d", i)
		s.items(addOrganizations, organizations(id))
		want = append([]string{id}, want...)
	}
	require.Equal(t, want, idsIn(s.walked(getOrganizations, map[string]any{"pageSize": 5})), "newest first, each once")
	some := []string{"o03", "o09", "unknown", "o05"}
	require.Equal(t, []string{"o09", "o05", "o03"}, idsIn(s.walked(getOrganizations, map[string]any{"organizationIds": some, "pageSize": 1})))
	token := s.paged(getOrganizations, map[string]any{"pageSize": 5}).NextPageToken
	s.refusedAs("INVALID_ARGUMENT", getOrganizations, map[string]any{"organizationIds": some, "pageToken": token})
	s.refusedAs("INVALID_ARGUMENT", getOrganizations, map[string]any{"pageToken": token + "A"})
	s.elsewhere().refusedAs("INVALID_ARGUMENT", getOrganizations, map[string]any{"pageToken": token})
	s.refusedAs("INVALID_ARGUMENT", getDocuments, map[string]any{"organizationId": "o01", "pageToken": token})
	s.refusedAs("INVALID_ARGUMENT", getOrganizations, map[string]any{"pageSize": 1001})

	s.call(updateSettings, map[string]any{"enableAdvancedQueries": false}, nil)
	for operation, data := range map[string]map[string]any{getOrganizations: {}, getDocuments: {"organizationId": "o01"}} {
		require.Equal(t, "advanced-queries-disabled", s.refusedAs("FAILED_PRECONDITION", operation, data).Reason)
		data["pageToken"] = "none"
		s.refusedAs("INVALID_ARGUMENT", operation, data)
	}
}
