package tests

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

const deleteAnnotations = "commentannotations/delete"

// deletedView is what a deletion of annotations answers.
type deletedView struct {
	Data    map[string]itemView `json:"data"`
	HasMore bool                `json:"hasMore"`
}

// wentAway is the entry of an annotation that was deleted, absent that of one that was not there.
func wentAway(id string) itemView {
	return itemView{Success: true, ID: id, Message: "Annotation deleted."}
}

func absent(id string) itemView {
	return itemView{ID: id, Message: "The document has no such annotation.", Code: "not-found"}
}

// noted is a call about annotations of the document d.
func noted(selectors map[string]any) map[string]any { return doc("d", selectors) }

// notesOf are the annotations that a document has.
func (s *scene) notesOf(documentID string) (ids []string) {
	s.t.Helper()
	for _, a := range older[[]annotationView](s, getAnnotations, doc(documentID)).Data {
		ids = append(ids, a.AnnotationID)
	}
	return ids
}

func TestAnnotationsDelete_2_TwoDeleteOneAtOnce(t *testing.T) {
	s := begin(t).hooked()
	s.endpointAt("/told", map[string]any{"filterTypes": []string{"comment_annotation.delete", "comment.delete"}})
	const rounds = 10
	for range rounds {
		s.discuss(wrote("ann", "one"), wrote("bob", "two"))
		var entries [2]itemView
		together(2, func(i int) {
			found, err := client.Call[deletedView](s.ctx, s.keyed, deleteAnnotations, noted(map[string]any{"annotationIds": []string{"n"}}))
			if fine(t, err) {
				entries[i] = found.Data["n"]
			}
		})
		require.ElementsMatch(t, []itemView{wentAway("n"), absent("n")}, entries[:])
	}
	s.settled()
	for _, shown := range s.deletedShown("/told", rounds) {
		require.Equal(t, deletedShown{AnnotationID: "n"}, shown)
	}
	require.Len(t, s.heard("/told", rounds), rounds)
}

func TestAnnotationsDelete_ManyByManyCalls(t *testing.T) {
	s := begin(t).hooked()
	s.fill("d", 2100)
	s.endpointAt("/told", map[string]any{"filterTypes": []string{"comment_annotation.delete"}})
	seen := map[string]bool{}
	for calls, more := 1, true; more; calls++ {
		var found deletedView
		s.call(deleteAnnotations, noted(map[string]any{"allAnnotations": true}), &found)
		require.Equal(t, []any{min(1000, 2100-len(seen)), calls < 3}, []any{len(found.Data), found.HasMore})
		for id := range found.Data {
			require.False(t, seen[id])
			seen[id] = true
		}
		more = found.HasMore
	}
	require.Empty(t, s.notesOf("d"))
	require.Len(t, seen, 2100)
}
