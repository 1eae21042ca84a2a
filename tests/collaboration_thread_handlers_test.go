package tests

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWholeCommentsGet_1and2_AllOrThoseNamed(t *testing.T) {
	s := begin(t)
	s.discuss(wrote("ann", "one"), wrote("bob", "two"), wrote("ann", "three"))
	s.annotate(made("d", annotated("m", wrote("ann", "other", map[string]any{"commentId": 9}))))
	for _, more := range []map[string]any{{}, {"userIds": []string{}}, {"commentIds": []int{}}} {
		require.Equal(t, []string{"one", "two", "three"}, textsIn(s.threadOf("n", more)), "(1)")
	}
	require.Equal(t, []string{"three", "-", "one"}, textsIn(s.threadOf("n", map[string]any{"commentIds": []int{3, 9, 1, 3}})), "(2)")
	require.Equal(t, []string{"three", "-"}, textsIn(s.threadOf("n", map[string]any{"commentIds": []int{3, 2}, "userIds": []string{"ann"}})))
	require.Equal(t, []string{"two"}, textsIn(s.threadOf("n", map[string]any{"userIds": []string{"bob", "eve"}})))
	paged := func(more map[string]any) (texts []string) {
		data := doc("d", map[string]any{"annotationId": "n", "pageSize": 2}, more)
		first := older[[]*wholeView](s, getWholeComments, data)
		require.Len(t, first.Data, 2)
		data["pageToken"] = first.NextPageToken
		rest := older[[]*wholeView](s, getWholeComments, data)
		require.Empty(t, rest.NextPageToken)
		s.olderRefused("INVALID_ARGUMENT", getComments, data)
		s.olderRefused("INVALID_ARGUMENT", getWholeComments, with(data, map[string]any{"viewerUserId": "ann"}))
		return append(textsIn(first.Data), textsIn(rest.Data)...)
	}
	require.Equal(t, []string{"one", "two", "three"}, paged(nil))
	require.Equal(t, []string{"two", "-", "one"}, paged(map[string]any{"commentIds": []int{2, 9, 1}}))
}

func TestWholeCommentsGet_3_TheLargestID(t *testing.T) {
	s := begin(t)
	s.annotate(made("d", annotated("n", wrote("ann", "a", map[string]any{"commentId": int64(9007199254740991)}))))
	reply := s.olderReply(getWholeComments, doc("d", map[string]any{"annotationId": "n", "commentIds": []int64{9007199254740991}}))
	require.Contains(t, string(reply.Body), `"commentId":9007199254740991,`)
}

func TestWholeCommentsGet_4_OfWhatUsersMaySee(t *testing.T) {
	s := begin(t)
	hidden := annotated("hidden", wrote("ann", "a"), wrote("bob", "b"))
	hidden["visibility"] = map[string]any{"type": "restricted", "userIds": []string{"cat"}}
	s.annotate(made("d", hidden, annotated("open", wrote("ann", "a"), wrote("bob", "b"))))
	by := func(users ...string) map[string]any { return map[string]any{"userIds": users} }
	require.Nil(t, s.threadOf("hidden", by("bob")), "also where bob replied")
	require.Equal(t, []string{"b"}, textsIn(s.threadOf("hidden", by("bob", "cat"))))
	seen := func(viewer string) map[string]any { return map[string]any{"viewerUserId": viewer} }
	require.Nil(t, s.threadOf("hidden", seen("bob")))
	require.Equal(t, []string{"a", "b"}, textsIn(s.threadOf("hidden", seen("cat"))))
	require.Equal(t, []string{"b"}, textsIn(s.threadOf("hidden", with(by("bob"), seen("cat")))), "a viewer decides alone")
	require.Nil(t, s.threadOf("hidden", with(by("cat"), seen("bob"))))
	s.setDocumentAccess("d", "restricted")
	require.Nil(t, s.threadOf("open", seen("cat")), "nor where the document is closed to them")
	require.Equal(t, []string{"b"}, textsIn(s.threadOf("open", by("bob"))))
	s.items("users/add", map[string]any{"organizationId": "acme", "documentId": "d", "users": users("cat")})
	require.Len(t, s.threadOf("hidden", seen("cat")), 2)
	require.Nil(t, s.threadOf("unknown", nil))
	require.Nil(t, older[[]*wholeView](s, getWholeComments, doc("e", map[string]any{"annotationId": "open"})).Data)
	require.Nil(t, s.elsewhere().threadOf("open", nil))
}

// A thread of a thousand comments is one page; what an answer does not hold is on the next
// one, in the order of the slots too.
func TestWholeCommentsGet_5_AThousandInOnePage(t *testing.T) {
	s := begin(t)
	var want []string
	for i := range 10 {
		comments := make([]map[string]any, 100)
		for j := range comments {
			text := strconv.Itoa(100*i + j)
			comments[j], want = wrote("ann", text, map[string]any{"commentId": 100*i + j + 1}), append(want, text)
		}
		if i == 0 {
			s.annotate(made("d", annotated("n", comments...)))
			continue
		}
		s.reply(replying(comments...))
	}
	require.Equal(t, want, textsIn(s.threadOf("n", nil)))

	large := make([]map[string]any, 30)
	for i := range large {
		large[i] = wrote("ann", strconv.Itoa(i), map[string]any{"commentId": i + 1, "context": map[string]any{"text": strings.Repeat("x", 32<<10-100)}})
	}
	s.annotate(made("d", annotated("large", large...)))
	for from := 31; from < 331; from += 30 {
		for i := range large {
			large[i]["commentId"] = from + i
		}
		s.reply(with(replying(large...), map[string]any{"annotationId": "large"}))
	}
	slots := make([]int, 330)
	for i := range slots {
		slots[i] = 330 - i
	}
	for _, more := range []map[string]any{nil, {"commentIds": slots}} {
		data := doc("d", map[string]any{"annotationId": "large"}, more)
		reply := s.olderReply(getWholeComments, data)
		require.LessOrEqual(t, len(reply.Body), 8<<20)
		require.Greater(t, len(reply.Body), 7<<20)
		first := older[[]*wholeView](s, getWholeComments, data)
		data["pageToken"] = first.NextPageToken
		rest := older[[]*wholeView](s, getWholeComments, data)
		require.Empty(t, rest.NextPageToken)
		all := slices.Concat(first.Data, rest.Data)
		require.Len(t, all, 330)
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
	s := begin(t)
	commentIDs := make([]int, 1001)
	for field, over := range map[string]any{
		"userIds": many(31), "commentIds": commentIDs, "viewerUserId": "", "annotationId": nil, "pageSize": 1001, "pageToken": "none",
	} {
		failure := s.olderRefused("INVALID_ARGUMENT", getWholeComments, doc("d", map[string]any{"annotationId": "n"}, map[string]any{field: over}))
		require.Equal(t, []string{field}, failure.Issues[0].Path)
	}
}
