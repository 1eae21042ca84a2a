package api_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// switches returns a call that switches access to the document d off or on.
func switches(disabled bool) map[string]any {
	return acme("documentIds", []string{"d"}, "disabled", disabled)
}

// switchesAll is switches of the organization acme.
func switchesAll(disabled bool) map[string]any {
	return map[string]any{"organizationIds": []string{"acme"}, "disabled": disabled}
}

func TestDisable_WhatIsAnsweredWhileADocumentIsShut(t *testing.T) {
	env := newWorkspace(t)
	kit.ThreeNotices(env)
	env.Call(client.DisableDocuments, switches(true), nil)

	one := []any{kit.Wrote("ann", "x")}
	for operation, call := range map[string]map[string]any{
		client.AddAnnotations:    kit.Made("d", kit.Annotated("m", kit.Wrote("ann", "x"))),
		client.UpdateAnnotations: kit.Updating(map[string]any{"priority": nil}),
		client.ReadAnnotations:   kit.ReadBy("ann"),
		client.AddComments:       kit.Doc("d", map[string]any{"annotationId": "n", "commentData": one, "verifyUserPermissions": true}),
		client.UpdateComments:    kit.Doc("d", map[string]any{"annotationId": "n", "allComments": true, "updatedData": kit.Says("x")}),
		client.ActivitiesAdd:     kit.Doc("d", map[string]any{"activities": []any{kit.Activity("ann", "x")}}),
	} {
		reply := kit.OlderReply(env, "/v2/"+operation, call)
		require.Equal(t, redline.ProblemStatusFailedPrecondition, reply.Failure().Status, operation)
		require.Contains(t, string(reply.Body), `"reason":"access-disabled","organizationId":"acme","documentId":"d"`, operation)
	}
	require.Len(t, kit.Notices(env, kit.ForUser("bob")), 1, "that of the other document")
	require.Equal(t, [2]int{0, 0}, kit.Counts(env, "ann", "d")["d"])
	require.Empty(t, kit.Notes(env, kit.Doc("d", map[string]any{"viewerUserId": "ann"})))
	require.NotEmpty(t, kit.Notes(env, kit.Doc("d")), "a read without a user sees everything")
	permissions := kit.OlderReply(env, "/v2/"+client.GetPermissions, acme("userIds", []string{"ann"}, "documentIds", []string{"d"}))
	require.Contains(t, string(permissions.Body), `"d":{"accessRole":null,"accessType":"public","expiresAt":null,"errorCode":"permission_denied","disabled":true}`)
	env.Call(client.AddUsers, acme("documentId", "d", "users", []any{map[string]any{"userId": "eve"}}), nil)

	env.Call(client.DisableDocuments, switches(false), nil)
	kit.Reply(env, kit.Replying(kit.Wrote("ann", "y")))
	require.Len(t, kit.Notices(env, kit.ForUser("bob")), 3)
}

