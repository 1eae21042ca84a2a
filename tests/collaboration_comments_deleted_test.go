package tests

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

const deleteComments = "commentannotations/comments/delete"

// these is a call about comments of the annotation n in the document d; none are all.
func these(commentIDs ...int64) map[string]any {
	call := doc("d", map[string]any{"annotationId": "n"})
	if len(commentIDs) > 0 {
		call["commentIds"] = commentIDs
	}
	return call
}

// commentIDs are the ids of the comments of the annotation n; none where it is gone.
func (s *scene) commentIDs() (ids []int64) {
	s.t.Helper()
	for _, c := range older[[]commentView](s, getComments, these()).Data {
		ids = append(ids, c.CommentID)
	}
	return ids
}

// deletedShown is what an event of a deletion says.
type deletedShown struct {
	CommentAnnotation map[string]any   `json:"commentAnnotation"`
	TargetComment     map[string]any   `json:"targetComment"`
	AnnotationID      string           `json:"annotationId"`
	ActionUser        *json.RawMessage `json:"actionUser"`
	AccessDenied      []string         `json:"accessDeniedUsers"`
	Visibility        map[string]any   `json:"visibility"`
}

func (s *scene) deletedShown(path string, n int) (shown []deletedShown) {
	s.t.Helper()
	for _, m := range s.heard(path, n) {
		var one deletedShown
		require.NoError(s.t, json.Unmarshal(m.Data, &one))
		shown = append(shown, one)
	}
	return shown
}

func TestCommentsDelete_1_TheLastTwoAtOnce(t *testing.T) {
	s := begin(t).hooked()
	s.endpointAt("/told", map[string]any{"filterTypes": []string{"comment_annotation.delete", "comment.delete"}})
	const rounds = 10
	for round := range rounds {
		s.discuss(wrote("ann", "one"), wrote("bob", "two"))
		together(2, func(i int) {
			raw, err := client.Call[itemsView](s.ctx, s.keyed, deleteComments, these(int64(i+1)))
			if fine(t, err) && !raw.Data[strconv.Itoa(i+1)].Success {
				t.Errorf("comment %d of round %d was not there", i+1, round)
			}
		})
		require.Empty(t, older[[]annotationView](s, getAnnotations, doc("d")).Data)
		require.Empty(t, s.judgments(nil).Results)
		require.Equal(t, [2]int{0, 0}, s.counts("eve", "d")["d"])
	}
	s.settled()
	heard := eventsOf(s.heard("/told", 3*rounds))
	for each := range slices.Chunk(heard, 3) {
		require.Equal(t, []string{"comment.delete", "comment.delete", "comment_annotation.delete"}, each)
	}
	require.Len(t, heard, 3*rounds)
}

func TestCommentsDelete_WhatGoesWithAComment(t *testing.T) {
	s := begin(t)
	bob := mailbox()
	s.mailBy(map[string]any{"fromEmail": "desk@stories.example.com"})
	s.people(user("bob", "Bob", bob), user("eve", "Eve", mailbox()))
	s.discuss(wrote("ann", "Look, {{bob}}.", loud), wrote("eve", "Yes, {{bob}}."), wrote("ann", "And {{bob}}.", loud))
	s.mails(bob, 2)
	require.Equal(t, []string{"1 bob mention", "3 bob mention", "3 eve reply"}, s.notified())
	s.items(deleteComments, with(these(3), map[string]any{"actionUser": user("kim", "Kim", "kim@example.com"), "triggerActivities": true}))
	require.Equal(t, []string{"1 bob mention"}, s.notified())
	said := s.judgments(nil).Results
	require.Equal(t, []string{"Yes, Bob.", "Look, Bob."}, []string{said[0].Reasoning, said[1].Reasoning})
	require.Len(t, said, 2)
	require.Equal(t, []string{"comment.delete n 3 kim"}, s.activities())
	s.record(verdict("ann", "approve", inAcme(map[string]any{"documentId": "d", "annotationId": "n", "recordId": "own"})))
	s.items(deleteComments, with(these(), map[string]any{"triggerActivities": true}))
	require.Empty(t, s.notified())
	require.Equal(t, "own", s.judgments(nil).Results[0].RecordID, "what callers recorded stays")
	require.Len(t, s.judgments(nil).Results, 1)
	require.Equal(t, []string{"comment.delete n 1", "comment.delete n 2", "comment.delete n 3 kim", "comment_annotation.delete n"}, s.activities())
}

// activities are those of the workspace: what was done, to which annotation and comment,
// and by whom.
func (s *scene) activities() (all []string) {
	s.t.Helper()
	require.NoError(s.t, s.rows().QueryRow(s.ctx, `SELECT array_agg(concat_ws(' ', action_type, annotation_id, nullif(comment_id, 0), action_user->>'userId')
ORDER BY action_type, comment_id) FROM activities WHERE workspace_id = $1`, s.workspace.ID).Scan(&all))
	return all
}

