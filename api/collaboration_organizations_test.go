package api_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestOrganizations_AreAddedReadAndChanged(t *testing.T) {
	env := newWorkspace(t)
	own := json.RawMessage(`{"n":12345678901234567890,"f":0.1000}`)
	added := kit.Items(env, client.AddOrganizations, kit.Organization("acme", map[string]any{
		"organizationName": "Acme", "accessType": "restricted", "own": own, "absent": nil, "createdAt": 7,
	}))
	require.Regexp(t, "^[0-9a-f]{32}$", added["acme"].ID)
	first := kit.OneOrganization(env, "acme")
	require.Equal(t, []any{"acme", "Acme", "restricted", string(own)}, []any{first.ID, first.OrganizationName, *first.AccessType, string(first.Own)})
	require.NotEqual(t, int64(7), first.CreatedAt)
	require.Equal(t, first.CreatedAt, first.LastUpdated)

	again := kit.Items(env, client.AddOrganizations, kit.Organization("acme", map[string]any{"organizationName": "Other", "own": 1}))
	require.Equal(t, redline.Item{ID: added["acme"].ID, Code: "already-exists", Message: again["acme"].Message}, again["acme"])
	require.Equal(t, first, kit.OneOrganization(env, "acme"), "it stays as it is")

	updated := kit.Items(env, client.UpdateOrganizations, map[string]any{"organizations": []any{
		map[string]any{"organizationId": "acme", "organizationName": "Acme Ltd"}, map[string]any{"organizationId": "nobody"},
	}})
	require.Equal(t, map[string]string{"acme": "", "nobody": "not-found"}, kit.CodesOf(updated))
	second := kit.OneOrganization(env, "acme")
	require.Equal(t, []any{"Acme Ltd", "restricted", string(own)}, []any{second.OrganizationName, *second.AccessType, string(second.Own)})
	require.Equal(t, first.CreatedAt, second.CreatedAt)
	require.GreaterOrEqual(t, second.LastUpdated, first.LastUpdated)
	kit.Items(env, client.UpdateOrganizations, kit.Organization("acme", map[string]any{"organizationName": nil, "accessType": nil, "own": nil}))
	third := kit.OneOrganization(env, "acme")
	require.Equal(t, []any{"acme", true, true}, []any{third.OrganizationName, third.AccessType == nil, third.Own == nil}, "null clears")
}

func TestOrganizations_WhatIsRefused(t *testing.T) {
	env := newWorkspace(t)
	hundred := make([]string, 101)
	for i := range hundred {
		hundred[i] = fmt.Sprint("o", i)
	}
	for _, operation := range []string{client.AddOrganizations, client.UpdateOrganizations} {
		env.RefusedAs("INVALID_ARGUMENT", operation, kit.Organizations())
		env.RefusedAs("INVALID_ARGUMENT", operation, kit.Organizations(hundred...))
		require.Equal(t, []string{"organizations", "2", "organizationId"},
			env.RefusedAs("INVALID_ARGUMENT", operation, kit.Organizations("a", "b", "a")).Issues[0].Path)
		for _, fields := range []map[string]any{
			{"organizationName": strings.Repeat("x", 201)}, {"accessType": "open"}, {"own": strings.Repeat("x", 8<<10)}, {"own": "a\x00"}, {"organizationId": ""},
		} {
			env.RefusedAs("INVALID_ARGUMENT", operation, kit.Organization("a", fields))
		}
	}
	env.RefusedAs("INVALID_ARGUMENT", client.DeleteOrganizations, map[string]any{"organizationIds": hundred})
	env.RefusedAs("INVALID_ARGUMENT", client.GetOrganizations, map[string]any{"organizationIds": hundred[:31]})
	require.Empty(t, kit.Walked(env, client.GetOrganizations, map[string]any{}), "nothing was made")

	require.Len(t, kit.Items(env, client.AddOrganizations, kit.Organizations(hundred[:100]...)), 100)
	half := strings.Repeat("x", 5<<10)
	kit.Items(env, client.UpdateOrganizations, kit.Organization("o1", map[string]any{"own": half}))
	env.RefusedAs("INVALID_ARGUMENT", client.UpdateOrganizations, map[string]any{"organizations": []any{
		map[string]any{"organizationId": "o0", "own": 1}, map[string]any{"organizationId": "o1", "more": half},
	}})
	require.Nil(t, kit.OneOrganization(env, "o0").Own, "a refused call changes nothing")
}

func TestOrganizations_1_TwoConcurrentAdds(t *testing.T) {
	env := newWorkspace(t)
	for round := range 10 {
		forth := []string{fmt.Sprint("a", round), fmt.Sprint("b", round)}
		calls := []map[string]any{kit.Organizations(forth...), kit.Organizations(forth[1], forth[0])}
		answers := make([]redline.ItemByIDResult, len(calls))
		kit.Concurrently(len(calls), func(i int) {
			var err error
			answers[i], err = client.Call[redline.ItemByIDResult](env.Ctx, env.Keyed, client.AddOrganizations, calls[i])
			kit.NoError(t, err)
		})
		for _, id := range forth {
			codes := []string{string(answers[0].Data[id].Code), string(answers[1].Data[id].Code)}
			require.ElementsMatch(t, []string{"", "already-exists"}, codes, id)
		}
	}
}

