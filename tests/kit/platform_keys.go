package kit

import (
	"maps"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit/client"
)

func NewKey(env *Env, change map[string]any) newKey {
	env.T.Helper()
	data := map[string]any{"ownerEmail": "desk@example.com", "type": "testing"}
	maps.Copy(data, change)
	return Asked[newKey](env.T, env.Owner, client.CreateKey, data)
}

func Tokens(env *Env, apiKey string) []TokenView {
	env.T.Helper()
	found := Asked[keyTokens](env.T, env.Owner, client.GetTokens, map[string]any{"apiKey": apiKey})
	require.Equal(env.T, apiKey, found.APIKey)
	return found.AuthTokens
}

func Reset(env *Env, apiKey string) TokenView {
	env.T.Helper()
	found := Asked[TokenReset](env.T, env.Owner, client.ResetToken, map[string]any{"apiKey": apiKey})
	require.Equal(env.T, apiKey, found.APIKey)
	return found.NewAuthToken
}

// keyPage is a page of workspace/apikeys/get.
type keyPage struct {
	Data          []client.KeyView `json:"data"`
	NextPageToken *string          `json:"nextPageToken"`
}

func ListKeyPage(env *Env, data map[string]any) keyPage {
	env.T.Helper()
	page, err := client.Call[keyPage](env.Ctx, env.Owner, client.ListKeys, data)
	require.NoError(env.T, err)
	return page
}
