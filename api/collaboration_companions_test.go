package api_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// acme returns a call about acme with more fields: their names and values in turn.
func acme(more ...any) map[string]any {
	call := kit.InAcme()
	for i := 0; i < len(more); i += 2 {
		call[more[i].(string)] = more[i+1]
	}
	return call
}

// idsOf returns the ids of a page of a list whose items have this key.
func idsOf(env *kit.Env, operation, key string, data map[string]any) (ids []string, next string) {
	env.T.Helper()
	page, err := client.Call[kit.PagedView[[]map[string]json.RawMessage]](env.Ctx, env.Keyed, operation, data)
	require.NoError(env.T, err)
	for _, item := range page.Data {
		ids = append(ids, strings.Trim(string(item[key]), `"`))
	}
	return ids, page.NextPageToken
}

// withDocuments adds documents to acme, the first one first.
func withDocuments(env *kit.Env, documents ...string) {
	env.T.Helper()
	for _, text := range documents {
		var document map[string]any
		require.NoError(env.T, json.Unmarshal([]byte(text), &document))
		env.Call(client.AddDocuments, acme("createOrganization", true, "documents", []any{json.RawMessage(text)}), nil)
	}
}

func TestDocumentsGet_Filters(t *testing.T) {
	env := newWorkspace(t)
	withDocuments(env,
		`{"documentId":"a","documentName":"Plan","n":2,"tags":["x",1]}`,
		`{"documentId":"b","n":2.0,"open":true}`,
		`{"documentId":"c","n":"2","open":false}`,
		`{"documentId":"d","n":null}`,
		`{"documentId":"e","n":1e300,"tags":[]}`,
		`{"documentId":"f","n":-0.5,"word":"\u00e9"}`)
	for _, given := range []struct{ key, operator, value, want string }{
		{"n", "==", `2.00`, "ab"},
		{"metadata.n", "==", `"2"`, "c"},
		{"n", "!=", `2`, "ef"},
		{"n", "!=", `"3"`, "c"},
		{"n", ">", `1e299`, "e"},
		{"n", "<=", `2`, "abf"},
		{"n", "<", `-5e-2`, "f"},
		{"n", "in", `[-5e-1,"2"]`, "cf"},
		{"n", "not-in", `[2,"3"]`, "cef"},
		{"open", "!=", `true`, "c"},
		{"open", ">=", `true`, ""},
		{"tags", "array-contains", `1.0`, "a"},
		{"tags", "array-contains-any", `["y","x"]`, "a"},
		{"documentName", "==", `"Plan"`, "a"},
		{"documentName", ">", `"a"`, "bcdef"},
		{"word", ">", `"z"`, "f"},
		{"nothing", "!=", `1`, ""},
	} {
		filter := map[string]any{"key": given.key, "operator": given.operator, "value": json.RawMessage(given.value)}
		ids, _ := idsOf(env, client.GetDocuments, "id", kit.InAcme(map[string]any{"filters": []any{filter}}))
		slices.Sort(ids)
		require.Equal(t, given.want, strings.Join(ids, ""), "%+v", given)
	}
}

func TestDocumentsGet_FiltersAreChecked(t *testing.T) {
	env := newWorkspace(t)
	filter := func(operator, value string, more ...map[string]any) map[string]any {
		one := map[string]any{"key": "n", "operator": operator, "value": json.RawMessage(value)}
		for _, fields := range more {
			one = kit.With(one, fields)
		}
		return kit.InAcme(map[string]any{"filters": []any{one}})
	}
	require.Equal(t, "filters.0.value", refusedAt(env, "type", client.GetDocuments, filter("==", `[1]`)))
	require.Equal(t, "filters.0.value", refusedAt(env, "type", client.GetDocuments, filter("in", `1`)))
	require.Equal(t, "filters.0.value", refusedAt(env, "count", client.GetDocuments, filter("in", `[]`)))
	require.Equal(t, "filters.0.value.1", refusedAt(env, "type", client.GetDocuments, filter("in", `[1,{}]`)))
	require.Equal(t, "filters.0.value", refusedAt(env, "required", client.GetDocuments, filter("==", `null`)))
	require.Equal(t, "filters.0.value", refusedAt(env, "length", client.GetDocuments, filter("==", `"`+strings.Repeat("x", 1501)+`"`)))
	require.Equal(t, "filters.0.depth", refusedAt(env, "unknown-key", client.GetDocuments, filter("==", `1`, map[string]any{"depth": 1})))
}

