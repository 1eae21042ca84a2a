package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestAnnotationsDelete_1_AnUnknownIdAmongOthers(t *testing.T) {
	env := newWorkspace(t)
	kit.Annotate(env, kit.Made("d", kit.Annotated("a", kit.Wrote("ann", "one")), kit.Annotated("b", kit.Wrote("ann", "two"))))
	kit.Annotate(env, kit.Made("e", kit.Annotated("c", kit.Wrote("ann", "three"))))
	entries := kit.Items(env, client.DeleteAnnotations, kit.Noted(map[string]any{"annotationIds": []string{"c", "b", "x", "b"}}))
	require.Equal(t, map[string]redline.Item{"b": kit.WentAway("b"), "c": kit.Absent("c"), "x": kit.Absent("x")}, entries)
	require.Equal(t, []string{"a"}, kit.NotesOf(env, "d"))
	require.Equal(t, []string{"c"}, kit.NotesOf(env, "e"), "that of another document stays")
	require.Equal(t, map[string]redline.Item{"b": kit.Absent("b")}, kit.Items(env, client.DeleteAnnotations, kit.Noted(map[string]any{"annotationIds": []string{"b"}})))
}

func TestAnnotationsDelete_3_WhileACommentIsAddedOrEdited(t *testing.T) {
	env := newWorkspace(t)
	for round := range 40 {
		kit.Discuss(env, kit.Wrote("ann", "said", map[string]any{"commentId": 1}))
		operation, call := client.AddComments, kit.Replying(kit.Wrote("bob", fmt.Sprint("added ", round)))
		if round%2 > 0 {
			operation, call = client.UpdateComments, kit.Edited(kit.Says(fmt.Sprint("edited ", round)), 1)
		}
		kit.Concurrently(2, func(i int) {
			if i == 0 {
				_, err := client.Call[redline.DeletedAnnotations](env.Ctx, env.Keyed, client.DeleteAnnotations, kit.Noted(map[string]any{"annotationIds": []string{"n"}}))
				kit.NoError(t, err)
				return
			}
			_, err := client.Call[json.RawMessage](env.Ctx, env.Keyed, operation, call)
			if failure := redline.AsError(err); err != nil && (failure == nil || failure.Status != "NOT_FOUND") {
				t.Errorf("round %d: %v", round, err)
			}
		})
		require.Empty(t, kit.NotesOf(env, "d"))
		require.Empty(t, kit.Judgments(env, nil).Results, "what it said went with it")
	}
}

func TestAnnotationsDelete_4_TheIdIsNewAtOnce(t *testing.T) {
	env := newWorkspace(t)
	kit.AddPeople(env, kit.User("bob", "Bob", kit.Mailbox()))
	said := kit.Wrote("ann", "Look, {{bob}}.", kit.Loud)
	kit.Discuss(env, said, kit.Wrote("bob", "Yes."))
	require.Equal(t, []string{"1 bob mention"}, kit.NotifiedRows(env))
	require.Zero(t, kit.Counts(env, "bob", "d")["d"][1])
	kit.Items(env, client.DeleteAnnotations, kit.Noted(map[string]any{"annotationIds": []string{"n"}, "triggerActivities": true, "actionUser": kit.User("kim", "Kim", "k@example.com")}))
	require.Equal(t, [2]int{0, 0}, kit.Counts(env, "bob", "d")["d"])
	kit.Discuss(env, kit.Wrote("ann", "Another."))
	require.Equal(t, [2]int{1, 1}, kit.Counts(env, "bob", "d")["d"], "he has not read it")
	require.Empty(t, kit.NotifiedRows(env))
	require.Equal(t, []string{"comment_annotation.delete n kim"}, kit.Activities(env), "what was done stays")
	kept := kit.Judgments(env, nil).Results
	require.Len(t, kept, 1)
	require.Equal(t, "Another.", kept[0].Reasoning)
}

