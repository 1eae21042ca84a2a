package collaboration

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// deletedShown is what an event of a deletion says.
type deletedShown struct {
	CommentAnnotation map[string]any   `json:"commentAnnotation"`
	TargetComment     map[string]any   `json:"targetComment"`
	AnnotationID      string           `json:"annotationId"`
	ActionUser        *json.RawMessage `json:"actionUser"`
	AccessDenied      []string         `json:"accessDeniedUsers"`
	Visibility        map[string]any   `json:"visibility"`
}

func heardDeleted(env *kit.Env, path string, n int) (shown []deletedShown) {
	env.T.Helper()
	for _, m := range kit.Heard(env, path, n) {
		var one deletedShown
		require.NoError(env.T, json.Unmarshal(m.Data, &one))
		shown = append(shown, one)
	}
	return shown
}

func TestCommentsDelete_1_TheLastTwoAtOnce(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	kit.EndpointAt(env, "/told", map[string]any{"filterTypes": []string{"comment_annotation.delete", "comment.delete"}})
	const rounds = 10
	for round := range rounds {
		kit.Discuss(env, kit.Wrote("ann", "one"), kit.Wrote("bob", "two"))
		kit.Concurrently(2, func(i int) {
			raw, err := client.Call[redline.ItemByIDResult](env.Ctx, env.Keyed, client.DeleteComments, kit.These(int64(i+1)))
			if kit.NoError(t, err) && !raw.Data[strconv.Itoa(i+1)].Success {
				t.Errorf("comment %d of round %d was not there", i+1, round)
			}
		})
		require.Empty(t, kit.Older[[]redline.Annotation](env, kit.GetAnnotations, kit.Doc("d")).Data)
		require.Empty(t, kit.Judgments(env, nil).Results)
		require.Equal(t, [2]int{0, 0}, kit.Counts(env, "eve", "d")["d"])
	}
	kit.Settled(env)
	heard := kit.EventsOf(kit.Heard(env, "/told", 3*rounds))
	for each := range slices.Chunk(heard, 3) {
		require.Equal(t, []string{"comment.delete", "comment.delete", "comment_annotation.delete"}, each)
	}
	require.Len(t, heard, 3*rounds)
}

func TestCommentsDelete_WhatGoesWithAComment(t *testing.T) {
	env := kit.NewWorkspace(t)
	bob := kit.Mailbox()
	kit.MailBy(env, map[string]any{"fromEmail": "desk@tests.example.com"})
	kit.AddPeople(env, kit.User("bob", "Bob", bob), kit.User("eve", "Eve", kit.Mailbox()))
	kit.Discuss(env, kit.Wrote("ann", "Look, {{bob}}.", kit.Loud), kit.Wrote("eve", "Yes, {{bob}}."), kit.Wrote("ann", "And {{bob}}.", kit.Loud))
	kit.Mails(env, bob, 2)
	require.Equal(t, []string{"1 bob mention", "3 bob mention", "3 eve reply"}, kit.NotifiedRows(env))
	kit.Items(env, client.DeleteComments, kit.With(kit.These(3), map[string]any{"actionUser": kit.User("kim", "Kim", "kim@example.com"), "triggerActivities": true}))
	require.Equal(t, []string{"1 bob mention"}, kit.NotifiedRows(env))
	said := kit.Judgments(env, nil).Results
	require.Equal(t, []string{"Yes, Bob.", "Look, Bob."}, []string{said[0].Reasoning, said[1].Reasoning})
	require.Len(t, said, 2)
	require.Equal(t, []string{"comment.delete n 3 kim"}, kit.Activities(env))
	kit.Record(env, kit.Verdict("ann", "approve", kit.InAcme(map[string]any{"documentId": "d", "annotationId": "n", "recordId": "own"})))
	kit.Items(env, client.DeleteComments, kit.With(kit.These(), map[string]any{"triggerActivities": true}))
	require.Empty(t, kit.NotifiedRows(env))
	require.Equal(t, "own", kit.Judgments(env, nil).Results[0].RecordID, "what callers recorded stays")
	require.Len(t, kit.Judgments(env, nil).Results, 1)
	require.Equal(t, []string{"comment.delete n 1", "comment.delete n 2", "comment.delete n 3 kim", "comment_annotation.delete n"}, kit.Activities(env))
}

