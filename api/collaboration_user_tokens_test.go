package api_test

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// tokenOf makes a token.
func tokenOf(env *kit.Env, call map[string]any) (token string, expiresAt int64) {
	env.T.Helper()
	made, err := client.Call[redline.TokenResult](env.Ctx, env.Keyed, client.GenerateToken, call)
	require.NoError(env.T, err)
	return made.Data.Token, made.Data.ExpiresAt
}

// checkedToken checks a token.
func checkedToken(env *kit.Env, token string) redline.TokenState {
	env.T.Helper()
	checked, err := client.Call[redline.TokenStateResult](env.Ctx, env.Keyed, client.VerifyToken, map[string]any{"token": token})
	require.NoError(env.T, err)
	return checked.Data
}

func TestUserTokens_SayWhatTheCallerSays(t *testing.T) {
	env := newWorkspace(t)
	until := time.Now().Add(time.Hour).UnixMilli()
	token, expiresAt := tokenOf(env, map[string]any{
		"userId": "ann", "userProperties": map[string]any{"name": "Ann", "email": "ann@example.com", "isAdmin": false},
		"permissions":      map[string]any{"resources": []any{map[string]any{"type": "organization", "id": "acme"}}, "expiresAt": until},
		"expiresInSeconds": 60,
	})
	require.InDelta(t, time.Now().Add(time.Minute).UnixMilli(), expiresAt, 30_000)
	state := checkedToken(env, token)
	require.True(t, state.Valid)
	require.Nil(t, state.Reason)
	for name, want := range map[string]string{
		"sub": `"ann"`, "aud": `"` + env.Workspace.ID + `"`, "name": `"Ann"`, "email": `"ann@example.com"`, "isAdmin": `false`,
		"resources": `[{"type":"organization","id":"acme"}]`,
	} {
		require.Contains(t, state.Claims.String(), `"`+name+`":`+want, name)
	}
	other := checkedToken(kit.Elsewhere(env), token)
	require.Equal(t, redline.TokenStateReasonWorkspace, *other.Reason)
	require.Nil(t, other.Claims)
	require.Equal(t, redline.TokenStateReasonMalformed, *checkedToken(env, "x").Reason)
	require.Equal(t, redline.TokenStateReasonSignature, *checkedToken(env, changedToken(token)).Reason)
	wrong := env.Keyed.With(map[string]string{"x-svc-api-key": env.Workspace.APIKey, "x-svc-auth-token": token})
	_, err := client.Call[any](env.Ctx, wrong, client.GetUsers, acme())
	require.Equal(t, redline.ProblemStatusUnauthenticated, redline.AsError(err).Status, "it opens nothing")
}

// changedToken is a token with another character in its signature.
func changedToken(token string) string {
	at := len(token) - 10
	other := "A"
	if token[at] == 'A' {
		other = "B"
	}
	return token[:at] + other + token[at+1:]
}

func TestUserTokens_WhatIsSentIsChecked(t *testing.T) {
	env := newWorkspace(t)
	for _, n := range []int{59, 172_801} {
		require.Equal(t, "expiresInSeconds", refusedAt(env, "range", client.GenerateToken, map[string]any{"userId": "ann", "expiresInSeconds": n}))
	}
	for path, permissions := range map[string]map[string]any{
		"permissions.expiresAt":                  {"expiresAt": time.Now().Unix()},
		"permissions.resources.0.organizationId": {"resources": []any{map[string]any{"type": "document", "id": "d"}}},
	} {
		failure := env.RefusedAs("INVALID_ARGUMENT", client.GenerateToken, map[string]any{"userId": "ann", "permissions": permissions})
		require.Equal(t, path, strings.Join(failure.Issues[0].Path, "."))
	}
}

func TestUserTokens_1_AnotherAlgorithm(t *testing.T) {
	env := newWorkspace(t)
	token, _ := tokenOf(env, map[string]any{"userId": "ann"})
	parts := strings.Split(token, ".")
	for _, header := range []string{`{"alg":"none"}`, `{"alg":"RS256","kid":"test"}`} {
		state := checkedToken(env, base64.RawURLEncoding.EncodeToString([]byte(header))+"."+parts[1]+"."+parts[2])
		require.Equal(t, redline.TokenStateReasonAlgorithm, *state.Reason, header)
		require.False(t, state.Valid)
		require.Nil(t, state.Claims)
	}
}

func TestUserTokens_4_AfterANewKeyThoseOfTheOldOneHold(t *testing.T) {
	old, fresh := key(2), strings.Replace(key(3), "test:", "fresh:", 1)
	env := newWorkspaceWith(t, "REDLINE_HASH_KEYS="+old)
	token, _ := tokenOf(env, map[string]any{"userId": "ann"})
	rotated := beside(env, "REDLINE_HASH_KEYS="+fresh+","+old)
	require.True(t, checkedToken(rotated, token).Valid)
	newer, _ := tokenOf(rotated, map[string]any{"userId": "ann"})
	require.True(t, checkedToken(rotated, newer).Valid)
	require.Equal(t, redline.TokenStateReasonSignature, *checkedToken(env, newer).Reason, "a key that is not listed")
}
