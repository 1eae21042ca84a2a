package tests

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

const addComments = "commentannotations/comments/add"

// replying is a call that adds comments to the annotation n of the document d.
func replying(comments ...map[string]any) map[string]any {
	return doc("d", map[string]any{"annotationId": "n", "commentData": comments})
}

// tryReply makes a call from any goroutine; a refusal is an error.
func (s *scene) tryReply(call map[string]any) ([]int64, error) {
	added, err := client.Call[client.Wrapped[[]int64]](s.ctx, s.keyed, addComments, call)
	return added.Data, err
}

// reply makes a call that has to succeed and gives the ids.
func (s *scene) reply(call map[string]any) []int64 {
	s.t.Helper()
	ids, err := s.tryReply(call)
	require.NoError(s.t, err)
	return ids
}

// numbers are the ids of a thread in its order.
func numbers(thread []commentView) (ids []int64) {
	for _, c := range thread {
		ids = append(ids, c.CommentID)
	}
	return ids
}

// once keeps the first of equal values.
func once(ids []int64) []int64 {
	sorted := slices.Clone(ids)
	slices.Sort(sorted)
	return slices.Compact(sorted)
}

func TestCommentsAdd_4_ADeniedAuthorTellsNobody(t *testing.T) {
	s := begin(t).hooked()
	s.endpointAt("/told")
	bob := mailbox()
	s.mailBy(map[string]any{"fromEmail": "desk@stories.example.com"})
	s.private()
	s.people(user("ann", "Ann", mailbox()), user("bob", "Bob", bob), user("marker", "", ""))
	s.discuss(wrote("ann", "root"))
	before := s.discussion()
	call := replying(wrote("ann", "fine {{bob}}", loud), wrote("eve", "{{bob}}", loud), wrote("kim", "no", loud), wrote("eve", "again"))
	call["verifyUserPermissions"] = true
	require.Equal(t, []any{map[string]any{"index": 1.0, "userId": "eve"}, map[string]any{"index": 2.0, "userId": "kim"}}, s.details(addComments, call)["denied"])
	s.refusedAs("PERMISSION_DENIED", addComments, call)
	require.Equal(t, before, s.discussion())
	require.Empty(t, s.notified())
	call["commentData"] = []any{wrote("ann", "Now {{bob}}.", loud)}
	s.reply(call)
	require.Equal(t, []string{"comment.add"}, eventsOf(s.heard("/told", 1)))
	s.settled()
	require.Len(t, s.heard("/told", 1), 1)
	s.inBoxes(map[string][]string{bob: {"Now Bob."}})
	delete(call, "verifyUserPermissions")
	call["commentData"] = []any{wrote("eve", "trusted")}
	require.Len(t, s.reply(call), 1, "unless it is asked for, nothing is checked")
}

// What is added to a thread is published as what was added with it, to those who wrote before
// as well.
func TestCommentsAdd_WhatIsPublished(t *testing.T) {
	s := begin(t).hooked()
	s.endpointAt("/told")
	ann := mailbox()
	s.mailBy(map[string]any{"fromEmail": "desk@stories.example.com"})
	s.people(user("ann", "Ann", ann), user("bob", "Bob", "bob@example.com"))
	s.discuss(wrote("ann", "root"), wrote("kim", "second"))
	by := map[string]any{"agentSource": "external", "agentName": "Bot", "reason": map[string]any{"title": "t", "description": "d", "severity": "low"}}
	s.reply(replying(
		wrote("bob", "silent"), wrote("bob", "Hear, {{eve}}.", loud, map[string]any{"triggerActivities": true}),
		wrote("eve", "", map[string]any{"agent": by, "triggerNotification": true}),
	))
	heard := s.heard("/told", 2)
	require.Equal(t, []string{"comment.add", "comment.add"}, eventsOf(heard))
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
	require.Equal(t, []string{"4 ann reply", "4 eve mention", "4 kim reply", "5 ann reply", "5 bob reply", "5 kim reply"}, s.notified())
	require.Len(t, s.mails(ann, 2), 2, "to the address of her profile")
	require.Equal(t, []string{"comment.add 4 bob"}, s.commentActivities())
	s.settled()
	require.Len(t, s.heard("/told", 2), 2)
}

