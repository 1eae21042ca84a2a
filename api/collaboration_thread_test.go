package api_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestWholeCommentsGet_1and2_AllOrThoseNamed(t *testing.T) {
	env := newWorkspace(t)
	kit.Discuss(env, kit.Wrote("ann", "one"), kit.Wrote("bob", "two"), kit.Wrote("ann", "three"))
	kit.Annotate(env, kit.Made("d", kit.Annotated("m", kit.Wrote("ann", "other", map[string]any{"commentId": 9}))))
	for _, more := range []map[string]any{{}, {"userIds": []string{}}, {"commentIds": []int{}}} {
		require.Equal(t, []string{"one", "two", "three"}, kit.TextsIn(kit.ThreadOf(env, "n", more)), "(1)")
	}
	require.Equal(t, []string{"three", "-", "one"}, kit.TextsIn(kit.ThreadOf(env, "n", map[string]any{"commentIds": []int{3, 9, 1, 3}})), "(2)")
	require.Equal(t, []string{"three", "-"}, kit.TextsIn(kit.ThreadOf(env, "n", map[string]any{"commentIds": []int{3, 2}, "userIds": []string{"ann"}})))
	require.Equal(t, []string{"two"}, kit.TextsIn(kit.ThreadOf(env, "n", map[string]any{"userIds": []string{"bob", "eve"}})))
	paged := func(more map[string]any) (texts []string) {
		data := kit.Doc("d", map[string]any{"annotationId": "n", "pageSize": 2}, more)
		first := kit.Older[[]*kit.WholeView](env, kit.GetWholeComments, data)
		require.Len(t, first.Data, 2)
		data["pageToken"] = first.NextPageToken
		rest := kit.Older[[]*kit.WholeView](env, kit.GetWholeComments, data)
		require.Empty(t, rest.NextPageToken)
		kit.OlderRefused(env, "INVALID_ARGUMENT", kit.GetComments, data)
		kit.OlderRefused(env, "INVALID_ARGUMENT", kit.GetWholeComments, kit.With(data, map[string]any{"viewerUserId": "ann"}))
		return append(kit.TextsIn(first.Data), kit.TextsIn(rest.Data)...)
	}
	require.Equal(t, []string{"one", "two", "three"}, paged(nil))
	require.Equal(t, []string{"two", "-", "one"}, paged(map[string]any{"commentIds": []int{2, 9, 1}}))
}

func TestWholeCommentsGet_3_TheLargestID(t *testing.T) {
	env := newWorkspace(t)
	kit.Annotate(env, kit.Made("d", kit.Annotated("n", kit.Wrote("ann", "a", map[string]any{"commentId": int64(9007199254740991)}))))
	reply := kit.OlderReply(env, kit.GetWholeComments, kit.Doc("d", map[string]any{"annotationId": "n", "commentIds": []int64{9007199254740991}}))
	require.Contains(t, string(reply.Body), `"commentId":9007199254740991,`)
}

func TestWholeCommentsGet_4_OfWhatUsersMaySee(t *testing.T) {
	env := newWorkspace(t)
	hidden := kit.Annotated("hidden", kit.Wrote("ann", "a"), kit.Wrote("bob", "b"))
	hidden["visibility"] = map[string]any{"type": "restricted", "userIds": []string{"cat"}}
	kit.Annotate(env, kit.Made("d", hidden, kit.Annotated("open", kit.Wrote("ann", "a"), kit.Wrote("bob", "b"))))
	by := func(users ...string) map[string]any { return map[string]any{"userIds": users} }
	require.Nil(t, kit.ThreadOf(env, "hidden", by("bob")), "also where bob replied")
	require.Equal(t, []string{"b"}, kit.TextsIn(kit.ThreadOf(env, "hidden", by("bob", "cat"))))
	seen := func(viewer string) map[string]any { return map[string]any{"viewerUserId": viewer} }
	require.Nil(t, kit.ThreadOf(env, "hidden", seen("bob")))
	require.Equal(t, []string{"a", "b"}, kit.TextsIn(kit.ThreadOf(env, "hidden", seen("cat"))))
	require.Equal(t, []string{"b"}, kit.TextsIn(kit.ThreadOf(env, "hidden", kit.With(by("bob"), seen("cat")))), "a viewer decides alone")
	require.Nil(t, kit.ThreadOf(env, "hidden", kit.With(by("cat"), seen("bob"))))
	setDocumentAccess(env, "d", "restricted")
	require.Nil(t, kit.ThreadOf(env, "open", seen("cat")), "nor where the document is closed to them")
	require.Equal(t, []string{"b"}, kit.TextsIn(kit.ThreadOf(env, "open", by("bob"))))
	kit.Items(env, client.AddUsers, map[string]any{"organizationId": "acme", "documentId": "d", "users": kit.Users("cat")})
	require.Len(t, kit.ThreadOf(env, "hidden", seen("cat")), 2)
	require.Nil(t, kit.ThreadOf(env, "unknown", nil))
	require.Nil(t, kit.Older[[]*kit.WholeView](env, kit.GetWholeComments, kit.Doc("e", map[string]any{"annotationId": "open"})).Data)
	require.Nil(t, kit.ThreadOf(kit.Elsewhere(env), "open", nil))
}

