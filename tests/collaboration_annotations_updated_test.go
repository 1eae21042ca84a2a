package tests

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// shownAs is an annotation as an event shows it, as JSON.
func shownAs(t *testing.T, shown any) string {
	t.Helper()
	text, err := json.Marshal(shown)
	require.NoError(t, err)
	return string(text)
}

func TestAnnotationsUpdate_EventsOfOneCallShowOneState(t *testing.T) {
	s := begin(t).hooked()
	s.endpointAt("/told")
	s.people(user("kim", "Kim", "kim@example.com"), user("bob", "Bob", "bob@example.com"))
	s.annotate(made("d", with(suggesting(map[string]any{"summary": "Shorter."}, wrote("ann", "Who?")), map[string]any{"location": map[string]any{"id": "p1"}})))
	s.gives(updating(with(decides("accepted", map[string]any{"newValue": "so"}), map[string]any{
		"status": statusOf("DONE", "terminal"), "priority": priorityOf("P1"), "assignedTo": map[string]any{"userId": "bob"},
		"location": nil, "context": map[string]any{"page": 2}, "targetElement": map[string]any{"elementId": "e"},
	}), doneBy("kim"), map[string]any{"triggerActivities": true}))
	shown := s.updatesShown("/told", 5)
	require.Equal(t, []string{"assign", "status_change", "priority_change", "suggestion_accept", "update"}, updatesOf(shown))
	for _, one := range shown {
		require.Equal(t, shown[0].CommentAnnotation, one.CommentAnnotation)
		require.Equal(t, map[string]any{"userId": "kim", "name": "Kim", "email": "kim@example.com", "initial": "K"}, one.ActionUser)
	}
	state := shown[0].CommentAnnotation
	require.Equal(t, []any{"kim", nil, nil}, []any{state["resolvedByUserId"], state["statusUpdatedByUserId"], state["location"]})
	require.Equal(t, map[string]any{"status": "accepted", "newValue": "so"}, state["suggestion"], "it is replaced whole")
	require.Nil(t, shown[0].OldAssignedTo)
	require.Equal(t, "Bob", shown[0].NewAssignedTo["name"], "with what the profile has")
	require.Equal(t, []any{"OPEN", "DONE"}, []any{shown[1].OldStatus["id"], shown[1].NewStatus["id"]})
	require.Nil(t, shown[2].OldPriority)
	require.Equal(t, "P1", shown[2].NewPriority["id"])
	require.JSONEq(t, `{"location": {"from": {"id": "p1"}, "to": null}, "context": {"from": {}, "to": {"page": 2}},
"targetElement": {"from": null, "to": {"elementId": "e"}}}`, shownAs(t, shown[4].Changes))
	require.Equal(t, []string{
		"comment_annotation.assign n kim", "comment_annotation.priority_change n kim", "comment_annotation.status_change n kim",
		"comment_annotation.suggestion_accept n kim", "comment_annotation.update n kim",
	}, s.activities())
	var changes string
	require.NoError(t, s.rows().QueryRow(s.ctx, `SELECT string_agg(changes::text, ' ' ORDER BY action_type) FROM activities
WHERE workspace_id = $1 AND action_type IN ('comment_annotation.priority_change', 'comment_annotation.update')`, s.workspace.ID).Scan(&changes))
	require.Contains(t, changes, `{"priority":{"from":null,"to":{"id":"P1"`)
	require.Contains(t, changes, `"context":{"from":{},"to":{"page":2}}`)
}

func TestAnnotationsUpdate_Events_3and7_TwoFieldsAtOnceAndThereAndBack(t *testing.T) {
	s := begin(t).hooked()
	s.endpointAt("/told")
	s.discuss(wrote("ann", "one"))
	open := s.discussion().Status
	s.gives(updating(map[string]any{"status": statusOf("WIP", "ongoing"), "priority": priorityOf("P1")}))
	shown := s.updatesShown("/told", 2)
	require.Equal(t, []string{"status_change", "priority_change"}, updatesOf(shown))
	require.Equal(t, shown[0].CommentAnnotation, shown[1].CommentAnnotation)
	require.Nil(t, shown[0].ActionUser)
	s.gives(updating(map[string]any{"status": nil, "priority": nil}))
	shown = s.updatesShown("/told", 4)
	require.Equal(t, []any{"WIP", "OPEN"}, []any{shown[2].OldStatus["id"], shown[2].NewStatus["id"]})
	require.Equal(t, "P1", shown[3].OldPriority["id"])
	require.Nil(t, shown[3].NewPriority)
	require.Equal(t, open, s.discussion().Status)
	require.NotContains(t, shown[3].CommentAnnotation, "priority")
}

func TestAnnotationsUpdate_Events_8_ThePublicOneIsRestricted(t *testing.T) {
	s := begin(t).hooked()
	s.endpointAt("/told")
	s.discuss(wrote("ann", "{{eve}}, {{bob}}?"))
	s.gives(updating(map[string]any{"visibility": map[string]any{"type": "restricted", "userIds": []string{"bob"}, "organizationId": "acme"}, "assignedTo": map[string]any{"userId": "kim"}}))
	shown := s.updatesShown("/told", 2)
	restricted := map[string]any{"type": "restricted", "userIds": []any{"bob"}}
	for _, one := range shown {
		require.Equal(t, restricted, one.Visibility)
		require.Equal(t, restricted, one.CommentAnnotation["visibility"])
		require.Equal(t, []string{"eve", "kim"}, one.AccessDenied)
	}
	require.Equal(t, map[string]any{"from": map[string]any{"type": "public"}, "to": restricted}, shown[1].Changes["visibility"])
}

