package api_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// inFolder is what a user may do with a folder of acme.
func inFolder(env *kit.Env, user, folderID string) string {
	env.T.Helper()
	return kit.PermissionText(kit.Permitted(env, user, []string{folderID}, nil).Folders[folderID])
}

func TestPermissionsAddAndRemove(t *testing.T) {
	env := newWorkspace(t)
	kit.Private(env)
	kit.Folders(env, "f", "g in f")
	kit.Annotate(env, kit.Made("d", kit.Annotated(kit.Unique("note"), kit.Wrote("filer", "a"))))
	require.False(t, kit.MayWrite(env, "ann", "d"))
	kit.Grant(env, "ann", kit.Resource("document", "d"), kit.Resource("folder", "f", kit.Role("viewer")))
	require.True(t, kit.MayWrite(env, "ann", "d"))
	found := kit.Permitted(env, "ann", []string{"g", "f", "unknown"}, []string{"d", "unknown"})
	require.Equal(t, map[string]redline.Permission{"acme": {AccessType: new(redline.PermissionAccessTypeOrganizationPrivate), ErrorCode: "permission_denied"}}, found.Organization)
	viewer := redline.Permission{AccessRole: new(redline.PermissionAccessRoleViewer), AccessType: new(redline.PermissionAccessTypeOrganizationPrivate)}
	none := redline.Permission{ErrorCode: "does_not_exist"}
	require.Equal(t, map[string]redline.Permission{"g": viewer, "f": viewer, "unknown": none}, found.Folders)
	require.Equal(t, map[string]redline.Permission{"d": {AccessRole: new(redline.PermissionAccessRoleEditor), AccessType: new(redline.PermissionAccessTypeOrganizationPrivate)}, "unknown": none}, found.Documents)
	require.True(t, member(env, "acme", "ann"), "a profile was made")
	require.Equal(t, redline.ItemCodeNotMember, kit.Items(env, client.UpdateUsers, kit.Acme(nil, map[string]any{"userId": "ann", "accessRole": "viewer"}))["ann"].Code)

	kit.Takes(env, "ann", kit.Resource("document", "d"), kit.Resource("organization", "acme"), kit.Resource("folder", "unknown"), kit.Resource("document", "x", map[string]any{"organizationId": "unknown"}))
	require.False(t, kit.MayWrite(env, "ann", "d"))
	require.Equal(t, "viewer organizationPrivate", inFolder(env, "ann", "f"))
	kit.Takes(env, "ann", kit.Resource("folder", "f"))
	require.Equal(t, "permission_denied organizationPrivate", inFolder(env, "ann", "g"))
	kit.Takes(env, "nobody", kit.Resource("folder", "f"))
	require.False(t, member(env, "acme", "nobody"), "removal makes no profile")
	empty := kit.Permitted(env, "ann", nil, nil)
	require.Equal(t, []any{map[string]redline.Permission{}, map[string]redline.Permission{}}, []any{empty.Folders, empty.Documents})
}

func TestPermissionsAdd_OnSeveralOrganizations(t *testing.T) {
	env := newWorkspace(t)
	kit.Private(env)
	for _, id := range []string{"acme", "other"} {
		kit.Items(env, client.AddUsers, map[string]any{"organizationId": id, "users": kit.Users("member")})
		kit.Items(env, client.AddUsers, map[string]any{"organizationId": id, "folderId": "f", "createFolder": true, "users": kit.Users("member")})
	}
	elsewhere := map[string]any{"organizationId": "other"}
	kit.Grant(env, "ann", kit.Resource("organization", "other"), kit.Resource("folder", "f", kit.Role("viewer")), kit.Resource("folder", "f", elsewhere), kit.Resource("folder", "f"))
	require.Equal(t, "editor organizationPrivate", inFolder(env, "ann", "f"), "the last one of a resource counts")
	require.Equal(t, "permission_denied organizationPrivate", kit.PermissionText(kit.Permitted(env, "ann", nil, nil).Organization["acme"]))
	var found redline.UserPermissionsByIDResult
	env.Call(client.GetPermissions, map[string]any{"organizationId": "other", "userIds": []string{"ann", "member", "eve"}, "folderIds": []string{"f"}}, &found)
	require.Equal(t, []string{"editor organizationPrivate", "editor organizationPrivate", "permission_denied organizationPrivate"}, []string{
		kit.PermissionText(found.Data["ann"].Organization["other"]), kit.PermissionText(found.Data["member"].Folders["f"]), kit.PermissionText(found.Data["eve"].Folders["f"]),
	})
}