func TestAnnotationsDelete_5_WithoutASelector(t *testing.T) {
	env := newWorkspace(t)
	kit.Discuss(env, kit.Wrote("ann", "one"))
	for _, call := range []struct {
		selectors map[string]any
		path      string
	}{
		{nil, "annotationIds"},
		{map[string]any{"annotationIds": []string{}}, "annotationIds"},
		{map[string]any{"locationIds": []string{}, "userIds": []string{}}, "locationIds"},
		{map[string]any{"allAnnotations": false}, "annotationIds"},
		{map[string]any{"annotationIds": nil, "agentId": nil}, "agentId"},
	} {
		failure := env.RefusedAs("INVALID_ARGUMENT", client.DeleteAnnotations, kit.Noted(call.selectors))
		require.Equal(t, []string{call.path}, failure.Issues[0].Path)
	}
	require.Equal(t, []string{"n"}, kit.NotesOf(env, "d"))
}

func TestAnnotationsDelete_WhichAreMeant(t *testing.T) {
	env := newWorkspace(t)
	bot := func(agentID, executionID string) map[string]any {
		return map[string]any{"agent": kit.With(kit.External(), map[string]any{"agentId": agentID, "executionId": executionID})}
	}
	here := func(id, location string, comment map[string]any) map[string]any {
		return kit.With(kit.Annotated(id, comment), map[string]any{"location": map[string]any{"id": location}})
	}
	all := kit.Made("d", here("a", "p1", kit.Wrote("ann", "1")), here("b", "p1", kit.Wrote("bob", "2", bot("x", "r1"))), here("c", "p2", kit.Wrote("ann", "3", bot("x", "r2"))), here("e", "p3", kit.Wrote("bob", "4", bot("y", "r1"))))
	for want, selectors := range map[string]map[string]any{
		"a b":     {"locationIds": []string{"p1"}},
		"a c":     {"userIds": []string{"ann"}},
		"b c":     {"agentId": "x"},
		"b e":     {"executionId": "r1"},
		"b":       {"agentId": "x", "executionId": "r1"},
		"a":       {"userIds": []string{"ann"}, "locationIds": []string{"p1", "p3"}},
		"e":       {"annotationIds": []string{"e"}, "userIds": []string{"bob"}},
		"":        {"locationIds": []string{"nowhere"}},
		"a b c e": {"allAnnotations": true},
	} {
		kit.Annotate(env, all)
		var found redline.DeletedAnnotations
		env.Call(client.DeleteAnnotations, kit.Noted(selectors), &found)
		require.False(t, found.HasMore)
		require.Equal(t, want, strings.Join(slices.Sorted(maps.Keys(found.Data)), " "))
		for id, entry := range found.Data {
			require.Equal(t, kit.WentAway(id), entry)
		}
		require.Len(t, kit.NotesOf(env, "d"), 4-len(found.Data), want)
		env.Call(client.DeleteAnnotations, kit.Noted(map[string]any{"allAnnotations": true}), nil)
	}
	kit.Annotate(env, all)
	other := kit.Noted(map[string]any{"annotationIds": []string{"a"}, "userIds": []string{"bob"}})
	require.Equal(t, map[string]redline.Item{"a": kit.Absent("a")}, kit.Items(env, client.DeleteAnnotations, other))
	require.Len(t, kit.NotesOf(env, "d"), 4)
}

func TestAnnotationsDelete_WhatIsRefused(t *testing.T) {
	env := newWorkspace(t)
	kit.Discuss(env, kit.Wrote("ann", "one"))
	for path, change := range map[string]any{
		"annotationIds": kit.Many(101), "locationIds": kit.Many(31), "userIds": kit.Many(31), "agentId": "", "executionId": 7, "allAnnotations": true, "actionUser": map[string]any{},
	} {
		failure := env.RefusedAs("INVALID_ARGUMENT", client.DeleteAnnotations, kit.With(kit.Noted(map[string]any{"annotationIds": []string{"n"}}), map[string]any{path: change}))
		require.Equal(t, path, failure.Issues[0].Path[0])
	}
	for resource, call := range map[string]map[string]any{"organization": {"organizationId": "nowhere"}, "document": {"documentId": "nowhere"}} {
		require.Equal(t, map[string]any{"reason": "not-found", "resource": resource, "id": call[resource+"Id"]},
			kit.Details(env, client.DeleteAnnotations, kit.With(kit.Noted(map[string]any{"allAnnotations": true}), call)))
	}
	require.Equal(t, []string{"n"}, kit.NotesOf(env, "d"))
}

