package tests

import (
	"crypto/rand"
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

// longWord is a text of n characters that does not get smaller by compression.
func longWord(n int) string {
	random := make([]byte, n/2)
	_, _ = rand.Read(random)
	return hex.EncodeToString(random)
}

// A type of content is cut to the length by which it can be asked for.
func TestJudgmentsQuery_ATypeOfContentOfAnyLength(t *testing.T) {
	s := begin(t)
	id, long := unique("definition"), longWord(8000)
	s.create(client.Definition{
		DefinitionID: id, Name: "Sign-off", Nodes: []client.Node{client.Human("review", "ann"), client.Mock("publish")},
		Edges: client.Both("review", "publish"), Custom: map[string]any{"contentType": long},
	})
	s.reviewed(id, "approve", "Well sourced.")
	require.Equal(t, 1, s.judgments(map[string]any{"contentType": long[:64]}).Total)
	annotation := annotated("a1", wrote("ann", "Too vague."))
	annotation["context"] = map[string]any{"contentType": long}
	s.annotate(made("spring", annotation))
	require.Equal(t, 2, s.judgments(map[string]any{"contentType": long[:64]}).Total)
}
