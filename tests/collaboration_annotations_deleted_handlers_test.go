package tests

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

func TestAnnotationsDelete_1_AnUnknownIdAmongOthers(t *testing.T) {
	s := begin(t)
	s.annotate(made("d", annotated("a", wrote("ann", "one")), annotated("b", wrote("ann", "two"))))
	s.annotate(made("e", annotated("c", wrote("ann", "three"))))
	entries := s.items(deleteAnnotations, noted(map[string]any{"annotationIds": []string{"c", "b", "x", "b"}}))
	require.Equal(t, map[string]itemView{"b": wentAway("b"), "c": absent("c"), "x": absent("x")}, entries)
	require.Equal(t, []string{"a"}, s.notesOf("d"))
	require.Equal(t, []string{"c"}, s.notesOf("e"), "that of another document stays")
	require.Equal(t, map[string]itemView{"b": absent("b")}, s.items(deleteAnnotations, noted(map[string]any{"annotationIds": []string{"b"}})))
}

func TestAnnotationsDelete_3_WhileACommentIsAddedOrEdited(t *testing.T) {
	s := begin(t)
	for round := range 40 {
		s.discuss(wrote("ann", "said", map[string]any{"commentId": 1}))
		operation, call := addComments, replying(wrote("bob", fmt.Sprint("added ", round)))
		if round%2 > 0 {
			operation, call = updateComments, edited(says(fmt.Sprint("edited ", round)), 1)
		}
		together(2, func(i int) {
			if i == 0 {
				_, err := client.Call[deletedView](s.ctx, s.keyed, deleteAnnotations, noted(map[string]any{"annotationIds": []string{"n"}}))
				fine(t, err)
				return
			}
			_, err := client.Call[json.RawMessage](s.ctx, s.keyed, operation, call)
			if failure := client.Refusal(err); err != nil && (failure == nil || failure.Status != "NOT_FOUND") {
				t.Errorf("round %d: %v", round, err)
			}
		})
		require.Empty(t, s.notesOf("d"))
		require.Empty(t, s.judgments(nil).Results, "what it said went with it")
	}
}

func TestAnnotationsDelete_4_TheIdIsNewAtOnce(t *testing.T) {
	s := begin(t)
	s.people(user("bob", "Bob", mailbox()))
	said := wrote("ann", "Look, {{bob}}.", loud)
	s.discuss(said, wrote("bob", "Yes."))
	require.Equal(t, []string{"1 bob mention"}, s.notified())
	require.Zero(t, s.counts("bob", "d")["d"][1])
	s.items(deleteAnnotations, noted(map[string]any{"annotationIds": []string{"n"}, "triggerActivities": true, "actionUser": user("kim", "Kim", "k@example.com")}))
	require.Equal(t, [2]int{0, 0}, s.counts("bob", "d")["d"])
	s.discuss(wrote("ann", "Another."))
	require.Equal(t, [2]int{1, 1}, s.counts("bob", "d")["d"], "he has not read it")
	require.Empty(t, s.notified())
	require.Equal(t, []string{"comment_annotation.delete n kim"}, s.activities(), "what was done stays")
	kept := s.judgments(nil).Results
	require.Len(t, kept, 1)
	require.Equal(t, "Another.", kept[0].Reasoning)
}

func TestAnnotationsDelete_5_WithoutASelector(t *testing.T) {
	s := begin(t)
	s.discuss(wrote("ann", "one"))
	for _, selectors := range []map[string]any{
		{}, {"annotationIds": []string{}}, {"locationIds": []string{}, "userIds": []string{}}, {"allAnnotations": false}, {"annotationIds": nil, "agentId": nil},
	} {
		failure := s.refusedAs("INVALID_ARGUMENT", deleteAnnotations, noted(selectors))
		require.Equal(t, []string{"annotationIds"}, failure.Issues[0].Path)
	}
	require.Equal(t, []string{"n"}, s.notesOf("d"))
}

func TestAnnotationsDelete_WhichAreMeant(t *testing.T) {
	s := begin(t)
	bot := func(agentID, executionID string) map[string]any {
		return map[string]any{"agent": with(external(), map[string]any{"agentId": agentID, "executionId": executionID})}
	}
	here := func(id, location string, comment map[string]any) map[string]any {
		return with(annotated(id, comment), map[string]any{"location": map[string]any{"id": location}})
	}
	all := made("d", here("a", "p1", wrote("ann", "1")), here("b", "p1", wrote("bob", "2", bot("x", "r1"))), here("c", "p2", wrote("ann", "3", bot("x", "r2"))), here("e", "p3", wrote("bob", "4", bot("y", "r1"))))
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
		s.annotate(all)
		var found deletedView
		s.call(deleteAnnotations, noted(selectors), &found)
		require.False(t, found.HasMore)
		require.Equal(t, want, strings.Join(slices.Sorted(maps.Keys(found.Data)), " "))
		for id, entry := range found.Data {
			require.Equal(t, wentAway(id), entry)
		}
		require.Len(t, s.notesOf("d"), 4-len(found.Data), want)
		s.call(deleteAnnotations, noted(map[string]any{"allAnnotations": true}), nil)
	}
	s.annotate(all)
	other := noted(map[string]any{"annotationIds": []string{"a"}, "userIds": []string{"bob"}})
	require.Equal(t, map[string]itemView{"a": absent("a")}, s.items(deleteAnnotations, other))
	require.Len(t, s.notesOf("d"), 4)
}

func TestAnnotationsDelete_WhatIsRefused(t *testing.T) {
	s := begin(t)
	s.discuss(wrote("ann", "one"))
	for path, change := range map[string]any{
		"annotationIds": many(101), "locationIds": many(31), "userIds": many(31), "agentId": "", "executionId": 7, "allAnnotations": true, "actionUser": map[string]any{},
	} {
		failure := s.refusedAs("INVALID_ARGUMENT", deleteAnnotations, with(noted(map[string]any{"annotationIds": []string{"n"}}), map[string]any{path: change}))
		require.Equal(t, path, failure.Issues[0].Path[0])
	}
	for resource, call := range map[string]map[string]any{"organization": {"organizationId": "nowhere"}, "document": {"documentId": "nowhere"}} {
		require.Equal(t, map[string]any{"reason": "not-found", "resource": resource, "id": call[resource+"Id"]},
			s.details(deleteAnnotations, with(noted(map[string]any{"allAnnotations": true}), call)))
	}
	require.Equal(t, []string{"n"}, s.notesOf("d"))
}
