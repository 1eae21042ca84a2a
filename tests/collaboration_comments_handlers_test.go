package tests

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

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
