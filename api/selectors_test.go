package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/api"
	"github.com/redline-svc/redline/api/rpc"
	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// selecting are the operations that delete or change what their fields select, listing
// those that list by filters.
var (
	selecting = []string{
		"/v2/commentannotations/delete", "/v2/commentannotations/comments/delete", "/v2/users/delete",
		"/v2/organizations/usergroups/delete", "/v2/organizations/usergroups/users/delete", "/v2/organizations/delete",
		"/v2/organizations/folders/delete", "/v2/organizations/documents/delete", "/v2/notifications/delete",
		"/v2/auth/permissions/remove", "/v2/workspace/domains/delete", "/v2/workspace/advancedwebhook/endpoints/delete",
		"/v2/agents/delete", "/v2/agents/groups/delete", "/v2/agents/groups/remove-agents", "/v2/memory/judgments/delete", "/v2/activities/delete", "/v2/users/data/delete",
		"/v2/commentannotations/update", "/v2/commentannotations/read", "/v2/commentannotations/comments/update", "/v2/notifications/update", "/v2/users/invite/respond",
		"/v2/organizations/access/disablestate/update", "/v2/organizations/documents/access/disablestate/update",
	}
	listing = []string{
		"/v2/commentannotations/get", "/v2/commentannotations/comments/get", "/v2/users/get", "/v2/users/data/get", "/v2/organizations/documents/get",
		"/v2/users/count/get", "/v2/users/doc/get", "/v2/users/invite/get", "/v2/users/invite/pending/count", "/v2/users/invitations/get", "/v2/organizations/documents/count/get",
		"/v2/organizations/folders/get", "/v2/organizations/get", "/v2/organizations/usergroups/get", "/v2/notifications/get",
		"/v2/activities/get", "/v2/agents/get", "/v2/agents/list",
		"/v2/agents/execution/list", "/v2/agents/execution/count", "/v2/agents/analytics/get",
		"/v2/workspace/jobs/list", "/v2/memory/alerts/list", "/v2/workspace/advancedwebhook/messages/get", "/v2/workspace/advancedwebhook/attempts/get",
	}
)

// ignored returns the header that names the ignored keys of a call that succeeds.
func ignored(env *kit.Env, path string, data map[string]any) string {
	env.T.Helper()
	body, err := json.Marshal(map[string]any{"data": data})
	require.NoError(env.T, err)
	reply, err := env.Keyed.Send(env.Ctx, path, body, nil)
	require.NoError(env.T, err)
	require.Equal(env.T, http.StatusOK, reply.HTTP, "%s", reply.Body)
	return reply.Header.Get("x-svc-ignored-fields")
}

// documented makes what the examples of the table of routes add, so that what the other examples select is there. What
// needs more than that is refused.
func documented(env *kit.Env) {
	env.T.Helper()
	for _, route := range api.Routes(api.Handlers{}) {
		if name := path.Base(route.Path); name != "add" && name != "create" || route.Level != rpc.LevelKey {
			continue
		}
		body, err := json.Marshal(map[string]any{"data": route.Examples[0].Data})
		require.NoError(env.T, err)
		_, err = env.Keyed.Send(env.Ctx, route.Path, body, nil)
		require.NoError(env.T, err)
	}
}

// rowsOf are the rows of the workspace in each table, as a number and a sum over what they hold; but for what was noted of
// their sizes, which is moved from one table to the other for all workspaces whenever it is counted.
func rowsOf(env *kit.Env) map[string]string {
	env.T.Helper()
	db := env.DB()
	found, err := db.Query(env.Ctx, `SELECT table_name::text FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
WHERE table_schema = 'public' AND column_name = 'workspace_id' AND table_type = 'BASE TABLE' AND table_name NOT IN ('storage_changes', 'storage_use')`)
	require.NoError(env.T, err)
	tables, err := pgx.CollectRows(found, pgx.RowTo[string])
	require.NoError(env.T, err)
	rows := map[string]string{}
	for _, table := range tables {
		var sum string
		require.NoError(env.T, db.QueryRow(env.Ctx, fmt.Sprintf(`SELECT count(*) || ' ' || coalesce(md5(string_agg(r::text, ' ' ORDER BY r::text)), '')
FROM %s r WHERE workspace_id = $1`, pgx.Identifier{table}.Sanitize()), env.Workspace.ID).Scan(&sum), table)
		rows[table] = sum
	}
	return rows
}

