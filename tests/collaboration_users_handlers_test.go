package tests

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUsersAdd_1and4_ManyAndOddIds(t *testing.T) {
	s := begin(t)
	many := make([]string, 1000, 1001)
	for i := range many {
		many[i] = fmt.Sprintf("user %d", i)
	}
	require.Len(t, s.items("users/add", map[string]any{"organizationId": "acme", "users": users(many...)}), 1000)
	s.refusedAs("INVALID_ARGUMENT", "users/add", map[string]any{"organizationId": "acme", "users": users(append(many, "one more")...)})
	long := strings.Repeat("🧑‍🚀", 66)
	ids := append([]string{long}, oddIDs...)
	for _, scope := range []map[string]any{
		{"organizationId": long},
		{"organizationId": long, "documentId": long, "createDocument": true},
		{"organizationId": long, "folderId": long, "createFolder": true},
	} {
		scope["users"] = users(ids...)
		added := s.items("users/add", scope)
		require.Len(t, added, len(ids))
		for _, id := range ids {
			require.True(t, added[id].Success, id)
			require.Regexp(t, "^[0-9a-f]{32}$", added[id].ID)
		}
	}
	again := s.items("users/add", map[string]any{"organizationId": "acme", "users": users(many...)})
	require.Equal(t, again["user 7"].ID, s.items("users/update", map[string]any{"organizationId": "acme", "users": users("user 7")})["user 7"].ID)
}

func TestUsersAdd_3_OnlyTheLevelNamed(t *testing.T) {
	s := begin(t)
	s.items("users/add", map[string]any{"organizationId": "acme", "documentId": "d", "createDocument": true, "users": users("ann")})
	viewer := []map[string]any{{"userId": "ann", "accessRole": "viewer"}}
	require.Equal(t, "not-member", s.items("users/update", map[string]any{"organizationId": "acme", "users": viewer})["ann"].Code)
	require.True(t, s.items("users/update", map[string]any{"organizationId": "acme", "documentId": "d", "users": viewer})["ann"].Success)
	require.Equal(t, "not-found", s.items("users/update", map[string]any{"organizationId": "other", "users": viewer})["ann"].Code)
	require.True(t, s.items("users/add", map[string]any{"organizationId": "other", "users": users("ann")})["ann"].Success, "a profile of its own")
}

func TestUsersAdd_Containers(t *testing.T) {
	s := begin(t)
	missing := func(resource, id string, data map[string]any) {
		data["users"] = users("ann")
		failure := s.refusedAs("NOT_FOUND", "users/add", data)
		require.Equal(t, "not-found", failure.Reason)
		require.Equal(t, map[string]any{"reason": "not-found", "resource": resource, "id": id}, s.details("users/add", data))
	}
	missing("organization", "acme", map[string]any{"organizationId": "acme", "createOrganization": false})
	missing("document", "d", map[string]any{"organizationId": "acme", "documentId": "d"})
	missing("folder", "f", map[string]any{"organizationId": "acme", "folderId": "f"})
	for _, data := range []map[string]any{
		{"organizationId": "acme", "documentId": "d", "folderId": "f", "users": users("ann")},
		{"organizationId": "acme", "folderId": "root", "createFolder": true, "users": users("ann")},
		{"organizationId": "acme", "users": []any{}},
		{"organizationId": "", "users": users("ann")},
		{"organizationId": "acme\n", "users": users("ann")},
		{"organizationId": "acme", "users": []map[string]any{{"name": "no id"}}},
		{"organizationId": "acme", "users": []map[string]any{{"userId": "ann", "big": strings.Repeat("x", 8<<10)}}},
		{"organizationId": "acme", "users": []map[string]any{{"userId": "ann", "odd": "a\x00"}}},
	} {
		s.refusedAs("INVALID_ARGUMENT", "users/add", data)
	}
	missing("organization", "acme", map[string]any{"organizationId": "acme", "createOrganization": false})
}

func TestUsersUpdate_2_TheRoleOnTheDocumentHolds(t *testing.T) {
	s := begin(t)
	s.call(updateSettings, map[string]any{"defaultDocumentAccessType": "organizationPrivate"}, nil)
	s.items("users/add", map[string]any{"organizationId": "acme", "users": users("ann")})
	s.items("users/add", map[string]any{"organizationId": "acme", "documentId": "d", "createDocument": true, "users": users("ann")})
	require.True(t, s.mayWrite("ann", "d"))
	role := func(role string) map[string]any {
		return map[string]any{"organizationId": "acme", "documentId": "d", "users": []map[string]any{{"userId": "ann", "accessRole": role}}}
	}
	require.True(t, s.items("users/update", role("viewer"))["ann"].Success)
	require.False(t, s.mayWrite("ann", "d"), "row 7")
	require.True(t, s.mayWrite("ann", "another"), "the role is of that document only")
	require.True(t, s.items("users/update", role("editor"))["ann"].Success)
	require.True(t, s.mayWrite("ann", "d"))
}