// A thread of a thousand comments is one page; what an answer does not hold is on the next
// one, in the order of the slots too.
func TestWholeCommentsGet_5_AThousandInOnePage(t *testing.T) {
	env := newWorkspace(t)
	var want []string
	for i := range 10 {
		comments := make([]map[string]any, 100)
		for j := range comments {
			text := strconv.Itoa(100*i + j)
			comments[j], want = kit.Wrote("ann", text, map[string]any{"commentId": 100*i + j + 1}), append(want, text)
		}
		if i == 0 {
			kit.Annotate(env, kit.Made("d", kit.Annotated("n", comments...)))
			continue
		}
		kit.Reply(env, kit.Replying(comments...))
	}
	require.Equal(t, want, kit.TextsIn(kit.ThreadOf(env, "n", nil)))

	large := make([]map[string]any, 30)
	for i := range large {
		large[i] = kit.Wrote("ann", strconv.Itoa(i), map[string]any{"commentId": i + 1, "context": map[string]any{"text": strings.Repeat("x", 32<<10-100)}})
	}
	kit.Annotate(env, kit.Made("d", kit.Annotated("large", large...)))
	large = large[:25]
	for from := 31; from < 256; from += len(large) {
		for i := range large {
			large[i]["commentId"] = from + i
		}
		kit.Reply(env, kit.With(kit.Replying(large...), map[string]any{"annotationId": "large"}))
	}
	slots := make([]int, 255) // stored they are one thread's, written more than a page's
	for i := range slots {
		slots[i] = 255 - i
	}
	for _, more := range []map[string]any{nil, {"commentIds": slots}} {
		data := kit.Doc("d", map[string]any{"annotationId": "large"}, more)
		reply := kit.OlderReply(env, kit.GetWholeComments, data)
		require.LessOrEqual(t, len(reply.Body), 8<<20)
		require.Greater(t, len(reply.Body), 7<<20)
		first := kit.Older[[]*kit.WholeView](env, kit.GetWholeComments, data)
		data["pageToken"] = first.NextPageToken
		rest := kit.Older[[]*kit.WholeView](env, kit.GetWholeComments, data)
		require.Empty(t, rest.NextPageToken)
		all := slices.Concat(first.Data, rest.Data)
		require.Len(t, all, 255)
		for i, c := range all {
			want := int64(i + 1)
			if more != nil {
				want = int64(slots[i])
			}
			require.Equal(t, want, c.CommentID)
		}
	}
}

func TestWholeCommentsGet_WhatIsRefused(t *testing.T) {
	env := newWorkspace(t)
	commentIDs := make([]int, 1001)
	for field, over := range map[string]any{
		"userIds": kit.Many(31), "commentIds": commentIDs, "viewerUserId": "", "annotationId": nil, "pageSize": 1001, "pageToken": "none",
	} {
		failure := kit.OlderRefused(env, "INVALID_ARGUMENT", kit.GetWholeComments, kit.Doc("d", map[string]any{"annotationId": "n"}, map[string]any{field: over}))
		require.Equal(t, []string{field}, failure.Issues[0].Path)
	}
}
