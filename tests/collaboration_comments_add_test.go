package tests

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
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

func TestCommentsAdd_1_TwoHundredAtOnce(t *testing.T) {
	const many = 200
	s := begin(t)
	s.discuss(wrote("ann", "root"))
	ids := make([]int64, many)
	together(many, func(i int) {
		added, err := s.tryReply(replying(wrote(fmt.Sprint("user ", i%7), strconv.Itoa(i))))
		if fine(t, err) {
			ids[i] = added[0]
		}
	})
	thread := s.discussion().Comments
	require.Len(t, thread, many+1)
	require.Equal(t, "root", thread[0].CommentText)
	for _, c := range thread[1:] {
		at, err := strconv.Atoi(c.CommentText)
		require.NoError(t, err)
		require.Equal(t, ids[at], c.CommentID, "the id that its call was given")
	}
	require.Len(t, once(numbers(thread)), many+1)
	whole := older[[]annotationView](s, getAnnotations, doc("d")).Data[0]
	require.Equal(t, numbers(thread), numbers(whole.Comments), "every reader sees one order")
	var paged []commentView
	call := doc("d", map[string]any{"annotationId": "n", "pageSize": 30})
	for more := true; more; {
		page := older[[]commentView](s, getComments, call)
		paged, call["pageToken"], more = append(paged, page.Data...), page.NextPageToken, page.NextPageToken != ""
	}
	require.Equal(t, numbers(thread), numbers(paged))
	require.Equal(t, many+1, s.judgments(inAcme(map[string]any{"annotationId": "n"})).Total)
}

// once keeps the first of equal values.
func once(ids []int64) []int64 {
	sorted := slices.Clone(ids)
	slices.Sort(sorted)
	return slices.Compact(sorted)
}

func TestCommentsAdd_2_OneIDTwice(t *testing.T) {
	s := begin(t)
	s.discuss(wrote("ann", "root"))
	for round := range 10 {
		commentID := int64(100 + round)
		errs := make([]error, 2)
		together(2, func(i int) {
			_, errs[i] = s.tryReply(replying(wrote("ann", strconv.Itoa(i), map[string]any{"commentId": commentID}), wrote("ann", "beside")))
		})
		lost := slices.IndexFunc(errs, func(err error) bool { return err != nil })
		require.GreaterOrEqual(t, lost, 0)
		require.NoError(t, errs[1-lost])
		require.Contains(t, errs[lost].Error(), "ALREADY_EXISTS")
		thread := s.discussion().Comments
		require.Len(t, thread, 1+2*(round+1), "nothing was written of the other")
		require.Equal(t, strconv.Itoa(1-lost), thread[len(thread)-2].CommentText)
	}
	s.refusedAs("ALREADY_EXISTS", addComments, replying(wrote("ann", "a"), wrote("ann", "b", map[string]any{"commentId": 1})))
	require.Equal(t, []any{105.0, 1.0}, s.details(addComments, replying(
		wrote("ann", "a", map[string]any{"commentId": 105}), wrote("ann", "b", map[string]any{"commentId": 999}), wrote("ann", "c", map[string]any{"commentId": 1}),
	))["commentIds"])
	require.Len(t, s.discussion().Comments, 21)
}

