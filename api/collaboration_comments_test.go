package api_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestCommentsUpdate_1_AnUnknownCommentAmongOthers(t *testing.T) {
	env := newWorkspace(t)
	kit.Discuss(env, kit.Wrote("ann", "one"), kit.Wrote("bob", "two"), kit.Wrote("ann", "three"))
	before := kit.Discussion(env)
	entries := kit.Items(env, client.UpdateComments, kit.Edited(kit.Says("new"), 3, 7, 1, 3))
	require.Equal(t, map[string]redline.Item{
		"1": {Success: true, ID: "1", Message: "Comment updated."}, "3": {Success: true, ID: "3", Message: "Comment updated."},
		"7": {ID: "7", Message: "The annotation has no such comment.", Code: "not-found"},
	}, entries)
	after := kit.Discussion(env)
	require.Equal(t, before.Comments[1], after.Comments[1])
	require.Greater(t, after.LastUpdated, before.LastUpdated)
	for _, i := range []int{0, 2} {
		require.Equal(t, []string{"new", "updated", after.LastUpdated}, []string{after.Comments[i].CommentText, string(after.Comments[i].Status), after.Comments[i].LastUpdated})
		require.Equal(t, before.Comments[i].From, after.Comments[i].From)
	}
	after.LastUpdated, after.Comments = before.LastUpdated, before.Comments
	require.Equal(t, before, after, "nothing else has changed")
}