func TestDocumentsGet_ATokenIsOfItsFilters(t *testing.T) {
	env := newWorkspace(t)
	withDocuments(env, `{"documentId":"a","n":1}`, `{"documentId":"b","n":2}`, `{"documentId":"c","n":1}`)
	call := func(n int) map[string]any {
		return kit.InAcme(map[string]any{"pageSize": 1, "filters": []any{map[string]any{"key": "n", "operator": "==", "value": n}}})
	}
	ids, next := idsOf(env, client.GetDocuments, "id", call(1))
	require.Equal(t, []string{"c"}, ids)
	require.Equal(t, "pageToken", env.RefusedAs("INVALID_ARGUMENT", client.GetDocuments, kit.With(call(2), map[string]any{"pageToken": next})).Issues[0].Path[0])
	ids, _ = idsOf(env, client.GetDocuments, "id", kit.With(call(1), map[string]any{"pageToken": next}))
	require.Equal(t, []string{"a"}, ids)
}

func TestDocumentsGet_APageLooksAtSoManyDocuments(t *testing.T) {
	env := newWorkspace(t)
	withDocuments(env, `{"documentId":"oldest","n":1}`)
	_, err := env.DB().Exec(env.Ctx, `INSERT INTO documents (workspace_id, organization_key, document_id, name, default_access)
SELECT $1, o.key, 'many ' || i, '', 'public' FROM organizations o, generate_series(1, 10000) i WHERE o.workspace_id = $1`, env.Workspace.ID)
	require.NoError(t, err)
	call := kit.InAcme(map[string]any{"filters": []any{map[string]any{"key": "n", "operator": "==", "value": 1}}})
	ids, next := idsOf(env, client.GetDocuments, "id", call)
	require.Empty(t, ids)
	require.NotEmpty(t, next)
	ids, next = idsOf(env, client.GetDocuments, "id", kit.With(call, map[string]any{"pageToken": next}))
	require.Equal(t, []string{"oldest"}, ids)
	require.Empty(t, next)
}

func TestDocumentsUpdate_WithoutMergeTheRestGoes(t *testing.T) {
	env := newWorkspace(t)
	withDocuments(env, `{"documentId":"a","documentName":"Plan","n":1,"m":2,"accessType":"restricted"}`)
	env.Call(client.UpdateDocuments, acme("merge", false, "documents", []any{map[string]any{"documentId": "a", "m": 3}}), nil)
	page, err := client.Call[kit.PagedView[[]map[string]any]](env.Ctx, env.Keyed, client.GetDocuments, kit.InAcme())
	require.NoError(t, err)
	found := page.Data[0]
	require.Equal(t, "a", found["documentName"])
	require.NotContains(t, found, "n")
	require.InEpsilon(t, 3, found["m"], 0)
	require.Equal(t, "restricted", found["accessType"])
}

func TestDocumentsUpdate_WithoutMergeItsPlaceAndAccessStay(t *testing.T) {
	env := newWorkspace(t)
	env.Call(client.AddDocuments, acme("createOrganization", true, "folderId", "f", "createFolder", true,
		"documents", []any{map[string]any{"documentId": "d", "documentName": "Plan", "n": 1}}), nil)
	until := time.Now().Add(time.Hour).UnixMilli()
	kit.Grant(env, "bob", kit.Resource("document", "d", kit.Role("viewer"), map[string]any{"expiresAt": until}))
	kit.Grant(env, "eve", kit.Resource("document", "d", kit.Role("editor")))
	env.Call(client.SetAccess, acme("documentIds", []string{"d"}, "accessType", "restricted"), nil)
	env.Call(client.DisableDocuments, switches(true), nil)
	granted := func() (grants string) {
		require.NoError(t, env.DB().QueryRow(env.Ctx, `SELECT jsonb_agg(to_jsonb(g) ORDER BY user_id) FROM grants g WHERE workspace_id = $1`, env.Workspace.ID).Scan(&grants))
		return grants
	}
	document := func() redline.Document {
		page, err := client.Call[redline.DocumentListResult](env.Ctx, env.Keyed, client.GetDocuments, acme("folderId", "f"))
		require.NoError(t, err)
		require.Len(t, page.Data, 1)
		return page.Data[0]
	}
	want, before := document(), granted()
	require.Equal(t, []any{"f", true, redline.DocumentAccessTypeRestricted}, []any{*want.FolderID, want.Disabled, want.AccessType})
	require.True(t, kit.Items(env, client.UpdateDocuments, acme("merge", false, "documents", []any{map[string]any{"documentId": "d"}}))["d"].Success)
	found := document()
	require.Empty(t, found.AdditionalProperties)
	want.DocumentName, want.LastUpdated, want.AdditionalProperties = "d", found.LastUpdated, found.AdditionalProperties
	require.Equal(t, want, found)
	require.Equal(t, before, granted())
	env.Call(client.DisableDocuments, switches(false), nil)
	require.Equal(t, redline.PermissionAccessRoleEditor, *kit.Permitted(env, "eve", nil, []string{"d"}).Documents["d"].AccessRole)
}

