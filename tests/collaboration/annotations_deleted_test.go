package collaboration

import (
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestAnnotationsDelete_2_TwoDeleteOneAtOnce(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	kit.EndpointAt(env, "/told", map[string]any{"filterTypes": []string{"comment_annotation.delete", "comment.delete"}})
	const rounds = 10
	for range rounds {
		kit.Discuss(env, kit.Wrote("ann", "one"), kit.Wrote("bob", "two"))
		var entries [2]redline.Item
		kit.Concurrently(2, func(i int) {
			found, err := client.Call[redline.DeletedAnnotations](env.Ctx, env.Keyed, client.DeleteAnnotations, kit.Noted(map[string]any{"annotationIds": []string{"n"}}))
			if kit.NoError(t, err) {
				entries[i] = found.Data["n"]
			}
		})
		require.ElementsMatch(t, []redline.Item{kit.WentAway("n"), kit.Absent("n")}, entries[:])
	}
	kit.Settled(env)
	for _, shown := range heardDeleted(env, "/told", rounds) {
		require.Equal(t, deletedShown{AnnotationID: "n"}, shown)
	}
	require.Len(t, kit.Heard(env, "/told", rounds), rounds)
}
