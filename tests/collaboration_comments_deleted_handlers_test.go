package tests

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCommentsDelete_2_TheRootGoes(t *testing.T) {
	s := begin(t)
	note := annotated("n", wrote("ann", "Who?", map[string]any{"commentId": 1, "agent": external()}), wrote("bob", "I", map[string]any{"commentId": 2}))
	note["visibility"] = map[string]any{"type": "restricted", "userIds": []string{"eve"}}
	s.annotate(made("d", note))
	before := s.discussion()
	require.True(t, s.items(deleteComments, these(1))["1"].Success)
	after := s.discussion()
	require.Equal(t, before.From, after.From, "the author stays")
	require.Equal(t, before.Comments[1:], after.Comments)
	require.Greater(t, after.LastUpdated, before.LastUpdated)
	for user, sees := range map[string]int{"ann": 1, "eve": 1, "bob": 0} {
		require.Equal(t, sees, s.counts(user, "d")["d"][0], "%s: who sees it stays", user)
	}
	var kept string
	require.NoError(t, s.rows().QueryRow(s.ctx, `SELECT concat_ws(' ', kind, agent->>'agentName', comment_count) FROM annotations WHERE workspace_id = $1`, s.workspace.ID).Scan(&kept))
	require.Equal(t, "comment "+external()["agentName"].(string)+" 1", kept)
}

func TestCommentsDelete_3_AnUnknownCommentAmongOthers(t *testing.T) {
	s := begin(t)
	s.discuss(wrote("ann", "one"), wrote("bob", "two"), wrote("ann", "three"))
	entries := s.items(deleteComments, these(3, 7, 1, 3))
	require.Equal(t, map[string]itemView{
		"1": {Success: true, ID: "1", Message: "Comment deleted."}, "3": {Success: true, ID: "3", Message: "Comment deleted."},
		"7": {ID: "7", Message: "The annotation has no such comment.", Code: "not-found"},
	}, entries)
	require.Equal(t, []int64{2}, s.commentIDs())
	before := s.discussion()
	require.Equal(t, "not-found", s.items(deleteComments, these(1))["1"].Code)
	require.Equal(t, before, s.discussion(), "nothing has changed")
	require.Len(t, s.items(deleteComments, with(these(), map[string]any{"commentIds": []int64{}})), 1, "without ids all go")
	require.Equal(t, "annotation", s.details(deleteComments, these())["resource"])
}

func TestCommentsDelete_4_TheIdOfADeletedCommentIsNewAtOnce(t *testing.T) {
	s := begin(t)
	second := wrote("ann", "two", map[string]any{"commentId": 2})
	s.discuss(wrote("ann", "one", map[string]any{"commentId": 1}), second)
	for _, reading := range []map[string]any{readBy("eve", "n"), readBy("eve")} {
		s.read(reading)
		require.Equal(t, [2]int{1, 0}, s.counts("eve", "d")["d"])
		require.True(t, s.items(deleteComments, these(2))["2"].Success)
		require.Equal(t, []int64{2}, s.reply(replying(second)))
		require.Equal(t, [2]int{1, 1}, s.counts("eve", "d")["d"], "she has not read it")
		require.Equal(t, []int64{1, 2}, s.commentIDs())
	}
}

func TestCommentsDelete_WhatBecomesRead(t *testing.T) {
	s := begin(t)
	s.discuss(wrote("ann", "one"), wrote("bob", "two"), wrote("ann", "three"), wrote("eve", "four"))
	unread := func() (found [3]int) {
		for i, user := range []string{"ann", "bob", "eve"} {
			found[i] = s.counts(user, "d")["d"][1]
		}
		return found
	}
	require.Equal(t, [3]int{1, 1, 0}, unread())
	s.items(deleteComments, these(4))
	require.Equal(t, [3]int{0, 1, 0}, unread(), "ann has nothing newer of others")
	s.items(deleteComments, these(3))
	require.Equal(t, [3]int{0, 0, 0}, unread())
	s.items(deleteComments, these(1))
	require.Equal(t, [3]int{0, 0, 0}, unread())
}

func TestCommentsDelete_WhatIsRefused(t *testing.T) {
	s := begin(t)
	s.discuss(wrote("ann", "one"))
	s.annotate(made("other", annotated("elsewhere", wrote("ann", "two"))))
	for path, change := range map[string]any{"commentIds": numberedFrom(1, 1001), "annotationId": nil, "triggerActivities": 1, "actionUser": map[string]any{"name": "Ann"}} {
		failure := s.refusedAs("INVALID_ARGUMENT", deleteComments, with(these(1), map[string]any{path: change}))
		require.Equal(t, path, failure.Issues[0].Path[0])
	}
	for resource, call := range map[string]map[string]any{
		"organization": {"organizationId": "nowhere"}, "document": {"documentId": "nowhere"}, "annotation": {"annotationId": "elsewhere"},
	} {
		require.Equal(t, map[string]any{"reason": "not-found", "resource": resource, "id": call[resource+"Id"]}, s.details(deleteComments, with(these(1), call)))
	}
	require.Equal(t, []int64{1}, s.commentIDs())
	require.Len(t, s.items(deleteComments, with(these(1), map[string]any{"commentIds": numberedFrom(1, 1000)})), 1000)
	require.Empty(t, s.commentIDs())
}
