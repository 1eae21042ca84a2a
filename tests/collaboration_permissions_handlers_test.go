package tests

import (
	"encoding/json"
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

const (
	addPermissions    = "auth/permissions/add"
	getPermissions    = "auth/permissions/get"
	removePermissions = "auth/permissions/remove"
)

// permission is what a user may do with one resource.
type permission struct {
	AccessRole *string `json:"accessRole"`
	AccessType *string `json:"accessType"`
	ExpiresAt  *int64  `json:"expiresAt"`
	ErrorCode  string  `json:"errorCode"`
}

// String is the role, or why there is none, and the type that holds.
func (p permission) String() string {
	first, second := p.ErrorCode, "none"
	if p.AccessRole != nil {
		first = *p.AccessRole
	}
	if p.AccessType != nil {
		second = *p.AccessType
	}
	return first + " " + second
}

type permissions struct {
	Organization, Folders, Documents map[string]permission
}

// resource names something of acme, with more fields.
func resource(kind, id string, more ...map[string]any) map[string]any {
	r := map[string]any{"type": kind, "id": id}
	if kind != "organization" {
		r["organizationId"] = "acme"
	}
	for _, fields := range more {
		maps.Copy(r, fields)
	}
	return r
}

func granting(user string, resources ...any) map[string]any {
	return map[string]any{"user": map[string]any{"userId": user}, "permissions": map[string]any{"resources": resources}}
}

func removing(user string, resources ...any) map[string]any {
	return map[string]any{"userId": user, "permissions": map[string]any{"resources": resources}}
}

// grants adds grants to a user, or removes them.
func (s *scene) grants(user string, resources ...any) {
	s.t.Helper()
	var answer map[string]any
	s.call(addPermissions, granting(user, resources...), &answer)
	require.NotContains(s.t, answer, "data")
	require.Equal(s.t, "success", answer["status"])
}

func (s *scene) takes(user string, resources ...any) {
	s.t.Helper()
	var answer map[string]any
	s.call(removePermissions, removing(user, resources...), &answer)
	require.NotContains(s.t, answer, "data")
	require.Equal(s.t, "success", answer["status"])
}

// permitted reads what one user may do in acme, and with folders and documents.
func (s *scene) permitted(user string, folderIDs, documentIDs []string) permissions {
	s.t.Helper()
	data := acmeWith("userIds", []string{user, user}, map[string]any{"folderIds": folderIDs, "documentIds": documentIDs})
	var found client.Wrapped[map[string]permissions]
	s.call(getPermissions, data, &found)
	require.Len(s.t, found.Data, 1)
	return found.Data[user]
}

// inFolder is what a user may do with a folder of acme.
func (s *scene) inFolder(user, folderID string) string {
	s.t.Helper()
	return s.permitted(user, []string{folderID}, nil).Folders[folderID].String()
}

// private makes what is added from now on private to its organization.
func (s *scene) private() {
	s.t.Helper()
	s.call(updateSettings, map[string]any{"defaultDocumentAccessType": "organizationPrivate"}, nil)
}

func role(role string) map[string]any { return map[string]any{"accessRole": role} }

func TestPermissionsAddAndRemove(t *testing.T) {
	s := begin(t)
	s.private()
	s.folders("f", "g in f")
	s.annotate(made("d", annotated(unique("note"), wrote("filer", "a"))))
	require.False(t, s.mayWrite("ann", "d"))
	s.grants("ann", resource("document", "d"), resource("folder", "f", role("viewer")))
	require.True(t, s.mayWrite("ann", "d"))
	found := s.permitted("ann", []string{"g", "f", "unknown"}, []string{"d", "unknown"})
	require.Equal(t, map[string]permission{"acme": {AccessType: new("organizationPrivate"), ErrorCode: "permission_denied"}}, found.Organization)
	viewer := permission{AccessRole: new("viewer"), AccessType: new("organizationPrivate")}
	none := permission{ErrorCode: "does_not_exist"}
	require.Equal(t, map[string]permission{"g": viewer, "f": viewer, "unknown": none}, found.Folders)
	require.Equal(t, map[string]permission{"d": {AccessRole: new("editor"), AccessType: new("organizationPrivate")}, "unknown": none}, found.Documents)
	require.True(t, s.member("acme", "ann"), "a profile was made")
	require.Equal(t, "not-member", s.items("users/update", acme(nil, map[string]any{"userId": "ann", "accessRole": "viewer"}))["ann"].Code)

	s.takes("ann", resource("document", "d"), resource("organization", "acme"), resource("folder", "unknown"), resource("document", "x", map[string]any{"organizationId": "unknown"}))
	require.False(t, s.mayWrite("ann", "d"))
	require.Equal(t, "viewer organizationPrivate", s.inFolder("ann", "f"))
	s.takes("ann", resource("folder", "f"))
	require.Equal(t, "permission_denied organizationPrivate", s.inFolder("ann", "g"))
	s.takes("nobody", resource("folder", "f"))
	require.False(t, s.member("acme", "nobody"), "removal makes no profile")
	empty := s.permitted("ann", nil, nil)
	require.Equal(t, []any{map[string]permission{}, map[string]permission{}}, []any{empty.Folders, empty.Documents})
}

func TestPermissionsAdd_OnSeveralOrganizations(t *testing.T) {
	s := begin(t)
	s.private()
	for _, id := range []string{"acme", "other"} {
		s.items("users/add", map[string]any{"organizationId": id, "users": users("member")})
		s.items("users/add", map[string]any{"organizationId": id, "folderId": "f", "createFolder": true, "users": users("member")})
	}
	elsewhere := map[string]any{"organizationId": "other"}
	s.grants("ann", resource("organization", "other"), resource("folder", "f", role("viewer")), resource("folder", "f", elsewhere), resource("folder", "f"))
	require.Equal(t, "editor organizationPrivate", s.inFolder("ann", "f"), "the last one of a resource counts")
	require.Equal(t, "permission_denied organizationPrivate", s.permitted("ann", nil, nil).Organization["acme"].String())
	var found client.Wrapped[map[string]permissions]
	s.call(getPermissions, map[string]any{"organizationId": "other", "userIds": []string{"ann", "member", "eve"}, "folderIds": []string{"f"}}, &found)
	require.Equal(t, []string{"editor organizationPrivate", "editor organizationPrivate", "permission_denied organizationPrivate"}, []string{
		found.Data["ann"].Organization["other"].String(), found.Data["member"].Folders["f"].String(), found.Data["eve"].Folders["f"].String(),
	})
}

func TestPermissions_Refusals(t *testing.T) {
	s := begin(t)
	s.private()
	s.folders("f")
	missing := func(kind, id string, data map[string]any) {
		require.Equal(t, map[string]any{"reason": "not-found", "resource": kind, "id": id}, s.details(addPermissions, data))
		require.Equal(t, "permission_denied organizationPrivate", s.inFolder("ann", "f"), "nothing was granted")
		require.False(t, s.member("acme", "ann"))
	}
	missing("folder", "g", granting("ann", resource("folder", "f"), resource("folder", "g")))
	missing("folder", "root", granting("ann", resource("folder", "f"), resource("folder", "root")))
	missing("document", "f", granting("ann", resource("folder", "f"), resource("document", "f")))
	missing("organization", "other", granting("ann", resource("folder", "f"), resource("organization", "other")))
	missing("organization", "other", granting("ann", resource("folder", "f"), resource("folder", "f", map[string]any{"organizationId": "other"})))
	seconds := map[string]any{"expiresAt": time.Now().Add(time.Hour).Unix()}
	refusal := s.refusedAs("INVALID_ARGUMENT", addPermissions, granting("ann", resource("folder", "f"), resource("folder", "f", seconds)))
	require.Equal(t, []string{"permissions", "resources", "1", "expiresAt"}, refusal.Issues[0].Path, "seconds are in the past")
	past := map[string]any{"expiresAt": time.Now().UnixMilli()}
	many := make([]any, 101)
	for i := range many {
		many[i] = resource("folder", fmt.Sprint("f", i))
	}
	for name, data := range map[string]map[string]any{
		"the past": granting("ann", resource("folder", "f", past)), "far away": granting("ann", resource("folder", "f", map[string]any{"expiresAt": int64(253402300800000)})),
		"no number": granting("ann", resource("folder", "f", map[string]any{"expiresAt": "soon"})), "none": granting("ann"), "too many": granting("ann", many...),
		"a role": granting("ann", resource("folder", "f", role("owner"))), "a type": granting("ann", resource("group", "f")),
		"no organization": granting("ann", resource("folder", "f", map[string]any{"organizationId": nil})), "no user": granting("", resource("folder", "f")),
		"two organizations": granting("ann", resource("organization", "acme", map[string]any{"organizationId": "other"})),
	} {
		require.Equal(t, "INVALID_ARGUMENT", s.refused(addPermissions, data).Status, name)
	}
	for name, data := range map[string]map[string]any{
		"none": removing("ann"), "too many": removing("ann", many...), "no user": removing("", resource("folder", "f")),
		"no organization": removing("ann", map[string]any{"type": "document", "id": "d"}),
	} {
		require.Equal(t, "INVALID_ARGUMENT", s.refused(removePermissions, data).Status, name)
	}
	ids := make([]string, 31)
	for i := range ids {
		ids[i] = fmt.Sprint("x", i)
	}
	for _, data := range []map[string]any{acmeWith("userIds", ids), acmeWith("userIds", []string{}), acmeWith("userIds", ids[:1], map[string]any{"folderIds": ids})} {
		s.refusedAs("INVALID_ARGUMENT", getPermissions, data)
	}
}

func TestPermissionsAdd_1_TheLaterRoleHolds(t *testing.T) {
	s := begin(t)
	s.private()
	s.folders("f")
	hour, day := time.Now().Add(time.Hour).UnixMilli(), time.Now().Add(24*time.Hour).UnixMilli()
	s.grants("ann", resource("folder", "f", map[string]any{"expiresAt": hour}))
	require.Equal(t, permission{AccessRole: new("editor"), AccessType: new("organizationPrivate"), ExpiresAt: &hour}, s.permitted("ann", []string{"f"}, nil).Folders["f"])
	s.grants("ann", resource("folder", "f", role("viewer"), map[string]any{"expiresAt": day}))
	require.Equal(t, permission{AccessRole: new("viewer"), AccessType: new("organizationPrivate"), ExpiresAt: &day}, s.permitted("ann", []string{"f"}, nil).Folders["f"])
	s.grants("ann", resource("folder", "f", role("viewer")))
	require.Nil(t, s.permitted("ann", []string{"f"}, nil).Folders["f"].ExpiresAt, "without an end")
	s.takes("ann", resource("folder", "f"))
	require.Equal(t, "permission_denied organizationPrivate", s.inFolder("ann", "f"), "there was one")
}

func TestPermissionsAdd_2_TwoAtOneMoment(t *testing.T) {
	s := begin(t)
	s.private()
	s.annotate(made("d", annotated(unique("note"), wrote("filer", "a"))))
	together(10, func(i int) {
		_, err := client.Call[json.RawMessage](s.ctx, s.keyed, addPermissions, granting("ann", resource("document", "d", role([]string{"viewer", "editor"}[i%2]))))
		fine(t, err)
	})
	require.Contains(t, []string{"viewer organizationPrivate", "editor organizationPrivate"}, s.permitted("ann", nil, []string{"d"}).Documents["d"].String())
	s.takes("ann", resource("document", "d"))
	require.Equal(t, "permission_denied organizationPrivate", s.permitted("ann", nil, []string{"d"}).Documents["d"].String(), "there was one")
}

// Nothing runs when a grant ends: it is as if absent from that instant on. How long
// it lasts follows from how long the first call needs.
func TestPermissionsAdd_3_AGrantEndsByItself(t *testing.T) {
	s := begin(t)
	s.private()
	s.annotate(made("d", annotated(unique("note"), wrote("filer", "a"))))
	for lasts := time.Second; ; lasts *= 2 {
		require.Less(t, lasts, patience)
		s.grants("ann", resource("document", "d", map[string]any{"expiresAt": time.Now().Add(lasts).UnixMilli()}))
		if s.mayWrite("ann", "d") {
			break
		}
	}
	eventually(t, "the grant ends", func() bool { return !s.mayWrite("ann", "d") })
	require.Equal(t, permission{AccessType: new("organizationPrivate"), ErrorCode: "permission_denied"}, s.permitted("ann", nil, []string{"d"}).Documents["d"])
}

func TestPermissionsGet_4_WhatInheritsShowsTheInheritedType(t *testing.T) {
	s := begin(t)
	s.folders("a", "b in a")
	s.setAccess([]string{"a"}, map[string]any{"accessType": "organizationPrivate"})
	s.setAccess([]string{"b"}, map[string]any{"accessType": "public"})
	require.Equal(t, "editor public", s.inFolder("ann", "b"))
	s.setAccess([]string{"b"}, map[string]any{"inheritFromParent": true})
	require.Equal(t, "permission_denied organizationPrivate", s.inFolder("ann", "b"))
}

func TestPermissions_5_OfAnotherWorkspace(t *testing.T) {
	s := begin(t)
	s.folders("f")
	s.annotate(made("d", annotated(unique("note"), wrote("ann", "a"))))
	stranger := s.elsewhere()
	none := permission{ErrorCode: "does_not_exist"}
	require.Equal(t, permissions{
		Organization: map[string]permission{"acme": none}, Folders: map[string]permission{"f": none}, Documents: map[string]permission{"d": none},
	}, stranger.permitted("ann", []string{"f"}, []string{"d"}))
	stranger.folders("mine")
	require.Equal(t, none, stranger.permitted("ann", []string{"f"}, nil).Folders["f"], "of an organization with that id")
	require.Equal(t, "NOT_FOUND", stranger.refused(addPermissions, granting("ann", resource("folder", "f"))).Status)
	s.grants("eve", resource("folder", "f", role("viewer")))
	stranger.takes("eve", resource("folder", "f"))
	require.Equal(t, "viewer public", s.inFolder("eve", "f"))
}

// A grant on a former parent reaches a folder no more once it was moved.
func TestFolders_7_GrantsOfTheOldParent(t *testing.T) {
	s := begin(t)
	s.private()
	s.folders("old", "new", "f in old", "g in f")
	s.grants("ann", resource("folder", "old"))
	s.grants("bob", resource("folder", "new", role("viewer")))
	require.Equal(t, "editor organizationPrivate", s.inFolder("ann", "g"))
	require.Empty(t, s.changeFolder("f", under("new")))
	require.Equal(t, "permission_denied organizationPrivate", s.inFolder("ann", "g"))
	require.Equal(t, "viewer organizationPrivate", s.inFolder("bob", "g"))
	s.call(deleteFolder, acmeWith("folderId", "new"), nil)
	s.folders("new", "g in new")
	require.Equal(t, "permission_denied organizationPrivate", s.inFolder("bob", "g"), "no old grant comes back")
}

// The rows of the table of access that need no document, by folders.
func TestAccess_TheRowsOfTheTableForFolders(t *testing.T) {
	s := begin(t)
	s.folders("a", "f in a", "g in f")
	for user, at := range map[string]any{
		"org editor": resource("organization", "acme"), "org viewer": resource("organization", "acme", role("viewer")),
		"above": resource("folder", "a"), "on": resource("folder", "f", role("viewer")), "below": resource("folder", "g"),
	} {
		s.grants(user, at)
	}
	s.grants("both", resource("organization", "acme"), resource("folder", "f", role("viewer")))
	all := func(access string, want map[string]string) {
		t.Helper()
		for user, role := range want {
			require.Equal(t, role+" "+access, s.inFolder(user, "g"), user)
		}
	}
	all("public", map[string]string{"nobody": "editor", "org viewer": "viewer", "both": "viewer", "below": "editor"}) // 1 to 3
	s.setAccess([]string{"a"}, map[string]any{"accessType": "organizationPrivate"})
	all("organizationPrivate", map[string]string{
		"nobody": "permission_denied", "org editor": "editor", "org viewer": "viewer", "above": "editor", "on": "viewer", "both": "viewer",
	}) // 4 to 7
	s.setAccess([]string{"f"}, map[string]any{"accessType": "restricted"})
	all("restricted", map[string]string{
		"nobody": "permission_denied", "org editor": "permission_denied", "above": "permission_denied", "on": "viewer", "below": "editor", "both": "viewer",
	}) // 10 and 11
	s.call(updateSettings, map[string]any{"defaultDocumentAccessType": "restricted"}, nil)
	s.folders("closed")
	s.grants("on", resource("folder", "closed"))
	require.Equal(t, []string{"permission_denied restricted", "editor restricted", "viewer restricted", "editor restricted"}, []string{
		s.inFolder("nobody", "closed"), s.inFolder("org editor", "closed"), s.inFolder("org viewer", "closed"), s.inFolder("on", "closed"),
	}, "12")
}
