package tests

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

// editShown is what an event of an edited comment says.
type editShown struct {
	CommentAnnotation map[string]any   `json:"commentAnnotation"`
	TargetComment     map[string]any   `json:"targetComment"`
	ActionUser        *json.RawMessage `json:"actionUser"`
	AccessDenied      []string         `json:"accessDeniedUsers"`
	Visibility        map[string]any   `json:"visibility"`
}

func (s *scene) editsShown(path string, n int) (shown []editShown) {
	s.t.Helper()
	for _, m := range s.heard(path, n) {
		require.Equal(s.t, []string{"comment.update", "comment"}, []string{m.Event, m.Source})
		var one editShown
		require.NoError(s.t, json.Unmarshal(m.Data, &one))
		shown = append(shown, one)
	}
	return shown
}

// An edit is published whether or not it asks for notifications, and shows the annotation
// as it was added but for what was edited.
func TestCommentsUpdate_WhatIsPublished(t *testing.T) {
	s := begin(t).hooked()
	s.endpointAt("/added", map[string]any{"filterTypes": []string{"comment_annotation.add"}})
	s.endpointAt("/edited", map[string]any{"filterTypes": []string{"comment.update"}})
	s.people(user("bob", "Bob", "bob@example.com"))
	s.annotate(object(t, fullAdd))
	before := s.shownOf("/added", 1)["full"]
	s.people(user("ann", "Another name", "ann@example.org"))
	call := doc("spring", map[string]any{"annotationId": "full", "commentIds": []int{8, 7}, "updatedData": map[string]any{"commentHtml": "<p>Hi {{bob}}</p>", "context": nil}})
	s.edit(call)
	shown := s.editsShown("/edited", 2)
	require.Nil(t, shown[0].ActionUser)
	require.InDelta(t, 7, shown[0].TargetComment["commentId"], 0, "in the order of the thread")
	require.Equal(t, shown[0].CommentAnnotation, shown[1].CommentAnnotation)
	for name, was := range before {
		is, err := json.Marshal(shown[0].CommentAnnotation[name])
		require.NoError(t, err)
		switch name {
		case "comments", "lastUpdated":
		case "mentionedUserIds":
			require.JSONEq(t, `["bob"]`, string(is))
		default:
			require.JSONEq(t, string(was), string(is), name)
		}
	}
	var comments []map[string]any
	require.NoError(t, json.Unmarshal(before["comments"], &comments))
	for i, was := range comments {
		is := shown[i].TargetComment
		require.Equal(t, []any{"updated", "Hi {{bob}}", "<p>Hi {{bob}}</p>", map[string]any{}}, []any{is["status"], is["commentText"], is["commentHtml"], is["context"]})
		require.Equal(t, []any{was["from"], was["agent"], was["createdAt"], was["sourceType"]}, []any{is["from"], is["agent"], is["createdAt"], is["sourceType"]})
		require.NotEqual(t, was["lastUpdated"], is["lastUpdated"])
	}

	s.edit(with(call, map[string]any{"commentIds": []int{8}, "updatedData": says("again"), "actionUser": user("kim", "Kim", "kim@example.com"), "triggerActivities": true}))
	shown = s.editsShown("/edited", 3)
	require.JSONEq(t, `{"userId":"kim","name":"Kim","email":"kim@example.com","initial":"K"}`, string(*shown[2].ActionUser))
	var kept []string
	require.NoError(t, s.rows().QueryRow(s.ctx, `SELECT array_agg(concat_ws(' ', feature_type, action_type, annotation_id, comment_id, action_user->>'userId', changes->'commentText'->>'to'))
FROM activities WHERE workspace_id = $1 AND action_type = 'comment.update'`, s.workspace.ID).Scan(&kept))
	require.Equal(t, []string{"comment comment.update full 8 kim again"}, kept)
}

// Who may not see an annotation is told nothing of an edit of it, and is named to the
// receiver.
func TestCommentsUpdate_OfARestrictedAnnotation(t *testing.T) {
	s := begin(t).hooked()
	s.endpointAt("/edited")
	note := annotated("n", wrote("ann", "Who?", map[string]any{"commentId": 1}))
	note["visibility"] = map[string]any{"type": "restricted", "userIds": []string{"bob"}}
	s.annotate(made("d", note))
	s.edit(with(edited(says("{{bob}} and {{eve}}"), 1), loud))
	shown := s.editsShown("/edited", 1)[0]
	require.Equal(t, []string{"eve"}, shown.AccessDenied)
	require.Equal(t, map[string]any{"type": "restricted", "userIds": []any{"bob"}}, shown.Visibility)
	require.Equal(t, []string{"1 bob mention"}, s.notified())
}

// untilTheSwitch repeats a call about the document d, of which the first was acknowledged,
// while it migrates to e, and gives the numbers of those that were acknowledged.
func (s *scene) untilTheSwitch(call func(n int) write) (done []int) {
	s.t.Helper()
	id := ""
	together(2, func(i int) {
		if i == 1 {
			done = s.until("d", call)
			return
		}
		accepted, err := client.Call[client.Wrapped[migratingView]](s.ctx, s.keyed, migrate, pairOf("d", "e"))
		fine(s.t, err)
		id = accepted.Data.MigrationID
	})
	require.Equal(s.t, "completed", s.migrated(id).Status)
	return done
}

// An edit changes a document until its migration switches; after that the old id names
// nothing, and what was acknowledged is found under the new one.
func TestCommentsUpdate_WhileTheDocumentMigrates(t *testing.T) {
	s := begin(t)
	s.discuss(wrote("ann", "said 0"))
	done := s.untilTheSwitch(func(n int) write { return write{updateComments, edited(says(fmt.Sprint("said ", n)), 1)} })
	last := fmt.Sprint("said ", done[len(done)-1])
	found := older[[]commentView](s, getComments, doc("e", map[string]any{"annotationId": "n"})).Data
	require.Equal(t, last, found[0].CommentText)
	require.Equal(t, last, s.judgments(inAcme(map[string]any{"documentId": "e"})).Results[0].Reasoning)
	require.Equal(t, "document", s.details(updateComments, edited(says("late"), 1))["resource"])
}