func TestAdd_AFolderIsMadeInItsParent(t *testing.T) {
	env := newWorkspace(t)
	env.Call(client.AddFolders, acme("createOrganization", true, "folders", []any{map[string]any{"folderId": "top"}}), nil)
	call := acme("folderId", "new", "createFolder", true, "parentFolderId", "top", "documents", []any{map[string]any{"documentId": "a"}})
	require.Equal(t, "parentFolderId", refusedAt(env, "conflict", client.AddDocuments, kit.With(call, map[string]any{"createFolder": false})))
	users := acme("folderId", "new", "createFolder", true, "parentFolderId", "gone", "users", []any{map[string]any{"userId": "ann"}})
	require.Equal(t, redline.ProblemStatusNotFound, env.Refused(client.AddUsers, users).Status)
	users["parentFolderId"] = "top"
	kit.Concurrently(50, func(i int) {
		operation, data := client.AddUsers, users
		if i%2 == 0 {
			operation, data = client.AddDocuments, kit.With(call, map[string]any{"documents": []any{map[string]any{"documentId": strconv.Itoa(i)}}})
		}
		_, err := client.Call[any](env.Ctx, env.Keyed, operation, data)
		kit.NoError(t, err)
	})
	users["parentFolderId"] = "root"
	env.Call(client.AddUsers, users, nil)
	var parent string
	require.NoError(t, env.DB().QueryRow(env.Ctx, `SELECT p.folder_id FROM folders f JOIN folders p ON p.key = f.parent_key
WHERE f.workspace_id = $1 AND f.folder_id = 'new'`, env.Workspace.ID).Scan(&parent))
	require.Equal(t, "top", parent, "one that is there stays where it is")
	below := "top"
	for i := range 19 {
		env.Call(client.AddUsers, acme("folderId", fmt.Sprint("f", i), "createFolder", true, "parentFolderId", below, "users", users["users"]), nil)
		below = fmt.Sprint("f", i)
	}
	deep := acme("folderId", "deep", "createFolder", true, "parentFolderId", below, "users", users["users"])
	require.Equal(t, redline.ErrorDetailsReasonFolderDepth, env.RefusedAs("FAILED_PRECONDITION", client.AddUsers, deep).Reason)
}

func TestUsersGet_ByAPartOfWhatTheyAreCalled(t *testing.T) {
	env := newWorkspace(t)
	env.Call(client.AddUsers, acme("users", []any{
		map[string]any{"userId": "u1", "name": "\u00c9lodie"},
		map[string]any{"userId": "u2", "name": "E\u0301lodie"},
		map[string]any{"userId": "u3", "email": "100%@example.com"},
		map[string]any{"userId": "u4", "name": "Stra\u00dfe"},
	}), nil)
	for key, want := range map[string]string{"\u00c9LO": "u1 u2", "e\u0301lo": "u1 u2", "%": "u3", "U4": "u4", "STRASSE": "u4", "_": ""} {
		ids, _ := idsOf(env, client.GetUsers, "userId", kit.InAcme(map[string]any{"searchKey": key}))
		slices.Sort(ids)
		require.Equal(t, want, strings.Join(ids, " "), key)
	}
	require.Equal(t, "searchKey", refusedAt(env, "length", client.GetUsers, kit.InAcme(map[string]any{"searchKey": " "})))
}

