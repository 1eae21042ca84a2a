package tests

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

func TestActivities_1_AFlaggedAddOfAHundredAnnotations(t *testing.T) {
	s := begin(t)
	notes := make([]map[string]any, 100)
	for i := range notes {
		notes[i] = annotated(fmt.Sprintf("n%02d", i), wrote("ann", fmt.Sprint("note ", i), recorded, map[string]any{"commentId": i + 1}))
	}
	s.people(user("ann", "Ann", "ann@example.com"))
	s.annotate(made("d", annotated("taken", wrote("bob", "unflagged"))))
	require.Empty(t, s.log(), "only what is flagged is kept")
	last := notes[99]
	notes[99] = annotated("taken", wrote("ann", "late", recorded))
	s.refusedAs("ALREADY_EXISTS", addAnnotations, made("d", notes...))
	require.Empty(t, s.log(), "what is refused leaves nothing")
	notes[99] = last
	s.annotate(made("d", notes...))

	all := s.log()
	require.Len(t, all, 100)
	var transactions int
	require.NoError(t, s.rows().QueryRow(s.ctx, `SELECT count(DISTINCT xmin::text) FROM activities WHERE workspace_id = $1`, s.workspace.ID).Scan(&transactions))
	require.Equal(t, 1, transactions)
	one := s.log(map[string]any{"targetEntityId": "n07"})[0]
	require.Regexp(t, "^act_", one.ID)
	require.Equal(t, []any{"comment", "comment_annotation.add", "ann", "Ann", "n07", "8"},
		[]any{one.FeatureType, one.ActionType, one.ActionUser.UserID, one.ActionUser.Name, *one.TargetEntityID, *one.TargetSubEntityID})
	require.Equal(t, "Ann added a comment", one.DisplayMessage)
	require.Equal(t, "{{actionUser.name}} added a comment", one.DisplayMessageTemplate)
	require.JSONEq(t, `{"actionUser":{"userId":"ann","name":"Ann"}}`, string(one.DisplayMessageTemplateData))
	require.Contains(t, one.ActionIcon, "<svg")
	require.JSONEq(t, `{}`, string(one.Changes))
	require.Equal(t, []any{"acme", "d"}, []any{one.Metadata.OrganizationID, *one.Metadata.DocumentID})
	require.Nil(t, one.Metadata.FolderID)
	require.Positive(t, one.Timestamp)
	var entity struct {
		AnnotationID string
		CommentCount int
		Comments     []struct{ CommentText string }
	}
	require.NoError(t, json.Unmarshal(one.EntityData, &entity))
	require.Equal(t, []any{"n07", 1, "note 7"}, []any{entity.AnnotationID, entity.CommentCount, entity.Comments[0].CommentText})
	require.Len(t, entity.Comments, 1)
}

func TestActivities_WhatIsDoneToCommentsIsToldAsItWas(t *testing.T) {
	s := begin(t)
	s.discuss(wrote("ann", "one"), wrote("bob", "two", recorded))
	kim := map[string]any{"actionUser": user("kim", "Kim", "kim@example.com"), "triggerActivities": true}
	s.edit(with(edited(says("other"), 1), kim))
	s.items(deleteComments, with(these(2), kim))
	s.items(deleteAnnotations, doc("d", map[string]any{"annotationIds": []string{"n"}, "triggerActivities": true}))
	var shown []string
	for _, a := range s.log(map[string]any{"order": "asc"}) {
		shown = append(shown, a.ActionType+": "+a.DisplayMessage)
		if a.ActionType == "comment.update" {
			require.JSONEq(t, `{"commentText":{"from":"one","to":"other"}}`, string(a.Changes))
		}
		if a.ActionType == "comment_annotation.delete" {
			require.Nil(t, a.ActionUser)
			require.Nil(t, a.TargetSubEntityID)
		}
	}
	require.Equal(t, []string{
		"comment.add: bob replied to a comment", "comment.update: Kim edited a comment",
		"comment.delete: Kim deleted a comment", "comment_annotation.delete: Somebody deleted an annotation",
	}, shown)
}