func TestAnnotationsDelete_ManyByManyCalls(t *testing.T) {
	env := kit.Hooked(newWorkspace(t))
	kit.Fill(env, "d", 2100)
	kit.EndpointAt(env, "/told", map[string]any{"filterTypes": []string{"comment_annotation.delete"}})
	seen := map[string]bool{}
	for calls, more := 1, true; more; calls++ {
		var found redline.DeletedAnnotations
		env.Call(client.DeleteAnnotations, kit.Noted(map[string]any{"allAnnotations": true}), &found)
		require.Equal(t, []any{min(1000, 2100-len(seen)), calls < 3}, []any{len(found.Data), found.HasMore})
		for id := range found.Data {
			require.False(t, seen[id])
			seen[id] = true
		}
		more = found.HasMore
	}
	require.Empty(t, kit.NotesOf(env, "d"))
	require.Len(t, seen, 2100)
}

func TestAnnotationsDelete_ByTheirAgents(t *testing.T) {
	env := newWorkspace(t)
	bot := func(id, url string, fields map[string]any) map[string]any {
		agent := kit.With(kit.External(), map[string]any{"url": url})
		return kit.With(kit.Annotated(id, kit.Wrote("bot", id, map[string]any{"agent": agent})), fields)
	}
	suggests := map[string]any{"type": "suggestion", "suggestion": map[string]any{"status": "pending"}}
	person := kit.With(kit.Annotated("p", kit.Wrote("ann", "p")), suggests)
	kit.Annotate(env, kit.Made("d", bot("a", "https://a.test/x", nil), bot("b", "https://b.test/x", suggests), bot("c", "https://a.test/X", nil), person))
	deleted := func(selectors map[string]any) int {
		return len(kit.Items(env, client.DeleteAnnotations, kit.Noted(selectors)))
	}
	require.Zero(t, deleted(map[string]any{"agentSuggestions": true, "agentUrls": []string{"https://a.test/x"}}))
	require.Equal(t, 1, deleted(map[string]any{"agentUrls": []string{"https://a.test/x"}}), "byte for byte")
	require.Equal(t, 1, deleted(map[string]any{"agentSuggestions": true}))
	require.ElementsMatch(t, []string{"c", "p"}, kit.NotesOf(env, "d"))
	env.RefusedAs("INVALID_ARGUMENT", client.DeleteAnnotations, kit.Noted(map[string]any{"agentSuggestions": false}))
}

func TestAnnotationsUpdate_UsersAlone(t *testing.T) {
	env := newWorkspace(t)
	kit.Discuss(env, kit.Wrote("ann", "one"))
	change := map[string]any{"updateUsers": []any{map[string]any{"oldUser": map[string]any{"userId": "ann"}, "newUser": map[string]any{"userId": "eve"}}}}
	env.RefusedAs("INVALID_ARGUMENT", client.UpdateAnnotations, kit.Noted(change))
	require.Equal(t, []string{"updatedData"}, env.RefusedAs("INVALID_ARGUMENT", client.UpdateAnnotations, kit.Noted(map[string]any{"allAnnotations": true})).Issues[0].Path)
	kit.Items(env, client.UpdateAnnotations, kit.Noted(kit.With(change, map[string]any{"allAnnotations": true})))
	require.Equal(t, "eve", kit.Discussion(env).Comments[0].From.UserID)
}
