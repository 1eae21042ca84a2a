package api_test

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
