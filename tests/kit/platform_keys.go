package kit

import (
	"maps"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

// NewKey makes a key of the workspace; change has fields of the request to be set otherwise.
func NewKey(env *Env, change map[string]any) redline.CreatedAPIKey {
	env.T.Helper()
	data := map[string]any{"ownerEmail": "desk@example.com", "type": "testing"}
	maps.Copy(data, change)
	return Asked[redline.CreatedAPIKey](env.T, env.Owner, client.CreateKey, data)
}

// Tokens returns the live tokens of a key.
func Tokens(env *Env, apiKey string) []redline.AuthToken {
	env.T.Helper()
	found := Asked[redline.KeyTokens](env.T, env.Owner, client.GetTokens, map[string]any{"apiKey": apiKey})
	require.Equal(env.T, apiKey, found.APIKey)
	return found.AuthTokens
}

// Reset replaces the tokens of a key and returns the new one.
func Reset(env *Env, apiKey string) redline.AuthToken {
	env.T.Helper()
	found := Asked[redline.NewAuthToken](env.T, env.Owner, client.ResetToken, map[string]any{"apiKey": apiKey})
	require.Equal(env.T, apiKey, found.APIKey)
	return found.NewAuthToken
}

// ListKeyPage returns the page of workspace/apikeys/get that data asks for.
func ListKeyPage(env *Env, data map[string]any) redline.APIKeyListResult {
	env.T.Helper()
	page, err := client.Call[redline.APIKeyListResult](env.Ctx, env.Owner, client.ListKeys, data)
	require.NoError(env.T, err)
	return page
}
