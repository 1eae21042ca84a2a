package tests

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

func TestGroups_AreAddedRenamedReadAndDeleted(t *testing.T) {
	s := begin(t)
	failure := s.refusedAs("NOT_FOUND", addGroups, groups("acme", "a"))
	require.Equal(t, "not-found", failure.Reason)
	require.Equal(t, map[string]any{"reason": "not-found", "resource": "organization", "id": "acme"}, s.details(addGroups, groups("acme", "a")))
	making := groups("acme", "a", "b", "a")
	making["createOrganization"] = true
	making["organizationUserGroups"].([]map[string]any)[2]["groupName"] = "The last one"
	added := s.items(addGroups, making)
	require.Len(t, added, 2)
	require.Regexp(t, "^[0-9a-f]{32}$", added["a"].ID)
	first := s.groupsOf("acme", map[string]any{"groupIds": []string{"a", "unknown"}})
	require.Len(t, first, 1)
	require.Equal(t, groupView{GroupID: "a", GroupName: "The last one", CreatedAt: first[0].CreatedAt}, first[0])
	require.Positive(t, first[0].CreatedAt)

	s.items("users/add", acme(nil, users("ann")...))
	s.joins("a", "ann")
	require.Equal(t, added["a"].ID, s.items(addGroups, groups("acme", "a"))["a"].ID)
	renamed := first[0]
	renamed.GroupName, renamed.UserCount = "Group a", 1
	require.Equal(t, []groupView{renamed}, s.groupsOf("acme", map[string]any{"groupIds": []string{"a"}}), "all else stays")

	deleted := s.items(deleteGroups, acmeWith("groupIds", []string{"a", "a", "unknown"}))
	require.Equal(t, map[string]string{"a": "", "unknown": "not-found"}, codesOf(deleted))
	require.Equal(t, map[string]int{"b": 0}, s.membersOf("acme"))
	require.Equal(t, map[string]any{"reason": "not-found", "resource": "group", "id": "a"}, s.details(addGroupUsers, inGroup("a", "ann")))
	s.items(addGroups, groups("acme", "a"))
	require.Equal(t, map[string]int{"a": 0, "b": 0}, s.membersOf("acme"), "the id names a new, empty group")
}

func TestGroups_WhatIsRefused(t *testing.T) {
	s := begin(t)
	s.items("users/add", acme(nil, users("ann")...))
	s.items(addGroups, groups("acme", "g"))
	for operation, refused := range map[string][]map[string]any{
		addGroups: {
			groups("acme"), groups("acme", many(101)...), groups("acme", ""), groups("", "a"), groups("acme", "a\n"),
			acmeWith("organizationUserGroups", []any{map[string]any{"groupId": "a"}}),
			acmeWith("organizationUserGroups", []any{map[string]any{"groupId": "a", "groupName": ""}}),
			acmeWith("organizationUserGroups", []any{map[string]any{"groupId": "a", "groupName": strings.Repeat("x", 201)}}),
		},
		getGroups:        {acmeWith("groupIds", many(31)), acmeWith("pageSize", 1001), acmeWith("pageToken", "none"), {}},
		deleteGroups:     {acmeWith("groupIds", []string{}), acmeWith("groupIds", many(101)), {"organizationId": "acme"}},
		addGroupUsers:    {inGroup("g"), inGroup("g", many(1001)...), inGroup("", "ann"), acmeWith("userIds", []string{"ann"})},
		deleteGroupUsers: {inGroup("g"), inGroup("g", many(1001)...), inGroup("", "ann"), acmeWith("organizationUserGroupId", "g", map[string]any{"deleteAll": false})},
	} {
		for _, data := range refused {
			s.refusedAs("INVALID_ARGUMENT", operation, data)
		}
	}
	both := inGroup("g", "ann")
	both["deleteAll"] = true
	require.Equal(t, []string{"deleteAll"}, s.refusedAs("INVALID_ARGUMENT", deleteGroupUsers, both).Issues[0].Path)
	for operation, data := range map[string]map[string]any{
		addGroups: groups("unknown", "a"), deleteGroups: {"organizationId": "unknown", "groupIds": []string{"g"}},
		addGroupUsers: inGroup("unknown", "ann"), deleteGroupUsers: inGroup("unknown", "ann"),
	} {
		s.refusedAs("NOT_FOUND", operation, data)
	}
	require.Empty(t, s.groupsOf("unknown"))
	require.Equal(t, map[string]int{"g": 0}, s.membersOf("acme"), "nothing was changed")
}

