package kit

import (
	"encoding/json"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

// Settings returns the settings of the workspace.
func Settings(env *Env) redline.Settings {
	env.T.Helper()
	var found redline.SettingsResult
	env.Call(client.GetSettings, map[string]any{}, &found)
	require.Equal(env.T, redline.SettingsResultStatusSuccess, found.Status)
	return found.Data
}

// SecondKey makes another key of the workspace and returns a session with it, labelled second@example.com.
func SecondKey(env *Env) *client.Session {
	t := env.T
	t.Helper()
	var key client.Wrapped[struct {
		APIKey    string `json:"apiKey"`
		AuthToken string `json:"authToken"`
	}]
	raw, err := client.Call[json.RawMessage](env.Ctx, env.Owner, client.CreateKey,
		map[string]any{"ownerEmail": "second@example.com", "type": "testing", "createAuthToken": true})
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &key))
	var tokens redline.KeyTokensResult
	raw, err = client.Call[json.RawMessage](env.Ctx, env.Owner, client.GetTokens, map[string]any{"apiKey": key.Data.APIKey})
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &tokens))
	return env.Keyed.With(map[string]string{"x-svc-api-key": key.Data.APIKey, "x-svc-auth-token": tokens.Data.AuthTokens[0].Token})
}
