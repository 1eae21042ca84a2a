package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// userView is a user as read.
type userView struct {
	UserID     string          `json:"userId"`
	Name       string          `json:"name"`
	Email      string          `json:"email"`
	Initial    string          `json:"initial"`
	PhotoURL   string          `json:"photoUrl"`
	AccessRole string          `json:"accessRole"`
	Own        json.RawMessage `json:"own"`
}

// listed reads the users of acme to the end of the list: each by id, with the role.
func listed(env *kit.Env, filter map[string]any) []string {
	env.T.Helper()
	data := kit.Acme(filter)
	delete(data, "users")
	found := []string{}
	for {
		var page kit.PagedView[[]userView]
		env.Call(client.GetUsers, data, &page)
		require.NotNil(env.T, page.Data)
		for _, u := range page.Data {
			found = append(found, u.UserID+" "+u.AccessRole)
		}
		if page.NextPageToken == "" {
			return found
		}
		data["pageToken"] = page.NextPageToken
	}
}

// listedByDocument is listed where users are given by document.
func listedByDocument(env *kit.Env, filter map[string]any) map[string][]string {
	env.T.Helper()
	data := kit.AcmeWith("allDocuments", true, filter, map[string]any{"groupByDocumentId": true})
	found := map[string][]string{}
	for {
		var page kit.PagedView[map[string][]userView]
		env.Call(client.GetUsers, data, &page)
		require.NotNil(env.T, page.Data)
		for document, users := range page.Data {
			for _, u := range users {
				found[document] = append(found[document], u.UserID+" "+u.AccessRole)
			}
		}
		if page.NextPageToken == "" {
			return found
		}
		data["pageToken"] = page.NextPageToken
	}
}

// staffed is acme with people at all levels: members ann (a viewer) and bob; dan at the
// document d, fay at the folder f; bob at d and at e, which is in g in f. Profiles are
// made in the order of these names, dan first.
func staffed(env *kit.Env) {
	env.T.Helper()
	kit.Folders(env, "f", "g in f")
	kit.AddToFolder(env, "g", "e")
	level := func(name, id string) map[string]any { return map[string]any{name: id, "createDocument": true} }
	viewer := func(id string) map[string]any { return map[string]any{"userId": id, "accessRole": "viewer"} }
	kit.Items(env, client.AddUsers, kit.Acme(level("documentId", "d"), kit.Users("dan")...))
	kit.Items(env, client.AddUsers, kit.Acme(level("folderId", "f"), viewer("fay")))
	kit.Items(env, client.AddUsers, kit.Acme(nil, viewer("ann")))
	kit.Items(env, client.AddUsers, kit.Acme(nil, kit.Users("bob")...))
	kit.Items(env, client.AddUsers, kit.Acme(level("documentId", "d"), viewer("bob")))
	kit.Items(env, client.AddUsers, kit.Acme(level("documentId", "e"), kit.Users("bob")...))
}

func TestUsersGet_1_TheUsersOfTheLevelNamed(t *testing.T) {
	env := newWorkspace(t)
	staffed(env)
	level := func(name string, value any) map[string]any { return map[string]any{name: value} }
	require.Equal(t, []string{"bob editor", "ann viewer"}, listed(env, nil), "members only, newest profile first")
	require.Equal(t, []string{"bob viewer", "dan editor"}, listed(env, level("documentId", "d")))
	require.Equal(t, []string{"bob editor"}, listed(env, level("documentId", "e")))
	require.Equal(t, []string{"fay viewer"}, listed(env, level("folderId", "f")))
	require.Empty(t, listed(env, level("folderId", "g")), "the folder itself")
	require.Equal(t, []string{"bob editor", "dan editor"}, listed(env, level("allDocuments", true)), "the strongest role")
	require.Equal(t, []string{"bob editor"}, listed(env, map[string]any{"allDocuments": true, "folderId": "f"}), "in it and below it")
	require.Equal(t, map[string][]string{"d": {"bob viewer", "dan editor"}, "e": {"bob editor"}}, listedByDocument(env, nil))
	require.Equal(t, map[string][]string{"d": {"bob viewer", "dan editor"}, "e": {"bob editor"}}, listedByDocument(env, map[string]any{"pageSize": 1}))
	require.Equal(t, map[string][]string{"e": {"bob editor"}}, listedByDocument(env, map[string]any{"folderId": "g"}))
	require.Equal(t, map[string][]string{"d": {"dan editor"}}, listedByDocument(env, map[string]any{"userIds": []string{"dan", "unknown"}}))

	require.Equal(t, []string{"ann viewer"}, listed(env, map[string]any{"userIds": []string{"ann", "unknown", "dan"}}), "unknown users are left out")
	require.Empty(t, listedByDocument(env, map[string]any{"userIds": []string{"ann"}}))
	for _, unknown := range []map[string]any{
		level("documentId", "unknown"), level("folderId", "unknown"), level("folderId", "root"), level("organizationId", "unknown"),
		{"allDocuments": true, "folderId": "unknown"},
		level("userIds", []string{"unknown"}),
	} {
		require.Empty(t, listed(env, unknown), "%v", unknown)
	}
	require.Empty(t, listed(kit.Elsewhere(env), nil))

	kit.Items(env, client.DeleteDocuments, kit.AcmeWith("documentIds", []string{"d"}))
	require.Equal(t, []string{"bob editor"}, listed(env, level("allDocuments", true)), "what is deleted is no document")
	require.Equal(t, map[string][]string{"e": {"bob editor"}}, listedByDocument(env, nil))
	kit.Items(env, client.DeleteOrganizations, map[string]any{"organizationIds": []string{"acme"}})
	require.Empty(t, listed(env, nil))
	require.Empty(t, listedByDocument(env, nil))
}

