package collaboration

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
)

// shownAs is an annotation as an event shows it, as JSON.
func shownAs(t *testing.T, shown any) string {
	t.Helper()
	text, err := json.Marshal(shown)
	require.NoError(t, err)
	return string(text)
}

func TestAnnotationsUpdate_EventsOfOneCallShowOneState(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	kit.EndpointAt(env, "/told")
	kit.AddPeople(env, kit.User("kim", "Kim", "kim@example.com"), kit.User("bob", "Bob", "bob@example.com"))
	kit.Annotate(env, kit.Made("d", kit.With(kit.Suggesting(map[string]any{"summary": "Shorter."}, kit.Wrote("ann", "Who?")), map[string]any{"location": map[string]any{"id": "p1"}})))
	kit.Gives(env, kit.Updating(kit.With(kit.Decides("accepted", map[string]any{"newValue": "so"}), map[string]any{
		"status": kit.StatusOf("DONE", "terminal"), "priority": kit.PriorityOf("P1"), "assignedTo": map[string]any{"userId": "bob"},
		"location": nil, "context": map[string]any{"page": 2}, "targetElement": map[string]any{"elementId": "e"},
	}), kit.DoneBy("kim"), map[string]any{"triggerActivities": true}))
	shown := updatesShown(env, "/told", 5)
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
	}, kit.Activities(env))
	var changes string
	require.NoError(t, env.DB().QueryRow(env.Ctx, `SELECT string_agg(changes::text, ' ' ORDER BY action_type) FROM activities
WHERE workspace_id = $1 AND action_type IN ('comment_annotation.priority_change', 'comment_annotation.update')`, env.Workspace.ID).Scan(&changes))
	require.Contains(t, changes, `{"priority":{"from":null,"to":{"id":"P1"`)
	require.Contains(t, changes, `"context":{"from":{},"to":{"page":2}}`)
}

func TestAnnotationsUpdate_Events_3and7_TwoFieldsAtOnceAndThereAndBack(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	kit.EndpointAt(env, "/told")
	kit.Discuss(env, kit.Wrote("ann", "one"))
	open := kit.Discussion(env).Status
	kit.Gives(env, kit.Updating(map[string]any{"status": kit.StatusOf("WIP", "ongoing"), "priority": kit.PriorityOf("P1")}))
	shown := updatesShown(env, "/told", 2)
	require.Equal(t, []string{"status_change", "priority_change"}, updatesOf(shown))
	require.Equal(t, shown[0].CommentAnnotation, shown[1].CommentAnnotation)
	require.Nil(t, shown[0].ActionUser)
	kit.Gives(env, kit.Updating(map[string]any{"status": nil, "priority": nil}))
	shown = updatesShown(env, "/told", 4)
	require.Equal(t, []any{"WIP", "OPEN"}, []any{shown[2].OldStatus["id"], shown[2].NewStatus["id"]})
	require.Equal(t, "P1", shown[3].OldPriority["id"])
	require.Nil(t, shown[3].NewPriority)
	require.Equal(t, open, kit.Discussion(env).Status)
	require.NotContains(t, shown[3].CommentAnnotation, "priority")
}

func TestAnnotationsUpdate_Events_8_ThePublicOneIsRestricted(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	kit.EndpointAt(env, "/told")
	kit.Discuss(env, kit.Wrote("ann", "{{eve}}, {{bob}}?"))
	kit.Gives(env, kit.Updating(map[string]any{"visibility": map[string]any{"type": "restricted", "userIds": []string{"bob"}, "organizationId": "acme"}, "assignedTo": map[string]any{"userId": "kim"}}))
	shown := updatesShown(env, "/told", 2)
	restricted := map[string]any{"type": "restricted", "userIds": []any{"bob"}}
	for _, one := range shown {
		require.Equal(t, restricted, one.Visibility)
		require.Equal(t, restricted, one.CommentAnnotation["visibility"])
		require.Equal(t, []string{"eve", "kim"}, one.AccessDenied)
	}
	require.Equal(t, map[string]any{"from": map[string]any{"type": "public"}, "to": restricted}, shown[1].Changes["visibility"])
}

