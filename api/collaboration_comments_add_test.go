package api_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestCommentsAdd_1_ManyAtOnce(t *testing.T) { addsAtOnce(t, 65) }

func TestLong_CommentsAdd_1_TwoHundredAtOnce(t *testing.T) { addsAtOnce(t, 200) }

// addsAtOnce requires that so many comments that are added at once are in one order for every
// reader, each with the id that its call was given.
func addsAtOnce(t *testing.T, many int) {
	t.Helper()
	env := newWorkspace(t)
	kit.Discuss(env, kit.Wrote("ann", "root"))
	ids := make([]int64, many)
	kit.Concurrently(many, func(i int) {
		added, err := kit.TryReply(env, kit.Replying(kit.Wrote(fmt.Sprint("user ", i%7), strconv.Itoa(i))))
		if kit.NoError(t, err) {
			ids[i] = added[0]
		}
	})
	thread := kit.Discussion(env).Comments
	require.Len(t, thread, many+1)
	require.Equal(t, "root", thread[0].CommentText)
	for _, c := range thread[1:] {
		at, err := strconv.Atoi(c.CommentText)
		require.NoError(t, err)
		require.Equal(t, ids[at], c.CommentID, "the id that its call was given")
	}
	require.Len(t, kit.Distinct(kit.Numbers(thread)), many+1)
	whole := kit.Older[[]redline.Annotation](env, kit.GetAnnotations, kit.Doc("d")).Data[0]
	var read []int64
	for _, c := range whole.Comments {
		read = append(read, c.CommentID)
	}
	require.Equal(t, kit.Numbers(thread), read, "every reader sees one order")
	var paged []redline.ThreadComment
	call := kit.Doc("d", map[string]any{"annotationId": "n", "pageSize": 30})
	for more := true; more; {
		page := kit.Older[[]redline.ThreadComment](env, kit.GetComments, call)
		paged, call["pageToken"], more = append(paged, page.Data...), page.NextPageToken, page.NextPageToken != ""
	}
	require.Equal(t, kit.Numbers(thread), kit.Numbers(paged))
	require.Equal(t, int64(many+1), kit.Judgments(env, kit.InAcme(map[string]any{"annotationId": "n"})).Total)
}

func TestCommentsAdd_2_OneIDTwice(t *testing.T) {
	env := newWorkspace(t)
	kit.Discuss(env, kit.Wrote("ann", "root"))
	for round := range 10 {
		commentID := int64(100 + round)
		errs := make([]error, 2)
		kit.Concurrently(2, func(i int) {
			_, errs[i] = kit.TryReply(env, kit.Replying(kit.Wrote("ann", strconv.Itoa(i), map[string]any{"commentId": commentID}), kit.Wrote("ann", "beside")))
		})
		lost := slices.IndexFunc(errs, func(err error) bool { return err != nil })
		require.GreaterOrEqual(t, lost, 0)
		require.NoError(t, errs[1-lost])
		require.Contains(t, errs[lost].Error(), "ALREADY_EXISTS")
		thread := kit.Discussion(env).Comments
		require.Len(t, thread, 1+2*(round+1), "nothing was written of the other")
		require.Equal(t, strconv.Itoa(1-lost), thread[len(thread)-2].CommentText)
	}
	env.RefusedAs("ALREADY_EXISTS", client.AddComments, kit.Replying(kit.Wrote("ann", "a"), kit.Wrote("ann", "b", map[string]any{"commentId": 1})))
	require.Equal(t, []any{105.0, 1.0}, kit.Details(env, client.AddComments, kit.Replying(
		kit.Wrote("ann", "a", map[string]any{"commentId": 105}), kit.Wrote("ann", "b", map[string]any{"commentId": 999}), kit.Wrote("ann", "c", map[string]any{"commentId": 1}),
	))["commentIds"])
	require.Len(t, kit.Discussion(env).Comments, 21)
}

func TestCommentsAdd_3_TheLastPlaceInAThread(t *testing.T) {
	env := newWorkspace(t)
	hundred := func(n int) []map[string]any {
		comments := make([]map[string]any, n)
		for i := range comments {
			comments[i] = kit.Wrote("ann", "a")
		}
		return comments
	}
	kit.Discuss(env, hundred(99)...)
	for range 9 {
		kit.Reply(env, kit.Replying(hundred(100)...))
	}
	env.RefusedAs("FAILED_PRECONDITION", client.AddComments, kit.Replying(hundred(2)...))
	errs := make([]error, 2)
	kit.Concurrently(2, func(i int) { _, errs[i] = kit.TryReply(env, kit.Replying(kit.Wrote("bob", strconv.Itoa(i)))) })
	lost := slices.IndexFunc(errs, func(err error) bool { return err != nil })
	require.GreaterOrEqual(t, lost, 0)
	require.NoError(t, errs[1-lost])
	require.Contains(t, errs[lost].Error(), "FAILED_PRECONDITION")
	thread := kit.Discussion(env).Comments
	require.Len(t, thread, 1000)
	require.Equal(t, strconv.Itoa(1-lost), thread[999].CommentText)
}