func TestGroups_OnlyMembersOfTheOrganizationJoin(t *testing.T) {
	s := begin(t)
	s.items("users/add", acme(nil, users("ann", "bob")...))
	s.items("users/add", acme(map[string]any{"documentId": "d", "createDocument": true}, users("dora")...))
	s.items("users/add", acme(map[string]any{"folderId": "f", "createFolder": true}, users("fay")...))
	s.items("users/add", map[string]any{"organizationId": "other", "users": users("olga")})
	ahead := time.Now().Add(time.Hour).UnixMilli()
	s.grants("tim", resource("organization", "acme", map[string]any{"expiresAt": ahead}))
	s.items(addGroups, groups("acme", "g"))
	not := "not-member"
	require.Equal(t, map[string]string{"ann": "", "tim": "", "dora": not, "fay": not, "olga": not, "nobody": not},
		s.codesInGroup(addGroupUsers, inGroup("g", "ann", "tim", "dora", "fay", "olga", "nobody", "ann")))
	require.Equal(t, map[string]int{"g": 2}, s.membersOf("acme"))
	require.Equal(t, map[string]string{"ann": "", "bob": not, "nobody": not}, s.codesInGroup(deleteGroupUsers, inGroup("g", "ann", "bob", "nobody", "ann")))
	require.Equal(t, map[string]string{"ann": not}, s.codesInGroup(deleteGroupUsers, inGroup("g", "ann")))
	require.Equal(t, map[string]int{"g": 1}, s.membersOf("acme"))
	require.Empty(t, s.items("users/update", acme(nil, map[string]any{"userId": "ann", "accessRole": "viewer"}))["ann"].Code, "still of the organization")
}

func TestGroups_1_AMemberIsAddedTwice(t *testing.T) {
	s := begin(t)
	s.items("users/add", acme(nil, users("ann")...))
	s.items(addGroups, groups("acme", "g"))
	s.joins("g", "ann", "ann")
	s.joins("g", "ann")
	together(8, func(int) {
		_, err := client.Call[json.RawMessage](s.ctx, s.keyed, addGroupUsers, inGroup("g", "ann"))
		fine(t, err)
	})
	require.Equal(t, map[string]int{"g": 1}, s.membersOf("acme"))
}

// Whichever comes first, who left the organization is in no group, also after coming
// back.
func TestGroups_2_WhoLeavesWhileBeingAddedIsNoMember(t *testing.T) {
	s := begin(t)
	s.items(addOrganizations, organizations("acme"))
	s.items(addGroups, groups("acme", "g", "h"))
	crowd := many(30)
	leaving := acmeWith("userIds", crowd)
	for range 8 {
		s.items("users/add", acme(nil, users(crowd...)...))
		s.joins("h", crowd...)
		together(4, func(i int) {
			operation, data := addGroupUsers, inGroup("g", crowd...)
			if i == 0 {
				operation, data = "users/delete", leaving
			}
			_, err := client.Call[json.RawMessage](s.ctx, s.keyed, operation, data)
			fine(t, err)
		})
		require.Equal(t, map[string]int{"g": 0, "h": 0}, s.membersOf("acme"))
		s.items("users/add", acme(nil, users(crowd...)...))
		require.Equal(t, map[string]int{"g": 0, "h": 0}, s.membersOf("acme"), "no old group comes back")
		s.items("users/delete", leaving)
	}
}

func TestGroups_3_AllOfManyMembersLeaveInOneCall(t *testing.T) {
	s := begin(t)
	s.items(addOrganizations, organizations("acme"))
	s.items(addGroups, groups("acme", "g", "h"))
	const rounds, each = 3, 1000
	for round := range rounds {
		ids := make([]string, each)
		for i := range ids {
			ids[i] = fmt.Sprintf("user %d.%d", round, i)
		}
		s.items("users/add", acme(nil, users(ids...)...))
		s.joins("g", ids...)
		s.joins("h", ids...)
	}
	before := s.groupsOf("acme", map[string]any{"groupIds": []string{"g"}})
	require.Equal(t, rounds*each, before[0].UserCount)
	all := acmeWith("organizationUserGroupId", "g", map[string]any{"deleteAll": true})
	left := s.codesInGroup(deleteGroupUsers, all)
	require.Len(t, left, rounds*each)
	require.Empty(t, left["user 2.999"])
	before[0].UserCount = 0
	require.Equal(t, before, s.groupsOf("acme", map[string]any{"groupIds": []string{"g"}}), "the group is the same one")
	require.Equal(t, map[string]int{"g": 0, "h": rounds * each}, s.membersOf("acme"))
	require.Empty(t, s.codesInGroup(deleteGroupUsers, all), "nobody is left")
	s.joins("g", "user 0.0")
	require.Equal(t, map[string]int{"g": 1, "h": rounds * each}, s.membersOf("acme"))
}