func TestSelectors_1_AnUnknownKeyIsRefused(t *testing.T) {
	env := newWorkspace(t)
	kit.Hooked(env)
	kit.ThreeNotices(env)
	documented(env)
	before := rowsOf(env)
	for _, filled := range []string{"annotations", "comments", "notifications", "agents", "agent_groups", "endpoints", "judgments", "activities", "user_groups"} {
		require.NotEqual(t, "0 ", before[filled], filled)
	}
	routes := map[string]rpc.Route{}
	for _, route := range api.Routes(api.Handlers{}) {
		routes[route.Path] = route
	}
	of := map[shape.Mode][]string{shape.Selecting: selecting, shape.Listing: listing}
	for mode, named := range of {
		for _, name := range named {
			require.Equal(t, mode, routes[name].Keys, name)
		}
	}
	for name, route := range routes {
		if _, refuses := of[route.Keys]; !refuses {
			continue
		}
		for _, example := range route.Examples {
			var data map[string]any
			require.NoError(t, json.Unmarshal(example.Data, &data))
			data["noSuchFilter"] = "x"
			failure := env.RefusedAs("INVALID_ARGUMENT", strings.TrimPrefix(name, "/v2/"), data)
			require.Equal(t, []redline.Issue{{Code: "unknown-key", Path: []string{"noSuchFilter"}, Message: "is not known here"}}, failure.Issues, name)
		}
	}
	require.Equal(t, before, rowsOf(env), "nothing has changed")
}

func TestSelectors_2_OneThatSelectsNothingIsRefused(t *testing.T) {
	env := newWorkspace(t)
	kit.ThreeNotices(env)
	before := kit.Discussion(env)
	for _, call := range []struct {
		operation, selector string
		data                map[string]any
	}{
		{client.DeleteComments, "commentIds", kit.These()},
		{client.DeleteAnnotations, "userIds", kit.Noted(map[string]any{"annotationIds": []string{"n"}})},
		{client.DeleteAnnotations, "agentSuggestions", kit.Noted(map[string]any{"annotationIds": []string{"n"}})},
		{client.DeleteAnnotations, "agentId", kit.Noted(map[string]any{"annotationIds": []string{"n"}})},
		{client.UpdateAnnotations, "locationIds", kit.Noted(map[string]any{"annotationIds": []string{"n"}, "updatedData": map[string]any{"priority": nil}})},
		{client.ReadAnnotations, "annotationIds", kit.ReadBy("eve")},
		{client.DeleteUsers, "documentId", kit.AcmeWith("userIds", []string{"bob"})},
		{client.DeleteNotifications, "documentId", kit.InAcme(kit.ForUser("bob"))},
		{client.DeleteNotifications, "notificationIds", kit.InAcme(kit.ForUser("bob"))},
		{client.UpdateNotifications, "documentId", kit.InAcme(kit.ForUser("bob"), map[string]any{"allRead": true})},
	} {
		for _, nothing := range []any{nil, []any{}} {
			failure := env.RefusedAs("INVALID_ARGUMENT", call.operation, kit.With(call.data, map[string]any{call.selector: nothing}))
			require.Equal(t, []string{call.selector}, failure.Issues[0].Path, call.operation)
			if nothing == nil {
				require.Equal(t, "count", failure.Issues[0].Code, call.operation)
			}
		}
	}
	require.Equal(t, before, kit.Discussion(env))
	require.Len(t, kit.Notices(env, kit.ForUser("bob")), 3)
}

func TestSelectors_3_AReasonNarrowsNoNotifications(t *testing.T) {
	env := newWorkspace(t)
	kit.ThreeNotices(env)
	failure := env.RefusedAs("INVALID_ARGUMENT", client.DeleteNotifications, kit.InAcme(kit.InDocument("d"), map[string]any{"reason": "mention"}))
	require.Equal(t, []string{"reason"}, failure.Issues[0].Path)
	require.Len(t, kit.Notices(env, kit.ForUser("bob")), 3)
}

func TestSelectors_4_AllFaultsAtOnce(t *testing.T) {
	failure := newWorkspace(t).RefusedAs("INVALID_ARGUMENT", client.GetUsers, kit.InAcme(map[string]any{"a": 1, "b": 2, "pageSize": 0}))
	require.Len(t, failure.Issues, 3)
}

func TestSelectors_5_TheOlderReadIgnoresThem(t *testing.T) {
	env := newWorkspace(t)
	kit.ThreeNotices(env)
	require.Equal(t, "noSuchFilter", ignored(env, kit.GetAnnotations, kit.Doc("d", map[string]any{"noSuchFilter": 1})))
}

func TestSelectors_WhatIsWrittenHasKeysOfItsOwn(t *testing.T) {
	env := newWorkspace(t)
	kit.ThreeNotices(env)
	call := kit.Noted(map[string]any{"annotationIds": []string{"n"}, "updatedData": map[string]any{"priority": nil, "mood": 1}})
	require.Equal(t, "updatedData.mood", ignored(env, "/v2/"+client.UpdateAnnotations, call))
	resource := map[string]any{"type": "document", "id": "d", "organizationId": "acme", "accessRole": "viewer", "expiresAt": 7, "depth": 1}
	revoke := map[string]any{"userId": "bob", "permissions": map[string]any{"resources": []any{resource}}}
	require.Equal(t, []string{"permissions", "resources", "0", "depth"}, env.RefusedAs("INVALID_ARGUMENT", client.RemovePermissions, revoke).Issues[0].Path)
	delete(resource, "depth")
	env.Call(client.RemovePermissions, revoke, nil)
}