func TestCommentsDelete_WhatIsPublished(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	kit.EndpointAt(env, "/told", map[string]any{"filterTypes": []string{"comment_annotation.delete", "comment.delete"}})
	note := kit.Annotated("n", kit.Wrote("ann", "Who?", map[string]any{"commentId": 1}), kit.Wrote("ann", "{{eve}}?", map[string]any{"commentId": 2}), kit.Wrote("bob", "I", map[string]any{"commentId": 3}))
	note["visibility"] = map[string]any{"type": "restricted", "userIds": []string{"bob"}}
	kit.Annotate(env, kit.Made("d", note))
	kit.Items(env, client.DeleteComments, kit.With(kit.These(2), map[string]any{"actionUser": kit.User("kim", "Kim", "kim@example.com")}))
	shown := heardDeleted(env, "/told", 1)[0]
	require.Equal(t, "{{eve}}?", shown.TargetComment["commentText"], "as it was")
	require.InDelta(t, 2, shown.CommentAnnotation["commentCount"], 0)
	require.Equal(t, []string{"eve"}, shown.AccessDenied, "she is named in what was deleted")
	require.NotContains(t, shown.CommentAnnotation, "mentionedUserIds")
	require.JSONEq(t, `{"userId":"kim","name":"Kim","email":"kim@example.com","initial":"K"}`, string(*shown.ActionUser))
	kit.Items(env, client.DeleteComments, kit.These(1, 3))
	heard := heardDeleted(env, "/told", 4)
	require.Equal(t, []any{float64(1), []any{}, float64(0)}, []any{heard[1].TargetComment["commentId"], heard[1].CommentAnnotation["comments"], heard[1].CommentAnnotation["commentCount"]})
	require.InDelta(t, 3, heard[2].TargetComment["commentId"], 0, "in the order of the thread")
	require.Equal(t, deletedShown{AnnotationID: "n", Visibility: shown.Visibility, AccessDenied: []string{}}, heard[3])
	require.Equal(t, map[string]any{"type": "restricted", "userIds": []any{"bob"}}, shown.Visibility)
}

// Hundreds of comments of one call are hundreds of events, in the order of the thread.
func TestCommentsDelete_ManyAreToldInTheirOrder(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	kit.EndpointAt(env, "/told", map[string]any{"filterTypes": []string{"comment_annotation.delete", "comment.delete"}})
	comments := make([]map[string]any, 100)
	for i := range comments {
		comments[i] = kit.Wrote("ann", fmt.Sprint("number ", i+1))
	}
	kit.Discuss(env, comments...)
	kit.Annotate(env, kit.Made("d", kit.Annotated("other", kit.Wrote("ann", "stays"))))
	kit.Items(env, client.DeleteComments, kit.These())
	heard := heardDeleted(env, "/told", 101)
	for i, shown := range heard[:100] {
		require.InDelta(t, i+1, shown.TargetComment["commentId"], 0)
	}
	require.Equal(t, "n", heard[100].AnnotationID)
	require.Equal(t, []string{"other"}, kit.NotesOf(env, "d"))
}

// A deletion holds under the old id of a document until its migration switches, and what was
// deleted is found under neither.
func TestCommentsDelete_WhileTheDocumentMigrates(t *testing.T) {
	env := kit.NewWorkspace(t)
	comments := make([]map[string]any, 100)
	for i := range comments {
		comments[i] = kit.Wrote("ann", "said")
	}
	kit.Discuss(env, comments...)
	var done []int
	id := ""
	kit.Concurrently(2, func(i int) {
		if i == 1 {
			done = until(env, "d", func(n int) write { return write{client.DeleteComments, kit.These(int64(min(n, 99)))} })
			return
		}
		accepted, err := client.Call[redline.MigrationIDResult](env.Ctx, env.Keyed, client.Migrate, kit.PairOf("d", "e"))
		kit.NoError(t, err)
		id = accepted.Data.MigrationID
	})
	require.Equal(t, redline.MigrationStatusCompleted, kit.Migrated(env, id).Status)
	left := kit.Older[[]redline.ThreadComment](env, kit.GetComments, kit.Doc("e", map[string]any{"annotationId": "n"})).Data
	require.Len(t, left, len(comments)-min(done[len(done)-1], 99))
	require.EqualValues(t, len(left), kit.Judgments(env, kit.InAcme(map[string]any{"documentId": "e"})).Total)
	require.Equal(t, "document", kit.Details(env, client.DeleteComments, kit.These())["resource"])
}