func TestGroups_4_EqualIdsInTwoOrganizationsAndWorkspaces(t *testing.T) {
	s := begin(t)
	other := s.elsewhere()
	ids := append([]string{strings.Repeat("🧑‍🚀", 66)}, oddIDs...)
	for _, of := range []*scene{s, other} {
		of.items(addOrganizations, organizations("acme", "apex"))
		of.items("users/add", acme(nil, users(ids...)...))
		for _, organizationID := range []string{"acme", "apex"} {
			require.Len(t, of.items(addGroups, groups(organizationID, ids...)), len(ids))
		}
	}
	acmes, apexs := s.items(addGroups, groups("acme", "a/b"))["a/b"], s.items(addGroups, groups("apex", "a/b"))["a/b"]
	require.NotEqual(t, acmes.ID, apexs.ID)
	for _, id := range ids {
		s.joins(id, ids...)
	}
	require.Equal(t, 0, s.membersOf("apex")["a/b"])
	s.items(deleteGroups, map[string]any{"organizationId": "apex", "groupIds": []string{"a/b"}})
	require.Equal(t, len(ids), s.membersOf("acme")["a/b"])
	require.NotContains(t, s.membersOf("apex"), "a/b")
	require.Equal(t, 0, other.membersOf("acme")["a/b"])
	require.Contains(t, other.membersOf("apex"), "a/b")
	var walked []string
	for _, g := range s.groupsOf("acme", map[string]any{"pageSize": 3}) {
		require.Equal(t, len(ids), g.UserCount)
		walked = append(walked, g.GroupID)
	}
	require.ElementsMatch(t, ids, walked, "each once, by pages")
}

func TestGroups_5_ADeletedGroupLeavesItsUsers(t *testing.T) {
	s := begin(t)
	s.private()
	s.items("users/add", acme(nil, users("ann")...))
	s.items(addGroups, groups("acme", "g", "h"))
	s.joins("g", "ann")
	s.joins("h", "ann")
	s.items(deleteGroups, acmeWith("groupIds", []string{"g"}))
	require.Equal(t, map[string]int{"h": 1}, s.membersOf("acme"))
	require.True(t, s.member("acme", "ann"))
	require.True(t, s.mayWrite("ann", "d"), "groups grant nothing and take nothing")
}

// A membership that is over does not count, and does when it is renewed.
func TestGroups_DoNotCountWhoseMembershipIsOver(t *testing.T) {
	s := begin(t)
	s.items("users/add", acme(nil, users("ann", "bob")...))
	s.items(addGroups, groups("acme", "g"))
	s.joins("g", "ann", "bob")
	s.grants("bob", resource("organization", "acme", map[string]any{"expiresAt": time.Now().Add(5 * time.Second).UnixMilli()}))
	eventually(t, "the end of the membership", func() bool { return s.membersOf("acme")["g"] == 1 })
	require.Equal(t, "not-member", s.codesInGroup(addGroupUsers, inGroup("g", "bob"))["bob"])
	s.items("users/add", acme(nil, users("bob")...))
	require.Equal(t, map[string]int{"g": 2}, s.membersOf("acme"))
}

func TestGroupsGet_PagesAndTokens(t *testing.T) {
	s := begin(t)
	s.items(addOrganizations, organizations("acme", "apex"))
	var want []string
	for i := range 7 {
		id := fmt.Sprint("g", i)
		s.items(addGroups, groups("acme", id))
		want = append([]string{id}, want...)
	}
	ids := func(data map[string]any) (ids []string) {
		for _, g := range s.groupsOf("acme", data) {
			ids = append(ids, g.GroupID)
		}
		return ids
	}
	require.Equal(t, want, ids(map[string]any{"pageSize": 3}), "newest first, each once")
	require.Equal(t, []string{"g5", "g3", "g1"}, ids(map[string]any{"pageSize": 1, "groupIds": []string{"g1", "g5", "unknown", "g3"}}))
	var page pagedView[[]groupView]
	s.call(getGroups, acmeWith("pageSize", 3), &page)
	require.NotEmpty(t, page.NextPageToken)
	token := map[string]any{"pageToken": page.NextPageToken}
	s.refusedAs("INVALID_ARGUMENT", getGroups, acmeWith("groupIds", []string{"g1"}, token))
	s.refusedAs("INVALID_ARGUMENT", getGroups, acmeWith("organizationId", "apex", token))
	s.elsewhere().refusedAs("INVALID_ARGUMENT", getGroups, acmeWith("pageSize", 3, token))
	s.items(deleteOrganizations, map[string]any{"organizationIds": []string{"acme"}})
	require.Empty(t, s.groupsOf("acme"))
	s.items(addOrganizations, organizations("acme"))
	require.Empty(t, s.groupsOf("acme", token), "nothing of the former")
	s.items(addGroups, groups("acme", "g1"))
	require.Equal(t, map[string]int{"g1": 0}, s.membersOf("acme"))
}