func TestCommentsAdd_5_ATerminalAnnotationStaysSo(t *testing.T) {
	env := newWorkspace(t)
	note := kit.Annotated("n", kit.Wrote("ann", "root"))
	note["status"] = map[string]any{"id": "DONE", "name": "Done", "type": "terminal", "color": "#000", "lightColor": "#fff", "iconUrl": "x"}
	kit.Annotate(env, kit.Made("d", note))
	before := kit.Discussion(env)
	kit.Reply(env, kit.Replying(kit.Wrote("bob", "late", map[string]any{"lastUpdated": 5})))
	after := kit.Discussion(env)
	require.Equal(t, before.Status, after.Status)
	require.Greater(t, after.LastUpdated, before.LastUpdated, "it is changed now, whenever the comment was")
	require.Equal(t, "1970-01-01T00:00:00.005Z", after.Comments[1].LastUpdated)
	require.Equal(t, []any{"late", redline.ThreadCommentStatusAdded, "bob"}, []any{after.Comments[1].CommentText, after.Comments[1].Status, after.Comments[1].From.UserID})
}

// A comment that is added is a judgment as one that came with its annotation.
func TestCommentsAdd_CommentsAreJudgments(t *testing.T) {
	env := newWorkspace(t)
	kit.AddPeople(env, kit.User("bob", "Bob", "bob@example.com"))
	kit.Discuss(env, kit.Wrote("ann", "Is it so?"))
	kit.Reply(env, kit.Replying(kit.Wrote("bob", "It is, {{bob}}.", map[string]any{"createdAt": 1000}), kit.Wrote("bob", " ")))
	page := kit.Judgments(env, kit.InAcme(map[string]any{"annotationId": "n", "reviewerId": "bob"}))
	require.Equal(t, int64(1), page.Total)
	j := page.Results[0]
	require.Equal(t, []any{"comment", "It is, Bob.", 0.5, "comment", redline.JudgmentJudgeTypeHuman, int64(1000)}, []any{j.Decision, j.Reasoning, j.Confidence, j.ContentType, j.JudgeType, j.CreatedAt})
	require.Equal(t, "bob@example.com", *j.ActionUser.Email)
	commentID := kit.Discussion(env).Comments[1].CommentID
	kit.Edit(env, kit.Edited(kit.Says("It was."), commentID))
	page = kit.Judgments(env, kit.InAcme(map[string]any{"annotationId": "n", "reviewerId": "bob"}))
	require.Equal(t, []any{j.RecordID, "It was."}, []any{page.Results[0].RecordID, page.Results[0].Reasoning}, "and an edit replaces what it says")
}

func TestCommentsAdd_WhatIsUnreadThen(t *testing.T) {
	env := newWorkspace(t)
	unread := func() (of [3]int) {
		for i, user := range []string{"ann", "bob", "eve"} {
			of[i] = kit.Counts(env, user, "d")["d"][1]
		}
		return of
	}
	kit.Discuss(env, kit.Wrote("ann", "root"))
	require.Equal(t, [3]int{0, 1, 1}, unread())
	kit.Reply(env, kit.Replying(kit.Wrote("bob", "two")))
	require.Equal(t, [3]int{1, 0, 1}, unread(), "who writes has read what was before")
	kit.Reply(env, kit.Replying(kit.Wrote("ann", "three", map[string]any{"createdAt": 1})))
	require.Equal(t, [3]int{0, 1, 1}, unread())
	kit.Reply(env, kit.Replying(kit.Wrote("bob", "four"), kit.Wrote("ann", "five")))
	require.Equal(t, [3]int{0, 1, 1}, unread(), "what came behind one's own is unread")
}

