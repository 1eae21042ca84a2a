package api_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestGroups_AreAddedRenamedReadAndDeleted(t *testing.T) {
	env := newWorkspace(t)
	failure := env.RefusedAs("NOT_FOUND", client.AddGroups, kit.Groups("acme", "a"))
	require.Equal(t, redline.ErrorDetailsReasonNotFound, failure.Reason)
	require.Equal(t, map[string]any{"reason": "not-found", "resource": "organization", "id": "acme"}, kit.Details(env, client.AddGroups, kit.Groups("acme", "a")))
	making := kit.Groups("acme", "a", "b", "a")
	making["createOrganization"] = true
	making["organizationUserGroups"].([]map[string]any)[2]["groupName"] = "The last one"
	added := kit.Items(env, client.AddGroups, making)
	require.Len(t, added, 2)
	require.Regexp(t, "^[0-9a-f]{32}$", added["a"].ID)
	first := kit.GroupsOf(env, "acme", map[string]any{"groupIds": []string{"a", "unknown"}})
	require.Len(t, first, 1)
	require.Equal(t, redline.Group{GroupID: "a", GroupName: "The last one", CreatedAt: first[0].CreatedAt}, first[0])
	require.Positive(t, first[0].CreatedAt)

	kit.Items(env, client.AddUsers, kit.Acme(nil, kit.Users("ann")...))
	kit.Joins(env, "a", "ann")
	require.Equal(t, added["a"].ID, kit.Items(env, client.AddGroups, kit.Groups("acme", "a"))["a"].ID)
	renamed := first[0]
	renamed.GroupName, renamed.UserCount = "Group a", 1
	require.Equal(t, []redline.Group{renamed}, kit.GroupsOf(env, "acme", map[string]any{"groupIds": []string{"a"}}), "all else stays")

	deleted := kit.Items(env, client.DeleteGroups, kit.AcmeWith("groupIds", []string{"a", "a", "unknown"}))
	require.Equal(t, map[string]string{"a": "", "unknown": "not-found"}, kit.CodesOf(deleted))
	require.Equal(t, map[string]int{"b": 0}, kit.MembersOf(env, "acme"))
	require.Equal(t, map[string]any{"reason": "not-found", "resource": "group", "id": "a"}, kit.Details(env, client.AddGroupUsers, kit.InGroup("a", "ann")))
	kit.Items(env, client.AddGroups, kit.Groups("acme", "a"))
	require.Equal(t, map[string]int{"a": 0, "b": 0}, kit.MembersOf(env, "acme"), "the id names a new, empty group")
}

func TestGroups_WhatIsRefused(t *testing.T) {
	env := newWorkspace(t)
	kit.Items(env, client.AddUsers, kit.Acme(nil, kit.Users("ann")...))
	kit.Items(env, client.AddGroups, kit.Groups("acme", "g"))
	for operation, refused := range map[string][]map[string]any{
		client.AddGroups: {
			kit.Groups("acme"), kit.Groups("acme", kit.Many(101)...), kit.Groups("acme", ""), kit.Groups("", "a"), kit.Groups("acme", "a\n"),
			kit.AcmeWith("organizationUserGroups", []any{map[string]any{"groupId": "a"}}),
			kit.AcmeWith("organizationUserGroups", []any{map[string]any{"groupId": "a", "groupName": ""}}),
			kit.AcmeWith("organizationUserGroups", []any{map[string]any{"groupId": "a", "groupName": strings.Repeat("x", 201)}}),
		},
		client.GetGroups:        {kit.AcmeWith("groupIds", kit.Many(31)), kit.AcmeWith("pageSize", 1001), kit.AcmeWith("pageToken", "none"), {}},
		client.DeleteGroups:     {kit.AcmeWith("groupIds", []string{}), kit.AcmeWith("groupIds", kit.Many(101)), {"organizationId": "acme"}},
		client.AddGroupUsers:    {kit.InGroup("g"), kit.InGroup("g", kit.Many(1001)...), kit.InGroup("", "ann"), kit.AcmeWith("userIds", []string{"ann"})},
		client.DeleteGroupUsers: {kit.InGroup("g"), kit.InGroup("g", kit.Many(1001)...), kit.InGroup("", "ann"), kit.AcmeWith("organizationUserGroupId", "g", map[string]any{"deleteAll": false})},
	} {
		for _, data := range refused {
			env.RefusedAs("INVALID_ARGUMENT", operation, data)
		}
	}
	both := kit.InGroup("g", "ann")
	both["deleteAll"] = true
	require.Equal(t, []string{"deleteAll"}, env.RefusedAs("INVALID_ARGUMENT", client.DeleteGroupUsers, both).Issues[0].Path)
	for operation, data := range map[string]map[string]any{
		client.AddGroups: kit.Groups("unknown", "a"), client.DeleteGroups: {"organizationId": "unknown", "groupIds": []string{"g"}},
		client.AddGroupUsers: kit.InGroup("unknown", "ann"), client.DeleteGroupUsers: kit.InGroup("unknown", "ann"),
	} {
		env.RefusedAs("NOT_FOUND", operation, data)
	}
	require.Empty(t, kit.GroupsOf(env, "unknown"))
	require.Equal(t, map[string]int{"g": 0}, kit.MembersOf(env, "acme"), "nothing was changed")
}

