package api_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestCommentsDelete_2_TheRootGoes(t *testing.T) {
	env := newWorkspace(t)
	note := kit.Annotated("n", kit.Wrote("ann", "Who?", map[string]any{"commentId": 1, "agent": kit.External()}), kit.Wrote("bob", "I", map[string]any{"commentId": 2}))
	note["visibility"] = map[string]any{"type": "restricted", "userIds": []string{"eve"}}
	kit.Annotate(env, kit.Made("d", note))
	before := kit.Discussion(env)
	require.True(t, kit.Items(env, client.DeleteComments, kit.These(1))["1"].Success)
	after := kit.Discussion(env)
	require.Equal(t, before.From, after.From, "the author stays")
	require.Equal(t, before.Comments[1:], after.Comments)
	require.Greater(t, after.LastUpdated, before.LastUpdated)
	for user, sees := range map[string]int{"ann": 1, "eve": 1, "bob": 0} {
		require.Equal(t, sees, kit.Counts(env, user, "d")["d"][0], "%s: who sees it stays", user)
	}
	var kept string
	require.NoError(t, env.DB().QueryRow(env.Ctx, `SELECT concat_ws(' ', kind, agent->>'agentName', comment_count) FROM annotations WHERE workspace_id = $1`, env.Workspace.ID).Scan(&kept))
	require.Equal(t, "comment "+kit.External()["agentName"].(string)+" 1", kept)
}

func TestCommentsDelete_3_AnUnknownCommentAmongOthers(t *testing.T) {
	env := newWorkspace(t)
	kit.Discuss(env, kit.Wrote("ann", "one"), kit.Wrote("bob", "two"), kit.Wrote("ann", "three"))
	entries := kit.Items(env, client.DeleteComments, kit.These(3, 7, 1, 3))
	require.Equal(t, map[string]redline.Item{
		"1": {Success: true, ID: "1", Message: "Comment deleted."}, "3": {Success: true, ID: "3", Message: "Comment deleted."},
		"7": {ID: "7", Message: "The annotation has no such comment.", Code: "not-found"},
	}, entries)
	require.Equal(t, []int64{2}, kit.CommentIDs(env))
	before := kit.Discussion(env)
	require.Equal(t, redline.ItemCodeNotFound, kit.Items(env, client.DeleteComments, kit.These(1))["1"].Code)
	require.Equal(t, before, kit.Discussion(env), "nothing has changed")
	require.Len(t, kit.Items(env, client.DeleteComments, kit.These()), 1, "without ids all go")
	require.Equal(t, "annotation", kit.Details(env, client.DeleteComments, kit.These())["resource"])
}

func TestCommentsDelete_4_TheIdOfADeletedCommentIsNewAtOnce(t *testing.T) {
	env := newWorkspace(t)
	second := kit.Wrote("ann", "two", map[string]any{"commentId": 2})
	kit.Discuss(env, kit.Wrote("ann", "one", map[string]any{"commentId": 1}), second)
	for _, reading := range []map[string]any{kit.ReadBy("eve", "n"), kit.ReadBy("eve")} {
		kit.Read(env, reading)
		require.Equal(t, [2]int{1, 0}, kit.Counts(env, "eve", "d")["d"])
		require.True(t, kit.Items(env, client.DeleteComments, kit.These(2))["2"].Success)
		require.Equal(t, []int64{2}, kit.Reply(env, kit.Replying(second)))
		require.Equal(t, [2]int{1, 1}, kit.Counts(env, "eve", "d")["d"], "she has not read it")
		require.Equal(t, []int64{1, 2}, kit.CommentIDs(env))
	}
}

func TestCommentsDelete_WhatBecomesRead(t *testing.T) {
	env := newWorkspace(t)
	kit.Discuss(env, kit.Wrote("ann", "one"), kit.Wrote("bob", "two"), kit.Wrote("ann", "three"), kit.Wrote("eve", "four"))
	unread := func() (found [3]int) {
		for i, user := range []string{"ann", "bob", "eve"} {
			found[i] = kit.Counts(env, user, "d")["d"][1]
		}
		return found
	}
	require.Equal(t, [3]int{1, 1, 0}, unread())
	kit.Items(env, client.DeleteComments, kit.These(4))
	require.Equal(t, [3]int{0, 1, 0}, unread(), "ann has nothing newer of others")
	kit.Items(env, client.DeleteComments, kit.These(3))
	require.Equal(t, [3]int{0, 0, 0}, unread())
	kit.Items(env, client.DeleteComments, kit.These(1))
	require.Equal(t, [3]int{0, 0, 0}, unread())
}

func TestCommentsDelete_WhatIsRefused(t *testing.T) {
	env := newWorkspace(t)
	kit.Discuss(env, kit.Wrote("ann", "one"))
	kit.Annotate(env, kit.Made("other", kit.Annotated("elsewhere", kit.Wrote("ann", "two"))))
	for path, change := range map[string]any{"commentIds": kit.NumberedFrom(1, 1001), "annotationId": nil, "triggerActivities": 1, "actionUser": map[string]any{"name": "Ann"}} {
		failure := env.RefusedAs("INVALID_ARGUMENT", client.DeleteComments, kit.With(kit.These(1), map[string]any{path: change}))
		require.Equal(t, path, failure.Issues[0].Path[0])
	}
	for resource, call := range map[string]map[string]any{
		"organization": {"organizationId": "nowhere"}, "document": {"documentId": "nowhere"}, "annotation": {"annotationId": "elsewhere"},
	} {
		require.Equal(t, map[string]any{"reason": "not-found", "resource": resource, "id": call[resource+"Id"]}, kit.Details(env, client.DeleteComments, kit.With(kit.These(1), call)))
	}
	require.Equal(t, []int64{1}, kit.CommentIDs(env))
	require.Len(t, kit.Items(env, client.DeleteComments, kit.With(kit.These(1), map[string]any{"commentIds": kit.NumberedFrom(1, 1000)})), 1000)
	require.Empty(t, kit.CommentIDs(env))
}

func TestCommentsDelete_OnlyThoseOfAuthors(t *testing.T) {
	env := newWorkspace(t)
	kit.Discuss(env, kit.Wrote("ann", "one"), kit.Wrote("bob", "two"), kit.Wrote("ann", "three"), kit.Wrote("cat", "four"))
	by := func(more map[string]any) map[string]redline.Item {
		t.Helper()
		return kit.Items(env, client.DeleteComments, kit.With(kit.These(), more))
	}
	require.Empty(t, by(map[string]any{"userIds": []string{"eve"}}), "nothing goes")
	entries := by(map[string]any{"userIds": []string{"ann"}, "commentIds": []int{1, 2}})
	require.True(t, entries["1"].Success)
	require.Equal(t, redline.ItemCodeNotFound, entries["2"].Code, "somebody else wrote it")
	require.Equal(t, []int64{2, 3, 4}, kit.CommentIDs(env))
	require.Len(t, by(map[string]any{"userIds": []string{"ann", "cat"}}), 2)
	require.Equal(t, []int64{2}, kit.CommentIDs(env))
}
