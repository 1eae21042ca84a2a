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

const updateAnnotations = "commentannotations/update"

// updating is a call that gives the annotation n in the document d these fields.
func updating(fields map[string]any, more ...map[string]any) map[string]any {
	call := doc("d", map[string]any{"annotationIds": []string{"n"}, "updatedData": fields})
	for _, one := range more {
		maps.Copy(call, one)
	}
	return call
}

// statusOf is a status of a type, named as its id.
func statusOf(id, kind string) map[string]any {
	return map[string]any{"id": id, "name": "Name of " + id, "type": kind, "color": "#111", "lightColor": "#eee", "iconUrl": "https://icons.example.com/" + id}
}

func priorityOf(id string) map[string]any {
	return map[string]any{"id": id, "name": id, "color": "#f00", "lightColor": "#fee"}
}

// given is the entry of an annotation that was updated.
func given(id string) itemView {
	return itemView{Success: true, ID: id, Message: "Annotation updated."}
}

// gives makes a call that has to find every annotation.
func (s *scene) gives(call map[string]any) {
	s.t.Helper()
	for id, entry := range s.items(updateAnnotations, call) {
		require.Equal(s.t, given(id), entry)
	}
}

// suggesting is the annotation n, which suggests something.
func suggesting(suggestion map[string]any, comments ...map[string]any) map[string]any {
	return with(annotated("n", comments...), map[string]any{"type": "suggestion", "suggestion": suggestion})
}

func decides(status string, more ...map[string]any) map[string]any {
	suggestion := map[string]any{"status": status}
	for _, one := range more {
		maps.Copy(suggestion, one)
	}
	return map[string]any{"suggestion": suggestion}
}

// doneBy names who makes a call.
func doneBy(user string) map[string]any {
	return map[string]any{"actionUser": map[string]any{"userId": user}}
}

// updateShown is what an event of an update says.
type updateShown struct {
	event             string
	CommentAnnotation map[string]any            `json:"commentAnnotation"`
	ActionUser        map[string]any            `json:"actionUser"`
	Changes           map[string]map[string]any `json:"changes"`
	OldAssignedTo     map[string]any            `json:"oldAssignedTo"`
	NewAssignedTo     map[string]any            `json:"newAssignedTo"`
	OldStatus         map[string]any            `json:"oldStatus"`
	NewStatus         map[string]any            `json:"newStatus"`
	OldPriority       map[string]any            `json:"oldPriority"`
	NewPriority       map[string]any            `json:"newPriority"`
	AccessDenied      []string                  `json:"accessDeniedUsers"`
	Visibility        map[string]any            `json:"visibility"`
}

func (s *scene) updatesShown(path string, n int) (shown []updateShown) {
	s.t.Helper()
	for _, m := range s.heard(path, n) {
		one := updateShown{event: strings.TrimPrefix(m.Event, "comment_annotation.")}
		require.NoError(s.t, json.Unmarshal(m.Data, &one))
		shown = append(shown, one)
	}
	return shown
}

func updatesOf(shown []updateShown) (names []string) {
	for _, one := range shown {
		names = append(names, one.event)
	}
	return names
}

func TestAnnotationsUpdate_2_OneAcceptsAndOneRejectsAtOnce(t *testing.T) {
	s := begin(t).hooked()
	s.endpointAt("/told")
	const rounds = 10
	decided := map[string]string{}
	for round := range rounds {
		id := fmt.Sprint("n", round)
		s.annotate(made("d", with(suggesting(nil, wrote("ann", "Better so.")), map[string]any{"annotationId": id})))
		var entries [2]itemView
		together(2, func(i int) {
			call := updating(decides([]string{"accepted", "rejected"}[i]), doneBy("kim"), map[string]any{"annotationIds": []string{id}})
			found, err := client.Call[itemsView](s.ctx, s.keyed, updateAnnotations, call)
			if fine(t, err) {
				entries[i] = found.Data[id]
			}
		})
		late := itemView{ID: id, Message: "What the annotation suggests is decided otherwise already.", Code: "already-decided"}
		require.ElementsMatch(t, []itemView{given(id), late}, entries[:])
		decided[id] = map[bool]string{true: "accepted", false: "rejected"}[entries[0].Success]
	}
	s.settled()
	for _, shown := range s.updatesShown("/told", rounds) {
		id := shown.CommentAnnotation["annotationId"].(string)
		require.Equal(t, map[string]string{"accepted": "suggestion_accept", "rejected": "suggestion_reject"}[decided[id]], shown.event)
		require.Equal(t, map[string]any{"status": decided[id]}, shown.CommentAnnotation["suggestion"])
		delete(decided, id)
	}
	require.Empty(t, decided, "each is told once")
	require.Len(t, s.heard("/told", rounds), rounds)
}