func TestUsersGet_AUserAsSent(t *testing.T) {
	env := newWorkspace(t)
	own := json.RawMessage(`{"n":12345678901234567890,"f":0.1000}`)
	sent := map[string]any{"userId": "ann", "name": "Ann", "email": "no address", "photoUrl": "https://example.com/a", "own": own, "absent": nil, "accessRole": "viewer"}
	kit.Items(env, client.AddUsers, kit.Acme(nil, sent, map[string]any{"userId": "bare"}))
	var page kit.PagedView[[]userView]
	env.Call(client.GetUsers, kit.AcmeWith("userIds", []string{"ann"}), &page)
	require.Equal(t, []userView{{"ann", "Ann", "no address", "A", "https://example.com/a", "viewer", own}}, page.Data)
	var bare kit.PagedView[[]map[string]any]
	env.Call(client.GetUsers, kit.AcmeWith("userIds", []string{"bare"}), &bare)
	require.Equal(t, []map[string]any{{"userId": "bare", "accessRole": "editor"}}, bare.Data, "what is not known is left out")
	ids := append([]string{strings.Repeat("🧑‍🚀", 66)}, kit.OddIDs...)
	kit.Items(env, client.AddUsers, kit.Acme(map[string]any{"documentId": "a/b", "createDocument": true}, kit.Users(ids...)...))
	var want []string
	for _, id := range ids {
		want = append(want, id+" editor")
	}
	require.ElementsMatch(t, want, listed(env, map[string]any{"documentId": "a/b", "pageSize": 5}))
	require.ElementsMatch(t, want, listedByDocument(env, map[string]any{"pageSize": 5})["a/b"])
}

// Who is added meanwhile stands in front of what was read. It is the same walk with
// fewer members than there may be.
func TestUsersGet_2_MembersByPagesWhileUsersAreAdded(t *testing.T) {
	env := newWorkspace(t)
	const first, size = 900, 50
	ids := make([]string, first)
	for i := range ids {
		ids[i] = fmt.Sprintf("member %d", i)
	}
	kit.Items(env, client.AddUsers, kit.Acme(nil, kit.Users(ids...)...))
	data, seen := kit.AcmeWith("pageSize", size), map[string]int{}
	for round := 0; ; round++ {
		var page kit.PagedView[[]userView]
		env.Call(client.GetUsers, data, &page)
		require.LessOrEqual(t, len(page.Data), size)
		for _, u := range page.Data {
			seen[u.UserID]++
		}
		if page.NextPageToken == "" {
			break
		}
		data["pageToken"] = page.NextPageToken
		kit.Items(env, client.AddUsers, kit.Acme(nil, kit.Users(fmt.Sprint("late ", round), fmt.Sprint("a late one ", round), ids[round])...))
	}
	want := map[string]int{}
	for _, id := range ids {
		want[id] = 1
	}
	require.Equal(t, want, seen, "all that were there, each once")
	require.Greater(t, len(listed(env, nil)), first)
}

