package kit

import (
	"slices"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

// Replying returns a call that adds comments to the annotation n of the document d.
func Replying(comments ...map[string]any) map[string]any {
	return Doc("d", map[string]any{"annotationId": "n", "commentData": comments})
}

// TryReply adds comments and returns their ids, for any goroutine; a refusal is an error.
func TryReply(env *Env, call map[string]any) ([]int64, error) {
	added, err := client.Call[client.Wrapped[[]int64]](env.Ctx, env.Keyed, client.AddComments, call)
	return added.Data, err
}

// Reply adds comments, which has to succeed, and returns their ids.
func Reply(env *Env, call map[string]any) []int64 {
	env.T.Helper()
	ids, err := TryReply(env, call)
	require.NoError(env.T, err)
	return ids
}

// Numbers returns the ids of a thread in its order.
func Numbers(thread []redline.ThreadComment) (ids []int64) {
	for _, c := range thread {
		ids = append(ids, c.CommentID)
	}
	return ids
}

// Distinct returns the ids in ascending order, each once.
func Distinct(ids []int64) []int64 {
	sorted := slices.Clone(ids)
	slices.Sort(sorted)
	return slices.Compact(sorted)
}