func TestDisable_TheSwitchOfADocumentAndThatOfItsOrganization(t *testing.T) {
	env := newWorkspace(t)
	kit.Discuss(env, kit.Wrote("ann", "one"))
	state := func() string {
		page, err := client.Call[redline.DocumentListResult](env.Ctx, env.Keyed, client.GetDocuments, acme("documentIds", []string{"d"}))
		require.NoError(t, err)
		return fmt.Sprint(page.Data[0].Disabled, page.Data[0].OrganizationDisabled, kit.Counts(env, "bob", "d")["d"][0])
	}
	require.Equal(t, "false false 1", state())
	env.Call(client.DisableOrganizations, switchesAll(true), nil)
	require.Equal(t, "false true 0", state())
	switched, err := client.Call[kit.PagedView[map[string]redline.Item]](env.Ctx, env.Keyed, client.DisableOrganizations, map[string]any{"organizationIds": []string{"acme", "gone"}, "disabled": true})
	require.NoError(t, err)
	require.True(t, switched.Data["acme"].Success)
	require.Equal(t, redline.ItemCodeNotFound, switched.Data["gone"].Code)
	organizations, err := client.Call[redline.OrganizationListResult](env.Ctx, env.Keyed, client.GetOrganizations, map[string]any{})
	require.NoError(t, err)
	require.Len(t, organizations.Data, 1, "none is made")
	require.True(t, organizations.Data[0].Disabled)
	created := kit.With(kit.Made("new", kit.Annotated("m", kit.Wrote("ann", "x"))), map[string]any{"createDocument": true})
	require.Equal(t, redline.ErrorDetailsReasonAccessDisabled, env.RefusedAs("FAILED_PRECONDITION", client.AddAnnotations, created).Reason)
	ids, _ := idsOf(env, client.GetDocuments, "id", acme())
	require.Equal(t, []string{"d"}, ids, "nothing was made")
	env.Call(client.DisableDocuments, switches(true), nil)
	env.Call(client.DisableOrganizations, switchesAll(false), nil)
	require.Equal(t, "true false 0", state(), "its own switch is on")
	unknown, err := client.Call[kit.PagedView[map[string]redline.Item]](env.Ctx, env.Keyed, client.DisableDocuments, acme("documentIds", []string{"gone"}, "disabled", true))
	require.NoError(t, err)
	require.Equal(t, redline.ItemCodeNotFound, unknown.Data["gone"].Code)
	require.Equal(t, redline.ProblemStatusNotFound, env.Refused(client.DisableDocuments, map[string]any{"organizationId": "gone", "documentIds": []string{"d"}, "disabled": true}).Status)
}

func TestDisable_2_OpenedAgainAllIsAsBefore(t *testing.T) {
	env := newWorkspace(t)
	kit.ThreeNotices(env)
	env.Call(client.AddUsers, acme("documentId", "d", "users", []any{map[string]any{"userId": "bob", "accessRole": "viewer"}}), nil)
	env.Call(client.SetAccess, acme("documentIds", []string{"d"}, "accessType", "organizationPrivate"), nil)
	env.Call(client.ReadAnnotations, kit.ReadBy("bob"), nil)
	kit.Wants(env, map[string]any{"inbox": "ALL"}, []string{"bob"}, "d")
	before := rowsOf(env)
	for _, disabled := range []bool{true, false} {
		env.Call(client.DisableDocuments, switches(disabled), nil)
		env.Call(client.DisableOrganizations, switchesAll(disabled), nil)
		require.Equal(t, !disabled, before["document_rows"] == rowsOf(env)["document_rows"])
	}
	require.Equal(t, before, rowsOf(env))
}

// Who is to be verified for a document that is shut is denied, and no provider is asked about them.
func TestDisable_WhoIsVerifiedIsDenied(t *testing.T) {
	env := withMembers(t, "ann", "bob")
	id, _ := told(env, telling(toUsers("bob")))
	asksProvider(env, allGranted)
	call := acme("verifyUserPermissions", true, "notifications", []any{map[string]any{"id": id, "displayBodyMessage": "new", "actionUser": map[string]any{"userId": "ann"}}})
	kit.Items(env, client.UpdateNotifications, call)
	require.Len(t, env.Receiver().Requests("/access"), 1)
	env.Call(client.DisableDocuments, switches(true), nil)
	env.RefusedAs("PERMISSION_DENIED", client.UpdateNotifications, call)
	require.Len(t, env.Receiver().Requests("/access"), 1)
}

// What is added was committed before access was switched off, or is refused.
func TestDisable_RacingWithAdds(t *testing.T) {
	env := newWorkspace(t)
	kit.Discuss(env, kit.Wrote("ann", "one"))
	var added, refused atomic.Int64
	seen := -1
	kit.Concurrently(12, func(i int) {
		if i == 6 {
			_, err := client.Call[any](env.Ctx, env.Keyed, client.DisableDocuments, switches(true))
			kit.NoError(t, err)
			seen = len(keptComments(env))
			return
		}
		_, err := kit.TryReply(env, kit.Replying(kit.Wrote("ann", "x")))
		switch {
		case err == nil:
			added.Add(1)
		case redline.AsError(err) != nil && redline.AsError(err).Reason == "access-disabled":
			refused.Add(1)
		default:
			kit.NoError(t, err)
		}
	})
	require.EqualValues(t, 11, added.Load()+refused.Load())
	require.Len(t, keptComments(env), seen, "nothing came after the switch was answered")
	require.EqualValues(t, seen-1, added.Load())
}

