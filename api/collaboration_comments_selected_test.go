package api_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestCommentsUpdate_WhichAreMeant(t *testing.T) {
	env := newWorkspace(t)
	kit.Discuss(env, kit.Wrote("ann", "one"), kit.Wrote("bob", "two"), kit.Wrote("ann", "three"))
	says := func(text string, which map[string]any) map[string]any {
		return kit.With(kit.Doc("d", map[string]any{"annotationId": "n", "updatedData": kit.Says(text)}), which)
	}
	texts := func() (all []string) {
		for _, c := range kit.Discussion(env).Comments {
			all = append(all, c.CommentText)
		}
		return all
	}
	for path, which := range map[string]map[string]any{
		"commentIds":  nil,
		"userIds":     {"userIds": []string{}},
		"allComments": {"allComments": true, "commentIds": []int{1}},
	} {
		require.Equal(t, []string{path}, env.RefusedAs("INVALID_ARGUMENT", client.UpdateComments, says("x", which)).Issues[0].Path)
	}
	require.Equal(t, []string{"one", "two", "three"}, texts())
	kit.Edit(env, says("by ann", map[string]any{"userIds": []string{"ann"}}))
	require.Equal(t, []string{"by ann", "two", "by ann"}, texts())
	entries := kit.Items(env, client.UpdateComments, says("both", map[string]any{"userIds": []string{"ann"}, "commentIds": []int{2, 3}}))
	require.Equal(t, redline.ItemCodeNotFound, entries["2"].Code)
	require.Equal(t, []string{"by ann", "two", "both"}, texts())
	kit.Edit(env, says("all", map[string]any{"allComments": true}))
	require.Equal(t, []string{"all", "all", "all"}, texts())
}

func TestCommentsUpdate_AThreadOfAThousand(t *testing.T) {
	env := newWorkspace(t)
	hundred := func() (comments []map[string]any) {
		for range 100 {
			comments = append(comments, kit.Wrote("ann", "x"))
		}
		return comments
	}
	kit.Annotate(env, kit.Made("d", kit.Annotated("n", hundred()...)))
	for range 9 {
		kit.Reply(env, kit.Replying(hundred()...))
	}
	entries := kit.Items(env, client.UpdateComments, kit.Doc("d", map[string]any{"annotationId": "n", "allComments": true, "updatedData": kit.Says("y")}))
	require.Len(t, entries, 1000)
}
