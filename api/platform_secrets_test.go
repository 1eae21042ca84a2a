package api_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestSecurity_5_AValueInAnotherWorkspacesRowDoesNotOpen(t *testing.T) {
	mine := newWorkspace(t)
	theirs := kit.Elsewhere(mine)
	_, err := mine.DB().Exec(t.Context(), `
		UPDATE auth_tokens SET token_sealed = (SELECT token_sealed FROM auth_tokens WHERE api_key_id = $1) WHERE api_key_id = $2`,
		theirs.Workspace.APIKey, mine.Workspace.APIKey)
	require.NoError(t, err)
	failure := kit.Declined(t, mine.Owner, client.GetTokens, map[string]any{"apiKey": mine.Workspace.APIKey}, "INTERNAL", "")
	require.NotContains(t, failure.Message, theirs.Workspace.AuthToken)
	require.True(t, kit.Opens(t, mine.Keyed), "the hash is its own")
	fresh := kit.Reset(mine, mine.Workspace.APIKey)
	require.Equal(t, fresh.Token, kit.Tokens(mine, mine.Workspace.APIKey)[0].Token)
}

func TestSecurity_NoTokenStandsInClearInAnyRow(t *testing.T) {
	env := newWorkspaceWith(t, "REDLINE_CORS_ENABLED=false") // which has rows of its own
	kit.Dispatch(env, kit.SignOff(env), kit.WithReceiver(env, "/events"))
	conn := env.DB()
	tables, err := conn.Query(t.Context(), `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`)
	require.NoError(t, err)
	names, err := pgx.CollectRows(tables, pgx.RowTo[string])
	require.NoError(t, err)
	require.Contains(t, names, "auth_tokens")
	for _, name := range names {
		for _, value := range []string{env.Workspace.Token, env.Workspace.AuthToken, kit.Secret} {
			var n int
			// bytea is shown as hex, so both spellings are looked for.
			query := fmt.Sprintf(`SELECT count(*) FROM %s r WHERE position($1 IN r::text) > 0 OR position(encode($1::bytea, 'hex') IN r::text) > 0`, pgx.Identifier{name}.Sanitize())
			require.NoError(t, conn.QueryRow(t.Context(), query, value).Scan(&n))
			assert.Zero(t, n, "%s has it", name)
		}
	}
}

func TestAudit_EveryChangeAndEveryReadOfASecret(t *testing.T) {
	env := newWorkspace(t)
	key := env.Workspace.APIKey
	kit.Asked[kit.WorkspaceView](t, env.Owner, client.GetWorkspace, map[string]any{})
	made := kit.NewKey(env, nil)
	kit.Asked[any](t, env.Owner, client.UpdateKey, map[string]any{"apiKey": key, "apiKeyName": "Desk"})
	kit.ListKeyPage(env, map[string]any{})
	kit.Tokens(env, key)
	session := env.Owner.With(maps.Clone(env.Owner.Headers))
	session.Headers["x-request-id"] = "the-reset"
	kit.Asked[redline.NewAuthToken](t, session, client.ResetToken, map[string]any{"apiKey": key})
	operate(env).DisableKey(made.APIKey)
	kit.Declined(t, kit.KeySession(env.Keyed, made.APIKey, *made.AuthToken), client.ListDefinitions, map[string]any{}, "PERMISSION_DENIED", "")
	operate(env).Suspend(env.Workspace.ID)
	kit.Declined(t, env.Owner, client.GetWorkspace, map[string]any{}, "PERMISSION_DENIED", "")

	type line struct{ actor, operation, target, fields, outcome string }
	var got []line
	rows := operate(env).Audits(env.Workspace.ID, "")
	for _, row := range rows {
		got = append([]line{{row.Actor, row.Operation, row.TargetID, strings.Join(row.ChangedFields, ","), row.Outcome}}, got...)
		assert.Regexp(t, `^aud_[0-9a-z]{26}$`, row.ID)
		assert.Equal(t, env.Workspace.ID, row.WorkspaceID)
		if row.Actor != "test" {
			assert.Equal(t, "127.0.0.1", row.IP)
			assert.NotEmpty(t, row.RequestID)
		}
		if row.Operation == "/v2/"+client.ResetToken {
			assert.Equal(t, "the-reset", row.RequestID)
		}
	}
	id := env.Workspace.ID
	require.Equal(t, []line{
		{id, "/v2/" + client.WorkspaceCreate, id, "workspace,apiKey,authToken", "success"},
		{id, "/v2/" + client.GetTokens, key, "", "success"},
		{id, "/v2/" + client.GetWorkspace, id, "", "success"},
		{id, "/v2/" + client.CreateKey, made.APIKey, "apiKey,authToken", "success"},
		{id, "/v2/" + client.UpdateKey, key, "apiKeyName", "success"},
		{id, "/v2/" + client.GetTokens, key, "", "success"},
		{id, "/v2/" + client.ResetToken, key, "authToken", "success"},
		{"test", "admin apikey disable", made.APIKey, "disabledAt", "success"},
		{"test", "admin workspace suspend", id, "suspended_at", "success"},
		{id, "/v2/" + client.GetWorkspace, "", "", "denied"},
	}, got)
}

func TestSuspension_ADisabledKeyClosesItselfOnly(t *testing.T) {
	env := newWorkspace(t)
	made := kit.NewKey(env, nil)
	second := kit.KeySession(env.Keyed, made.APIKey, *made.AuthToken)
	require.True(t, kit.Opens(t, second))
	operate(env).DisableKey(made.APIKey)
	kit.Declined(t, second, client.ListExecutions, map[string]any{}, "PERMISSION_DENIED", "")
	fresh := kit.Reset(env, made.APIKey)
	second = kit.KeySession(env.Keyed, made.APIKey, fresh.Token)
	kit.Declined(t, second, client.ListExecutions, map[string]any{}, "PERMISSION_DENIED", "")
	require.True(t, kit.Opens(t, env.Keyed), "the other key")
	kit.Asked[kit.WorkspaceView](t, env.Owner, client.GetWorkspace, map[string]any{})
	operate(env).EnableKey(made.APIKey)
	require.True(t, kit.Opens(t, second))
}

func TestOperator_ResetsTheTokenOfAWorkspace(t *testing.T) {
	env := newWorkspace(t)
	printed := operate(env).ResetToken(env.Workspace.ID)
	require.Regexp(t, `^wst_[A-Za-z0-9_-]{43}$`, printed)
	kit.Declined(t, env.Owner, client.GetWorkspace, map[string]any{}, "UNAUTHENTICATED", "")
	session := env.Owner.With(map[string]string{"x-svc-workspace-id": env.Workspace.ID, "x-svc-workspace-auth-token": printed})
	require.Equal(t, printed, kit.Asked[kit.WorkspaceView](t, session, client.GetWorkspace, map[string]any{}).AuthToken)
	require.True(t, kit.Opens(t, env.Keyed))
}