func TestPermissions_Refusals(t *testing.T) {
	env := newWorkspace(t)
	kit.Private(env)
	kit.Folders(env, "f")
	missing := func(kind, id string, data map[string]any) {
		require.Equal(t, map[string]any{"reason": "not-found", "resource": kind, "id": id}, kit.Details(env, client.AddPermissions, data))
		require.Equal(t, "permission_denied organizationPrivate", inFolder(env, "ann", "f"), "nothing was granted")
		require.False(t, member(env, "acme", "ann"))
	}
	missing("folder", "g", kit.Granting("ann", kit.Resource("folder", "f"), kit.Resource("folder", "g")))
	missing("folder", "root", kit.Granting("ann", kit.Resource("folder", "f"), kit.Resource("folder", "root")))
	missing("document", "f", kit.Granting("ann", kit.Resource("folder", "f"), kit.Resource("document", "f")))
	missing("organization", "other", kit.Granting("ann", kit.Resource("folder", "f"), kit.Resource("organization", "other")))
	missing("organization", "other", kit.Granting("ann", kit.Resource("folder", "f"), kit.Resource("folder", "f", map[string]any{"organizationId": "other"})))
	seconds := map[string]any{"expiresAt": time.Now().Add(time.Hour).Unix()}
	refusal := env.RefusedAs("INVALID_ARGUMENT", client.AddPermissions, kit.Granting("ann", kit.Resource("folder", "f"), kit.Resource("folder", "f", seconds)))
	require.Equal(t, []string{"permissions", "resources", "1", "expiresAt"}, refusal.Issues[0].Path, "seconds are in the past")
	past := map[string]any{"expiresAt": time.Now().UnixMilli()}
	many := make([]any, 101)
	for i := range many {
		many[i] = kit.Resource("folder", fmt.Sprint("f", i))
	}
	for name, data := range map[string]map[string]any{
		"the past": kit.Granting("ann", kit.Resource("folder", "f", past)), "far away": kit.Granting("ann", kit.Resource("folder", "f", map[string]any{"expiresAt": int64(253402300800000)})),
		"no number": kit.Granting("ann", kit.Resource("folder", "f", map[string]any{"expiresAt": "soon"})), "none": kit.Granting("ann"), "too many": kit.Granting("ann", many...),
		"a role": kit.Granting("ann", kit.Resource("folder", "f", kit.Role("owner"))), "a type": kit.Granting("ann", kit.Resource("group", "f")),
		"no organization": kit.Granting("ann", kit.Resource("folder", "f", map[string]any{"organizationId": nil})), "no user": kit.Granting("", kit.Resource("folder", "f")),
		"two organizations": kit.Granting("ann", kit.Resource("organization", "acme", map[string]any{"organizationId": "other"})),
	} {
		require.Equal(t, redline.ProblemStatusInvalidArgument, env.Refused(client.AddPermissions, data).Status, name)
	}
	for name, data := range map[string]map[string]any{
		"none": kit.Removing("ann"), "too many": kit.Removing("ann", many...), "no user": kit.Removing("", kit.Resource("folder", "f")),
		"no organization": kit.Removing("ann", map[string]any{"type": "document", "id": "d"}),
	} {
		require.Equal(t, redline.ProblemStatusInvalidArgument, env.Refused(client.RemovePermissions, data).Status, name)
	}
	ids := make([]string, 31)
	for i := range ids {
		ids[i] = fmt.Sprint("x", i)
	}
	for _, data := range []map[string]any{kit.AcmeWith("userIds", ids), kit.AcmeWith("userIds", []string{}), kit.AcmeWith("userIds", ids[:1], map[string]any{"folderIds": ids})} {
		env.RefusedAs("INVALID_ARGUMENT", client.GetPermissions, data)
	}
}

