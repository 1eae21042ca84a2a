package platform

import (
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestSettings_DefaultsAndChanges(t *testing.T) {
	env := kit.NewWorkspace(t)
	fresh := kit.Settings(env)
	require.Equal(t, []any{redline.PlanInfoTypeFree, redline.SettingsDefaultDocumentAccessTypePublic, true, false, true},
		[]any{fresh.PlanInfo.Type, fresh.DefaultDocumentAccessType, fresh.IsPrivateCommentsEnabled, fresh.RequireAutoOrgUser, fresh.IsAdvancedQueriesEnabled})
	require.Contains(t, fresh.OwnerEmail, "@")
	var after redline.SettingsResult
	env.Call(client.UpdateSettings, map[string]any{"defaultDocumentAccessType": "restricted", "enablePrivateComments": false}, &after)
	require.Equal(t, after.Data, kit.Settings(env))
	require.Equal(t, []any{redline.SettingsDefaultDocumentAccessTypeRestricted, false, true}, []any{after.Data.DefaultDocumentAccessType, after.Data.IsPrivateCommentsEnabled, after.Data.IsAdvancedQueriesEnabled})
}

func TestSettingsGet_1_APlanChangeShowsAtOnce(t *testing.T) {
	env := kit.NewWorkspace(t)
	for _, plan := range []string{"paid", "free", "paid"} {
		kit.Operate(t, "workspace", "set-plan", env.Workspace.ID, plan)
		require.Equal(t, plan, string(kit.Settings(env).PlanInfo.Type))
	}
}
