package collaboration

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

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
	env := kit.NewWorkspace(t)
	holds(env, "d", 1000)
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
	env := kit.NewWorkspace(t)
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
