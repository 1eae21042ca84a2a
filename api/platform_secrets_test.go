package api_test

import (
	"testing"

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