func TestOrganizations_5_AnotherWorkspacesWithTheSameId(t *testing.T) {
	env := newWorkspace(t)
	other := kit.Elsewhere(env)
	ids := append([]string{strings.Repeat("🧑‍🚀", 66)}, kit.OddIDs...)
	for _, of := range []*kit.Env{env, other} {
		require.Len(t, kit.Items(of, client.AddOrganizations, kit.Organizations(ids...)), len(ids))
		kit.Annotate(of, kit.Made("d", kit.Annotated("a", kit.Wrote("ann", "a"))))
	}
	require.Equal(t, redline.ItemCodeAlreadyExists, kit.Items(env, client.AddOrganizations, kit.Organizations("a/b"))["a/b"].Code)
	kit.Items(env, client.UpdateOrganizations, kit.Organization("a/b", map[string]any{"organizationName": "Mine"}))
	require.Equal(t, "a/b", kit.OneOrganization(other, "a/b").OrganizationName)
	for id, entry := range kit.Items(env, client.DeleteOrganizations, map[string]any{"organizationIds": append([]string{"acme"}, ids...)}) {
		require.True(t, entry.Success, id)
	}
	require.Empty(t, kit.Walked(env, client.GetOrganizations, map[string]any{}))
	require.ElementsMatch(t, append([]string{"acme"}, ids...), kit.IDsIn(kit.Walked(other, client.GetOrganizations, map[string]any{"pageSize": 5})))
	require.Equal(t, [2]int{1, 1}, kit.Counts(other, "bob", "d")["d"])
}

func TestOrganizationsGet_PagesAndTokens(t *testing.T) {
	env := newWorkspace(t)
	var want []string
	for i := range 12 {
		id := fmt.Sprintf("o%02d", i)
		kit.Items(env, client.AddOrganizations, kit.Organizations(id))
		want = append([]string{id}, want...)
	}
	require.Equal(t, want, kit.IDsIn(kit.Walked(env, client.GetOrganizations, map[string]any{"pageSize": 5})), "newest first, each once")
	some := []string{"o03", "o09", "unknown", "o05"}
	require.Equal(t, []string{"o09", "o05", "o03"}, kit.IDsIn(kit.Walked(env, client.GetOrganizations, map[string]any{"organizationIds": some, "pageSize": 1})))
	token := kit.Paged(env, client.GetOrganizations, map[string]any{"pageSize": 5}).NextPageToken
	env.RefusedAs("INVALID_ARGUMENT", client.GetOrganizations, map[string]any{"organizationIds": some, "pageToken": token})
	env.RefusedAs("INVALID_ARGUMENT", client.GetOrganizations, map[string]any{"pageToken": token + "A"})
	kit.Elsewhere(env).RefusedAs("INVALID_ARGUMENT", client.GetOrganizations, map[string]any{"pageToken": token})
	env.RefusedAs("INVALID_ARGUMENT", client.GetDocuments, map[string]any{"organizationId": "o01", "pageToken": token})
	env.RefusedAs("INVALID_ARGUMENT", client.GetOrganizations, map[string]any{"pageSize": 1001})

	env.Call(client.UpdateSettings, map[string]any{"enableAdvancedQueries": false}, nil)
	for operation, data := range map[string]map[string]any{client.GetOrganizations: {}, client.GetDocuments: {"organizationId": "o01"}} {
		require.Equal(t, redline.ErrorDetailsReasonAdvancedQueriesDisabled, env.RefusedAs("FAILED_PRECONDITION", operation, data).Reason)
		data["pageToken"] = "none"
		env.RefusedAs("INVALID_ARGUMENT", operation, data)
	}
}

// holds fills a document of acme with annotations and what else belongs to it.
func holds(env *kit.Env, documentID string, annotations int) {
	env.T.Helper()
	for range annotations / 100 {
		notes := make([]map[string]any, 100)
		for i := range notes {
			notes[i] = kit.Annotated(kit.Unique("note"), kit.Wrote("ann", "a"))
		}
		kit.Annotate(env, kit.Made(documentID, notes...))
	}
}

