package api_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestActivities_1_AFlaggedAddOfAHundredAnnotations(t *testing.T) {
	env := newWorkspace(t)
	notes := make([]map[string]any, 100)
	for i := range notes {
		notes[i] = kit.Annotated(fmt.Sprintf("n%02d", i), kit.Wrote("ann", fmt.Sprint("note ", i), kit.TriggerActivities, map[string]any{"commentId": i + 1}))
	}
	kit.AddPeople(env, kit.User("ann", "Ann", "ann@example.com"))
	kit.Annotate(env, kit.Made("d", kit.Annotated("taken", kit.Wrote("bob", "unflagged"))))
	require.Empty(t, kit.Log(env), "only what is flagged is kept")
	last := notes[99]
	notes[99] = kit.Annotated("taken", kit.Wrote("ann", "late", kit.TriggerActivities))
	env.RefusedAs("ALREADY_EXISTS", client.AddAnnotations, kit.Made("d", notes...))
	require.Empty(t, kit.Log(env), "what is refused leaves nothing")
	notes[99] = last
	kit.Annotate(env, kit.Made("d", notes...))

	all := kit.Log(env)
	require.Len(t, all, 100)
	var transactions int
	require.NoError(t, env.DB().QueryRow(env.Ctx, `SELECT count(DISTINCT xmin::text) FROM activities WHERE workspace_id = $1`, env.Workspace.ID).Scan(&transactions))
	require.Equal(t, 1, transactions)
	one := kit.Log(env, map[string]any{"targetEntityId": "n07"})[0]
	require.Regexp(t, "^act_", one.ID)
	require.Equal(t, []any{redline.ActivityFeatureTypeComment, "comment_annotation.add", "ann", "Ann", "n07", "8"},
		[]any{one.FeatureType, one.ActionType, kit.ObjectOf(one.ActionUser)["userId"], kit.ObjectOf(one.ActionUser)["name"], *one.TargetEntityID, *one.TargetSubEntityID})
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
	env := newWorkspace(t)
	kit.Discuss(env, kit.Wrote("ann", "one"), kit.Wrote("bob", "two", kit.TriggerActivities))
	kim := map[string]any{"actionUser": kit.User("kim", "Kim", "kim@example.com"), "triggerActivities": true}
	kit.Edit(env, kit.With(kit.Edited(kit.Says("other"), 1), kim))
	kit.Items(env, client.DeleteComments, kit.With(kit.These(2), kim))
	kit.Items(env, client.DeleteAnnotations, kit.Doc("d", map[string]any{"annotationIds": []string{"n"}, "triggerActivities": true}))
	var shown []string
	for _, a := range kit.Log(env, map[string]any{"order": "asc"}) {
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
	env := newWorkspace(t)
	var open []string
	for i := range 20 {
		id := fmt.Sprintf("n%02d", i)
		note := kit.Annotated(id, kit.Wrote("ann", "hello", kit.TriggerActivities))
		if i%2 == 0 {
			kit.VisibleTo(note, "eve")
		} else {
			open = append(open, id)
		}
		kit.Annotate(env, kit.Made("d", note))
	}
	for _, where := range []map[string]any{{}, {"documentId": "d"}} {
		require.Equal(t, open, kit.SeenBy(env, "bob", where))
		require.Len(t, kit.SeenBy(env, "eve", where), 20)
		require.Len(t, kit.SeenBy(env, "ann", where), 20, "the author")
		require.Len(t, kit.Log(env, where), 20, "a read for nobody sees all")
		pages := kit.ActivityPages(env, where, map[string]any{"viewerUserId": "bob", "pageSize": 3})
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
	hidden := kit.Log(env, map[string]any{"targetEntityId": "n00"})[0].ID
	require.Empty(t, kit.SeenBy(env, "bob", map[string]any{"activityIds": []string{hidden}}))
	require.Len(t, kit.SeenBy(env, "eve", map[string]any{"activityIds": []string{hidden, "unknown"}}), 1)
}

func TestActivities_ARecordFollowsWhoMaySeeItsAnnotationNow(t *testing.T) {
	env := newWorkspace(t)
	partners := kit.Annotated("n", kit.Wrote("ann", "for us", kit.TriggerActivities))
	partners["visibility"] = map[string]any{"type": "organizationPrivate", "organizationId": "partners"}
	kit.Annotate(env, kit.Made("d", partners))
	require.Empty(t, kit.SeenBy(env, "bob"))
	join := map[string]any{"organizationId": "partners", "createOrganization": true, "users": kit.Users("bob")}
	env.Call(client.AddUsers, join, nil)
	require.Equal(t, []string{"n"}, kit.SeenBy(env, "bob"))
	env.Call(client.DeleteUsers, map[string]any{"organizationId": "partners", "userIds": []string{"bob"}}, nil)
	require.Empty(t, kit.SeenBy(env, "bob"))
	require.Equal(t, []string{"n"}, kit.SeenBy(env, "ann"))
}

func TestActivities_ARecordAboutADeletedAnnotationFollowsWhoMightSeeItLast(t *testing.T) {
	env := newWorkspace(t)
	kit.Annotate(env, kit.Made("d", kit.VisibleTo(kit.Annotated("silent", kit.Wrote("ann", "a", kit.TriggerActivities)), "eve"), kit.VisibleTo(kit.Annotated("loud", kit.Wrote("ann", "a")), "eve"),
		kit.VisibleTo(kit.Annotated("emptied", kit.Wrote("ann", "a", map[string]any{"commentId": 1})), "eve"), kit.Annotated("open", kit.Wrote("ann", "a", kit.TriggerActivities)),
		kit.VisibleTo(kit.Annotated("later", kit.Wrote("ann", "a")), "eve")))
	kit.AddActivities(env, "d", kit.Activity("bob", "later"))
	gone := func(id string, more map[string]any) {
		kit.Items(env, client.DeleteAnnotations, kit.Doc("d", map[string]any{"annotationIds": []string{id}}, more))
	}
	for _, id := range []string{"silent", "open", "later"} {
		gone(id, nil)
	}
	gone("loud", kit.TriggerActivities)
	kit.Items(env, client.DeleteComments, kit.Doc("d", map[string]any{"annotationId": "emptied", "triggerActivities": true}))
	for _, where := range []map[string]any{{}, {"documentId": "d"}} {
		require.Equal(t, []string{"open"}, kit.SeenBy(env, "bob", where))
		require.Equal(t, []string{"emptied", "later", "loud", "open", "silent"}, kit.SeenBy(env, "eve", where))
		require.Equal(t, []string{"emptied", "later", "loud", "open", "silent"}, kit.SeenBy(env, "ann", where))
	}

	kit.AddActivities(env, "d", kit.Activity("kim", "silent"))
	require.Equal(t, []string{"open"}, kit.SeenBy(env, "bob"), "what is said of it afterwards too")
	kit.Annotate(env, kit.Made("d", kit.Annotated("silent", kit.Wrote("bob", "another one", kit.TriggerActivities))))
	about := map[string]any{"targetEntityId": "silent"}
	require.Len(t, kit.Log(env, about), 3)
	require.Len(t, kit.Log(env, about, map[string]any{"viewerUserId": "bob"}), 1, "the id is another annotation's now; the former one stays hidden")
	require.Len(t, kit.Log(env, about, map[string]any{"viewerUserId": "eve"}), 3)

	var kept []string
	require.NoError(t, env.DB().QueryRow(env.Ctx, `SELECT array_agg(annotation_id ORDER BY annotation_id) FROM deleted_annotations WHERE workspace_id = $1`,
		env.Workspace.ID).Scan(&kept))
	kit.Annotate(env, kit.Made("d", kit.Annotated("plain", kit.Wrote("ann", "a"))))
	gone("plain", nil)
	require.NoError(t, env.DB().QueryRow(env.Ctx, `SELECT array_agg(annotation_id ORDER BY annotation_id) FROM deleted_annotations WHERE workspace_id = $1`,
		env.Workspace.ID).Scan(&kept))
	require.Equal(t, []string{"emptied", "later", "loud", "open", "silent"}, kept, "nothing is kept of one without records")
}

func TestActivities_3_TwoAddsWithOneID(t *testing.T) {
	env := newWorkspace(t)
	kit.Items(env, client.AddDocuments, kit.Document("d", nil))
	const calls = 20
	wins := make(chan int, calls)
	kit.Concurrently(calls, func(i int) {
		_, err := client.Call[redline.ItemByIDResult](env.Ctx, env.Keyed, client.ActivitiesAdd, kit.Doc("d", map[string]any{"activities": []any{
			kit.Activity("ann", "x", kit.Identified(fmt.Sprint("own ", i))), kit.Activity("ann", "x", kit.Identified("one")),
		}}))
		var refused *redline.Error
		switch {
		case err == nil:
			wins <- i
		case !errors.As(err, &refused) || refused.Status != "ALREADY_EXISTS":
			t.Errorf("unexpected error: %v", err)
		}
	})
	require.Len(t, wins, 1)
	require.ElementsMatch(t, []string{"one", fmt.Sprint("own ", <-wins)}, kit.Logged(env), "who lost has written nothing")
	again := kit.InAcme(map[string]any{"activities": []any{kit.Activity("ann", "x", kit.Identified("new")), kit.Activity("ann", "x", kit.Identified("one"))}})
	require.Equal(t, []any{"one"}, kit.Details(env, client.ActivitiesAdd, again)["activityIds"], "also in another place of the workspace")
	require.NotContains(t, kit.Logged(env), "new")
	other := kit.Elsewhere(env)
	kit.Items(other, client.AddOrganizations, kit.Organizations("acme"))
	require.True(t, kit.AddActivities(other, "", kit.Activity("ann", "x", kit.Identified("one")))["one"].Success, "ids of another workspace are no matter")

	kit.Items(env, client.DeleteDocuments, kit.TheseDocuments("d"))
	require.Empty(t, kit.Log(env))
	require.True(t, kit.AddActivities(env, "", kit.Activity("bob", "x", kit.Identified("one")))["one"].Success, "what was deleted has no id any more")
	require.Equal(t, []string{"one"}, kit.Logged(env))
}

func TestActivities_4_PlacesOfATemplate(t *testing.T) {
	env := newWorkspace(t)
	kit.Items(env, client.AddOrganizations, kit.Organizations("acme"))
	said := func(name, template string, data any) string {
		t.Helper()
		one := kit.Activity("ann", "x", map[string]any{"displayMessageTemplate": template, "displayMessageTemplateData": data})
		one["actionUser"] = map[string]any{"userId": "ann", "name": name}
		for id, item := range kit.AddActivities(env, "", one) {
			require.Equal(t, redline.Item{Success: true, ID: id, Message: "Activity added."}, item)
			found := kit.Log(env, map[string]any{"activityIds": []string{id}})[0]
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
	large := kit.Activity("ann", "x", map[string]any{
		"displayMessageTemplate": strings.Repeat("{{a}}", 40), "displayMessageTemplateData": map[string]any{"a": strings.Repeat("x", 1000)},
	})
	require.Equal(t, "displayMessageTemplate", env.RefusedAs("INVALID_ARGUMENT", client.ActivitiesAdd, kit.InAcme(map[string]any{"activities": []any{large}})).Issues[0].Path[2])
}

func TestActivities_6_AWalkMeetsEachRecordOnce(t *testing.T) {
	env := newWorkspace(t)
	kit.Items(env, client.AddDocuments, kit.Document("d", nil))
	var want []string
	for call := range 5 {
		several := make([]map[string]any, 100)
		for i := range several {
			id := fmt.Sprintf("%d-%02d", call, i)
			several[i] = kit.Activity("ann", "x", kit.Identified(id), kit.Timed(int64(1_000_000+call/2)))
			want = append(want, id)
		}
		kit.AddActivities(env, "d", several...)
	}
	pages := kit.ActivityPages(env, map[string]any{"documentId": "d", "pageSize": 7})
	require.Len(t, pages, 72)
	var walked []string
	for _, a := range slices.Concat(pages...) {
		walked = append(walked, a.ID)
	}
	slices.Reverse(want)
	require.Equal(t, want, walked, "newest first, those of one time by their ids")
	slices.Reverse(want)
	require.Equal(t, want, kit.Logged(env, map[string]any{"order": "asc", "pageSize": 99}))
}
