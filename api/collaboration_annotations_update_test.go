package api_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestAnnotationsUpdate_1_StatusAndPriorityAtOnce(t *testing.T) {
	env := newWorkspace(t)
	for round := range 20 {
		kit.Annotate(env, kit.Made("d", kit.Annotated(fmt.Sprint("n", round), kit.Wrote("ann", "one"))))
		kit.Concurrently(2, func(i int) {
			fields := map[string]any{"status": kit.StatusOf("WIP", "ongoing")}
			if i == 1 {
				fields = map[string]any{"priority": kit.PriorityOf("P1")}
			}
			_, err := client.Call[redline.ItemByIDResult](env.Ctx, env.Keyed, client.UpdateAnnotations, kit.Updating(fields, map[string]any{"annotationIds": []string{fmt.Sprint("n", round)}}))
			kit.NoError(t, err)
		})
	}
	var both int
	require.NoError(t, env.DB().QueryRow(env.Ctx, `SELECT count(*) FROM annotations WHERE workspace_id = $1 AND status_id = 'WIP' AND priority->>'id' = 'P1'`, env.Workspace.ID).Scan(&both))
	require.Equal(t, 20, both)
}

func TestAnnotationsUpdate_4_OneUnknownAmongTen(t *testing.T) {
	env := newWorkspace(t)
	ids, notes := []string{"x"}, []map[string]any{}
	for i := range 9 {
		ids = append(ids, fmt.Sprint("n", i))
		notes = append(notes, kit.Annotated(ids[i+1], kit.Wrote("ann", "one")))
	}
	kit.Annotate(env, kit.Made("d", notes...))
	kit.Annotate(env, kit.Made("e", kit.Annotated("other", kit.Wrote("ann", "one"))))
	call := kit.Updating(map[string]any{"status": kit.StatusOf("WIP", "ongoing")}, map[string]any{"annotationIds": append(ids, "other", "n1")})
	want := map[string]redline.Item{"x": kit.Absent("x"), "other": kit.Absent("other")}
	for _, id := range ids[1:] {
		want[id] = kit.Given(id)
	}
	require.Equal(t, want, kit.Items(env, client.UpdateAnnotations, call))
	for _, a := range kit.Older[[]redline.Annotation](env, kit.GetAnnotations, kit.Doc("d")).Data {
		require.Equal(t, "WIP", a.Status.ID)
	}
	require.Equal(t, "OPEN", kit.Older[[]redline.Annotation](env, kit.GetAnnotations, kit.Doc("e")).Data[0].Status.ID)
}

func TestAnnotationsUpdate_5_RestrictedFromThenOn(t *testing.T) {
	env := newWorkspace(t)
	kit.Discuss(env, kit.Wrote("ann", "one"))
	kit.Annotate(env, kit.Made("d", kit.Annotated("m", kit.Wrote("ann", "two"))))
	require.Equal(t, [2]int{2, 2}, kit.Counts(env, "bob", "d")["d"])
	kit.Gives(env, kit.Updating(map[string]any{"visibility": map[string]any{"type": "restricted", "userIds": []string{"eve"}}}))
	require.Equal(t, [2]int{1, 1}, kit.Counts(env, "bob", "d")["d"])
	require.Equal(t, [2]int{2, 2}, kit.Counts(env, "eve", "d")["d"])
	require.Equal(t, [2]int{2, 0}, kit.Counts(env, "ann", "d")["d"], "its author sees it")
	kit.Gives(env, kit.Updating(map[string]any{"visibility": nil}))
	require.Equal(t, [2]int{2, 2}, kit.Counts(env, "bob", "d")["d"])
}

// A token goes on with the selection that it came with, and with no other.
func TestAnnotationsUpdate_ATokenIsOfItsSelection(t *testing.T) {
	env := newWorkspace(t)
	long := strings.Repeat("x", 60<<10)
	var notes []map[string]any
	for i := range 3 {
		comments := make([]map[string]any, 100)
		for j := range comments {
			comments[j] = map[string]any{"from": map[string]any{"userId": "ann"}, "commentText": ""}
		}
		notes = append(notes, kit.Annotated(fmt.Sprint("n", i), comments...))
	}
	for _, note := range notes {
		kit.Annotate(env, kit.Made("d", note))
	}
	for i := range 3 { // the threads are as large as threads may be, so that a call takes two of them
		var ids []int64
		for _, c := range kit.Older[[]redline.ThreadComment](env, kit.GetComments, kit.Doc("d", map[string]any{"annotationId": fmt.Sprint("n", i)})).Data {
			ids = append(ids, c.CommentID)
		}
		kit.Edit(env, kit.Doc("d", map[string]any{"annotationId": fmt.Sprint("n", i), "commentIds": ids, "updatedData": map[string]any{"commentText": long}}))
	}
	call := kit.Doc("d", map[string]any{"annotationIds": []string{"n2", "n0", "n1", "n1a", "n3"}, "updatedData": map[string]any{"priority": kit.PriorityOf("P1")}})
	first := kit.Older[map[string]redline.Item](env, "/v2/"+client.UpdateAnnotations, call)
	require.Equal(t, map[string]redline.Item{"n0": kit.Given("n0"), "n1": kit.Given("n1")}, first.Data)
	require.NotEmpty(t, first.NextPageToken)
	call["pageToken"] = first.NextPageToken
	for _, other := range []map[string]any{{"annotationIds": []string{"n0"}}, {"userIds": []string{"ann"}}, {"documentId": "e"}, {"pageToken": "x"}} {
		failure := env.RefusedAs("INVALID_ARGUMENT", client.UpdateAnnotations, kit.With(call, other))
		require.Equal(t, []string{"pageToken"}, failure.Issues[0].Path)
	}
	second := kit.Older[map[string]redline.Item](env, "/v2/"+client.UpdateAnnotations, call)
	require.Equal(t, map[string]redline.Item{"n1a": kit.Absent("n1a"), "n2": kit.Given("n2"), "n3": kit.Absent("n3")}, second.Data)
	require.Empty(t, second.NextPageToken)
}

func TestAnnotationsUpdate_7_AllByManyCalls(t *testing.T) {
	env := kit.Hooked(newWorkspace(t))
	const all = 2100
	kit.Fill(env, "d", all)
	kit.EndpointAt(env, "/told", map[string]any{"filterTypes": []string{"comment_annotation.priority_change"}})
	call := kit.Doc("d", map[string]any{"allAnnotations": true, "updatedData": map[string]any{"priority": kit.PriorityOf("P1")}})
	var ids []string
	for calls, token := 1, "none"; token != ""; calls++ {
		found := kit.Older[map[string]redline.Item](env, "/v2/"+client.UpdateAnnotations, call)
		page := slices.Sorted(maps.Keys(found.Data))
		require.Equal(t, []any{min(1000, all-len(ids)), calls < 3}, []any{len(page), found.NextPageToken != ""})
		ids = append(ids, page...)
		token = found.NextPageToken
		call["pageToken"] = token
	}
	require.True(t, slices.IsSorted(ids), "in the order of the ids")
	require.Len(t, slices.Compact(ids), all)
	var changed int
	require.NoError(t, env.DB().QueryRow(env.Ctx, `SELECT count(*) FROM annotations WHERE workspace_id = $1 AND priority->>'id' = 'P1'`, env.Workspace.ID).Scan(&changed))
	require.Equal(t, all, changed)
}
