package webhook

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestEndpointsGet_1to5_AListThatIsWalkedBothWays(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	var want []string
	for range 7 {
		want = append([]string{kit.Endpoint(env, kit.Somewhere).ID}, want...)
	}
	first := kit.Endpoints(env, map[string]any{"limit": 3})
	require.Equal(t, want[:3], kit.IDsOf(first), "newest first")
	require.True(t, first.PrevIterator == nil && !first.Done)
	env.Call(client.DeleteEndpoint, kit.Of(want[4]), nil)
	newest := kit.Endpoint(env, kit.Somewhere).ID
	second := kit.Endpoints(env, map[string]any{"limit": 3, "iterator": *first.Iterator})
	require.Equal(t, []string{want[3], want[5], want[6]}, kit.IDsOf(second), "deleted ones never show, new ones move nothing")
	require.True(t, second.Done && second.Iterator == nil)
	before := kit.Endpoints(env, map[string]any{"limit": 3, "iterator": *second.PrevIterator})
	require.Equal(t, want[:3], kit.IDsOf(before), "the page before in the same order")
	require.NotNil(t, before.PrevIterator)
	top := kit.Endpoints(env, map[string]any{"limit": 3, "iterator": *before.PrevIterator})
	require.Equal(t, []string{newest}, kit.IDsOf(top))
	require.Nil(t, top.PrevIterator)
	require.False(t, top.Done)

	for _, damaged := range []any{*first.Iterator + "x", "nonsense", "", 7} {
		failure := env.RefusedAs("INVALID_ARGUMENT", client.ListEndpoints, map[string]any{"iterator": damaged})
		require.Equal(t, []string{"iterator"}, failure.Issues[0].Path)
	}
	other := kit.Hooked(kit.Elsewhere(env))
	other.RefusedAs("INVALID_ARGUMENT", client.ListEndpoints, map[string]any{"iterator": *first.Iterator})
	for _, limit := range []any{0, 251, "10"} {
		env.RefusedAs("INVALID_ARGUMENT", client.ListEndpoints, map[string]any{"limit": limit})
	}
}

// Every change of what belongs to the workspace leaves a row, and so does every
// look at a secret; other reads leave none.
func TestAudit_WebhooksSettingsAndMails(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	made := kit.Endpoint(env, kit.Somewhere)
	kit.Change(env, made.ID, map[string]any{"description": "x", "rateLimit": 5})
	kit.SecretOf(env, made.ID)
	kit.Rotate(env, made.ID)
	resend(env, kit.Try(env, made.ID, "webhook.test"), made.ID)
	kit.Recover(env, made.ID, time.Now())
	kit.Endpoints(env, map[string]any{})
	kit.Attempts(env, kit.Of(made.ID))
	kit.Hooks(env)
	env.Call(client.DeleteEndpoint, kit.Of(made.ID), nil)
	env.Call(client.UpdateSettings, map[string]any{"requireAutoOrgUser": true, "enablePrivateComments": false}, nil)
	kit.Settings(env)
	env.Call(client.UpdateEmails, map[string]any{"emailServiceConfig": map[string]any{"host": "mail.example.com", "username": "desk", "password": "secret"}}, nil)
	kit.Emails(env)
	type line struct{ actor, operation, target, fields, outcome string }
	var got []line
	for _, row := range kit.Audited(t, kit.Operate(t, "audit", "--json", "--workspace", env.Workspace.ID)) {
		if operation, found := strings.CutPrefix(row.Operation, "/v2/workspace/"); found && row.Actor == env.Workspace.APIKey {
			got = append([]line{{row.Actor, operation, row.TargetID, strings.Join(row.ChangedFields, ","), row.Outcome}}, got...)
		}
	}
	key, id := env.Workspace.APIKey, env.Workspace.ID
	require.Equal(t, []line{
		{key, "advancedwebhookconfig/update", id, "isEnabled", "success"},
		{key, "advancedwebhook/endpoints/create", made.ID, "endpoint,secret", "success"},
		{key, "advancedwebhook/endpoints/update", made.ID, "description,rateLimit", "success"},
		{key, "advancedwebhook/endpoints/secret/get", made.ID, "", "success"},
		{key, "advancedwebhook/endpoints/secret/rotate", made.ID, "secret", "success"},
		{key, "advancedwebhook/endpoints/test", made.ID, "test", "success"},
		{key, "advancedwebhook/messages/resend", made.ID, "resend", "success"},
		{key, "advancedwebhook/endpoints/recover", made.ID, "recovery", "success"},
		{key, "advancedwebhook/endpoints/delete", made.ID, "endpoint,secret", "success"},
		{key, "apikeyconfig/update", id, "enablePrivateComments,requireAutoOrgUser", "success"},
		{key, "emailconfig/update", id, "emailServiceConfig.host,emailServiceConfig.username,emailServiceConfig.password", "success"},
	}, got)
}