func TestUsersGet_InWhichDocumentsTheyHaveAPart(t *testing.T) {
	env := newWorkspace(t)
	env.Call(client.AddUsers, acme("users", []any{map[string]any{"userId": "ann"}, map[string]any{"userId": "bob"}, map[string]any{"userId": "eve"}}), nil)
	env.Call(client.AddUsers, acme("documentId", "granted", "createDocument", true, "users", []any{map[string]any{"userId": "eve"}}), nil)
	kit.Discuss(env, kit.Wrote("ann", "hello {{bob}}"))
	kit.Annotate(env, kit.Made("later", kit.With(kit.Annotated("l", kit.Wrote("ann", "x")), map[string]any{"assignedTo": map[string]any{"userId": "bob"}})))
	parts := func() map[string]string {
		page, err := client.Call[redline.UserListResult](env.Ctx, env.Keyed, client.GetUsers, kit.InAcme(map[string]any{"includeInvolvedDocuments": true, "includeInvolvedDocumentsCount": true}))
		require.NoError(t, err)
		found := map[string]string{}
		for _, u := range page.Data {
			found[u.UserID] = fmt.Sprint(u.InvolvedDocuments, u.InvolvedDocumentsCount)
		}
		return found
	}
	require.Equal(t, map[string]string{"ann": "[later d] 2", "bob": "[later d] 2", "eve": "[] 0"}, parts())
	env.Call(client.DeleteComments, kit.Doc("d", map[string]any{"annotationId": "n"}), nil)
	require.Equal(t, map[string]string{"ann": "[later] 1", "bob": "[later] 1", "eve": "[] 0"}, parts())
	require.Equal(t, "pageSize", refusedAt(env, "range", client.GetUsers, kit.InAcme(map[string]any{"includeInvolvedDocuments": true, "pageSize": 101})))
}

func TestPermissionsGet_WhatDoesNotExistMayBeAnError(t *testing.T) {
	env := newWorkspace(t)
	withDocuments(env, `{"documentId":"a"}`)
	call := acme("userIds", []string{"ann"}, "documentIds", []string{"a", "b"})
	for _, skip := range []any{true, nil} {
		env.Call(client.GetPermissions, kit.With(call, map[string]any{"skipResourceExistenceValidation": skip}), nil)
	}
	reply := kit.OlderReply(env, "/v2/"+client.GetPermissions, kit.With(call, map[string]any{"skipResourceExistenceValidation": false}))
	require.Equal(t, redline.ProblemStatusNotFound, reply.Failure().Status)
	var answer struct {
		Error struct {
			Details map[string]json.RawMessage `json:"details"`
		} `json:"error"`
	}
	require.NoError(t, json.Unmarshal(reply.Body, &answer))
	require.Contains(t, string(answer.Error.Details["ann"]), `"a":{"accessRole":"editor"`)
	require.Contains(t, string(answer.Error.Details["ann"]), `"errorCode":"does_not_exist"`)
	call["documentIds"] = []string{"a"}
	env.Call(client.GetPermissions, kit.With(call, map[string]any{"skipResourceExistenceValidation": false}), nil)
}

func TestNotificationsConfig_ASenderOfTheCallers(t *testing.T) {
	env := newWorkspace(t)
	withDocuments(env, `{"documentId":"a"}`)
	held := func() string {
		reply := kit.OlderReply(env, "/v2/"+client.GetPreferences, acme("userId", "ann", "documentIds", []string{"a"}))
		return string(reply.Body)
	}
	require.Contains(t, held(), `"config":{"inbox":"MINE","email":"MINE"}`)
	env.Call(client.SetPreferences, acme("userIds", []string{"ann"}, "config", map[string]any{"slack": "NONE"}), nil)
	require.Contains(t, held(), `"config":{"inbox":"MINE","email":"MINE","slack":"NONE"}`)
}

func TestProfilesGet_NobodyIsNamed(t *testing.T) {
	env := newWorkspace(t)
	profile, err := client.Call[any](env.Ctx, env.Keyed, client.GetProfile, map[string]any{})
	require.NoError(t, err)
	require.Nil(t, profile)
}
