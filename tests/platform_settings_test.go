package tests

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

type settingsView struct {
	OwnerEmail string `json:"ownerEmail"`
	PlanInfo   struct {
		Type string `json:"type"`
	} `json:"planInfo"`
	DefaultAccess   string `json:"defaultDocumentAccessType"`
	PrivateComments bool   `json:"isPrivateCommentsEnabled"`
	AutoMembers     bool   `json:"requireAutoOrgUser"`
	AdvancedQueries bool   `json:"isAdvancedQueriesEnabled"`
}

const (
	getSettings    = "workspace/apikeyconfig/get"
	updateSettings = "workspace/apikeyconfig/update"
)

func (s *scene) settings() settingsView {
	s.t.Helper()
	var found client.Wrapped[settingsView]
	s.call(getSettings, map[string]any{}, &found)
	require.Equal(s.t, "success", found.Status)
	return found.Data
}

func TestSettings_DefaultsAndChanges(t *testing.T) {
	s := begin(t)
	fresh := s.settings()
	require.Equal(t, []any{"free", "public", true, false, true},
		[]any{fresh.PlanInfo.Type, fresh.DefaultAccess, fresh.PrivateComments, fresh.AutoMembers, fresh.AdvancedQueries})
	require.Contains(t, fresh.OwnerEmail, "@")
	var after client.Wrapped[settingsView]
	s.call(updateSettings, map[string]any{"defaultDocumentAccessType": "restricted", "enablePrivateComments": false}, &after)
	require.Equal(t, after.Data, s.settings())
	require.Equal(t, []any{"restricted", false, true}, []any{after.Data.DefaultAccess, after.Data.PrivateComments, after.Data.AdvancedQueries})
}

// secondKey is another key of the workspace, labelled second@example.com.
func (s *scene) secondKey() *client.Session {
	t := s.t
	t.Helper()
	var key client.Wrapped[struct {
		APIKey    string `json:"apiKey"`
		AuthToken string `json:"authToken"`
	}]
	raw, err := client.Call[json.RawMessage](s.ctx, s.owner, "workspace/apikey/create",
		map[string]any{"ownerEmail": "second@example.com", "type": "testing", "createAuthToken": true})
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &key))
	var tokens client.Wrapped[client.AuthTokensView]
	raw, err = client.Call[json.RawMessage](s.ctx, s.owner, "workspace/authtokens/get", map[string]any{"apiKey": key.Data.APIKey})
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &tokens))
	return s.keyed.With(map[string]string{"x-svc-api-key": key.Data.APIKey, "x-svc-auth-token": tokens.Data.AuthTokens[0].Token})
}

func TestSettingsGet_1_APlanChangeShowsAtOnce(t *testing.T) {
	s := begin(t)
	for _, plan := range []string{"paid", "free", "paid"} {
		operate(t, "workspace", "set-plan", s.workspace.ID, plan)
		require.Equal(t, plan, s.settings().PlanInfo.Type)
	}
}