func TestActivities_2_AViewerOutsideOfARestrictedAnnotation(t *testing.T) {
	s := begin(t)
	var open []string
	for i := range 20 {
		id := fmt.Sprintf("n%02d", i)
		note := annotated(id, wrote("ann", "hello", recorded))
		if i%2 == 0 {
			visibleTo(note, "eve")
		} else {
			open = append(open, id)
		}
		s.annotate(made("d", note))
	}
	for _, where := range []map[string]any{{}, {"documentId": "d"}} {
		require.Equal(t, open, s.seenBy("bob", where))
		require.Len(t, s.seenBy("eve", where), 20)
		require.Len(t, s.seenBy("ann", where), 20, "the author")
		require.Len(t, s.log(where), 20, "a read for nobody sees all")
		pages := s.activityPages(where, map[string]any{"viewerUserId": "bob", "pageSize": 3})
		require.Len(t, pages, 4)
		walked := []string{}
		for i, page := range pages {
			require.Len(t, page, []int{3, 3, 3, 1}[i], "hidden records leave no gap in a page")
			for _, a := range page {
				walked = append(walked, *a.TargetEntityID)
			}
		}
		slices.Reverse(walked)
		require.Equal(t, open, walked)
	}
	hidden := s.log(map[string]any{"targetEntityId": "n00"})[0].ID
	require.Empty(t, s.seenBy("bob", map[string]any{"activityIds": []string{hidden}}))
	require.Len(t, s.seenBy("eve", map[string]any{"activityIds": []string{hidden, "unknown"}}), 1)
}

func TestActivities_ARecordFollowsWhoMaySeeItsAnnotationNow(t *testing.T) {
	s := begin(t)
	partners := annotated("n", wrote("ann", "for us", recorded))
	partners["visibility"] = map[string]any{"type": "organizationPrivate", "organizationId": "partners"}
	s.annotate(made("d", partners))
	require.Empty(t, s.seenBy("bob"))
	join := map[string]any{"organizationId": "partners", "createOrganization": true, "users": users("bob")}
	s.call("users/add", join, nil)
	require.Equal(t, []string{"n"}, s.seenBy("bob"))
	s.call("users/delete", map[string]any{"organizationId": "partners", "userIds": []string{"bob"}}, nil)
	require.Empty(t, s.seenBy("bob"))
	require.Equal(t, []string{"n"}, s.seenBy("ann"))
}

func TestActivities_ARecordAboutADeletedAnnotationFollowsWhoMightSeeItLast(t *testing.T) {
	s := begin(t)
	s.annotate(made("d", visibleTo(annotated("silent", wrote("ann", "a", recorded)), "eve"), visibleTo(annotated("loud", wrote("ann", "a")), "eve"),
		visibleTo(annotated("emptied", wrote("ann", "a", map[string]any{"commentId": 1})), "eve"), annotated("open", wrote("ann", "a", recorded)),
		visibleTo(annotated("later", wrote("ann", "a")), "eve")))
	s.did("d", did("bob", "later"))
	gone := func(id string, more map[string]any) {
		s.items(deleteAnnotations, doc("d", map[string]any{"annotationIds": []string{id}}, more))
	}
	for _, id := range []string{"silent", "open", "later"} {
		gone(id, nil)
	}
	gone("loud", recorded)
	s.items(deleteComments, doc("d", map[string]any{"annotationId": "emptied", "triggerActivities": true}))
	for _, where := range []map[string]any{{}, {"documentId": "d"}} {
		require.Equal(t, []string{"open"}, s.seenBy("bob", where))
		require.Equal(t, []string{"emptied", "later", "loud", "open", "silent"}, s.seenBy("eve", where))
		require.Equal(t, []string{"emptied", "later", "loud", "open", "silent"}, s.seenBy("ann", where))
	}

	s.did("d", did("kim", "silent"))
	require.Equal(t, []string{"open"}, s.seenBy("bob"), "what is said of it afterwards too")
	s.annotate(made("d", annotated("silent", wrote("bob", "another one", recorded))))
	about := map[string]any{"targetEntityId": "silent"}
	require.Len(t, s.log(about), 3)
	require.Len(t, s.log(about, map[string]any{"viewerUserId": "bob"}), 1, "the id is another annotation's now; the former one stays hidden")
	require.Len(t, s.log(about, map[string]any{"viewerUserId": "eve"}), 3)

	var kept []string
	require.NoError(t, s.rows().QueryRow(s.ctx, `SELECT array_agg(annotation_id ORDER BY annotation_id) FROM deleted_annotations WHERE workspace_id = $1`,
		s.workspace.ID).Scan(&kept))
	s.annotate(made("d", annotated("plain", wrote("ann", "a"))))
	gone("plain", nil)
	require.NoError(t, s.rows().QueryRow(s.ctx, `SELECT array_agg(annotation_id ORDER BY annotation_id) FROM deleted_annotations WHERE workspace_id = $1`,
		s.workspace.ID).Scan(&kept))
	require.Equal(t, []string{"emptied", "later", "loud", "open", "silent"}, kept, "nothing is kept of one without records")
}