func TestCommentsAdd_3_TheLastPlaceInAThread(t *testing.T) {
	s := begin(t)
	hundred := func(n int) []map[string]any {
		comments := make([]map[string]any, n)
		for i := range comments {
			comments[i] = wrote("ann", "a")
		}
		return comments
	}
	s.discuss(hundred(99)...)
	for range 9 {
		s.reply(replying(hundred(100)...))
	}
	s.refusedAs("FAILED_PRECONDITION", addComments, replying(hundred(2)...))
	errs := make([]error, 2)
	together(2, func(i int) { _, errs[i] = s.tryReply(replying(wrote("bob", strconv.Itoa(i)))) })
	lost := slices.IndexFunc(errs, func(err error) bool { return err != nil })
	require.GreaterOrEqual(t, lost, 0)
	require.NoError(t, errs[1-lost])
	require.Contains(t, errs[lost].Error(), "FAILED_PRECONDITION")
	thread := s.discussion().Comments
	require.Len(t, thread, 1000)
	require.Equal(t, strconv.Itoa(1-lost), thread[999].CommentText)
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

func TestCommentsAdd_5_ATerminalAnnotationStaysSo(t *testing.T) {
	s := begin(t)
	note := annotated("n", wrote("ann", "root"))
	note["status"] = map[string]any{"id": "DONE", "name": "Done", "type": "terminal", "color": "#000", "lightColor": "#fff", "iconUrl": "x"}
	s.annotate(made("d", note))
	before := s.discussion()
	s.reply(replying(wrote("bob", "late", map[string]any{"lastUpdated": 5})))
	after := s.discussion()
	require.Equal(t, before.Status, after.Status)
	require.Greater(t, after.LastUpdated, before.LastUpdated, "it is changed now, whenever the comment was")
	require.Equal(t, "1970-01-01T00:00:00.005Z", after.Comments[1].LastUpdated)
	require.Equal(t, []any{"late", "added", "bob"}, []any{after.Comments[1].CommentText, after.Comments[1].Status, after.Comments[1].From.UserID})
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

// A comment that is added is a judgment as one that came with its annotation.
func TestCommentsAdd_CommentsAreJudgments(t *testing.T) {
	s := begin(t)
	s.people(user("bob", "Bob", "bob@example.com"))
	s.discuss(wrote("ann", "Is it so?"))
	s.reply(replying(wrote("bob", "It is, {{bob}}.", map[string]any{"createdAt": 1000}), wrote("bob", " ")))
	page := s.judgments(inAcme(map[string]any{"annotationId": "n", "reviewerId": "bob"}))
	require.Equal(t, 1, page.Total)
	j := page.Results[0]
	require.Equal(t, []any{"comment", "It is, Bob.", 0.5, "comment", "human", int64(1000)}, []any{j.Decision, j.Reasoning, j.Confidence, j.ContentType, j.JudgeType, j.CreatedAt})
	require.Equal(t, "bob@example.com", j.ActionUser["email"])
	commentID := s.discussion().Comments[1].CommentID
	s.edit(edited(says("It was."), commentID))
	page = s.judgments(inAcme(map[string]any{"annotationId": "n", "reviewerId": "bob"}))
	require.Equal(t, []any{j.RecordID, "It was."}, []any{page.Results[0].RecordID, page.Results[0].Reasoning}, "and an edit replaces what it says")
}

func TestCommentsAdd_WhatIsUnreadThen(t *testing.T) {
	s := begin(t)
	unread := func() (of [3]int) {
		for i, user := range []string{"ann", "bob", "eve"} {
			of[i] = s.counts(user, "d")["d"][1]
		}
		return of
	}
	s.discuss(wrote("ann", "root"))
	require.Equal(t, [3]int{0, 1, 1}, unread())
	s.reply(replying(wrote("bob", "two")))
	require.Equal(t, [3]int{1, 0, 1}, unread(), "who writes has read what was before")
	s.reply(replying(wrote("ann", "three", map[string]any{"createdAt": 1})))
	require.Equal(t, [3]int{0, 1, 1}, unread())
	s.reply(replying(wrote("bob", "four"), wrote("ann", "five")))
	require.Equal(t, [3]int{0, 1, 1}, unread(), "what came behind one's own is unread")
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

// Authors become members where the workspace wants it, once it is sure that they may write.
func TestCommentsAdd_AuthorsBecomeMembers(t *testing.T) {
	s := begin(t)
	s.discuss(wrote("ann", "root"))
	s.call(updateSettings, map[string]any{"requireAutoOrgUser": true}, nil)
	isMember := func(user string) bool {
		viewer := []map[string]any{{"userId": user, "name": user}}
		return s.items("users/update", map[string]any{"organizationId": "acme", "users": viewer})[user].Success
	}
	s.refusedAs("ALREADY_EXISTS", addComments, replying(wrote("bob", "a", map[string]any{"commentId": 1})))
	require.False(t, isMember("bob"), "not by a call that is refused")
	s.reply(replying(wrote("bob", "a"), wrote("eve", "b")))
	require.True(t, isMember("bob"))
	require.True(t, isMember("eve"))
	require.False(t, isMember("ann"))
}

// A thread holds 8 MiB of text and HTML, whoever makes it longer.
func TestCommentsAdd_AThreadIsFull(t *testing.T) {
	s := begin(t)
	s.discuss(wrote("ann", ""))
	large := func(n int) map[string]any {
		return wrote("ann", "", map[string]any{"commentHtml": strings.Repeat("x", n)})
	}
	for range 9 {
		s.reply(replying(large(128<<10), large(128<<10), large(128<<10), large(128<<10), large(128<<10), large(128<<10), large(128<<10)))
	}
	s.reply(replying(large(128 << 10)))
	s.refusedAs("FAILED_PRECONDITION", addComments, replying(wrote("ann", "a")))
	require.Len(t, s.reply(replying(wrote("ann", ""))), 1)
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
