package memory

import (
	"crypto/rand"
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// longWord is a text of n characters that does not get smaller by compression.
func longWord(n int) string {
	random := make([]byte, n/2)
	_, _ = rand.Read(random)
	return hex.EncodeToString(random)
}

// A type of content is cut to the length by which it can be asked for.
func TestJudgmentsQuery_ATypeOfContentOfAnyLength(t *testing.T) {
	env := kit.NewWorkspace(t)
	id, long := kit.Unique("definition"), longWord(8000)
	kit.Create(env, redline.DefinitionRequest{
		DefinitionID: id, Name: "Sign-off", Nodes: []redline.NodeInput{client.Human("review", "ann"), client.Mock("publish")},
		Edges: client.Both("review", "publish"), Custom: map[string]any{"contentType": long},
	})
	kit.Reviewed(env, id, "approve", "Well sourced.")
	require.Equal(t, int64(1), kit.Judgments(env, map[string]any{"contentType": long[:64]}).Total)
	annotation := kit.Annotated("a1", kit.Wrote("ann", "Too vague."))
	annotation["context"] = map[string]any{"contentType": long}
	kit.Annotate(env, kit.Made("spring", annotation))
	require.Equal(t, int64(2), kit.Judgments(env, map[string]any{"contentType": long[:64]}).Total)
}