func TestActivities_3_TwoAddsWithOneID(t *testing.T) {
	s := begin(t)
	s.items(addDocuments, document("d", nil))
	const calls = 20
	wins := make(chan int, calls)
	together(calls, func(i int) {
		_, err := client.Call[itemsView](s.ctx, s.keyed, addActivities, doc("d", map[string]any{"activities": []any{
			did("ann", "x", identified(fmt.Sprint("own ", i))), did("ann", "x", identified("one")),
		}}))
		var refused *client.Failure
		switch {
		case err == nil:
			wins <- i
		case !errors.As(err, &refused) || refused.Status != "ALREADY_EXISTS":
			t.Errorf("unexpected error: %v", err)
		}
	})
	require.Len(t, wins, 1)
	require.ElementsMatch(t, []string{"one", fmt.Sprint("own ", <-wins)}, s.logged(), "who lost has written nothing")
	again := inAcme(map[string]any{"activities": []any{did("ann", "x", identified("new")), did("ann", "x", identified("one"))}})
	require.Equal(t, []any{"one"}, s.details(addActivities, again)["activityIds"], "also in another place of the workspace")
	require.NotContains(t, s.logged(), "new")
	other := s.elsewhere()
	other.items(addOrganizations, organizations("acme"))
	require.True(t, other.did("", did("ann", "x", identified("one")))["one"].Success, "ids of another workspace are no matter")

	s.items(deleteDocuments, theseDocuments("d"))
	require.Empty(t, s.log())
	require.True(t, s.did("", did("bob", "x", identified("one")))["one"].Success, "what was deleted has no id any more")
	require.Equal(t, []string{"one"}, s.logged())
}

func TestActivities_4_PlacesOfATemplate(t *testing.T) {
	s := begin(t)
	s.items(addOrganizations, organizations("acme"))
	said := func(name, template string, data any) string {
		t.Helper()
		one := did("ann", "x", map[string]any{"displayMessageTemplate": template, "displayMessageTemplateData": data})
		one["actionUser"] = map[string]any{"userId": "ann", "name": name}
		for id, item := range s.did("", one) {
			require.Equal(t, itemView{Success: true, ID: id, Message: "Activity added."}, item)
			found := s.log(map[string]any{"activityIds": []string{id}})[0]
			require.Equal(t, template, found.DisplayMessageTemplate)
			return found.DisplayMessage
		}
		return ""
	}
	require.Equal(t, "Ann did  <>", said("Ann", "{{actionUser.name}} did {{what}} <{{a.b.c}}>", nil))
	require.Equal(t, "{{x}} saw {{y}}", said("{{x}}", "{{actionUser.name}} saw {{x}}", map[string]any{"x": "{{y}}", "y": "no"}), "values are not templates")
	require.Equal(t, `3 true b {"b":1}`, said("Ann", "{{a.n}} {{a.yes}} {{a.list.1}} {{a.o}}",
		map[string]any{"a": json.RawMessage(`{"n":3,"yes":true,"list":["a","b"],"o":{"b":1}}`)}))
	require.Equal(t, "Eve & {{", said("Ann", "{{actionUser.name}} & {{", map[string]any{"actionUser": map[string]any{"name": "Eve"}}), "what is sent counts first")
	require.Empty(t, said("Ann", "", nil))
	large := did("ann", "x", map[string]any{
		"displayMessageTemplate": strings.Repeat("{{a}}", 40), "displayMessageTemplateData": map[string]any{"a": strings.Repeat("x", 1000)},
	})
	require.Equal(t, "displayMessageTemplate", s.refusedAs("INVALID_ARGUMENT", addActivities, inAcme(map[string]any{"activities": []any{large}})).Issues[0].Path[2])
}

func TestActivities_6_AWalkMeetsEachRecordOnce(t *testing.T) {
	s := begin(t)
	s.items(addDocuments, document("d", nil))
	var want []string
	for call := range 5 {
		several := make([]map[string]any, 100)
		for i := range several {
			id := fmt.Sprintf("%d-%02d", call, i)
			several[i] = did("ann", "x", identified(id), timed(int64(1_000_000+call/2)))
			want = append(want, id)
		}
		s.did("d", several...)
	}
	pages := s.activityPages(map[string]any{"documentId": "d", "pageSize": 7})
	require.Len(t, pages, 72)
	var walked []string
	for _, a := range slices.Concat(pages...) {
		walked = append(walked, a.ID)
	}
	slices.Reverse(want)
	require.Equal(t, want, walked, "newest first, those of one time by their ids")
	slices.Reverse(want)
	require.Equal(t, want, s.logged(map[string]any{"order": "asc", "pageSize": 99}))
}