func TestAnnotationsUpdate_WhoIsToldOfAnAssignment(t *testing.T) {
	s := begin(t)
	bob, eve := mailbox(), mailbox()
	s.mailBy(map[string]any{"fromEmail": "desk@stories.example.com"})
	s.people(user("bob", "Bob", bob), user("eve", "Eve", eve))
	s.discuss(wrote("ann", "Who?"))
	assigned := func(to string, more ...map[string]any) map[string]any {
		return updating(map[string]any{"assignedTo": map[string]any{"userId": to}}, append(more, doneBy("kim"))...)
	}
	s.gives(assigned("eve"))
	require.Empty(t, s.notified(), "not without the flag")
	s.gives(assigned("bob", loud))
	require.Equal(t, []string{"1 bob assignment"}, s.notified())
	s.gives(assigned("bob", loud))
	s.gives(assigned("kim", loud))
	require.Equal(t, []string{"1 bob assignment"}, s.notified(), "neither again nor of what one does oneself")
	s.gives(updating(map[string]any{"visibility": map[string]any{"type": "restricted", "userIds": []string{"bob"}}}))
	s.gives(assigned("eve", loud))
	require.Equal(t, []string{"1 bob assignment"}, s.notified(), "she may not see it")
	s.inBoxes(map[string][]string{bob: {"Who?"}, eve: {}})
}

// One user comes in the place of another one, and with what that one has read.
func TestAnnotationsUpdate_UsersInThePlaceOfOthers(t *testing.T) {
	s := begin(t).hooked()
	s.people(user("new", "New", "new@example.com"))
	note := annotated("n", wrote("old", "Ask {{old}}."), wrote("ann", "Yes."), wrote("old", "So."))
	note["assignedTo"] = map[string]any{"userId": "old"}
	note["visibility"] = map[string]any{"type": "restricted", "userIds": []string{"new", "eve", "old"}}
	note["commentData"].([]map[string]any)[0]["taggedUserContacts"] = []any{map[string]any{"userId": "old", "contact": map[string]any{"userId": "old", "email": "old@example.com"}}}
	s.annotate(made("d", note, annotated("m", wrote("ann", "Two."), wrote("bob", "{{old}}"))))
	s.read(readBy("old", "m"))
	s.read(readBy("eve"))
	s.endpointAt("/told")
	require.Equal(t, [2]int{2, 2}, s.counts("new", "d")["d"])
	call := doc("d", map[string]any{
		"allAnnotations": true, "updatedData": map[string]any{}, "triggerNotification": true, "actionUser": map[string]any{"userId": "kim"},
		"updateUsers": []any{
			map[string]any{"oldUser": map[string]any{"userId": "old"}, "newUser": map[string]any{"userId": "new"}},
			map[string]any{"oldUser": map[string]any{"userId": "bob"}, "newUser": map[string]any{"userId": "bob", "name": "Robert"}},
			map[string]any{"oldUser": map[string]any{"userId": "eve"}, "newUser": map[string]any{"userId": "old"}},
		},
	})
	unread := older[[]annotationView](s, getAnnotations, doc("d", map[string]any{"annotationIds": []string{"m"}})).Data[0]
	s.gives(call)
	require.Equal(t, []string{"assign", "update"}, updatesOf(s.updatesShown("/told", 2)))
	shown := s.updatesShown("/told", 2)
	state := shown[0].CommentAnnotation
	whole := map[string]any{"userId": "new", "name": "New", "email": "new@example.com", "initial": "N"}
	require.Equal(t, []any{whole, whole}, []any{state["from"], state["assignedTo"]})
	require.Equal(t, []any{"new", "old"}, state["visibility"].(map[string]any)["userIds"], "nobody is there twice")
	for i, author := range []any{whole, nil, whole} {
		comment := state["comments"].([]any)[i].(map[string]any)
		if author != nil {
			require.Equal(t, author, comment["from"])
		}
		require.Equal(t, "added", comment["status"], "what it says is the same")
	}
	root := state["comments"].([]any)[0].(map[string]any)
	require.Equal(t, []any{map[string]any{"userId": "new", "contact": map[string]any{"userId": "new", "name": "New", "email": "new@example.com"}}}, root["taggedUserContacts"])
	require.Equal(t, "Ask {{old}}.", root["commentText"])
	require.Equal(t, [2]int{2, 0}, s.counts("new", "d")["d"], "they have read what the other one had")
	require.Equal(t, [2]int{2, 0}, s.counts("old", "d")["d"], "and so has who comes in the place of that one")
	require.Equal(t, [2]int{1, 1}, s.counts("eve", "d")["d"])
	m := older[[]annotationView](s, getAnnotations, doc("d", map[string]any{"annotationIds": []string{"m"}})).Data[0]
	require.Equal(t, "Robert", m.Comments[1].From.Name)
	require.Greater(t, m.LastUpdated, unread.LastUpdated)
	require.Equal(t, []string{"1 new assignment"}, s.notified())
	found := s.discussion()
	s.gives(with(call, map[string]any{"updateUsers": call["updateUsers"].([]any)[1:2]}))
	require.Equal(t, found, s.discussion(), "the same again is no change")
	require.Equal(t, m, older[[]annotationView](s, getAnnotations, doc("d", map[string]any{"annotationIds": []string{"m"}})).Data[0])
	s.settled()
	require.Len(t, s.heard("/told", 2), 2)
}
