package tests

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
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

func TestCommentsUpdate_1_AnUnknownCommentAmongOthers(t *testing.T) {
	s := begin(t)
	s.discuss(wrote("ann", "one"), wrote("bob", "two"), wrote("ann", "three"))
	before := s.discussion()
	entries := s.items(updateComments, edited(says("new"), 3, 7, 1, 3))
	require.Equal(t, map[string]itemView{
		"1": {Success: true, ID: "1", Message: "Comment updated."}, "3": {Success: true, ID: "3", Message: "Comment updated."},
		"7": {ID: "7", Message: "The annotation has no such comment.", Code: "not-found"},
	}, entries)
	after := s.discussion()
	require.Equal(t, before.Comments[1], after.Comments[1])
	require.Greater(t, after.LastUpdated, before.LastUpdated)
	for _, i := range []int{0, 2} {
		require.Equal(t, []string{"new", "updated", after.LastUpdated}, []string{after.Comments[i].CommentText, after.Comments[i].Status, after.Comments[i].LastUpdated})
		require.Equal(t, before.Comments[i].From, after.Comments[i].From)
	}
	after.LastUpdated, after.Comments = before.LastUpdated, before.Comments
	require.Equal(t, before, after, "nothing else has changed")
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

func TestCommentsUpdate_4_TwoAtOnceHoldAsAWhole(t *testing.T) {
	s := begin(t)
	s.discuss(wrote("ann", "one"), wrote("ann", "two"))
	for round := range 20 {
		together(4, func(i int) {
			text := fmt.Sprintf("%d of round %d", i, round)
			fields := map[string]any{"commentText": text, "commentHtml": "<p>" + text + "</p>"}
			if i == 3 {
				fields = says("alone")
			}
			_, err := client.Call[json.RawMessage](s.ctx, s.keyed, updateComments, edited(fields, 1, 2))
			fine(t, err)
		})
		thread := s.discussion().Comments
		for _, c := range thread {
			want := "<p>" + c.CommentText + "</p>"
			if c.CommentText == "alone" {
				want = ""
			}
			require.Equal(t, want, c.CommentHTML)
		}
		require.Equal(t, thread[0].CommentText, thread[1].CommentText, "both by the call that was last")
	}
}

func TestCommentsUpdate_WhatBecomesOfTextAndHTML(t *testing.T) {
	s := begin(t)
	for name, row := range map[string]struct {
		fields     map[string]any
		text, html string
	}{
		"text alone":            {says("new"), "new", ""},
		"HTML alone":            {map[string]any{"commentHtml": "<p>new</p><p>lines</p>"}, "new\nlines", "<p>new</p><p>lines</p>"},
		"both":                  {map[string]any{"commentText": "a", "commentHtml": "<i>b</i><script>c</script>"}, "a", "<i>b</i><script>c</script>"},
		"neither":               {map[string]any{"context": map[string]any{"page": 1}}, "old", "<p>old</p>"},
		"no text":               {map[string]any{"commentText": nil}, "", ""},
		"no HTML":               {map[string]any{"commentHtml": nil}, "", ""},
		"no HTML but a text":    {map[string]any{"commentText": "a", "commentHtml": nil}, "a", ""},
		"no text but some HTML": {map[string]any{"commentText": nil, "commentHtml": "<p>a</p>"}, "", "<p>a</p>"},
	} {
		id := unique("note")
		s.annotate(made("d", annotated(id, wrote("ann", "old", map[string]any{"commentId": 1, "commentHtml": "<p>old</p>"}))))
		s.edit(with(edited(row.fields, 1), map[string]any{"annotationId": id}))
		found := older[[]commentView](s, getComments, doc("d", map[string]any{"annotationId": id})).Data[0]
		require.Equal(t, []string{row.text, row.html}, []string{found.CommentText, found.CommentHTML}, name)
	}
}

func TestCommentsUpdate_WhatIsRefused(t *testing.T) {
	s := begin(t)
	s.discuss(wrote("ann", "{{bob}}"), wrote("ann", "{{eve}}"))
	before := s.discussion()
	contacts := func(entries ...[2]string) map[string]any {
		var list []any
		for _, e := range entries {
			list = append(list, map[string]any{"userId": e[0], "contact": map[string]any{"userId": e[1]}})
		}
		return map[string]any{"taggedUserContacts": list}
	}
	for path, fields := range map[string]map[string]any{
		"commentText":                            {"commentText": strings.Repeat("x", 64<<10+1)},
		"commentHtml":                            {"commentHtml": strings.Repeat("x", 128<<10+1)},
		"context":                                {"context": manyKeys(201)},
		"from":                                   {"from": nil},
		"from.userId":                            {"from": map[string]any{"name": "Ann"}},
		"isCommentResolverUsed":                  {"isCommentResolverUsed": "yes"},
		"taggedUserContacts":                     {"taggedUserContacts": manyContacts(101)},
		"taggedUserContacts.0.contact.userId":    contacts([2]string{"bob", "eve"}),
		"taggedUserContacts.1.userId":            contacts([2]string{"bob", "bob"}, [2]string{"bob", "bob"}),
		"taggedUserContacts.0.userId":            contacts([2]string{"eve", "eve"}),
		"taggedUserContacts.0.userId of another": with(contacts([2]string{"bob", "bob"}), says("{{eve}}")),
	} {
		path, _, _ = strings.Cut(path, " ")
		failure := s.refusedAs("INVALID_ARGUMENT", updateComments, edited(fields, 1))
		require.Equal(t, "updatedData."+path, strings.Join(failure.Issues[0].Path, "."))
		require.Len(t, failure.Issues, 1, path)
	}
	tags := s.refusedAs("INVALID_ARGUMENT", updateComments, edited(says(manyTags(101)), 1))
	require.Equal(t, []string{"updatedData", "commentText"}, tags.Issues[0].Path)
	for path, change := range map[string]any{"commentIds": []int{}, "annotationId": nil, "updatedData": nil, "actionUser": map[string]any{"userId": "a", "own": strings.Repeat("x", 8<<10)}} {
		failure := s.refusedAs("INVALID_ARGUMENT", updateComments, with(edited(says("a"), 1), map[string]any{path: change}))
		require.Equal(t, []string{path}, failure.Issues[0].Path)
	}
	s.refusedAs("INVALID_ARGUMENT", updateComments, edited(contacts([2]string{"bob", "bob"}), 1, 2))
	require.Equal(t, before, s.discussion(), "nothing was written")
	s.edit(edited(with(contacts([2]string{"kim", "kim"}), map[string]any{"isCommentResolverUsed": true}), 1, 2))
	require.Equal(t, "{{bob}}", s.discussion().Comments[0].CommentText)
}

func TestCommentsUpdate_OnlyWhereTheAnnotationIs(t *testing.T) {
	s := begin(t)
	s.discuss(wrote("ann", "one"))
	s.annotate(made("other", annotated("elsewhere", wrote("ann", "two"))))
	for resource, call := range map[string]map[string]any{
		"organization": {"organizationId": "nowhere"}, "document": {"documentId": "nowhere"}, "annotation": {"annotationId": "elsewhere"},
	} {
		require.Equal(t, map[string]any{"reason": "not-found", "resource": resource, "id": call[resource+"Id"]},
			s.details(updateComments, with(edited(says("new"), 1), call)))
	}
	stranger := s.elsewhere()
	require.Equal(t, "organization", stranger.details(updateComments, edited(says("new"), 1))["resource"])
	stranger.annotate(made("d", annotated("m", wrote("ann", "three"))))
	require.Equal(t, "annotation", stranger.details(updateComments, edited(says("new"), 1))["resource"])
	require.Equal(t, "one", s.discussion().Comments[0].CommentText)
}
