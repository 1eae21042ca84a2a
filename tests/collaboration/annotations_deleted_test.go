package collaboration

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestAnnotationsDelete_2_TwoDeleteOneAtOnce(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	kit.EndpointAt(env, "/told", map[string]any{"filterTypes": []string{"comment_annotation.delete", "comment.delete"}})
	const rounds = 10
	for range rounds {
		kit.Discuss(env, kit.Wrote("ann", "one"), kit.Wrote("bob", "two"))
		var entries [2]kit.ItemView
		kit.Concurrently(2, func(i int) {
			found, err := client.Call[kit.DeletedView](env.Ctx, env.Keyed, client.DeleteAnnotations, kit.Noted(map[string]any{"annotationIds": []string{"n"}}))
			if kit.NoError(t, err) {
				entries[i] = found.Data["n"]
			}
		})
		require.ElementsMatch(t, []kit.ItemView{kit.WentAway("n"), kit.Absent("n")}, entries[:])
	}
	kit.Settled(env)
	for _, shown := range heardDeleted(env, "/told", rounds) {
		require.Equal(t, deletedShown{AnnotationID: "n"}, shown)
	}
	require.Len(t, kit.Heard(env, "/told", rounds), rounds)
}
