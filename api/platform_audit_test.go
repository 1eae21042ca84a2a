package api_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// audited returns what the trail of the workspace has of an operation, oldest first: who did what to which thing.
func audited(env *kit.Env, operation string) []string {
	env.T.Helper()
	var lines []string
	for _, row := range operate(env).Audits(env.Workspace.ID, "/v2/"+operation) {
		lines = append(lines, strings.Join([]string{row.Actor, row.TargetID, strings.Join(row.ChangedFields, ","), row.Outcome}, " "))
	}
	slices.Reverse(lines)
	return lines
}

// requireUnaudited requires that the trail holds none of these values, whatever the column.
func requireUnaudited(env *kit.Env, values ...string) {
	env.T.Helper()
	for _, value := range values {
		var n int
		require.NoError(env.T, env.DB().QueryRow(env.Ctx, `SELECT count(*) FROM audit_rows r WHERE workspace_id = $1 AND position($2 IN r::text) > 0`,
			env.Workspace.ID, value).Scan(&n))
		require.Zero(env.T, n, value)
	}
}

func TestAudit_SettingsByTheNamesOfWhatChanges(t *testing.T) {
	env := newWorkspace(t)
	const activities, notifications = "activityServiceConfig", "notificationServiceConfig"
	line := env.Workspace.APIKey + " " + env.Workspace.ID + " "
	setting(env, client.UpdateActivitySettings, in(map[string]any{"isEnabled": false, "immutable": false, "triggers": map[string]any{"comment.add": false}}, activities))
	setting(env, client.UpdateActivitySettings, in(true, activities, "triggers", "comment.add"))
	env.RefusedAs("INVALID_ARGUMENT", client.UpdateActivitySettings, in(nil, activities, "isEnabled"))
	setting(env, client.UpdateNotificationSettings, in(map[string]any{"isEnabled": true, "delaySeconds": 7654321}, notifications, "delayConfig"))
	setting(env, client.UpdateNotificationSettings, map[string]any{"useNotificationService": false, notifications: map[string]any{
		"triggers": map[string]any{"mention": false}, "batchConfig": map[string]any{"document": map[string]any{"maxActivities": 7}, "user": map[string]any{"batchWindowSeconds": 604799}},
	}})
	env.RefusedAs("INVALID_ARGUMENT", client.UpdateNotificationSettings, in(9, notifications, "delayConfig", "delaySeconds"))
	require.Equal(t, []string{
		line + "activityServiceConfig.isEnabled,activityServiceConfig.immutable,activityServiceConfig.triggers success",
		line + "activityServiceConfig.triggers success",
	}, audited(env, client.UpdateActivitySettings), "what is refused changes nothing")
	require.Equal(t, []string{
		line + "notificationServiceConfig.delayConfig.isEnabled,notificationServiceConfig.delayConfig.delaySeconds success",
		line + "useNotificationService,notificationServiceConfig.triggers,notificationServiceConfig.batchConfig.document,notificationServiceConfig.batchConfig.user success",
	}, audited(env, client.UpdateNotificationSettings))
	requireUnaudited(env, "7654321", "604799", "comment.add", "mention")
}

func TestAudit_CopiesOfKeysAndTokensThatAreMadeOrShown(t *testing.T) {
	env := newWorkspace(t)
	id, none := env.Workspace.ID, map[string]any{"createAuthToken": false}
	source := kit.NewKey(env, map[string]any{"allowedDomains": []string{"copied.test"}}).APIKey
	target := kit.NewKey(env, none).APIKey
	kit.Asked[map[string]any](t, env.Owner, client.CopyKey, map[string]any{"sourceApiKey": source, "targetApiKey": target})
	kit.Declined(t, env.Owner, client.CopyKey, map[string]any{"sourceApiKey": kit.Elsewhere(env).Workspace.APIKey, "targetApiKey": target}, "NOT_FOUND", "")
	require.Equal(t, []string{id + " " + target + " allowedDomains success"}, audited(env, client.CopyKey))

	ensured := func(data map[string]any) string {
		return kit.Asked[redline.EnsuredAuthToken](t, env.Owner, client.EnsureToken, data).AuthToken
	}
	token := ensured(map[string]any{"apiKey": target})
	require.Equal(t, token, ensured(map[string]any{"apiKey": target}))
	own := ensured(map[string]any{})
	require.Equal(t, []string{id + " " + target + " authToken success", id + " " + target + "  success", id + " " + id + "  success"},
		audited(env, client.EnsureToken), "made once, then shown")
	requireUnaudited(env, "copied.test", token, own)
}
