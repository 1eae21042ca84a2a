package collaboration

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// editShown is what an event of an edited comment says.
type editShown struct {
	CommentAnnotation map[string]any   `json:"commentAnnotation"`
	TargetComment     map[string]any   `json:"targetComment"`
	ActionUser        *json.RawMessage `json:"actionUser"`
	AccessDenied      []string         `json:"accessDeniedUsers"`
	Visibility        map[string]any   `json:"visibility"`
}

func editsShown(env *kit.Env, path string, n int) (shown []editShown) {
	env.T.Helper()
	for _, m := range kit.Heard(env, path, n) {
		require.Equal(env.T, []string{"comment.update", "comment"}, []string{m.Event, m.Source})
		var one editShown
		require.NoError(env.T, json.Unmarshal(m.Data, &one))
		shown = append(shown, one)
	}
	return shown
}

// An edit is published whether or not it asks for notifications, and shows the annotation
// as it was added but for what was edited.
func TestCommentsUpdate_WhatIsPublished(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	kit.EndpointAt(env, "/added", map[string]any{"filterTypes": []string{"comment_annotation.add"}})
	kit.EndpointAt(env, "/edited", map[string]any{"filterTypes": []string{"comment.update"}})
	kit.AddPeople(env, kit.User("bob", "Bob", "bob@example.com"))
	kit.Annotate(env, kit.Object(t, kit.FullAdd))
	before := shownOf(env, "/added", 1)["full"]
	kit.AddPeople(env, kit.User("ann", "Another name", "ann@example.org"))
	call := kit.Doc("spring", map[string]any{"annotationId": "full", "commentIds": []int{8, 7}, "updatedData": map[string]any{"commentHtml": "<p>Hi {{bob}}</p>", "context": nil}})
	kit.Edit(env, call)
	shown := editsShown(env, "/edited", 2)
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

	kit.Edit(env, kit.With(call, map[string]any{"commentIds": []int{8}, "updatedData": kit.Says("again"), "actionUser": kit.User("kim", "Kim", "kim@example.com"), "triggerActivities": true}))
	shown = editsShown(env, "/edited", 3)
	require.JSONEq(t, `{"userId":"kim","name":"Kim","email":"kim@example.com","initial":"K"}`, string(*shown[2].ActionUser))
	var kept []string
	require.NoError(t, env.DB().QueryRow(env.Ctx, `SELECT array_agg(concat_ws(' ', feature_type, action_type, annotation_id, comment_id, action_user->>'userId', changes->'commentText'->>'to'))
FROM activities WHERE workspace_id = $1 AND action_type = 'comment.update'`, env.Workspace.ID).Scan(&kept))
	require.Equal(t, []string{"comment comment.update full 8 kim again"}, kept)
}

// Who may not see an annotation is told nothing of an edit of it, and is named to the
// receiver.
func TestCommentsUpdate_OfARestrictedAnnotation(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	kit.EndpointAt(env, "/edited")
	note := kit.Annotated("n", kit.Wrote("ann", "Who?", map[string]any{"commentId": 1}))
	note["visibility"] = map[string]any{"type": "restricted", "userIds": []string{"bob"}}
	kit.Annotate(env, kit.Made("d", note))
	kit.Edit(env, kit.With(kit.Edited(kit.Says("{{bob}} and {{eve}}"), 1), kit.Loud))
	shown := editsShown(env, "/edited", 1)[0]
	require.Equal(t, []string{"eve"}, shown.AccessDenied)
	require.Equal(t, map[string]any{"type": "restricted", "userIds": []any{"bob"}}, shown.Visibility)
	require.Equal(t, []string{"1 bob mention"}, kit.NotifiedRows(env))
}

// untilTheSwitch repeats a call about the document d, of which the first was acknowledged,
// while it migrates to e, and returns the numbers of those that were acknowledged.
func untilTheSwitch(env *kit.Env, call func(n int) write) (done []int) {
	env.T.Helper()
	id := ""
	kit.Concurrently(2, func(i int) {
		if i == 1 {
			done = until(env, "d", call)
			return
		}
		accepted, err := client.Call[redline.MigrationIDResult](env.Ctx, env.Keyed, client.Migrate, kit.PairOf("d", "e"))
		kit.NoError(env.T, err)
		id = accepted.Data.MigrationID
	})
	require.Equal(env.T, redline.MigrationStatusCompleted, kit.Migrated(env, id).Status)
	return done
}

// An edit changes a document until its migration switches; after that the old id names
// nothing, and what was acknowledged is found under the new one.
func TestCommentsUpdate_WhileTheDocumentMigrates(t *testing.T) {
	env := kit.NewWorkspace(t)
	kit.Discuss(env, kit.Wrote("ann", "said 0"))
	done := untilTheSwitch(env, func(n int) write {
		return write{client.UpdateComments, kit.Edited(kit.Says(fmt.Sprint("said ", n)), 1)}
	})
	last := fmt.Sprint("said ", done[len(done)-1])
	found := kit.Older[[]redline.ThreadComment](env, kit.GetComments, kit.Doc("e", map[string]any{"annotationId": "n"})).Data
	require.Equal(t, last, found[0].CommentText)
	require.Equal(t, last, kit.Judgments(env, kit.InAcme(map[string]any{"documentId": "e"})).Results[0].Reasoning)
	require.Equal(t, "document", kit.Details(env, client.UpdateComments, kit.Edited(kit.Says("late"), 1))["resource"])
}
