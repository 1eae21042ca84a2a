package kit

import (
	"maps"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

// Groups returns a call that adds groups with these ids to an organization.
func Groups(organizationID string, ids ...string) map[string]any {
	list := make([]map[string]any, len(ids))
	for i, id := range ids {
		list[i] = map[string]any{"groupId": id, "groupName": "Group " + short(id)}
	}
	return map[string]any{"organizationId": organizationID, "organizationUserGroups": list}
}

// InGroup returns a call about users of a group of acme.
func InGroup(groupID string, userIDs ...string) map[string]any {
	return AcmeWith("organizationUserGroupId", groupID, map[string]any{"userIds": userIDs})
}

// CodesInGroup makes a call about users of a group and returns their codes, empty after
// success.
func CodesInGroup(env *Env, operation string, data map[string]any) map[string]string {
	env.T.Helper()
	var found redline.GroupUserByIDResult
	env.Call(operation, data, &found)
	require.Equal(env.T, redline.GroupUserByIDResultStatusSuccess, found.Status)
	codes := map[string]string{}
	for id, user := range found.Data {
		require.Equal(env.T, data["organizationUserGroupId"], user.OrganizationUserGroupID)
		require.NotEmpty(env.T, user.Message)
		require.Equal(env.T, user.Code == "", user.Success, id)
		codes[id] = string(user.Code)
	}
	return codes
}

// Joins puts users into a group of acme, which has to succeed for all of them.
func Joins(env *Env, groupID string, userIDs ...string) {
	env.T.Helper()
	for id, code := range CodesInGroup(env, client.AddGroupUsers, InGroup(groupID, userIDs...)) {
		require.Empty(env.T, code, id)
	}
}

// GroupsOf reads the groups of an organization to the end of the list.
func GroupsOf(env *Env, organizationID string, more ...map[string]any) []redline.Group {
	env.T.Helper()
	data := map[string]any{"organizationId": organizationID}
	for _, fields := range more {
		maps.Copy(data, fields)
	}
	var all []redline.Group
	for {
		var page redline.GroupListResult
		env.Call(client.GetGroups, data, &page)
		require.NotNil(env.T, page.Data)
		all = append(all, page.Data...)
		if page.NextPageToken == "" {
			return all
		}
		data["pageToken"] = page.NextPageToken
	}
}

// MembersOf returns how many users each group of an organization has.
func MembersOf(env *Env, organizationID string) map[string]int {
	env.T.Helper()
	counts := map[string]int{}
	for _, g := range GroupsOf(env, organizationID) {
		counts[g.GroupID] = int(g.UserCount)
	}
	return counts
}