// The switch of an organization is a row of its own, however many documents are below it: none of them is written.
func TestDisable_6_AnOrganizationIsShutWithoutItsDocuments(t *testing.T) {
	env := newWorkspace(t)
	kit.Discuss(env, kit.Wrote("ann", "one"))
	_, err := env.DB().Exec(env.Ctx, `INSERT INTO documents (workspace_id, organization_key, document_id, name, default_access)
SELECT $1, o.key, 'many ' || i, '', 'public' FROM organizations o, generate_series(1, 1000) i WHERE o.workspace_id = $1`, env.Workspace.ID)
	require.NoError(t, err)
	written := func() (versions string) {
		require.NoError(t, env.DB().QueryRow(env.Ctx, `SELECT count(*) || ' ' || md5(string_agg(xmin::text || ctid::text, ' ' ORDER BY key))
FROM document_rows WHERE workspace_id = $1`, env.Workspace.ID).Scan(&versions))
		return versions
	}
	before := written()
	env.Call(client.DisableOrganizations, switchesAll(true), nil)
	require.Equal(t, before, written())
	_, refused := kit.TryReply(env, kit.Replying(kit.Wrote("ann", "two")))
	require.Equal(t, "access-disabled", string(redline.AsError(refused).Reason))
	var page redline.DocumentListResult
	env.Call(client.GetDocuments, acme("documentIds", []string{"many 999"}), &page)
	require.True(t, page.Data[0].OrganizationDisabled)
}

func TestCount_DocumentsAndUsers(t *testing.T) {
	env := newWorkspace(t)
	withDocuments(env, `{"documentId":"a","n":1}`, `{"documentId":"b","n":2}`)
	env.Call(client.AddDocuments, acme("folderId", "f", "createFolder", true, "documents", []any{map[string]any{"documentId": "c", "n": 2}}), nil)
	count := func(operation string, call map[string]any) string {
		var answer struct {
			Result struct{ Data json.RawMessage }
		}
		require.NoError(t, json.Unmarshal(kit.OlderReply(env, "/v2/"+operation, call).Body, &answer))
		return string(answer.Result.Data)
	}
	filters := []any{map[string]any{"key": "n", "operator": "==", "value": 2}}
	require.Equal(t, `{"count":3}`, count(client.CountDocuments, acme()))
	require.Equal(t, `{"count":2}`, count(client.CountDocuments, acme("excludeFolderDocs", true)))
	require.Equal(t, `{"count":1}`, count(client.CountDocuments, acme("folderId", "f")))
	require.Equal(t, `{"count":2,"filtersApplied":true}`, count(client.CountDocuments, acme("filters", filters)))
	require.Equal(t, `{"count":0}`, count(client.CountDocuments, map[string]any{"organizationId": "gone"}))
	require.Equal(t, "excludeFolderDocs", refusedAt(env, "conflict", client.CountDocuments, acme("excludeFolderDocs", true, "filters", filters)))

	users := func(ids ...string) (all []any) {
		for _, id := range ids {
			all = append(all, map[string]any{"userId": id})
		}
		return all
	}
	env.Call(client.AddUsers, acme("users", users("ann", "bob")), nil)
	env.Call(client.AddUsers, acme("documentId", "a", "users", users("bob", "eve")), nil)
	env.Call(client.AddUsers, acme("documentId", "b", "users", users("eve", "joe")), nil)
	_, err := env.DB().Exec(env.Ctx, `UPDATE grants SET expires_at = clock_timestamp() WHERE workspace_id = $1 AND user_id = 'joe'`, env.Workspace.ID)
	require.NoError(t, err)
	require.Equal(t, `{"count":2}`, count(client.CountUsers, acme()))
	require.Equal(t, `{"count":2}`, count(client.CountUsers, acme("documentId", "a")))
	require.Equal(t, `{"count":1}`, count(client.CountUsers, acme("documentId", "b")), "a grant that has expired does not count")
	require.Equal(t, `{"count":2}`, count(client.CountUsers, acme("allDocuments", true)))
	require.Equal(t, `{"count":1}`, count(client.CountUsers, acme("allDocuments", true, "userId", "eve")))
	require.Equal(t, `{"count":0}`, count(client.CountUsers, acme("allDocuments", true, "userId", "ann")))
	require.Equal(t, "allDocuments", refusedAt(env, "conflict", client.CountUsers, acme("allDocuments", true, "documentId", "a")))
}

