package kit

import (
	"encoding/json"
	"maps"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

// ThingView is an organization or a document as read.
type ThingView struct {
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

// Paged returns a page of a list of things.
func Paged(env *Env, operation string, data map[string]any) PagedView[[]ThingView] {
	env.T.Helper()
	var page PagedView[[]ThingView]
	env.Call(operation, data, &page)
	require.Equal(env.T, "success", page.Status)
	return page
}

// Walked reads a list of things to its end.
func Walked(env *Env, operation string, data map[string]any) []ThingView {
	env.T.Helper()
	query := maps.Clone(data)
	var all []ThingView
	for {
		page := Paged(env, operation, query)
		all = append(all, page.Data...)
		if page.NextPageToken == "" {
			return all
		}
		query["pageToken"] = page.NextPageToken
	}
}

// IDsIn returns the ids of things.
func IDsIn(things []ThingView) []string {
	ids := []string{}
	for _, thing := range things {
		ids = append(ids, thing.ID)
	}
	return ids
}

// Organizations returns a call that adds organizations with these ids.
func Organizations(ids ...string) map[string]any {
	list := make([]map[string]any, len(ids))
	for i, id := range ids {
		list[i] = map[string]any{"organizationId": id}
	}
	return map[string]any{"organizations": list}
}

// Organization returns a call that adds one organization with these fields.
func Organization(id string, fields map[string]any) map[string]any {
	one := map[string]any{"organizationId": id}
	maps.Copy(one, fields)
	return map[string]any{"organizations": []any{one}}
}

// OneOrganization returns an organization, which has to be there.
func OneOrganization(env *Env, id string) ThingView {
	env.T.Helper()
	found := Paged(env, client.GetOrganizations, map[string]any{"organizationIds": []string{id, "unknown"}}).Data
	require.Len(env.T, found, 1)
	return found[0]
}

// CodesOf returns the codes of entries, empty after success.
func CodesOf(entries map[string]redline.Item) map[string]string {
	codes := map[string]string{}
	for id, entry := range entries {
		codes[id] = string(entry.Code)
	}
	return codes
}

// SeesNothing proves that nothing of a document of acme is read.
func SeesNothing(env *Env, documentID string) {
	env.T.Helper()
	require.Equal(env.T, [2]int{}, Counts(env, "bob", documentID)[documentID])
	require.Empty(env.T, Older[[]redline.Annotation](env, GetAnnotations, Doc(documentID)).Data)
	require.Empty(env.T, Paged(env, client.GetDocuments, map[string]any{"organizationId": "acme", "documentIds": []string{documentID}}).Data)
	data := Doc(documentID, map[string]any{"commentAnnotations": []any{Annotated(Unique("note"), Wrote("ann", "a"))}})
	_ = env.RefusedAs("NOT_FOUND", client.AddAnnotations, data)
	level := Doc(documentID, map[string]any{"users": Users("ann")})
	require.Equal(env.T, redline.ItemCodeNotFound, Items(env, client.UpdateUsers, level)["ann"].Code)
}