func TestPermissionsAdd_1_TheLaterRoleHolds(t *testing.T) {
	env := newWorkspace(t)
	kit.Private(env)
	kit.Folders(env, "f")
	hour, day := time.Now().Add(time.Hour).UnixMilli(), time.Now().Add(24*time.Hour).UnixMilli()
	kit.Grant(env, "ann", kit.Resource("folder", "f", map[string]any{"expiresAt": hour}))
	require.Equal(t, redline.Permission{AccessRole: new(redline.PermissionAccessRoleEditor), AccessType: new(redline.PermissionAccessTypeOrganizationPrivate), ExpiresAt: &hour}, kit.Permitted(env, "ann", []string{"f"}, nil).Folders["f"])
	kit.Grant(env, "ann", kit.Resource("folder", "f", kit.Role("viewer"), map[string]any{"expiresAt": day}))
	require.Equal(t, redline.Permission{AccessRole: new(redline.PermissionAccessRoleViewer), AccessType: new(redline.PermissionAccessTypeOrganizationPrivate), ExpiresAt: &day}, kit.Permitted(env, "ann", []string{"f"}, nil).Folders["f"])
	kit.Grant(env, "ann", kit.Resource("folder", "f", kit.Role("viewer")))
	require.Nil(t, kit.Permitted(env, "ann", []string{"f"}, nil).Folders["f"].ExpiresAt, "without an end")
	kit.Takes(env, "ann", kit.Resource("folder", "f"))
	require.Equal(t, "permission_denied organizationPrivate", inFolder(env, "ann", "f"), "there was one")
}

func TestPermissionsAdd_2_TwoAtOneMoment(t *testing.T) {
	env := newWorkspace(t)
	kit.Private(env)
	kit.Annotate(env, kit.Made("d", kit.Annotated(kit.Unique("note"), kit.Wrote("filer", "a"))))
	kit.Concurrently(10, func(i int) {
		_, err := client.Call[json.RawMessage](env.Ctx, env.Keyed, client.AddPermissions, kit.Granting("ann", kit.Resource("document", "d", kit.Role([]string{"viewer", "editor"}[i%2]))))
		kit.NoError(t, err)
	})
	require.Contains(t, []string{"viewer organizationPrivate", "editor organizationPrivate"}, kit.PermissionText(kit.Permitted(env, "ann", nil, []string{"d"}).Documents["d"]))
	kit.Takes(env, "ann", kit.Resource("document", "d"))
	require.Equal(t, "permission_denied organizationPrivate", kit.PermissionText(kit.Permitted(env, "ann", nil, []string{"d"}).Documents["d"]), "there was one")
}

// Nothing runs when a grant ends: it is as if absent from that instant on. How long
// it lasts follows from how long the first call needs.
func TestPermissionsAdd_3_AGrantEndsByItself(t *testing.T) {
	env := newWorkspace(t)
	kit.Private(env)
	kit.Annotate(env, kit.Made("d", kit.Annotated(kit.Unique("note"), kit.Wrote("filer", "a"))))
	for lasts := time.Second; ; lasts *= 2 {
		require.Less(t, lasts, kit.Patience)
		kit.Grant(env, "ann", kit.Resource("document", "d", map[string]any{"expiresAt": time.Now().Add(lasts).UnixMilli()}))
		if kit.MayWrite(env, "ann", "d") {
			break
		}
	}
	kit.RequireEventually(t, "the grant ends", func() bool { return !kit.MayWrite(env, "ann", "d") })
	require.Equal(t, redline.Permission{AccessType: new(redline.PermissionAccessTypeOrganizationPrivate), ErrorCode: "permission_denied"}, kit.Permitted(env, "ann", nil, []string{"d"}).Documents["d"])
}

func TestPermissionsGet_4_WhatInheritsShowsTheInheritedType(t *testing.T) {
	env := newWorkspace(t)
	kit.Folders(env, "a", "b in a")
	kit.SetAccess(env, []string{"a"}, map[string]any{"accessType": "organizationPrivate"})
	kit.SetAccess(env, []string{"b"}, map[string]any{"accessType": "public"})
	require.Equal(t, "editor public", inFolder(env, "ann", "b"))
	kit.SetAccess(env, []string{"b"}, map[string]any{"inheritFromParent": true})
	require.Equal(t, "permission_denied organizationPrivate", inFolder(env, "ann", "b"))
}

