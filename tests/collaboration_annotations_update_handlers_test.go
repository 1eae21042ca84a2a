package tests

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

func TestAnnotationsUpdate_1_StatusAndPriorityAtOnce(t *testing.T) {
	s := begin(t)
	for round := range 20 {
		s.annotate(made("d", annotated(fmt.Sprint("n", round), wrote("ann", "one"))))
		together(2, func(i int) {
			fields := map[string]any{"status": statusOf("WIP", "ongoing")}
			if i == 1 {
				fields = map[string]any{"priority": priorityOf("P1")}
			}
			_, err := client.Call[itemsView](s.ctx, s.keyed, updateAnnotations, updating(fields, map[string]any{"annotationIds": []string{fmt.Sprint("n", round)}}))
			fine(t, err)
		})
	}
	var both int
	require.NoError(t, s.rows().QueryRow(s.ctx, `SELECT count(*) FROM annotations WHERE workspace_id = $1 AND status_id = 'WIP' AND priority->>'id' = 'P1'`, s.workspace.ID).Scan(&both))
	require.Equal(t, 20, both)
}

func TestAnnotationsUpdate_4_OneUnknownAmongTen(t *testing.T) {
	s := begin(t)
	ids, notes := []string{"x"}, []map[string]any{}
	for i := range 9 {
		ids = append(ids, fmt.Sprint("n", i))
		notes = append(notes, annotated(ids[i+1], wrote("ann", "one")))
	}
	s.annotate(made("d", notes...))
	s.annotate(made("e", annotated("other", wrote("ann", "one"))))
	call := updating(map[string]any{"status": statusOf("WIP", "ongoing")}, map[string]any{"annotationIds": append(ids, "other", "n1")})
	want := map[string]itemView{"x": absent("x"), "other": absent("other")}
	for _, id := range ids[1:] {
		want[id] = given(id)
	}
	require.Equal(t, want, s.items(updateAnnotations, call))
	for _, a := range older[[]annotationView](s, getAnnotations, doc("d")).Data {
		require.Equal(t, "WIP", a.Status.ID)
	}
	require.Equal(t, "OPEN", older[[]annotationView](s, getAnnotations, doc("e")).Data[0].Status.ID)
}

func TestAnnotationsUpdate_5_RestrictedFromThenOn(t *testing.T) {
	s := begin(t)
	s.discuss(wrote("ann", "one"))
	s.annotate(made("d", annotated("m", wrote("ann", "two"))))
	require.Equal(t, [2]int{2, 2}, s.counts("bob", "d")["d"])
	s.gives(updating(map[string]any{"visibility": map[string]any{"type": "restricted", "userIds": []string{"eve"}}}))
	require.Equal(t, [2]int{1, 1}, s.counts("bob", "d")["d"])
	require.Equal(t, [2]int{2, 2}, s.counts("eve", "d")["d"])
	require.Equal(t, [2]int{2, 0}, s.counts("ann", "d")["d"], "its author sees it")
	s.gives(updating(map[string]any{"visibility": nil}))
	require.Equal(t, [2]int{2, 2}, s.counts("bob", "d")["d"])
}

// A token goes on with the selection that it came with, and with no other.
func TestAnnotationsUpdate_ATokenIsOfItsSelection(t *testing.T) {
	s := begin(t)
	long := strings.Repeat("x", 60<<10)
	var notes []map[string]any
	for i := range 3 {
		comments := make([]map[string]any, 100)
		for j := range comments {
			comments[j] = map[string]any{"from": map[string]any{"userId": "ann"}, "commentText": ""}
		}
		notes = append(notes, annotated(fmt.Sprint("n", i), comments...))
	}
	for _, note := range notes {
		s.annotate(made("d", note))
	}
	for i := range 3 { // the threads are as large as threads may be, so that a call takes two of them
		var ids []int64
		for _, c := range older[[]commentView](s, getComments, doc("d", map[string]any{"annotationId": fmt.Sprint("n", i)})).Data {
			ids = append(ids, c.CommentID)
		}
		s.edit(doc("d", map[string]any{"annotationId": fmt.Sprint("n", i), "commentIds": ids, "updatedData": map[string]any{"commentText": long}}))
	}
	call := doc("d", map[string]any{"annotationIds": []string{"n2", "n0", "n1", "n1a", "n3"}, "updatedData": map[string]any{"priority": priorityOf("P1")}})
	first := older[map[string]itemView](s, "/v2/"+updateAnnotations, call)
	require.Equal(t, map[string]itemView{"n0": given("n0"), "n1": given("n1")}, first.Data)
	require.NotEmpty(t, first.NextPageToken)
	call["pageToken"] = first.NextPageToken
	for _, other := range []map[string]any{{"annotationIds": []string{"n0"}}, {"userIds": []string{"ann"}}, {"documentId": "e"}, {"pageToken": "x"}} {
		failure := s.refusedAs("INVALID_ARGUMENT", updateAnnotations, with(call, other))
		require.Equal(t, []string{"pageToken"}, failure.Issues[0].Path)
	}
	second := older[map[string]itemView](s, "/v2/"+updateAnnotations, call)
	require.Equal(t, map[string]itemView{"n1a": absent("n1a"), "n2": given("n2"), "n3": absent("n3")}, second.Data)
	require.Empty(t, second.NextPageToken)
}