// The answer does not wait for what is inside, however much that is: nothing of it is
// read or changed by the delete.
func TestOrganizationsDelete_2and3_AllIsGoneAtOnceAndTheIdIsNew(t *testing.T) {
	env := newWorkspace(t)
	holds(env, "d", 200)
	kit.Annotate(env, kit.Made("d", kit.Annotated("kept", kit.Wrote("ann", "a"))))
	kit.Items(env, client.AddUsers, map[string]any{"organizationId": "acme", "folderId": "f", "createFolder": true, "users": kit.Users("ann")})
	page := kit.Older[[]redline.Annotation](env, kit.GetAnnotations, kit.Doc("d", map[string]any{"pageSize": 1}))
	documents := map[string]any{"organizationId": "acme", "pageSize": 1}
	kit.Items(env, client.AddDocuments, map[string]any{"organizationId": "acme", "documents": []any{map[string]any{"documentId": "second"}}})
	listed := kit.Paged(env, client.GetDocuments, documents)
	require.True(t, page.NextPageToken != "" && listed.NextPageToken != "")

	id := kit.OneOrganization(env, "acme")
	deleted := kit.Items(env, client.DeleteOrganizations, map[string]any{"organizationIds": []string{"acme", "acme", "nobody"}})
	require.Equal(t, map[string]string{"acme": "", "nobody": "not-found"}, kit.CodesOf(deleted))
	kit.SeesNothing(env, "d")
	require.Empty(t, kit.Walked(env, client.GetOrganizations, map[string]any{}))
	require.Equal(t, redline.ItemCodeNotFound, kit.Items(env, client.DeleteOrganizations, map[string]any{"organizationIds": []string{"acme"}})["acme"].Code)

	added := kit.Items(env, client.AddOrganizations, kit.Organizations("acme"))
	require.True(t, added["acme"].Success)
	require.Equal(t, deleted["acme"].ID, added["acme"].ID, "the service's own id follows from the caller's")
	require.GreaterOrEqual(t, kit.OneOrganization(env, "acme").CreatedAt, id.LastUpdated)
	kit.SeesNothing(env, "d")
	require.Equal(t, redline.ItemCodeNotFound, kit.Items(env, client.UpdateUsers, kit.Acme(nil, kit.Users("ann")...))["ann"].Code)
	kit.Annotate(env, kit.Made("d", kit.Annotated("new", kit.Wrote("ann", "a")), kit.Annotated("kept", kit.Wrote("ann", "again"))))
	require.Equal(t, [2]int{2, 2}, kit.Counts(env, "bob", "d")["d"])
	rest := kit.Older[[]redline.Annotation](env, kit.GetAnnotations, kit.Doc("d", map[string]any{"pageSize": 1, "pageToken": page.NextPageToken}))
	for _, a := range rest.Data {
		require.Contains(t, []string{"new", "kept"}, a.AnnotationID, "an old token gives nothing of the former")
	}
	documents["pageToken"] = listed.NextPageToken
	require.Empty(t, kit.Paged(env, client.GetDocuments, documents).Data, "all that is there now is newer")
	level := map[string]any{"organizationId": "acme", "folderId": "f", "users": kit.Users("ann")}
	require.Equal(t, redline.ItemCodeNotFound, kit.Items(env, client.UpdateUsers, level)["ann"].Code)
}

// What is written while its organization is deleted is refused or goes with it, and is
// never seen in the one that has the id afterwards.
func TestOrganizations_4_WritesIntoOneThatIsBeingDeleted(t *testing.T) {
	env := newWorkspace(t)
	for round := range 10 {
		kit.Items(env, client.AddOrganizations, kit.Organizations("acme"))
		kit.Annotate(env, kit.Made("d", kit.Annotated(kit.Unique("note"), kit.Wrote("ann", "a"))))
		calls := []struct {
			operation string
			data      map[string]any
		}{
			{client.DeleteOrganizations, map[string]any{"organizationIds": []string{"acme"}}},
			{client.AddAnnotations, kit.Doc("d", map[string]any{"commentAnnotations": []any{kit.Annotated(fmt.Sprint("late", round), kit.Wrote("ann", "a"))}})},
			{client.AddAnnotations, kit.Doc("other", map[string]any{"createDocument": true, "commentAnnotations": []any{kit.Annotated(kit.Unique("note"), kit.Wrote("ann", "a"))}})},
			{client.AddUsers, map[string]any{"organizationId": "acme", "createOrganization": false, "users": kit.Users("eve")}},
			{client.AddDocuments, map[string]any{"organizationId": "acme", "documents": []any{map[string]any{"documentId": "third"}}}},
			{client.UpdateDocuments, map[string]any{"organizationId": "acme", "documents": []any{map[string]any{"documentId": "d", "documentName": "New"}}}},
			{client.UpdateOrganizations, kit.Organization("acme", map[string]any{"organizationName": "New"})},
		}
		kit.Concurrently(len(calls), func(i int) {
			_, err := client.Call[json.RawMessage](env.Ctx, env.Keyed, calls[i].operation, calls[i].data)
			if refused := redline.AsError(err); refused == nil || refused.Status != "NOT_FOUND" {
				kit.NoError(t, err)
			}
		})
		kit.SeesNothing(env, "d")
		kit.Items(env, client.AddOrganizations, kit.Organizations("acme"))
		require.Empty(t, kit.Walked(env, client.GetDocuments, map[string]any{"organizationId": "acme"}))
		require.Equal(t, "acme", kit.OneOrganization(env, "acme").OrganizationName)
		require.Equal(t, redline.ItemCodeNotFound, kit.Items(env, client.UpdateUsers, kit.Acme(nil, kit.Users("eve")...))["eve"].Code)
		kit.Annotate(env, kit.Made("again", kit.Annotated(fmt.Sprint("late", round), kit.Wrote("ann", "a"))))
		kit.Items(env, client.DeleteOrganizations, map[string]any{"organizationIds": []string{"acme"}})
	}
}