func TestAnnotationsUpdate_3_TheSameAgain(t *testing.T) {
	s := begin(t).hooked()
	s.endpointAt("/told")
	s.people(user("bob", "Bob", "bob@example.com"))
	s.discuss(wrote("ann", "one"))
	fields := map[string]any{
		"status": statusOf("DONE", "terminal"), "priority": priorityOf("P1"), "assignedTo": map[string]any{"userId": "bob"},
		"location": map[string]any{"id": "p1"}, "targetElement": map[string]any{"targetText": "the year"}, "context": json.RawMessage(`{"n": 1.10}`),
		"visibility":            map[string]any{"type": "restricted", "userIds": []string{"bob", "eve"}},
		"statusUpdatedByUserId": "kim", "from": map[string]any{"userId": "ann"}, "createdAt": 1767225600000,
	}
	s.gives(updating(fields, doneBy("ann")))
	require.Equal(t, []string{"assign", "status_change", "priority_change", "update"}, updatesOf(s.updatesShown("/told", 4)))
	before := s.discussion()
	s.gives(updating(fields, doneBy("kim"), map[string]any{"triggerNotification": true, "triggerActivities": true}))
	s.gives(updating(map[string]any{"status": fields["status"]}))
	s.gives(updating(map[string]any{"visibility": map[string]any{"type": "restricted", "userIds": []string{"eve", "bob"}}}))
	s.gives(updating(map[string]any{}))
	require.Equal(t, before, s.discussion(), "also when it was changed")
	require.Empty(t, s.activities())
	require.Len(t, s.judgments(map[string]any{"decision": "resolve"}).Results, 1)
	s.settled()
	require.Len(t, s.heard("/told", 4), 4)
}

func TestAnnotationsUpdate_6_WhileTheDocumentMigrates(t *testing.T) {
	s := begin(t)
	s.discuss(wrote("ann", "one"))
	done := s.untilTheSwitch(func(n int) write {
		return write{updateAnnotations, updating(map[string]any{"status": statusOf(fmt.Sprint("S", n), []string{"ongoing", "terminal"}[n%2])}, doneBy("kim"))}
	})
	found := older[[]annotationView](s, getAnnotations, doc("e", map[string]any{"annotationIds": []string{"n"}})).Data
	require.Equal(t, fmt.Sprint("S", done[len(done)-1]), found[0].Status.ID)
	total := s.judgments(inAcme(map[string]any{"documentId": "e", "reviewerId": "kim"})).Total
	require.Equal(t, len(done)-1, total, "each was done once; the first of all is before the first call")
	require.Equal(t, "document", s.details(updateAnnotations, updating(map[string]any{"priority": nil}))["resource"])
}

func TestAnnotationsUpdate_7_AllByManyCalls(t *testing.T) {
	s := begin(t).hooked()
	const all = 2100
	s.fill("d", all)
	s.endpointAt("/told", map[string]any{"filterTypes": []string{"comment_annotation.priority_change"}})
	call := doc("d", map[string]any{"allAnnotations": true, "updatedData": map[string]any{"priority": priorityOf("P1")}})
	var ids []string
	for calls, token := 1, "none"; token != ""; calls++ {
		found := older[map[string]itemView](s, "/v2/"+updateAnnotations, call)
		page := slices.Sorted(maps.Keys(found.Data))
		require.Equal(t, []any{min(1000, all-len(ids)), calls < 3}, []any{len(page), found.NextPageToken != ""})
		ids = append(ids, page...)
		token = found.NextPageToken
		call["pageToken"] = token
	}
	require.True(t, slices.IsSorted(ids), "in the order of the ids")
	require.Len(t, slices.Compact(ids), all)
	var changed int
	require.NoError(t, s.rows().QueryRow(s.ctx, `SELECT count(*) FROM annotations WHERE workspace_id = $1 AND priority->>'id' = 'P1'`, s.workspace.ID).Scan(&changed))
	require.Equal(t, all, changed)
}