func TestGroups_OnlyMembersOfTheOrganizationJoin(t *testing.T) {
	env := newWorkspace(t)
	kit.Items(env, client.AddUsers, kit.Acme(nil, kit.Users("ann", "bob")...))
	kit.Items(env, client.AddUsers, kit.Acme(map[string]any{"documentId": "d", "createDocument": true}, kit.Users("dora")...))
	kit.Items(env, client.AddUsers, kit.Acme(map[string]any{"folderId": "f", "createFolder": true}, kit.Users("fay")...))
	kit.Items(env, client.AddUsers, map[string]any{"organizationId": "other", "users": kit.Users("olga")})
	ahead := time.Now().Add(time.Hour).UnixMilli()
	kit.Grant(env, "tim", kit.Resource("organization", "acme", map[string]any{"expiresAt": ahead}))
	kit.Items(env, client.AddGroups, kit.Groups("acme", "g"))
	not := "not-member"
	require.Equal(t, map[string]string{"ann": "", "tim": "", "dora": not, "fay": not, "olga": not, "nobody": not},
		kit.CodesInGroup(env, client.AddGroupUsers, kit.InGroup("g", "ann", "tim", "dora", "fay", "olga", "nobody", "ann")))
	require.Equal(t, map[string]int{"g": 2}, kit.MembersOf(env, "acme"))
	require.Equal(t, map[string]string{"ann": "", "bob": not, "nobody": not}, kit.CodesInGroup(env, client.DeleteGroupUsers, kit.InGroup("g", "ann", "bob", "nobody", "ann")))
	require.Equal(t, map[string]string{"ann": not}, kit.CodesInGroup(env, client.DeleteGroupUsers, kit.InGroup("g", "ann")))
	require.Equal(t, map[string]int{"g": 1}, kit.MembersOf(env, "acme"))
	require.Empty(t, kit.Items(env, client.UpdateUsers, kit.Acme(nil, map[string]any{"userId": "ann", "accessRole": "viewer"}))["ann"].Code, "still of the organization")
}

func TestGroups_1_AMemberIsAddedTwice(t *testing.T) {
	env := newWorkspace(t)
	kit.Items(env, client.AddUsers, kit.Acme(nil, kit.Users("ann")...))
	kit.Items(env, client.AddGroups, kit.Groups("acme", "g"))
	kit.Joins(env, "g", "ann", "ann")
	kit.Joins(env, "g", "ann")
	kit.Concurrently(8, func(int) {
		_, err := client.Call[json.RawMessage](env.Ctx, env.Keyed, client.AddGroupUsers, kit.InGroup("g", "ann"))
		kit.NoError(t, err)
	})
	require.Equal(t, map[string]int{"g": 1}, kit.MembersOf(env, "acme"))
}

// Whichever comes first, who left the organization is in no group, also after coming
// back.
func TestGroups_2_WhoLeavesWhileBeingAddedIsNoMember(t *testing.T) {
	env := newWorkspace(t)
	kit.Items(env, client.AddOrganizations, kit.Organizations("acme"))
	kit.Items(env, client.AddGroups, kit.Groups("acme", "g", "h"))
	thirty := kit.Many(30)
	leaving := kit.AcmeWith("userIds", thirty)
	for range 8 {
		kit.Items(env, client.AddUsers, kit.Acme(nil, kit.Users(thirty...)...))
		kit.Joins(env, "h", thirty...)
		kit.Concurrently(4, func(i int) {
			operation, data := client.AddGroupUsers, kit.InGroup("g", thirty...)
			if i == 0 {
				operation, data = client.DeleteUsers, leaving
			}
			_, err := client.Call[json.RawMessage](env.Ctx, env.Keyed, operation, data)
			kit.NoError(t, err)
		})
		require.Equal(t, map[string]int{"g": 0, "h": 0}, kit.MembersOf(env, "acme"))
		kit.Items(env, client.AddUsers, kit.Acme(nil, kit.Users(thirty...)...))
		require.Equal(t, map[string]int{"g": 0, "h": 0}, kit.MembersOf(env, "acme"), "no old group comes back")
		kit.Items(env, client.DeleteUsers, leaving)
	}
}