// Authors become members where the workspace wants it, once it is sure that they may write.
func TestCommentsAdd_AuthorsBecomeMembers(t *testing.T) {
	env := newWorkspace(t)
	kit.Discuss(env, kit.Wrote("ann", "root"))
	env.Call(client.UpdateSettings, map[string]any{"requireAutoOrgUser": true}, nil)
	isMember := func(user string) bool {
		viewer := []map[string]any{{"userId": user, "name": user}}
		return kit.Items(env, client.UpdateUsers, map[string]any{"organizationId": "acme", "users": viewer})[user].Success
	}
	env.RefusedAs("ALREADY_EXISTS", client.AddComments, kit.Replying(kit.Wrote("bob", "a", map[string]any{"commentId": 1})))
	require.False(t, isMember("bob"), "not by a call that is refused")
	kit.Reply(env, kit.Replying(kit.Wrote("bob", "a"), kit.Wrote("eve", "b")))
	require.True(t, isMember("bob"))
	require.True(t, isMember("eve"))
	require.False(t, isMember("ann"))
}

// A thread holds 8 MiB of all that is stored of it, whoever makes it longer.
func TestCommentsAdd_AThreadIsFull(t *testing.T) {
	env := newWorkspace(t)
	kit.Discuss(env, kit.Wrote("ann", ""))
	large := func(n int) map[string]any {
		return kit.Wrote("ann", "", map[string]any{"commentHtml": strings.Repeat("x", n)})
	}
	for range 9 {
		kit.Reply(env, kit.Replying(large(128<<10), large(128<<10), large(128<<10), large(128<<10), large(128<<10), large(128<<10), large(128<<10)))
	}
	env.RefusedAs("FAILED_PRECONDITION", client.AddComments, kit.Replying(large(128<<10)))
	kit.Reply(env, kit.Replying(large(112<<10)))
	env.RefusedAs("FAILED_PRECONDITION", client.AddComments, kit.Replying(kit.Wrote("ann", "a", map[string]any{"context": map[string]any{"own": strings.Repeat("x", 16<<10)}})))
	require.Len(t, kit.Reply(env, kit.Replying(kit.Wrote("ann", ""))), 1)
}

func TestCommentsAdd_WhatIsRefused(t *testing.T) {
	env := newWorkspace(t)
	kit.Discuss(env, kit.Wrote("ann", "root"))
	kit.Annotate(env, kit.Made("other", kit.Annotated("elsewhere", kit.Wrote("ann", "two"))))
	before := kit.Discussion(env)
	agent := func(id string) map[string]any {
		return map[string]any{"agent": map[string]any{"agentSource": "svc", "agentId": id, "reason": map[string]any{"title": "t", "description": "d", "severity": "low"}}}
	}
	for resource, call := range map[string]map[string]any{
		"organization": {"organizationId": "nowhere", "createOrganization": true, "createDocument": true},
		"document":     {"documentId": "nowhere", "createDocument": true}, "annotation": {"annotationId": "elsewhere"},
	} {
		require.Equal(t, map[string]any{"reason": "not-found", "resource": resource, "id": call[resource+"Id"]},
			kit.Details(env, client.AddComments, kit.With(kit.Replying(kit.Wrote("ann", "a")), call)))
	}
	require.Equal(t, []any{"nobody"}, kit.Details(env, client.AddComments, kit.Replying(kit.Wrote("ann", "a", agent("spell-check")), kit.Wrote("ann", "b", agent("nobody"))))["agentIds"])
	five := map[string]any{"commentId": 5}
	for path, comments := range map[string][]map[string]any{
		"commentData":               {},
		"commentData.1.commentId":   {kit.Wrote("ann", "a", five), kit.Wrote("ann", "b", five)},
		"commentData.0.commentId":   {kit.Wrote("ann", "a", map[string]any{"commentId": 0})},
		"commentData.1.from.userId": {kit.Wrote("ann", "a"), {"commentText": "b", "from": map[string]any{"name": "B"}}},
		"commentData.0.commentText": {kit.Wrote("ann", kit.ManyTags(101))},
		"commentData.0.context":     {kit.Wrote("ann", "a", map[string]any{"context": kit.ManyKeys(201)})},
	} {
		failure := env.RefusedAs("INVALID_ARGUMENT", client.AddComments, kit.Replying(comments...))
		require.Equal(t, path, strings.Join(failure.Issues[0].Path, "."))
	}
	over := make([]map[string]any, 101)
	for i := range over {
		over[i] = kit.Wrote("ann", "a")
	}
	require.Equal(t, []string{"commentData"}, env.RefusedAs("INVALID_ARGUMENT", client.AddComments, kit.Replying(over...)).Issues[0].Path)
	stranger := kit.Elsewhere(env)
	kit.Annotate(stranger, kit.Made("d", kit.Annotated("m", kit.Wrote("ann", "three"))))
	require.Equal(t, "annotation", kit.Details(stranger, client.AddComments, kit.Replying(kit.Wrote("ann", "a")))["resource"])
	require.Equal(t, before, kit.Discussion(env), "nothing was written")
}
