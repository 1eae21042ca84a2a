package tests

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

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