func TestGroups_3_AllOfManyMembersLeaveInOneCall(t *testing.T) {
	env := newWorkspace(t)
	kit.Items(env, client.AddOrganizations, kit.Organizations("acme"))
	kit.Items(env, client.AddGroups, kit.Groups("acme", "g", "h"))
	const rounds, each = 3, 1000
	for round := range rounds {
		ids := make([]string, each)
		for i := range ids {
			ids[i] = fmt.Sprintf("user %d.%d", round, i)
		}
		kit.Items(env, client.AddUsers, kit.Acme(nil, kit.Users(ids...)...))
		kit.Joins(env, "g", ids...)
		kit.Joins(env, "h", ids...)
	}
	before := kit.GroupsOf(env, "acme", map[string]any{"groupIds": []string{"g"}})
	require.Equal(t, int64(rounds*each), before[0].UserCount)
	all := kit.AcmeWith("organizationUserGroupId", "g", map[string]any{"deleteAll": true})
	left := kit.CodesInGroup(env, client.DeleteGroupUsers, all)
	require.Len(t, left, rounds*each)
	require.Empty(t, left["user 2.999"])
	before[0].UserCount = 0
	require.Equal(t, before, kit.GroupsOf(env, "acme", map[string]any{"groupIds": []string{"g"}}), "the group is the same one")
	require.Equal(t, map[string]int{"g": 0, "h": rounds * each}, kit.MembersOf(env, "acme"))
	require.Empty(t, kit.CodesInGroup(env, client.DeleteGroupUsers, all), "nobody is left")
	kit.Joins(env, "g", "user 0.0")
	require.Equal(t, map[string]int{"g": 1, "h": rounds * each}, kit.MembersOf(env, "acme"))
}

func TestGroups_4_EqualIdsInTwoOrganizationsAndWorkspaces(t *testing.T) {
	env := newWorkspace(t)
	other := kit.Elsewhere(env)
	ids := append([]string{strings.Repeat("🧑‍🚀", 66)}, kit.OddIDs...)
	for _, of := range []*kit.Env{env, other} {
		kit.Items(of, client.AddOrganizations, kit.Organizations("acme", "apex"))
		kit.Items(of, client.AddUsers, kit.Acme(nil, kit.Users(ids...)...))
		for _, organizationID := range []string{"acme", "apex"} {
			require.Len(t, kit.Items(of, client.AddGroups, kit.Groups(organizationID, ids...)), len(ids))
		}
	}
	acmes, apexs := kit.Items(env, client.AddGroups, kit.Groups("acme", "a/b"))["a/b"], kit.Items(env, client.AddGroups, kit.Groups("apex", "a/b"))["a/b"]
	require.NotEqual(t, acmes.ID, apexs.ID)
	for _, id := range ids {
		kit.Joins(env, id, ids...)
	}
	require.Equal(t, 0, kit.MembersOf(env, "apex")["a/b"])
	kit.Items(env, client.DeleteGroups, map[string]any{"organizationId": "apex", "groupIds": []string{"a/b"}})
	require.Equal(t, len(ids), kit.MembersOf(env, "acme")["a/b"])
	require.NotContains(t, kit.MembersOf(env, "apex"), "a/b")
	require.Equal(t, 0, kit.MembersOf(other, "acme")["a/b"])
	require.Contains(t, kit.MembersOf(other, "apex"), "a/b")
	var walked []string
	for _, g := range kit.GroupsOf(env, "acme", map[string]any{"pageSize": 3}) {
		require.EqualValues(t, len(ids), g.UserCount)
		walked = append(walked, g.GroupID)
	}
	require.ElementsMatch(t, ids, walked, "each once, by pages")
}

func TestGroups_5_ADeletedGroupLeavesItsUsers(t *testing.T) {
	env := newWorkspace(t)
	kit.Private(env)
	kit.Items(env, client.AddUsers, kit.Acme(nil, kit.Users("ann")...))
	kit.Items(env, client.AddGroups, kit.Groups("acme", "g", "h"))
	kit.Joins(env, "g", "ann")
	kit.Joins(env, "h", "ann")
	kit.Items(env, client.DeleteGroups, kit.AcmeWith("groupIds", []string{"g"}))
	require.Equal(t, map[string]int{"h": 1}, kit.MembersOf(env, "acme"))
	require.True(t, member(env, "acme", "ann"))
	require.True(t, kit.MayWrite(env, "ann", "d"), "groups grant nothing and take nothing")
}