func TestAnnotationsUpdate_WhoIsToldOfAnAssignment(t *testing.T) {
	env := kit.NewWorkspace(t)
	bob, eve := kit.Mailbox(), kit.Mailbox()
	kit.MailBy(env, map[string]any{"fromEmail": "desk@tests.example.com"})
	kit.AddPeople(env, kit.User("bob", "Bob", bob), kit.User("eve", "Eve", eve))
	kit.Discuss(env, kit.Wrote("ann", "Who?"))
	assigned := func(to string, more ...map[string]any) map[string]any {
		return kit.Updating(map[string]any{"assignedTo": map[string]any{"userId": to}}, append(more, kit.DoneBy("kim"))...)
	}
	kit.Gives(env, assigned("eve"))
	require.Empty(t, kit.NotifiedRows(env), "not without the flag")
	kit.Gives(env, assigned("bob", kit.Loud))
	require.Equal(t, []string{"1 bob assignment"}, kit.NotifiedRows(env))
	kit.Gives(env, assigned("bob", kit.Loud))
	kit.Gives(env, assigned("kim", kit.Loud))
	require.Equal(t, []string{"1 bob assignment"}, kit.NotifiedRows(env), "neither again nor of what one does oneself")
	kit.Gives(env, kit.Updating(map[string]any{"visibility": map[string]any{"type": "restricted", "userIds": []string{"bob"}}}))
	kit.Gives(env, assigned("eve", kit.Loud))
	require.Equal(t, []string{"1 bob assignment"}, kit.NotifiedRows(env), "she may not see it")
	inBoxes(env, map[string][]string{bob: {"Who?"}, eve: {}})
}

// One user comes in the place of another one, and with what that one has read.
func TestAnnotationsUpdate_UsersInThePlaceOfOthers(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	kit.AddPeople(env, kit.User("new", "New", "new@example.com"))
	note := kit.Annotated("n", kit.Wrote("old", "Ask {{old}}."), kit.Wrote("ann", "Yes."), kit.Wrote("old", "So."))
	note["assignedTo"] = map[string]any{"userId": "old"}
	note["visibility"] = map[string]any{"type": "restricted", "userIds": []string{"new", "eve", "old"}}
	note["commentData"].([]map[string]any)[0]["taggedUserContacts"] = []any{map[string]any{"userId": "old", "contact": map[string]any{"userId": "old", "email": "old@example.com"}}}
	kit.Annotate(env, kit.Made("d", note, kit.Annotated("m", kit.Wrote("ann", "Two."), kit.Wrote("bob", "{{old}}"))))
	kit.Read(env, kit.ReadBy("old", "m"))
	kit.Read(env, kit.ReadBy("eve"))
	kit.EndpointAt(env, "/told")
	require.Equal(t, [2]int{2, 2}, kit.Counts(env, "new", "d")["d"])
	call := kit.Doc("d", map[string]any{
		"allAnnotations": true, "updatedData": map[string]any{}, "triggerNotification": true, "actionUser": map[string]any{"userId": "kim"},
		"updateUsers": []any{
			map[string]any{"oldUser": map[string]any{"userId": "old"}, "newUser": map[string]any{"userId": "new"}},
			map[string]any{"oldUser": map[string]any{"userId": "bob"}, "newUser": map[string]any{"userId": "bob", "name": "Robert"}},
			map[string]any{"oldUser": map[string]any{"userId": "eve"}, "newUser": map[string]any{"userId": "old"}},
		},
	})
	unread := kit.Older[[]redline.Annotation](env, kit.GetAnnotations, kit.Doc("d", map[string]any{"annotationIds": []string{"m"}})).Data[0]
	kit.Gives(env, call)
	require.Equal(t, []string{"assign", "update"}, updatesOf(updatesShown(env, "/told", 2)))
	shown := updatesShown(env, "/told", 2)
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
	require.Equal(t, [2]int{2, 0}, kit.Counts(env, "new", "d")["d"], "they have read what the other one had")
	require.Equal(t, [2]int{2, 0}, kit.Counts(env, "old", "d")["d"], "and so has who comes in the place of that one")
	require.Equal(t, [2]int{1, 1}, kit.Counts(env, "eve", "d")["d"])
	m := kit.Older[[]redline.Annotation](env, kit.GetAnnotations, kit.Doc("d", map[string]any{"annotationIds": []string{"m"}})).Data[0]
	require.Equal(t, "Robert", m.Comments[1].From.Name)
	require.Greater(t, m.LastUpdated, unread.LastUpdated)
	require.Equal(t, []string{"1 new assignment"}, kit.NotifiedRows(env))
	found := kit.Discussion(env)
	kit.Gives(env, kit.With(call, map[string]any{"updateUsers": call["updateUsers"].([]any)[1:2]}))
	require.Equal(t, found, kit.Discussion(env), "the same again is no change")
	require.Equal(t, m, kit.Older[[]redline.Annotation](env, kit.GetAnnotations, kit.Doc("d", map[string]any{"annotationIds": []string{"m"}})).Data[0])
	kit.Settled(env)
	require.Len(t, kit.Heard(env, "/told", 2), 2)
}