func TestUsersGet_3_WhoIsInGroups(t *testing.T) {
	env := newWorkspace(t)
	staffed(env)
	kit.Items(env, client.AddGroups, kit.Groups("acme", "a", "b", "nobody"))
	kit.Joins(env, "a", "ann")
	kit.Joins(env, "b", "ann", "bob")
	of := func(more map[string]any, groupIDs ...string) map[string]any {
		filter := map[string]any{"organizationUserGroupIds": groupIDs}
		maps.Copy(filter, more)
		return filter
	}
	require.Empty(t, listed(env, of(nil, "nobody")), "a group without members")
	require.Empty(t, listed(env, of(nil, "unknown")))
	require.Equal(t, []string{"ann viewer"}, listed(env, of(nil, "a")))
	require.Equal(t, []string{"bob editor", "ann viewer"}, listed(env, of(map[string]any{"pageSize": 1}, "a", "b", "nobody")), "each once")
	require.Equal(t, []string{"bob editor"}, listed(env, of(map[string]any{"userIds": []string{"bob", "dan"}}, "a", "b")))
	require.Equal(t, []string{"bob viewer"}, listed(env, of(map[string]any{"documentId": "d"}, "b")))
	require.Equal(t, []string{"bob editor"}, listed(env, of(map[string]any{"allDocuments": true}, "b")))
	require.Equal(t, map[string][]string{"d": {"bob viewer"}, "e": {"bob editor"}}, listedByDocument(env, of(nil, "b")))
	kit.Items(env, client.AddGroups, func() map[string]any {
		other := kit.Groups("other", "a")
		other["createOrganization"] = true
		return other
	}())
	require.Empty(t, listed(env, of(map[string]any{"organizationId": "other"}, "a")))
	kit.Items(env, client.DeleteUsers, kit.AcmeWith("userIds", []string{"bob"}))
	kit.Items(env, client.AddUsers, kit.Acme(nil, kit.Users("bob")...))
	require.Equal(t, []string{"ann viewer"}, listed(env, of(nil, "a", "b")), "no old group comes back")
	kit.Items(env, client.DeleteGroups, kit.AcmeWith("groupIds", []string{"b"}))
	require.Empty(t, listed(env, of(nil, "b")))
	require.Equal(t, []string{"bob editor", "ann viewer"}, listed(env, nil))
}

// A grant that is over is not listed; neither is who is in a group without being a
// member any more.
func TestUsersGet_4_ExpiredGrants(t *testing.T) {
	env := newWorkspace(t)
	staffed(env)
	kit.Items(env, client.AddGroups, kit.Groups("acme", "g"))
	kit.Joins(env, "g", "ann", "bob")
	ends := map[string]any{"expiresAt": time.Now().Add(5 * time.Second).UnixMilli()}
	kit.Grant(env, "bob", kit.Resource("organization", "acme", ends), kit.Resource("document", "d", ends))
	kit.Grant(env, "fay", kit.Resource("folder", "f", ends))
	kit.RequireEventually(t, "the grants end", func() bool { return len(listed(env, map[string]any{"folderId": "f"})) == 0 })
	require.Equal(t, []string{"ann viewer"}, listed(env, nil))
	require.Equal(t, []string{"dan editor"}, listed(env, map[string]any{"documentId": "d"}))
	require.Equal(t, []string{"bob editor", "dan editor"}, listed(env, map[string]any{"allDocuments": true}), "bob by another document")
	require.Equal(t, map[string][]string{"d": {"dan editor"}, "e": {"bob editor"}}, listedByDocument(env, nil))
	require.Equal(t, []string{"ann viewer"}, listed(env, map[string]any{"organizationUserGroupIds": []string{"g"}}))
	require.Empty(t, listed(env, map[string]any{"organizationUserGroupIds": []string{"g"}, "documentId": "e"}))
}

func TestUsersGet_WhatIsRefused(t *testing.T) {
	env := newWorkspace(t)
	staffed(env)
	field := func(name string, more map[string]any) {
		t.Helper()
		require.Equal(t, name, env.RefusedAs("INVALID_ARGUMENT", client.GetUsers, kit.AcmeWith("pageSize", 1, more)).Issues[0].Path[0])
	}
	field("folderId", map[string]any{"documentId": "d", "folderId": "f"})
	field("allDocuments", map[string]any{"documentId": "d", "allDocuments": true})
	field("groupByDocumentId", map[string]any{"groupByDocumentId": true})
	field("userIds", map[string]any{"userIds": kit.Many(31)})
	field("organizationUserGroupIds", map[string]any{"organizationUserGroupIds": kit.Many(31)})
	field("pageSize", map[string]any{"pageSize": 1001})
	field("organizationId", map[string]any{"organizationId": ""})
	require.Len(t, listed(env, map[string]any{"userIds": []string{}, "organizationUserGroupIds": []string{}}), 2, "an empty filter is absent")

	var page kit.PagedView[[]userView]
	env.Call(client.GetUsers, kit.AcmeWith("pageSize", 1), &page)
	token := map[string]any{"pageToken": page.NextPageToken}
	for _, other := range []map[string]any{{"documentId": "d"}, {"allDocuments": true}, {"userIds": []string{"ann"}}, {"organizationId": "apex"}} {
		maps.Copy(other, token)
		field("pageToken", other)
	}
	kit.Elsewhere(env).RefusedAs("INVALID_ARGUMENT", client.GetUsers, kit.AcmeWith("pageSize", 1, token))
	env.Call(client.UpdateSettings, map[string]any{"enableAdvancedQueries": false}, nil)
	require.Equal(t, redline.ErrorDetailsReasonAdvancedQueriesDisabled, env.RefusedAs("FAILED_PRECONDITION", client.GetUsers, map[string]any{"organizationId": "acme"}).Reason)
	field("pageToken", map[string]any{"pageToken": "none"})
	require.Empty(t, kit.GroupsOf(env, "acme"), "groups are not among what is switched off")
}
