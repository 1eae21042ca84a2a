package collaboration

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestCommentsAdd_4_ADeniedAuthorTellsNobody(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	kit.EndpointAt(env, "/told")
	bob := kit.Mailbox()
	kit.MailBy(env, map[string]any{"fromEmail": "desk@tests.example.com"})
	kit.Private(env)
	kit.AddPeople(env, kit.User("ann", "Ann", kit.Mailbox()), kit.User("bob", "Bob", bob), kit.User("marker", "", ""))
	kit.Discuss(env, kit.Wrote("ann", "root"))
	before := kit.Discussion(env)
	call := kit.Replying(kit.Wrote("ann", "fine {{bob}}", kit.Loud), kit.Wrote("eve", "{{bob}}", kit.Loud), kit.Wrote("kim", "no", kit.Loud), kit.Wrote("eve", "again"))
	call["verifyUserPermissions"] = true
	require.Equal(t, []any{map[string]any{"index": 1.0, "userId": "eve"}, map[string]any{"index": 2.0, "userId": "kim"}}, kit.Details(env, client.AddComments, call)["denied"])
	env.RefusedAs("PERMISSION_DENIED", client.AddComments, call)
	require.Equal(t, before, kit.Discussion(env))
	require.Empty(t, kit.NotifiedRows(env))
	call["commentData"] = []any{kit.Wrote("ann", "Now {{bob}}.", kit.Loud)}
	kit.Reply(env, call)
	require.Equal(t, []string{"comment.add"}, kit.EventsOf(kit.Heard(env, "/told", 1)))
	kit.Settled(env)
	require.Len(t, kit.Heard(env, "/told", 1), 1)
	inBoxes(env, map[string][]string{bob: {"Now Bob."}})
	delete(call, "verifyUserPermissions")
	call["commentData"] = []any{kit.Wrote("eve", "trusted")}
	require.Len(t, kit.Reply(env, call), 1, "unless it is asked for, nothing is checked")
}

// What is added to a thread is published as what was added with it, to those who wrote before
// as well.
func TestCommentsAdd_WhatIsPublished(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	kit.EndpointAt(env, "/told")
	ann := kit.Mailbox()
	kit.MailBy(env, map[string]any{"fromEmail": "desk@tests.example.com"})
	kit.AddPeople(env, kit.User("ann", "Ann", ann), kit.User("bob", "Bob", "bob@example.com"))
	kit.Discuss(env, kit.Wrote("ann", "root"), kit.Wrote("kim", "second"))
	by := map[string]any{"agentSource": "external", "agentName": "Bot", "reason": map[string]any{"title": "t", "description": "d", "severity": "low"}}
	kit.Reply(env, kit.Replying(
		kit.Wrote("bob", "silent"), kit.Wrote("bob", "Hear, {{eve}}.", kit.Loud, map[string]any{"triggerActivities": true}),
		kit.Wrote("eve", "", map[string]any{"agent": by, "triggerNotification": true}),
	))
	heard := kit.Heard(env, "/told", 2)
	require.Equal(t, []string{"comment.add", "comment.add"}, kit.EventsOf(heard))
	var shown [2]editShown
	for i := range shown {
		require.NoError(t, json.Unmarshal(heard[i].Data, &shown[i]))
	}
	require.Equal(t, "Hear, {{eve}}.", shown[0].TargetComment["commentText"])
	require.Equal(t, "agent", shown[1].TargetComment["sourceType"])
	require.Contains(t, string(*shown[0].ActionUser), "bob@example.com")
	of := shown[0].CommentAnnotation
	require.Equal(t, of, shown[1].CommentAnnotation)
	require.Equal(t, []any{5.0, []any{"eve"}, "rest-api"}, []any{of["commentCount"], of["mentionedUserIds"], of["sourceType"]})
	require.Equal(t, []string{"4 ann reply", "4 eve mention", "4 kim reply", "5 ann reply", "5 bob reply", "5 kim reply"}, kit.NotifiedRows(env))
	require.Len(t, kit.Mails(env, ann, 2), 2, "to the address of her profile")
	require.Equal(t, []string{"comment.add 4 bob"}, commentActivities(env))
	kit.Settled(env)
	require.Len(t, kit.Heard(env, "/told", 2), 2)
}

// commentActivities returns what is kept of what was done to comments.
func commentActivities(env *kit.Env) (kept []string) {
	env.T.Helper()
	require.NoError(env.T, env.DB().QueryRow(env.Ctx, `SELECT array_agg(concat_ws(' ', action_type, c.seq, action_user->>'userId') ORDER BY a.id)
FROM activities a JOIN comments c USING (annotation_key, comment_id) WHERE a.workspace_id = $1`, env.Workspace.ID).Scan(&kept))
	return kept
}

// What was acknowledged before the switch of a migration is found under the new id, and
// afterwards the old one names nothing.
func TestCommentsAdd_WhileTheDocumentMigrates(t *testing.T) {
	env := kit.NewWorkspace(t)
	kit.Discuss(env, kit.Wrote("ann", "said 0"))
	done := untilTheSwitch(env, func(n int) write {
		return write{client.AddComments, kit.Replying(kit.Wrote("ann", fmt.Sprint("said ", n)))}
	})
	thread := kit.Older[[]redline.ThreadComment](env, kit.GetComments, kit.Doc("e", map[string]any{"annotationId": "n"})).Data
	require.Len(t, thread, len(done))
	for i, n := range done {
		require.Equal(t, fmt.Sprint("said ", n), thread[i].CommentText)
	}
	require.Equal(t, "document", kit.Details(env, client.AddComments, kit.Replying(kit.Wrote("ann", "late")))["resource"])
}