// hundreds is acme with 350 documents, of which 200 are in one folder and 50 in another below it, and 300
// people, of whom some are members, some have grants at documents and some had them.
func hundreds(env *kit.Env) {
	env.T.Helper()
	kit.Folders(env, "f", "g in f")
	for i, folder := range []string{"root", "f", "g", "f"} {
		var documents []any
		for n := range []int{100, 100, 50, 100}[i] {
			documents = append(documents, map[string]any{"documentId": fmt.Sprint(i, " ", n), "n": n % 7, "even": n%2 == 0})
		}
		call := acme("documents", documents)
		if folder != "root" {
			call["folderId"] = folder
		}
		require.Len(env.T, kit.Items(env, client.AddDocuments, call), len(documents))
	}
	people := make([]string, 300)
	for i := range people {
		people[i] = fmt.Sprintf("p%03d", i)
	}
	kit.Items(env, client.AddUsers, kit.Acme(nil, kit.Users(people[:210]...)...))
	kit.Items(env, client.AddUsers, kit.Acme(map[string]any{"documentId": "0 1"}, kit.Users(people[140:]...)...))
	kit.Items(env, client.AddUsers, kit.Acme(map[string]any{"documentId": "2 3"}, kit.Users(people[100:290]...)...))
	kit.Items(env, client.AddUsers, kit.Acme(map[string]any{"folderId": "g"}, kit.Users(people[:30]...)...))
	_, err := env.DB().Exec(env.Ctx, `UPDATE grants SET expires_at = clock_timestamp() WHERE workspace_id = $1 AND user_id ~ '[37]$'`, env.Workspace.ID)
	require.NoError(env.T, err)
}

// counted is the answer of an operation that counts.
func counted(env *kit.Env, operation string, call map[string]any) int {
	env.T.Helper()
	found, err := client.Call[client.Wrapped[struct{ Count int }]](env.Ctx, env.Keyed, operation, call)
	require.NoError(env.T, err)
	return found.Data.Count
}

func TestCount_1_EqualsAFullWalkOfDocuments(t *testing.T) {
	env := newWorkspace(t)
	hundreds(env)
	filters := []any{map[string]any{"key": "n", "operator": "<", "value": 3}, map[string]any{"key": "even", "operator": "==", "value": true}}
	for want, call := range map[int]map[string]any{
		350: acme(), 200: acme("folderId", "f"), 50: acme("folderId", "g"), 100: acme("folderId", "root"),
		77: acme("filters", filters), 11: acme("filters", filters, "folderId", "g"), 0: acme("folderId", "gone"),
	} {
		require.Len(t, kit.IDsIn(kit.Walked(env, client.GetDocuments, kit.With(call, map[string]any{"pageSize": 37}))), want, call)
		require.Equal(t, want, counted(env, client.CountDocuments, call), call)
	}
	top := kit.Walked(env, client.GetDocuments, acme("pageSize", 37))
	top = slices.DeleteFunc(top, func(d kit.ThingView) bool { return d.FolderID != nil })
	require.Len(t, top, 100)
	require.Len(t, top, counted(env, client.CountDocuments, acme("excludeFolderDocs", true)))
}

