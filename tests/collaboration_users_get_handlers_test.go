package tests

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const getUsers = "users/get"

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
func (s *scene) listed(filter map[string]any) []string {
	s.t.Helper()
	data := acme(filter)
	delete(data, "users")
	found := []string{}
	for {
		var page pagedView[[]userView]
		s.call(getUsers, data, &page)
		require.NotNil(s.t, page.Data)
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
func (s *scene) listedByDocument(filter map[string]any) map[string][]string {
	s.t.Helper()
	data := acmeWith("allDocuments", true, filter, map[string]any{"groupByDocumentId": true})
	found := map[string][]string{}
	for {
		var page pagedView[map[string][]userView]
		s.call(getUsers, data, &page)
		require.NotNil(s.t, page.Data)
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
func (s *scene) staffed() {
	s.t.Helper()
	s.folders("f", "g in f")
	s.put("g", "e")
	level := func(name, id string) map[string]any { return map[string]any{name: id, "createDocument": true} }
	viewer := func(id string) map[string]any { return map[string]any{"userId": id, "accessRole": "viewer"} }
	s.items("users/add", acme(level("documentId", "d"), users("dan")...))
	s.items("users/add", acme(level("folderId", "f"), viewer("fay")))
	s.items("users/add", acme(nil, viewer("ann")))
	s.items("users/add", acme(nil, users("bob")...))
	s.items("users/add", acme(level("documentId", "d"), viewer("bob")))
	s.items("users/add", acme(level("documentId", "e"), users("bob")...))
}

func TestUsersGet_1_TheUsersOfTheLevelNamed(t *testing.T) {
	s := begin(t)
	s.staffed()
	level := func(name string, value any) map[string]any { return map[string]any{name: value} }
	require.Equal(t, []string{"bob editor", "ann viewer"}, s.listed(nil), "members only, newest profile first")
	require.Equal(t, []string{"bob viewer", "dan editor"}, s.listed(level("documentId", "d")))
	require.Equal(t, []string{"bob editor"}, s.listed(level("documentId", "e")))
	require.Equal(t, []string{"fay viewer"}, s.listed(level("folderId", "f")))
	require.Empty(t, s.listed(level("folderId", "g")), "the folder itself")
	require.Equal(t, []string{"bob editor", "dan editor"}, s.listed(level("allDocuments", true)), "the strongest role")
	require.Equal(t, []string{"bob editor"}, s.listed(map[string]any{"allDocuments": true, "folderId": "f"}), "in it and below it")
	require.Equal(t, map[string][]string{"d": {"bob viewer", "dan editor"}, "e": {"bob editor"}}, s.listedByDocument(nil))
	require.Equal(t, map[string][]string{"d": {"bob viewer", "dan editor"}, "e": {"bob editor"}}, s.listedByDocument(map[string]any{"pageSize": 1}))
	require.Equal(t, map[string][]string{"e": {"bob editor"}}, s.listedByDocument(map[string]any{"folderId": "g"}))
	require.Equal(t, map[string][]string{"d": {"dan editor"}}, s.listedByDocument(map[string]any{"userIds": []string{"dan", "unknown"}}))

	require.Equal(t, []string{"ann viewer"}, s.listed(map[string]any{"userIds": []string{"ann", "unknown", "dan"}}), "unknown users are left out")
	require.Empty(t, s.listedByDocument(map[string]any{"userIds": []string{"ann"}}))
	for _, unknown := range []map[string]any{
		level("documentId", "unknown"), level("folderId", "unknown"), level("folderId", "root"), level("organizationId", "unknown"),
		{"allDocuments": true, "folderId": "unknown"},
		level("userIds", []string{"unknown"}),
	} {
		require.Empty(t, s.listed(unknown), "%v", unknown)
	}
	require.Empty(t, s.elsewhere().listed(nil))

	s.items(deleteDocuments, acmeWith("documentIds", []string{"d"}))
	require.Equal(t, []string{"bob editor"}, s.listed(level("allDocuments", true)), "what is deleted is no document")
	require.Equal(t, map[string][]string{"e": {"bob editor"}}, s.listedByDocument(nil))
	s.items(deleteOrganizations, map[string]any{"organizationIds": []string{"acme"}})
	require.Empty(t, s.listed(nil))
	require.Empty(t, s.listedByDocument(nil))
}

func TestUsersGet_AUserAsSent(t *testing.T) {
	s := begin(t)
	own := json.RawMessage(`{"n":12345678901234567890,"f":0.1000}`)
	sent := map[string]any{"userId": "ann", "name": "Ann", "email": "no address", "photoUrl": "https://example.com/a", "own": own, "absent": nil, "accessRole": "viewer"}
	s.items("users/add", acme(nil, sent, map[string]any{"userId": "bare"}))
	var page pagedView[[]userView]
	s.call(getUsers, acmeWith("userIds", []string{"ann"}), &page)
	require.Equal(t, []userView{{"ann", "Ann", "no address", "A", "https://example.com/a", "viewer", own}}, page.Data)
	var bare pagedView[[]map[string]any]
	s.call(getUsers, acmeWith("userIds", []string{"bare"}), &bare)
	require.Equal(t, []map[string]any{{"userId": "bare", "accessRole": "editor"}}, bare.Data, "what is not known is left out")
	ids := append([]string{strings.Repeat("🧑‍🚀", 66)}, oddIDs...)
	s.items("users/add", acme(map[string]any{"documentId": "a/b", "createDocument": true}, users(ids...)...))
	var want []string
	for _, id := range ids {
		want = append(want, id+" editor")
	}
	require.ElementsMatch(t, want, s.listed(map[string]any{"documentId": "a/b", "pageSize": 5}))
	require.ElementsMatch(t, want, s.listedByDocument(map[string]any{"pageSize": 5})["a/b"])
}

// Who is added meanwhile stands in front of what was read. It is the same walk with
// fewer members than there may be.
func TestUsersGet_2_MembersByPagesWhileUsersAreAdded(t *testing.T) {
	s := begin(t)
	const first, size = 900, 50
	ids := make([]string, first)
	for i := range ids {
		ids[i] = fmt.Sprintf("member %d", i)
	}
	s.items("users/add", acme(nil, users(ids...)...))
	data, seen := acmeWith("pageSize", size), map[string]int{}
	for round := 0; ; round++ {
		var page pagedView[[]userView]
		s.call(getUsers, data, &page)
		require.LessOrEqual(t, len(page.Data), size)
		for _, u := range page.Data {
			seen[u.UserID]++
		}
		if page.NextPageToken == "" {
			break
		}
		data["pageToken"] = page.NextPageToken
		s.items("users/add", acme(nil, users(fmt.Sprint("late ", round), fmt.Sprint("a late one ", round), ids[round])...))
	}
	want := map[string]int{}
	for _, id := range ids {
		want[id] = 1
	}
	require.Equal(t, want, seen, "all that were there, each once")
	require.Greater(t, len(s.listed(nil)), first)
}

func TestUsersGet_3_WhoIsInGroups(t *testing.T) {
	s := begin(t)
	s.staffed()
	s.items(addGroups, groups("acme", "a", "b", "nobody"))
	s.joins("a", "ann")
	s.joins("b", "ann", "bob")
	of := func(more map[string]any, groupIDs ...string) map[string]any {
		filter := map[string]any{"organizationUserGroupIds": groupIDs}
		maps.Copy(filter, more)
		return filter
	}
	require.Empty(t, s.listed(of(nil, "nobody")), "a group without members")
	require.Empty(t, s.listed(of(nil, "unknown")))
	require.Equal(t, []string{"ann viewer"}, s.listed(of(nil, "a")))
	require.Equal(t, []string{"bob editor", "ann viewer"}, s.listed(of(map[string]any{"pageSize": 1}, "a", "b", "nobody")), "each once")
	require.Equal(t, []string{"bob editor"}, s.listed(of(map[string]any{"userIds": []string{"bob", "dan"}}, "a", "b")))
	require.Equal(t, []string{"bob viewer"}, s.listed(of(map[string]any{"documentId": "d"}, "b")))
	require.Equal(t, []string{"bob editor"}, s.listed(of(map[string]any{"allDocuments": true}, "b")))
	require.Equal(t, map[string][]string{"d": {"bob viewer"}, "e": {"bob editor"}}, s.listedByDocument(of(nil, "b")))
	s.items(addGroups, func() map[string]any {
		other := groups("other", "a")
		other["createOrganization"] = true
		return other
	}())
	require.Empty(t, s.listed(of(map[string]any{"organizationId": "other"}, "a")))
	s.items("users/delete", acmeWith("userIds", []string{"bob"}))
	s.items("users/add", acme(nil, users("bob")...))
	require.Equal(t, []string{"ann viewer"}, s.listed(of(nil, "a", "b")), "no old group comes back")
	s.items(deleteGroups, acmeWith("groupIds", []string{"b"}))
	require.Empty(t, s.listed(of(nil, "b")))
	require.Equal(t, []string{"bob editor", "ann viewer"}, s.listed(nil))
}

// A grant that is over is not listed; neither is who is in a group without being a
// member any more.
func TestUsersGet_4_ExpiredGrants(t *testing.T) {
	s := begin(t)
	s.staffed()
	s.items(addGroups, groups("acme", "g"))
	s.joins("g", "ann", "bob")
	ends := map[string]any{"expiresAt": time.Now().Add(5 * time.Second).UnixMilli()}
	s.grants("bob", resource("organization", "acme", ends), resource("document", "d", ends))
	s.grants("fay", resource("folder", "f", ends))
	eventually(t, "the grants end", func() bool { return len(s.listed(map[string]any{"folderId": "f"})) == 0 })
	require.Equal(t, []string{"ann viewer"}, s.listed(nil))
	require.Equal(t, []string{"dan editor"}, s.listed(map[string]any{"documentId": "d"}))
	require.Equal(t, []string{"bob editor", "dan editor"}, s.listed(map[string]any{"allDocuments": true}), "bob by another document")
	require.Equal(t, map[string][]string{"d": {"dan editor"}, "e": {"bob editor"}}, s.listedByDocument(nil))
	require.Equal(t, []string{"ann viewer"}, s.listed(map[string]any{"organizationUserGroupIds": []string{"g"}}))
	require.Empty(t, s.listed(map[string]any{"organizationUserGroupIds": []string{"g"}, "documentId": "e"}))
}

func TestUsersGet_WhatIsRefused(t *testing.T) {
	s := begin(t)
	s.staffed()
	field := func(name string, more map[string]any) {
		t.Helper()
		require.Equal(t, name, s.refusedAs("INVALID_ARGUMENT", getUsers, acmeWith("pageSize", 1, more)).Issues[0].Path[0])
	}
	field("folderId", map[string]any{"documentId": "d", "folderId": "f"})
	field("allDocuments", map[string]any{"documentId": "d", "allDocuments": true})
	field("groupByDocumentId", map[string]any{"groupByDocumentId": true})
	field("userIds", map[string]any{"userIds": many(31)})
	field("organizationUserGroupIds", map[string]any{"organizationUserGroupIds": many(31)})
	field("pageSize", map[string]any{"pageSize": 1001})
	field("organizationId", map[string]any{"organizationId": ""})
	require.Len(t, s.listed(map[string]any{"userIds": []string{}, "organizationUserGroupIds": []string{}}), 2, "an empty filter is absent")

	var page pagedView[[]userView]
	s.call(getUsers, acmeWith("pageSize", 1), &page)
	token := map[string]any{"pageToken": page.NextPageToken}
	for _, other := range []map[string]any{{"documentId": "d"}, {"allDocuments": true}, {"userIds": []string{"ann"}}, {"organizationId": "apex"}} {
		maps.Copy(other, token)
		field("pageToken", other)
	}
	s.elsewhere().refusedAs("INVALID_ARGUMENT", getUsers, acmeWith("pageSize", 1, token))
	s.call(updateSettings, map[string]any{"enableAdvancedQueries": false}, nil)
	require.Equal(t, "advanced-queries-disabled", s.refusedAs("FAILED_PRECONDITION", getUsers, map[string]any{"organizationId": "acme"}).Reason)
	field("pageToken", map[string]any{"pageToken": "none"})
	require.Empty(t, s.groupsOf("acme"), "groups are not among what is switched off")
}
