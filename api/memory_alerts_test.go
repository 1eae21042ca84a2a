package api_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestAlertConfig_IsMergedAndChecked(t *testing.T) {
	env := newWorkspace(t)
	state := func(operation string, data map[string]any) string {
		found, err := client.Call[json.RawMessage](env.Ctx, env.Keyed, operation, data)
		require.NoError(t, err)
		return string(found)
	}
	of := func(fields map[string]any) map[string]any { return map[string]any{"config": fields} }
	require.JSONEq(t, `{"enabled":true,"maxAlertsPerWeek":3,"enabledAlertTypes":["standards_drift","anomaly","emerging_standard"],"severityThreshold":"low"}`,
		state(client.GetAlertConfig, map[string]any{}))
	state(client.UpdateAlertConfig, of(map[string]any{"maxAlertsPerWeek": 0, "enabledAlertTypes": []string{"anomaly", "configuration_drift"}}))
	after := state(client.UpdateAlertConfig, of(map[string]any{"severityThreshold": "high"}))
	require.JSONEq(t, `{"enabled":true,"maxAlertsPerWeek":0,"enabledAlertTypes":["anomaly","configuration_drift"],"severityThreshold":"high"}`, after)
	for field, wrong := range map[string][]any{
		"enabled": {nil, 1}, "maxAlertsPerWeek": {nil, -1, 51}, "enabledAlertTypes": {nil, []string{"drift"}}, "severityThreshold": {nil, "grave"},
	} {
		for _, value := range wrong {
			path := env.RefusedAs("INVALID_ARGUMENT", client.UpdateAlertConfig, of(map[string]any{field: value})).Issues[0].Path
			require.Equal(t, []string{"config", field}, path[:2])
		}
	}
	require.Equal(t, "config", refusedAt(env, "required", client.UpdateAlertConfig, of(map[string]any{})))
	require.JSONEq(t, after, state(client.GetAlertConfig, map[string]any{}))
}

func TestConsolidation_OnceInTenMinutesAndNotWithoutAChange(t *testing.T) {
	env := newWorkspace(t)
	trigger := func(env *kit.Env, data map[string]any) redline.Consolidation {
		begun, err := client.Call[redline.Consolidation](env.Ctx, env.Keyed, client.TriggerConsolidation, data)
		require.NoError(t, err)
		return begun
	}
	for range 2 {
		require.Equal(t, redline.Consolidation{Status: redline.ConsolidationStatusUnchanged}, trigger(env, map[string]any{}), "there is no judgment")
	}
	force := map[string]any{"force": true}
	require.Equal(t, redline.ConsolidationStatusScheduled, trigger(env, force).Status)
	refused := env.RefusedAs("RESOURCE_EXHAUSTED", client.TriggerConsolidation, force)
	require.Equal(t, redline.ErrorDetailsReasonConsolidationRecent, refused.Reason)
	require.Greater(t, refused.RetryAfter, 9*time.Minute)
	require.Equal(t, redline.ConsolidationStatusScheduled, trigger(kit.Elsewhere(env), force).Status, "another workspace's is none of it")
}
