package kit

import (
	"maps"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

// PermissionText returns the role, or why there is none, and the type of access.
func PermissionText(p redline.Permission) string {
	first, second := string(p.ErrorCode), "none"
	if p.AccessRole != nil {
		first = string(*p.AccessRole)
	}
	if p.AccessType != nil {
		second = string(*p.AccessType)
	}
	return first + " " + second
}

// Resource returns a resource of acme, or acme itself, with more fields.
func Resource(kind, id string, more ...map[string]any) map[string]any {
	r := map[string]any{"type": kind, "id": id}
	if kind != "organization" {
		r["organizationId"] = "acme"
	}
	for _, fields := range more {
		maps.Copy(r, fields)
	}
	return r
}

// Granting returns a call that grants a user permissions on resources.
func Granting(user string, resources ...any) map[string]any {
	return map[string]any{"user": map[string]any{"userId": user}, "permissions": map[string]any{"resources": resources}}
}

// Removing returns a call that removes permissions on resources from a user.
func Removing(user string, resources ...any) map[string]any {
	return map[string]any{"userId": user, "permissions": map[string]any{"resources": resources}}
}

// Grant grants a user permissions on resources, which has to succeed.
func Grant(env *Env, user string, resources ...any) {
	env.T.Helper()
	var answer map[string]any
	env.Call(client.AddPermissions, Granting(user, resources...), &answer)
	require.NotContains(env.T, answer, "data")
	require.Equal(env.T, "success", answer["status"])
}

// Takes removes permissions on resources from a user, which has to succeed.
func Takes(env *Env, user string, resources ...any) {
	env.T.Helper()
	var answer map[string]any
	env.Call(client.RemovePermissions, Removing(user, resources...), &answer)
	require.NotContains(env.T, answer, "data")
	require.Equal(env.T, "success", answer["status"])
}

// Permitted returns what one user may do in acme, and with folders and documents.
func Permitted(env *Env, user string, folderIDs, documentIDs []string) redline.UserPermissions {
	env.T.Helper()
	data := AcmeWith("userIds", []string{user, user}, map[string]any{"folderIds": folderIDs, "documentIds": documentIDs})
	var found redline.UserPermissionsByIDResult
	env.Call(client.GetPermissions, data, &found)
	require.Len(env.T, found.Data, 1)
	return found.Data[user]
}

// Private makes what is added from now on private to its organization.
func Private(env *Env) {
	env.T.Helper()
	env.Call(client.UpdateSettings, map[string]any{"defaultDocumentAccessType": "organizationPrivate"}, nil)
}

// Role returns the fields of a resource that grant a role.
func Role(role string) map[string]any { return map[string]any{"accessRole": role} }
