package kit

import (
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit/client"
)

// Stats returns the six figures of a workspace, in the order of the interface.
func Stats(env *Env) [6]int {
	env.T.Helper()
	var view map[string]int
	env.Call(client.GetStats, map[string]any{}, &view)
	require.Len(env.T, view, 6)
	var figures [6]int
	for i, name := range []string{"Activities", "Profiles", "Patterns", "KnowledgeSources", "Chunks", "Rules"} {
		require.Contains(env.T, view, "total"+name)
		figures[i] = view["total"+name]
	}
	return figures
}

// ProfileOf returns the result of profiles/get as the JSON that came.
func ProfileOf(env *Env, userID string) string {
	env.T.Helper()
	reply, err := env.Keyed.Send(env.Ctx, "/v2/"+client.GetProfile, []byte(`{"data":{"targetUserId":"`+userID+`"}}`), nil)
	require.NoError(env.T, err)
	result, found := strings.CutPrefix(string(reply.Body), `{"result":`)
	require.True(env.T, found, result)
	return strings.TrimSuffix(result, "}")
}
