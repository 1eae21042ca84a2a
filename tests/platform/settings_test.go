package platform

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestSettings_DefaultsAndChanges(t *testing.T) {
	env := kit.NewWorkspace(t)
	fresh := kit.Settings(env)
	require.Equal(t, []any{"free", "public", true, false, true},
		[]any{fresh.PlanInfo.Type, fresh.DefaultAccess, fresh.PrivateComments, fresh.AutoMembers, fresh.AdvancedQueries})
	require.Contains(t, fresh.OwnerEmail, "@")
	var after client.Wrapped[kit.SettingsView]
	env.Call(client.UpdateSettings, map[string]any{"defaultDocumentAccessType": "restricted", "enablePrivateComments": false}, &after)
	require.Equal(t, after.Data, kit.Settings(env))
	require.Equal(t, []any{"restricted", false, true}, []any{after.Data.DefaultAccess, after.Data.PrivateComments, after.Data.AdvancedQueries})
}

func TestSettingsGet_1_APlanChangeShowsAtOnce(t *testing.T) {
	env := kit.NewWorkspace(t)
	for _, plan := range []string{"paid", "free", "paid"} {
		kit.Operate(t, "workspace", "set-plan", env.Workspace.ID, plan)
		require.Equal(t, plan, kit.Settings(env).PlanInfo.Type)
	}
}
