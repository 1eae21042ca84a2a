package tests

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSecurity_5_AValueInAnotherWorkspacesRowDoesNotOpen(t *testing.T) {
	mine := begin(t)
	theirs := mine.elsewhere()
	_, err := mine.rows().Exec(t.Context(), `
		UPDATE auth_tokens SET token_sealed = (SELECT token_sealed FROM auth_tokens WHERE api_key_id = $1) WHERE api_key_id = $2`,
		theirs.workspace.APIKey, mine.workspace.APIKey)
	require.NoError(t, err)
	failure := declined(t, mine.owner, getTokens, map[string]any{"apiKey": mine.workspace.APIKey}, "INTERNAL", "")
	require.NotContains(t, failure.Message, theirs.workspace.AuthToken)
	require.True(t, opens(t, mine.keyed), "the hash is its own")
	fresh := mine.reset(mine.workspace.APIKey)
	require.Equal(t, fresh.Token, mine.tokens(mine.workspace.APIKey)[0].Token)
}
