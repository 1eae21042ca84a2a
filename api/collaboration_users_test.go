package api_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestUsersAdd_1and4_ManyAndOddIds(t *testing.T) {
	env := newWorkspace(t)
	many := make([]string, 1000, 1001)
	for i := range many {
		many[i] = fmt.Sprintf("user %d", i)
	}
	require.Len(t, kit.Items(env, client.AddUsers, map[string]any{"organizationId": "acme", "users": kit.Users(many...)}), 1000)
	env.RefusedAs("INVALID_ARGUMENT", client.AddUsers, map[string]any{"organizationId": "acme", "users": kit.Users(append(many, "one more")...)})
	long := strings.Repeat("🧑‍🚀", 66)
	ids := append([]string{long}, kit.OddIDs...)
	for _, scope := range []map[string]any{
		{"organizationId": long},
		{"organizationId": long, "documentId": long, "createDocument": true},
		{"organizationId": long, "folderId": long, "createFolder": true},
	} {
		scope["users"] = kit.Users(ids...)
		added := kit.Items(env, client.AddUsers, scope)
		require.Len(t, added, len(ids))
		for _, id := range ids {
			require.True(t, added[id].Success, id)
			require.Regexp(t, "^[0-9a-f]{32}$", added[id].ID)
		}
	}
	again := kit.Items(env, client.AddUsers, map[string]any{"organizationId": "acme", "users": kit.Users(many...)})
	require.Equal(t, again["user 7"].ID, kit.Items(env, client.UpdateUsers, map[string]any{"organizationId": "acme", "users": kit.Users("user 7")})["user 7"].ID)
}

func TestUsersAdd_3_OnlyTheLevelNamed(t *testing.T) {
	env := newWorkspace(t)
	kit.Items(env, client.AddUsers, map[string]any{"organizationId": "acme", "documentId": "d", "createDocument": true, "users": kit.Users("ann")})
	viewer := []map[string]any{{"userId": "ann", "accessRole": "viewer"}}
	require.Equal(t, redline.ItemCodeNotMember, kit.Items(env, client.UpdateUsers, map[string]any{"organizationId": "acme", "users": viewer})["ann"].Code)
	require.True(t, kit.Items(env, client.UpdateUsers, map[string]any{"organizationId": "acme", "documentId": "d", "users": viewer})["ann"].Success)
	require.Equal(t, redline.ItemCodeNotFound, kit.Items(env, client.UpdateUsers, map[string]any{"organizationId": "other", "users": viewer})["ann"].Code)
	require.True(t, kit.Items(env, client.AddUsers, map[string]any{"organizationId": "other", "users": kit.Users("ann")})["ann"].Success, "a profile of its own")
}

func TestUsersAdd_Containers(t *testing.T) {
	env := newWorkspace(t)
	missing := func(resource, id string, data map[string]any) {
		data["users"] = kit.Users("ann")
		failure := env.RefusedAs("NOT_FOUND", client.AddUsers, data)
		require.Equal(t, redline.ErrorDetailsReasonNotFound, failure.Reason)
		require.Equal(t, map[string]any{"reason": "not-found", "resource": resource, "id": id}, kit.Details(env, client.AddUsers, data))
	}
	missing("organization", "acme", map[string]any{"organizationId": "acme", "createOrganization": false})
	missing("document", "d", map[string]any{"organizationId": "acme", "documentId": "d"})
	missing("folder", "f", map[string]any{"organizationId": "acme", "folderId": "f"})
	for _, data := range []map[string]any{
		{"organizationId": "acme", "documentId": "d", "folderId": "f", "users": kit.Users("ann")},
		{"organizationId": "acme", "folderId": "root", "createFolder": true, "users": kit.Users("ann")},
		{"organizationId": "acme", "users": []any{}},
		{"organizationId": "", "users": kit.Users("ann")},
		{"organizationId": "acme\n", "users": kit.Users("ann")},
		{"organizationId": "acme", "users": []map[string]any{{"name": "no id"}}},
		{"organizationId": "acme", "users": []map[string]any{{"userId": "ann", "big": strings.Repeat("x", 8<<10)}}},
		{"organizationId": "acme", "users": []map[string]any{{"userId": "ann", "odd": "a\x00"}}},
	} {
		env.RefusedAs("INVALID_ARGUMENT", client.AddUsers, data)
	}
	missing("organization", "acme", map[string]any{"organizationId": "acme", "createOrganization": false})
}

func TestUsersUpdate_2_TheRoleOnTheDocumentHolds(t *testing.T) {
	env := newWorkspace(t)
	env.Call(client.UpdateSettings, map[string]any{"defaultDocumentAccessType": "organizationPrivate"}, nil)
	kit.Items(env, client.AddUsers, map[string]any{"organizationId": "acme", "users": kit.Users("ann")})
	kit.Items(env, client.AddUsers, map[string]any{"organizationId": "acme", "documentId": "d", "createDocument": true, "users": kit.Users("ann")})
	require.True(t, kit.MayWrite(env, "ann", "d"))
	role := func(role string) map[string]any {
		return map[string]any{"organizationId": "acme", "documentId": "d", "users": []map[string]any{{"userId": "ann", "accessRole": role}}}
	}
	require.True(t, kit.Items(env, client.UpdateUsers, role("viewer"))["ann"].Success)
	require.False(t, kit.MayWrite(env, "ann", "d"), "row 7")
	require.True(t, kit.MayWrite(env, "ann", "another"), "the role is of that document only")
	require.True(t, kit.Items(env, client.UpdateUsers, role("editor"))["ann"].Success)
	require.True(t, kit.MayWrite(env, "ann", "d"))
}
