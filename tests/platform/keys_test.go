package platform

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

func TestKeyCreate_5_ProductionNeedsThePlanOnlyWhenItIsMade(t *testing.T) {
	env := kit.NewWorkspace(t)
	production := map[string]any{"ownerEmail": "a@example.com", "type": "production"}
	kit.Declined(t, env.Owner, client.CreateKey, production, "FAILED_PRECONDITION", "plan-required")
	kit.Operate(t, "workspace", "set-plan", env.Workspace.ID, "paid")
	made := kit.NewKey(env, map[string]any{"type": "production"})
	kit.Operate(t, "workspace", "set-plan", env.Workspace.ID, "free")
	require.True(t, kit.Opens(t, kit.KeySession(env.Keyed, made.APIKey, *made.AuthToken)))
	kit.Declined(t, env.Owner, client.CreateKey, production, "FAILED_PRECONDITION", "plan-required")
	for _, key := range kit.Asked[kit.WorkspaceView](t, env.Owner, client.GetWorkspace, map[string]any{}).Keys(t) {
		if key.ID == made.APIKey {
			require.Equal(t, "Desk Production API Key", key.APIKeyName)
			require.Equal(t, redline.APIKeyTypeProduction, key.Type)
		}
	}
}

func TestKeyCreate_6_QuotaUnderAHundredParallelCalls(t *testing.T) {
	env := kit.NewWorkspace(t)
	kit.Operate(t, "workspace", "set-plan", env.Workspace.ID, "paid")
	for _, kind := range []struct {
		name string
		most int
	}{{"testing", 49}, {"production", 10}} {
		var mu sync.Mutex
		outcomes := map[string]int{}
		kit.Concurrently(100, func(int) {
			_, err := client.Call[json.RawMessage](t.Context(), env.Owner, client.CreateKey, map[string]any{"ownerEmail": "a@example.com", "type": kind.name})
			mu.Lock()
			defer mu.Unlock()
			if failure := redline.AsError(err); failure != nil {
				outcomes[string(redline.ErrorDetailsReason(failure.Status+" ")+failure.Reason)]++
				return
			}
			assert.NoError(t, err)
			outcomes["OK"]++
		})
		require.Equal(t, map[string]int{"OK": kind.most, "RESOURCE_EXHAUSTED key-quota": 100 - kind.most}, outcomes, kind.name)
	}
}

func TestKeyUpdate_1to4(t *testing.T) {
	env := kit.NewWorkspace(t)
	other := kit.Elsewhere(env)
	key := env.Workspace.APIKey
	rename := func(apiKey, name string) map[string]any { return map[string]any{"apiKey": apiKey, "apiKeyName": name} }
	kit.Declined(t, env.Owner, client.UpdateKey, rename(other.Workspace.APIKey, "mine now"), "NOT_FOUND", "")
	for _, bad := range []any{"", "  ", strings.Repeat("x", 201), nil} {
		kit.Declined(t, env.Owner, client.UpdateKey, map[string]any{"apiKey": key, "apiKeyName": bad}, "INVALID_ARGUMENT", "")
	}
	before := kit.Tokens(env, key)
	second := kit.NewKey(env, map[string]any{"apiKeyName": "Desk"})
	reply, err := env.Owner.Send(t.Context(), "/v2/"+client.UpdateKey, fmt.Appendf(nil, `{"data":{"apiKey":%q,"apiKeyName":"Desk"}}`, key), nil)
	require.NoError(t, err)
	require.Regexp(t, `"data":null`, string(reply.Body))
	for _, seen := range kit.Asked[kit.WorkspaceView](t, env.Owner, client.GetWorkspace, map[string]any{}).Keys(t) {
		require.Equal(t, "Desk", seen.APIKeyName, "two keys may share a name")
	}
	for _, seen := range kit.Asked[[]redline.APIKey](t, env.Owner, client.ListKeys, map[string]any{"apiKeys": []string{key, second.APIKey}}) {
		require.Equal(t, "Desk", seen.APIKeyName)
	}
	require.Equal(t, before, kit.Tokens(env, key))
	require.True(t, kit.Opens(t, env.Keyed))
}

func TestKeysGet_4_AHundredKeysAreOnePage(t *testing.T) {
	env := kit.NewWorkspace(t)
	kit.Operate(t, "limits", "set", env.Workspace.ID, "keys-testing", "100")
	for range 99 {
		kit.NewKey(env, map[string]any{"createAuthToken": false})
	}
	page := kit.ListKeyPage(env, map[string]any{})
	require.Len(t, page.Data, 100)
	require.Empty(t, page.NextPageToken)
	kit.Declined(t, env.Owner, client.CreateKey, map[string]any{"ownerEmail": "a@example.com", "type": "testing"}, "RESOURCE_EXHAUSTED", "key-quota")
}

func TestAuthTokenReset_5_RunningWorkGoesOn(t *testing.T) {
	env := kit.NewWorkspace(t)
	r := kit.Dispatch(env, kit.SignOff(env), kit.WithReceiver(env, "/events"))
	step := r.WaitsAt("review")
	source := kit.Ingest(env, "Invoices are paid within thirty days.")
	fresh := kit.Reset(env, env.Workspace.APIKey)
	env.Keyed = kit.KeySession(env.Keyed, env.Workspace.APIKey, fresh.Token)
	env.Workspace.Keyed = env.Keyed
	env.Call(client.RecordDecision, map[string]any{
		"executionId": r.ID, "stepId": step.StepID, "reviewerId": "ann", "decision": "approve",
	}, nil)
	r.Ends("completed")
	env.Arrived("/events", func(got []receiver.Request) bool { return len(got) >= len(r.Events()) })
	kit.BroughtIn(env, source, "completed")
}
