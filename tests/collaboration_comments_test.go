package tests

import (
	"encoding/json"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
)

const updateComments = "commentannotations/comments/update"

// edited is a call that gives comments of the annotation n in the document d these fields.
func edited(fields map[string]any, commentIDs ...int64) map[string]any {
	return doc("d", map[string]any{"annotationId": "n", "commentIds": commentIDs, "updatedData": fields})
}

// with is a call with more in it.
func with(call, more map[string]any) map[string]any {
	all := maps.Clone(call)
	maps.Copy(all, more)
	return all
}

// says are the fields of a comment that says this.
func says(text string) map[string]any { return map[string]any{"commentText": text} }

// discuss adds the annotation n with these comments, whose ids are 1, 2 and so on, to the
// document d.
func (s *scene) discuss(comments ...map[string]any) {
	s.t.Helper()
	for i, comment := range comments {
		comment["commentId"] = i + 1
	}
	s.annotate(made("d", annotated("n", comments...)))
}

// discussion is the annotation n with its thread, of which comments/get tells more.
func (s *scene) discussion() annotationView {
	s.t.Helper()
	found := older[[]annotationView](s, getAnnotations, doc("d", map[string]any{"annotationIds": []string{"n"}})).Data
	require.Len(s.t, found, 1)
	found[0].Comments = older[[]commentView](s, getComments, doc("d", map[string]any{"annotationId": "n"})).Data
	return found[0]
}

// edit makes a call that has to find every comment.
func (s *scene) edit(call map[string]any) {
	s.t.Helper()
	for id, entry := range s.items(updateComments, call) {
		require.Equal(s.t, itemView{Success: true, ID: id, Message: "Comment updated."}, entry)
	}
}

func TestCommentsUpdate_2_TheSameAgain(t *testing.T) {
	s := begin(t).hooked()
	s.endpointAt("/told")
	fields := map[string]any{
		"commentText": "Ask {{bob}}", "commentHtml": "<p>Ask {{bob}}</p>", "context": json.RawMessage(`{"n": 1.10}`), "isCommentResolverUsed": true,
		"isCommentTextAvailable": true, "from": user("ann", "Ann", "ann@example.com"),
		"taggedUserContacts": []any{map[string]any{"userId": "bob", "contact": map[string]any{"userId": "bob", "name": "Bob"}}},
	}
	s.discuss(maps.Clone(fields), wrote("ann", "mine"))
	before := s.discussion()
	s.edit(edited(fields, 1))
	s.edit(with(edited(says("mine"), 2), map[string]any{"triggerNotification": true, "triggerActivities": true}))
	s.edit(edited(map[string]any{}, 1, 2))
	require.Equal(t, before, s.discussion())
	s.edit(edited(says("mine"), 1, 2))
	after := s.discussion()
	require.Equal(t, before.Comments[1], after.Comments[1])
	require.Equal(t, "updated", after.Comments[0].Status)
	require.Equal(t, []string{"comment.update"}, eventsOf(s.heard("/told", 1)), "one for the one that is another")
	s.edit(edited(says("mine"), 1, 2))
	require.Equal(t, after, s.discussion())
	s.settled()
	require.Len(t, s.heard("/told", 1), 1)
}

// notified gives who is notified of which comment of the workspace, and why.
func (s *scene) notified() (who []string) {
	s.t.Helper()
	found, err := s.rows().Query(s.ctx, `SELECT concat_ws(' ', n.comment_seq, r.user_id, r.reason) FROM notification_recipients r
JOIN notifications n ON n.id = r.notification_id WHERE n.workspace_id = $1 ORDER BY 1`, s.workspace.ID)
	require.NoError(s.t, err)
	defer found.Close()
	for found.Next() {
		var one string
		require.NoError(s.t, found.Scan(&one))
		who = append(who, one)
	}
	require.NoError(s.t, found.Err())
	return who
}

func TestCommentsUpdate_3_ARemovedTagTakesItsNotificationBack(t *testing.T) {
	s := begin(t)
	bob, eve := mailbox(), mailbox()
	s.mailBy(map[string]any{"fromEmail": "desk@stories.example.com"})
	s.people(user("bob", "Bob", bob), user("eve", "Eve", eve))
	s.discuss(wrote("ann", "Look, {{bob}}.", loud), wrote("ann", "And {{bob}}.", loud))
	s.mails(bob, 2)
	require.Equal(t, []string{"1 bob mention", "2 bob mention"}, s.notified())
	s.edit(edited(says("Look, {{eve}}."), 1))
	require.Equal(t, []string{"2 bob mention"}, s.notified(), "eve is not told without the flag")
	s.edit(with(edited(says("Look, {{eve}} and {{bob}}."), 1), loud))
	require.Equal(t, []string{"1 bob mention", "2 bob mention"}, s.notified(), "she was tagged before")
	s.edit(with(edited(says("And {{bob}}, {{eve}}, {{ann}}."), 2), loud))
	require.Equal(t, []string{"1 bob mention", "2 bob mention", "2 eve mention"}, s.notified())
	s.inBoxes(map[string][]string{
		bob: {"Look, Bob.", "And Bob.", "Look, Eve and Bob."}, eve: {"And Bob, Eve, ann."},
	})
}