func TestPermissions_5_OfAnotherWorkspace(t *testing.T) {
	env := newWorkspace(t)
	kit.Folders(env, "f")
	kit.Annotate(env, kit.Made("d", kit.Annotated(kit.Unique("note"), kit.Wrote("ann", "a"))))
	stranger := kit.Elsewhere(env)
	none := redline.Permission{ErrorCode: "does_not_exist"}
	require.Equal(t, redline.UserPermissions{
		Organization: map[string]redline.Permission{"acme": none}, Folders: map[string]redline.Permission{"f": none}, Documents: map[string]redline.Permission{"d": none},
	}, kit.Permitted(stranger, "ann", []string{"f"}, []string{"d"}))
	kit.Folders(stranger, "mine")
	require.Equal(t, none, kit.Permitted(stranger, "ann", []string{"f"}, nil).Folders["f"], "of an organization with that id")
	require.Equal(t, redline.ProblemStatusNotFound, stranger.Refused(client.AddPermissions, kit.Granting("ann", kit.Resource("folder", "f"))).Status)
	kit.Grant(env, "eve", kit.Resource("folder", "f", kit.Role("viewer")))
	kit.Takes(stranger, "eve", kit.Resource("folder", "f"))
	require.Equal(t, "viewer public", inFolder(env, "eve", "f"))
}

// A grant on a former parent reaches a folder no more once it was moved.
func TestFolders_7_GrantsOfTheOldParent(t *testing.T) {
	env := newWorkspace(t)
	kit.Private(env)
	kit.Folders(env, "old", "new", "f in old", "g in f")
	kit.Grant(env, "ann", kit.Resource("folder", "old"))
	kit.Grant(env, "bob", kit.Resource("folder", "new", kit.Role("viewer")))
	require.Equal(t, "editor organizationPrivate", inFolder(env, "ann", "g"))
	require.Empty(t, kit.ChangeFolder(env, "f", kit.Under("new")))
	require.Equal(t, "permission_denied organizationPrivate", inFolder(env, "ann", "g"))
	require.Equal(t, "viewer organizationPrivate", inFolder(env, "bob", "g"))
	env.Call(client.DeleteFolder, kit.AcmeWith("folderId", "new"), nil)
	kit.Folders(env, "new", "g in new")
	require.Equal(t, "permission_denied organizationPrivate", inFolder(env, "bob", "g"), "no old grant comes back")
}

// The rows of the table of access that need no document, by folders.
func TestAccess_TheRowsOfTheTableForFolders(t *testing.T) {
	env := newWorkspace(t)
	kit.Folders(env, "a", "f in a", "g in f")
	for user, at := range map[string]any{
		"org editor": kit.Resource("organization", "acme"), "org viewer": kit.Resource("organization", "acme", kit.Role("viewer")),
		"above": kit.Resource("folder", "a"), "on": kit.Resource("folder", "f", kit.Role("viewer")), "below": kit.Resource("folder", "g"),
	} {
		kit.Grant(env, user, at)
	}
	kit.Grant(env, "both", kit.Resource("organization", "acme"), kit.Resource("folder", "f", kit.Role("viewer")))
	all := func(access string, want map[string]string) {
		t.Helper()
		for user, role := range want {
			require.Equal(t, role+" "+access, inFolder(env, user, "g"), user)
		}
	}
	all("public", map[string]string{"nobody": "editor", "org viewer": "viewer", "both": "viewer", "below": "editor"}) // 1 to 3
	kit.SetAccess(env, []string{"a"}, map[string]any{"accessType": "organizationPrivate"})
	all("organizationPrivate", map[string]string{
		"nobody": "permission_denied", "org editor": "editor", "org viewer": "viewer", "above": "editor", "on": "viewer", "both": "viewer",
	}) // 4 to 7
	kit.SetAccess(env, []string{"f"}, map[string]any{"accessType": "restricted"})
	all("restricted", map[string]string{
		"nobody": "permission_denied", "org editor": "permission_denied", "above": "permission_denied", "on": "viewer", "below": "editor", "both": "viewer",
	}) // 10 and 11
	env.Call(client.UpdateSettings, map[string]any{"defaultDocumentAccessType": "restricted"}, nil)
	kit.Folders(env, "closed")
	kit.Grant(env, "on", kit.Resource("folder", "closed"))
	require.Equal(t, []string{"permission_denied restricted", "editor restricted", "viewer restricted", "editor restricted"}, []string{
		inFolder(env, "nobody", "closed"), inFolder(env, "org editor", "closed"), inFolder(env, "org viewer", "closed"), inFolder(env, "on", "closed"),
	}, "12")
}