// A membership that is over does not count, and does when it is renewed.
func TestGroups_DoNotCountWhoseMembershipIsOver(t *testing.T) {
	env := newWorkspace(t)
	kit.Items(env, client.AddUsers, kit.Acme(nil, kit.Users("ann", "bob")...))
	kit.Items(env, client.AddGroups, kit.Groups("acme", "g"))
	kit.Joins(env, "g", "ann", "bob")
	kit.Grant(env, "bob", kit.Resource("organization", "acme", map[string]any{"expiresAt": time.Now().Add(5 * time.Second).UnixMilli()}))
	kit.RequireEventually(t, "the end of the membership", func() bool { return kit.MembersOf(env, "acme")["g"] == 1 })
	require.Equal(t, "not-member", kit.CodesInGroup(env, client.AddGroupUsers, kit.InGroup("g", "bob"))["bob"])
	kit.Items(env, client.AddUsers, kit.Acme(nil, kit.Users("bob")...))
	require.Equal(t, map[string]int{"g": 2}, kit.MembersOf(env, "acme"))
}

func TestGroupsGet_PagesAndTokens(t *testing.T) {
	env := newWorkspace(t)
	kit.Items(env, client.AddOrganizations, kit.Organizations("acme", "apex"))
	var want []string
	for i := range 7 {
		id := fmt.Sprint("g", i)
		kit.Items(env, client.AddGroups, kit.Groups("acme", id))
		want = append([]string{id}, want...)
	}
	ids := func(data map[string]any) (ids []string) {
		for _, g := range kit.GroupsOf(env, "acme", data) {
			ids = append(ids, g.GroupID)
		}
		return ids
	}
	require.Equal(t, want, ids(map[string]any{"pageSize": 3}), "newest first, each once")
	require.Equal(t, []string{"g5", "g3", "g1"}, ids(map[string]any{"pageSize": 1, "groupIds": []string{"g1", "g5", "unknown", "g3"}}))
	var page redline.GroupListResult
	env.Call(client.GetGroups, kit.AcmeWith("pageSize", 3), &page)
	require.NotEmpty(t, page.NextPageToken)
	token := map[string]any{"pageToken": page.NextPageToken}
	env.RefusedAs("INVALID_ARGUMENT", client.GetGroups, kit.AcmeWith("groupIds", []string{"g1"}, token))
	env.RefusedAs("INVALID_ARGUMENT", client.GetGroups, kit.AcmeWith("organizationId", "apex", token))
	kit.Elsewhere(env).RefusedAs("INVALID_ARGUMENT", client.GetGroups, kit.AcmeWith("pageSize", 3, token))
	kit.Items(env, client.DeleteOrganizations, map[string]any{"organizationIds": []string{"acme"}})
	require.Empty(t, kit.GroupsOf(env, "acme"))
	kit.Items(env, client.AddOrganizations, kit.Organizations("acme"))
	require.Empty(t, kit.GroupsOf(env, "acme", token), "nothing of the former")
	kit.Items(env, client.AddGroups, kit.Groups("acme", "g1"))
	require.Equal(t, map[string]int{"g1": 0}, kit.MembersOf(env, "acme"))
}

// Who loses the grant on the organization is in no group of it any more, whatever else
// is granted; who is taken from a folder or a document stays.
func TestGroups_GoWithTheMembership(t *testing.T) {
	env := newWorkspace(t)
	kit.Folders(env, "f")
	kit.Items(env, client.AddUsers, kit.Acme(nil, kit.Users("ann", "bob", "cat")...))
	kit.Items(env, client.AddUsers, kit.Acme(map[string]any{"folderId": "f"}, kit.Users("ann", "bob")...))
	kit.Items(env, client.AddGroups, kit.Groups("acme", "g"))
	kit.Joins(env, "g", "ann", "bob", "cat")
	kit.Items(env, client.DeleteUsers, kit.AcmeWith("userIds", []string{"ann"}, map[string]any{"folderId": "f"}))
	kit.Takes(env, "bob", kit.Resource("folder", "f"))
	require.Equal(t, map[string]int{"g": 3}, kit.MembersOf(env, "acme"))
	kit.Grant(env, "bob", kit.Resource("folder", "f"))
	kit.Takes(env, "bob", kit.Resource("folder", "f"), kit.Resource("organization", "acme"), kit.Resource("organization", "unknown"))
	require.Equal(t, map[string]int{"g": 2}, kit.MembersOf(env, "acme"))
	kit.Grant(env, "bob", kit.Resource("organization", "acme"))
	require.Equal(t, map[string]int{"g": 2}, kit.MembersOf(env, "acme"), "no old group comes back")
	require.Equal(t, "not-member", kit.CodesInGroup(env, client.DeleteGroupUsers, kit.InGroup("g", "bob"))["bob"])
}
