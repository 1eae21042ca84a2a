package tests

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

const (
	addGroups        = "organizations/usergroups/add"
	getGroups        = "organizations/usergroups/get"
	deleteGroups     = "organizations/usergroups/delete"
	addGroupUsers    = "organizations/usergroups/users/add"
	deleteGroupUsers = "organizations/usergroups/users/delete"
)

// groupView is a user group as read.
type groupView struct {
	GroupID   string `json:"groupId"`
	GroupName string `json:"groupName"`
	UserCount int    `json:"userCount"`
	CreatedAt int64  `json:"createdAt"`
}

// groupUser says what became of a user of a call about a group.
type groupUser struct {
	Success                 bool   `json:"success"`
	OrganizationUserGroupID string `json:"organizationUserGroupId"`
	Message                 string `json:"message"`
	Code                    string `json:"code"`
}

// groups are those of a call about an organization, by their ids.
func groups(organizationID string, ids ...string) map[string]any {
	list := make([]map[string]any, len(ids))
	for i, id := range ids {
		list[i] = map[string]any{"groupId": id, "groupName": "Group " + short(id)}
	}
	return map[string]any{"organizationId": organizationID, "organizationUserGroups": list}
}

// inGroup is a call about users of a group of acme.
func inGroup(groupID string, userIDs ...string) map[string]any {
	return acmeWith("organizationUserGroupId", groupID, map[string]any{"userIds": userIDs})
}

// codesInGroup makes a call about users of a group and gives their codes, empty after
// success.
func (s *scene) codesInGroup(operation string, data map[string]any) map[string]string {
	s.t.Helper()
	var found client.Wrapped[map[string]groupUser]
	s.call(operation, data, &found)
	require.Equal(s.t, "success", found.Status)
	codes := map[string]string{}
	for id, user := range found.Data {
		require.Equal(s.t, data["organizationUserGroupId"], user.OrganizationUserGroupID)
		require.NotEmpty(s.t, user.Message)
		require.Equal(s.t, user.Code == "", user.Success, id)
		codes[id] = user.Code
	}
	return codes
}

// joins puts users into a group of acme, which has to succeed for all of them.
func (s *scene) joins(groupID string, userIDs ...string) {
	s.t.Helper()
	for id, code := range s.codesInGroup(addGroupUsers, inGroup(groupID, userIDs...)) {
		require.Empty(s.t, code, id)
	}
}

// groupsOf reads the groups of an organization to the end of the list.
func (s *scene) groupsOf(organizationID string, more ...map[string]any) []groupView {
	s.t.Helper()
	data := map[string]any{"organizationId": organizationID}
	for _, fields := range more {
		maps.Copy(data, fields)
	}
	var all []groupView
	for {
		var page pagedView[[]groupView]
		s.call(getGroups, data, &page)
		require.NotNil(s.t, page.Data)
		all = append(all, page.Data...)
		if page.NextPageToken == "" {
			return all
		}
		data["pageToken"] = page.NextPageToken
	}
}

// membersOf is how many users each group of an organization has.
func (s *scene) membersOf(organizationID string) map[string]int {
	s.t.Helper()
	counts := map[string]int{}
	for _, g := range s.groupsOf(organizationID) {
		counts[g.GroupID] = g.UserCount
	}
	return counts
}

// Who loses the grant on the organization is in no group of it any more, whatever else
// is granted; who is taken from a folder or a document stays.
func TestGroups_GoWithTheMembership(t *testing.T) {
	s := begin(t)
	s.folders("f")
	s.items("users/add", acme(nil, users("ann", "bob", "cat")...))
	s.items("users/add", acme(map[string]any{"folderId": "f"}, users("ann", "bob")...))
	s.items(addGroups, groups("acme", "g"))
	s.joins("g", "ann", "bob", "cat")
	s.items("users/delete", acmeWith("userIds", []string{"ann"}, map[string]any{"folderId": "f"}))
	s.takes("bob", resource("folder", "f"))
	require.Equal(t, map[string]int{"g": 3}, s.membersOf("acme"))
	s.grants("bob", resource("folder", "f"))
	s.takes("bob", resource("folder", "f"), resource("organization", "acme"), resource("organization", "unknown"))
	require.Equal(t, map[string]int{"g": 2}, s.membersOf("acme"))
	s.grants("bob", resource("organization", "acme"))
	require.Equal(t, map[string]int{"g": 2}, s.membersOf("acme"), "no old group comes back")
	require.Equal(t, "not-member", s.codesInGroup(deleteGroupUsers, inGroup("g", "bob"))["bob"])
}