// commentActivities gives what is kept of what was done to comments.
func (s *scene) commentActivities() (kept []string) {
	s.t.Helper()
	require.NoError(s.t, s.rows().QueryRow(s.ctx, `SELECT array_agg(concat_ws(' ', action_type, c.seq, action_user->>'userId') ORDER BY a.id)
FROM activities a JOIN comments c USING (annotation_key, comment_id) WHERE a.workspace_id = $1`, s.workspace.ID).Scan(&kept))
	return kept
}

func TestCommentsAdd_WhatIsRefused(t *testing.T) {
	s := begin(t)
	s.discuss(wrote("ann", "root"))
	s.annotate(made("other", annotated("elsewhere", wrote("ann", "two"))))
	before := s.discussion()
	agent := func(id string) map[string]any {
		return map[string]any{"agent": map[string]any{"agentSource": "svc", "agentId": id, "reason": map[string]any{"title": "t", "description": "d", "severity": "low"}}}
	}
	for resource, call := range map[string]map[string]any{
		"organization": {"organizationId": "nowhere", "createOrganization": true, "createDocument": true},
		"document":     {"documentId": "nowhere", "createDocument": true}, "annotation": {"annotationId": "elsewhere"},
	} {
		require.Equal(t, map[string]any{"reason": "not-found", "resource": resource, "id": call[resource+"Id"]},
			s.details(addComments, with(replying(wrote("ann", "a")), call)))
	}
	require.Equal(t, []any{"nobody"}, s.details(addComments, replying(wrote("ann", "a", agent("spell-check")), wrote("ann", "b", agent("nobody"))))["agentIds"])
	five := map[string]any{"commentId": 5}
	for path, comments := range map[string][]map[string]any{
		"commentData":               {},
		"commentData.1.commentId":   {wrote("ann", "a", five), wrote("ann", "b", five)},
		"commentData.0.commentId":   {wrote("ann", "a", map[string]any{"commentId": 0})},
		"commentData.1.from.userId": {wrote("ann", "a"), {"commentText": "b", "from": map[string]any{"name": "B"}}},
		"commentData.0.commentText": {wrote("ann", manyTags(101))},
		"commentData.0.context":     {wrote("ann", "a", map[string]any{"context": manyKeys(201)})},
	} {
		failure := s.refusedAs("INVALID_ARGUMENT", addComments, replying(comments...))
		require.Equal(t, path, strings.Join(failure.Issues[0].Path, "."))
	}
	over := make([]map[string]any, 101)
	for i := range over {
		over[i] = wrote("ann", "a")
	}
	require.Equal(t, []string{"commentData"}, s.refusedAs("INVALID_ARGUMENT", addComments, replying(over...)).Issues[0].Path)
	stranger := s.elsewhere()
	stranger.annotate(made("d", annotated("m", wrote("ann", "three"))))
	require.Equal(t, "annotation", stranger.details(addComments, replying(wrote("ann", "a")))["resource"])
	require.Equal(t, before, s.discussion(), "nothing was written")
}

// What was acknowledged before the switch of a migration is found under the new id, and
// afterwards the old one names nothing.
func TestCommentsAdd_WhileTheDocumentMigrates(t *testing.T) {
	s := begin(t)
	s.discuss(wrote("ann", "said 0"))
	done := s.untilTheSwitch(func(n int) write { return write{addComments, replying(wrote("ann", fmt.Sprint("said ", n)))} })
	thread := older[[]commentView](s, getComments, doc("e", map[string]any{"annotationId": "n"})).Data
	require.Len(t, thread, len(done))
	for i, n := range done {
		require.Equal(t, fmt.Sprint("said ", n), thread[i].CommentText)
	}
	require.Equal(t, "document", s.details(addComments, replying(wrote("ann", "late")))["resource"])
}