func TestCommentsDelete_WhatIsPublished(t *testing.T) {
	s := begin(t).hooked()
	s.endpointAt("/told", map[string]any{"filterTypes": []string{"comment_annotation.delete", "comment.delete"}})
	note := annotated("n", wrote("ann", "Who?", map[string]any{"commentId": 1}), wrote("ann", "{{eve}}?", map[string]any{"commentId": 2}), wrote("bob", "I", map[string]any{"commentId": 3}))
	note["visibility"] = map[string]any{"type": "restricted", "userIds": []string{"bob"}}
	s.annotate(made("d", note))
	s.items(deleteComments, with(these(2), map[string]any{"actionUser": user("kim", "Kim", "kim@example.com")}))
	shown := s.deletedShown("/told", 1)[0]
	require.Equal(t, "{{eve}}?", shown.TargetComment["commentText"], "as it was")
	require.InDelta(t, 2, shown.CommentAnnotation["commentCount"], 0)
	require.Equal(t, []string{"eve"}, shown.AccessDenied, "she is named in what was deleted")
	require.NotContains(t, shown.CommentAnnotation, "mentionedUserIds")
	require.JSONEq(t, `{"userId":"kim","name":"Kim","email":"kim@example.com","initial":"K"}`, string(*shown.ActionUser))
	s.items(deleteComments, these(1, 3))
	heard := s.deletedShown("/told", 4)
	require.Equal(t, []any{float64(1), []any{}, float64(0)}, []any{heard[1].TargetComment["commentId"], heard[1].CommentAnnotation["comments"], heard[1].CommentAnnotation["commentCount"]})
	require.InDelta(t, 3, heard[2].TargetComment["commentId"], 0, "in the order of the thread")
	require.Equal(t, deletedShown{AnnotationID: "n", Visibility: shown.Visibility, AccessDenied: []string{}}, heard[3])
	require.Equal(t, map[string]any{"type": "restricted", "userIds": []any{"bob"}}, shown.Visibility)
}

// numberedFrom are so many ids of comments.
func numberedFrom(first, count int64) []int64 {
	ids := make([]int64, count)
	for i := range ids {
		ids[i] = first + int64(i)
	}
	return ids
}

// external is the agent of a comment that nobody registered.
func external() map[string]any {
	return map[string]any{"agentSource": "external", "agentName": "Bot", "reason": map[string]any{"title": "t", "description": "d", "severity": "low"}}
}

// Hundreds of comments of one call are hundreds of events, in the order of the thread.
func TestCommentsDelete_ManyAreToldInTheirOrder(t *testing.T) {
	s := begin(t).hooked()
	s.endpointAt("/told", map[string]any{"filterTypes": []string{"comment_annotation.delete", "comment.delete"}})
	comments := make([]map[string]any, 100)
	for i := range comments {
		comments[i] = wrote("ann", fmt.Sprint("number ", i+1))
	}
	s.discuss(comments...)
	s.annotate(made("d", annotated("other", wrote("ann", "stays"))))
	s.items(deleteComments, these())
	heard := s.deletedShown("/told", 101)
	for i, shown := range heard[:100] {
		require.InDelta(t, i+1, shown.TargetComment["commentId"], 0)
	}
	require.Equal(t, "n", heard[100].AnnotationID)
	require.Equal(t, []string{"other"}, s.notesOf("d"))
}

// A deletion holds under the old id of a document until its migration switches, and what was
// deleted is found under neither.
func TestCommentsDelete_WhileTheDocumentMigrates(t *testing.T) {
	s := begin(t)
	comments := make([]map[string]any, 100)
	for i := range comments {
		comments[i] = wrote("ann", "said")
	}
	s.discuss(comments...)
	var done []int
	id := ""
	together(2, func(i int) {
		if i == 1 {
			done = s.until("d", func(n int) write { return write{deleteComments, these(int64(min(n, 99)))} })
			return
		}
		accepted, err := client.Call[client.Wrapped[migratingView]](s.ctx, s.keyed, migrate, pairOf("d", "e"))
		fine(t, err)
		id = accepted.Data.MigrationID
	})
	require.Equal(t, "completed", s.migrated(id).Status)
	left := older[[]commentView](s, getComments, doc("e", map[string]any{"annotationId": "n"})).Data
	require.Len(t, left, len(comments)-min(done[len(done)-1], 99))
	require.Equal(t, len(left), s.judgments(inAcme(map[string]any{"documentId": "e"})).Total)
	require.Equal(t, "document", s.details(deleteComments, these())["resource"])
}