func TestCommentsUpdate_4_TwoAtOnceHoldAsAWhole(t *testing.T) {
	env := newWorkspace(t)
	kit.Discuss(env, kit.Wrote("ann", "one"), kit.Wrote("ann", "two"))
	for round := range 20 {
		kit.Concurrently(4, func(i int) {
			text := fmt.Sprintf("%d of round %d", i, round)
			fields := map[string]any{"commentText": text, "commentHtml": "<p>" + text + "</p>"}
			if i == 3 {
				fields = kit.Says("alone")
			}
			_, err := client.Call[json.RawMessage](env.Ctx, env.Keyed, client.UpdateComments, kit.Edited(fields, 1, 2))
			kit.NoError(t, err)
		})
		thread := kit.Discussion(env).Comments
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
	env := newWorkspace(t)
	for name, row := range map[string]struct {
		fields     map[string]any
		text, html string
	}{
		"text alone":            {kit.Says("new"), "new", ""},
		"HTML alone":            {map[string]any{"commentHtml": "<p>new</p><p>lines</p>"}, "new\nlines", "<p>new</p><p>lines</p>"},
		"both":                  {map[string]any{"commentText": "a", "commentHtml": "<i>b</i><script>c</script>"}, "a", "<i>b</i><script>c</script>"},
		"neither":               {map[string]any{"context": map[string]any{"page": 1}}, "old", "<p>old</p>"},
		"no text":               {map[string]any{"commentText": nil}, "", ""},
		"no HTML":               {map[string]any{"commentHtml": nil}, "", ""},
		"no HTML but a text":    {map[string]any{"commentText": "a", "commentHtml": nil}, "a", ""},
		"no text but some HTML": {map[string]any{"commentText": nil, "commentHtml": "<p>a</p>"}, "", "<p>a</p>"},
	} {
		id := kit.Unique("note")
		kit.Annotate(env, kit.Made("d", kit.Annotated(id, kit.Wrote("ann", "old", map[string]any{"commentId": 1, "commentHtml": "<p>old</p>"}))))
		kit.Edit(env, kit.With(kit.Edited(row.fields, 1), map[string]any{"annotationId": id}))
		found := kit.Older[[]redline.ThreadComment](env, kit.GetComments, kit.Doc("d", map[string]any{"annotationId": id})).Data[0]
		require.Equal(t, []string{row.text, row.html}, []string{found.CommentText, found.CommentHTML}, name)
	}
}

func TestCommentsUpdate_WhatIsRefused(t *testing.T) {
	env := newWorkspace(t)
	kit.Discuss(env, kit.Wrote("ann", "{{bob}}"), kit.Wrote("ann", "{{eve}}"))
	before := kit.Discussion(env)
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
		"context":                                {"context": kit.ManyKeys(201)},
		"from":                                   {"from": nil},
		"from.userId":                            {"from": map[string]any{"name": "Ann"}},
		"isCommentResolverUsed":                  {"isCommentResolverUsed": "yes"},
		"taggedUserContacts":                     {"taggedUserContacts": manyContacts(101)},
		"taggedUserContacts.0.contact.userId":    contacts([2]string{"bob", "eve"}),
		"taggedUserContacts.1.userId":            contacts([2]string{"bob", "bob"}, [2]string{"bob", "bob"}),
		"taggedUserContacts.0.userId":            contacts([2]string{"eve", "eve"}),
		"taggedUserContacts.0.userId of another": kit.With(contacts([2]string{"bob", "bob"}), kit.Says("{{eve}}")),
	} {
		path, _, _ = strings.Cut(path, " ")
		failure := env.RefusedAs("INVALID_ARGUMENT", client.UpdateComments, kit.Edited(fields, 1))
		require.Equal(t, "updatedData."+path, strings.Join(failure.Issues[0].Path, "."))
		require.Len(t, failure.Issues, 1, path)
	}
	tags := env.RefusedAs("INVALID_ARGUMENT", client.UpdateComments, kit.Edited(kit.Says(kit.ManyTags(101)), 1))
	require.Equal(t, []string{"updatedData", "commentText"}, tags.Issues[0].Path)
	for path, change := range map[string]any{"commentIds": []int{}, "annotationId": nil, "updatedData": nil, "actionUser": map[string]any{"userId": "a", "own": strings.Repeat("x", 8<<10)}} {
		failure := env.RefusedAs("INVALID_ARGUMENT", client.UpdateComments, kit.With(kit.Edited(kit.Says("a"), 1), map[string]any{path: change}))
		require.Equal(t, []string{path}, failure.Issues[0].Path)
	}
	env.RefusedAs("INVALID_ARGUMENT", client.UpdateComments, kit.Edited(contacts([2]string{"bob", "bob"}), 1, 2))
	require.Equal(t, before, kit.Discussion(env), "nothing was written")
	kit.Edit(env, kit.Edited(kit.With(contacts([2]string{"kim", "kim"}), map[string]any{"isCommentResolverUsed": true}), 1, 2))
	require.Equal(t, "{{bob}}", kit.Discussion(env).Comments[0].CommentText)
}

func TestCommentsUpdate_OnlyWhereTheAnnotationIs(t *testing.T) {
	env := newWorkspace(t)
	kit.Discuss(env, kit.Wrote("ann", "one"))
	kit.Annotate(env, kit.Made("other", kit.Annotated("elsewhere", kit.Wrote("ann", "two"))))
	for resource, call := range map[string]map[string]any{
		"organization": {"organizationId": "nowhere"}, "document": {"documentId": "nowhere"}, "annotation": {"annotationId": "elsewhere"},
	} {
		require.Equal(t, map[string]any{"reason": "not-found", "resource": resource, "id": call[resource+"Id"]},
			kit.Details(env, client.UpdateComments, kit.With(kit.Edited(kit.Says("new"), 1), call)))
	}
	stranger := kit.Elsewhere(env)
	require.Equal(t, "organization", kit.Details(stranger, client.UpdateComments, kit.Edited(kit.Says("new"), 1))["resource"])
	kit.Annotate(stranger, kit.Made("d", kit.Annotated("m", kit.Wrote("ann", "three"))))
	require.Equal(t, "annotation", kit.Details(stranger, client.UpdateComments, kit.Edited(kit.Says("new"), 1))["resource"])
	require.Equal(t, "one", kit.Discussion(env).Comments[0].CommentText)
}