func TestCount_1_EqualsAFullWalkOfUsers(t *testing.T) {
	env := newWorkspace(t)
	hundreds(env)
	for want, call := range map[int]map[string]any{
		168: acme(), 128: acme("documentId", "0 1"), 152: acme("documentId", "2 3"), 160: acme("allDocuments", true), 0: acme("documentId", "gone"),
	} {
		require.Len(t, listed(env, kit.With(call, map[string]any{"pageSize": 37})), want, call)
		require.Equal(t, want, counted(env, client.CountUsers, call), call)
	}
	walked, call := map[string]bool{}, acme("pageSize", 37)
	for more := true; more; more = call["pageToken"] != "" {
		ids, next := idsOf(env, client.GetDocumentUsers, "userId", call)
		for _, id := range ids {
			require.False(t, walked[id], id)
			walked[id] = true
		}
		call["pageToken"] = next
	}
	require.Len(t, walked, counted(env, client.CountUsers, acme("allDocuments", true)))
	for _, id := range []string{"p100", "p103", "p001", "p299"} {
		n := counted(env, client.CountUsers, acme("allDocuments", true, "userId", id))
		require.Equal(t, walked[id], n == 1, id)
	}
}

func TestDocumentUsers_WithTheirDocuments(t *testing.T) {
	env := newWorkspace(t)
	env.Call(client.AddUsers, acme("users", []any{map[string]any{"userId": "member"}}), nil)
	env.Call(client.AddUsers, acme("documentId", "first", "createDocument", true, "users", []any{map[string]any{"userId": "ann"}, map[string]any{"userId": "bob"}}), nil)
	_, err := env.DB().Exec(env.Ctx, `
WITH made AS (
    INSERT INTO documents (workspace_id, organization_key, document_id, name, default_access)
    SELECT $1, o.key, 'many ' || i, '', 'public' FROM organizations o, generate_series(1, 299) i WHERE o.workspace_id = $1 RETURNING key, organization_key)
INSERT INTO grants (organization_key, document_key, workspace_id, user_id, role) SELECT organization_key, key, $1, 'ann', 'editor' FROM made`, env.Workspace.ID)
	require.NoError(t, err)
	type user struct {
		UserID      string    `json:"userId"`
		DocumentIDs []string  `json:"documentIds"`
		Count       int       `json:"documentsCount"`
		Involved    *[]string `json:"involvedDocuments"`
	}
	read := func(call map[string]any) map[string]user {
		page, err := client.Call[kit.PagedView[[]user]](env.Ctx, env.Keyed, client.GetDocumentUsers, call)
		require.NoError(t, err)
		found := map[string]user{}
		for _, u := range page.Data {
			found[u.UserID] = u
		}
		return found
	}
	found := read(acme())
	require.Len(t, found, 2, "a member without a document is not among them")
	require.Equal(t, 300, found["ann"].Count)
	require.Len(t, found["ann"].DocumentIDs, 100)
	require.False(t, slices.ContainsFunc(found["ann"].DocumentIDs, func(id string) bool { return !strings.HasPrefix(id, "many") }), "newest first")
	require.Equal(t, user{"bob", []string{"first"}, 1, nil}, found["bob"])
	kit.Annotate(env, kit.Made("first", kit.Annotated("n", kit.Wrote("bob", "x"))))
	require.Equal(t, []string{"first"}, *read(acme("userIds", []string{"bob"}, "includeInvolvedDocuments", true))["bob"].Involved)
	require.Equal(t, "userIds", refusedAt(env, "count", client.GetDocumentUsers, acme("includeInvolvedDocuments", true)))
	require.Empty(t, read(map[string]any{"organizationId": "gone"}))
	grant := func(documentID, role string) {
		env.Call(client.AddUsers, acme("documentId", documentID, "users", []any{map[string]any{"userId": "bob", "accessRole": role}}), nil)
	}
	grant("many 2", "editor")
	grant("many 1", "editor")
	grant("first", "viewer")
	require.Equal(t, []string{"many 1", "many 2", "first"}, read(acme())["bob"].DocumentIDs, "the newest grant first, whatever the documents")
	_, err = env.DB().Exec(env.Ctx, `UPDATE grants g SET expires_at = clock_timestamp() FROM documents d WHERE d.key = g.document_key AND d.document_id = 'many 2' AND g.user_id = 'bob' AND g.workspace_id = $1`, env.Workspace.ID)
	require.NoError(t, err)
	grant("many 2", "editor")
	require.Equal(t, []string{"many 2", "many 1", "first"}, read(acme())["bob"].DocumentIDs, "one that had ended is granted anew")
}
