package tests

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCommentsUpdate_NothingBecomesUnread(t *testing.T) {
	s := begin(t)
	s.discuss(wrote("ann", "one"), wrote("bob", "two"), wrote("ann", "three"))
	unread := func() map[string]int {
		found := map[string]int{}
		for _, user := range []string{"ann", "bob", "eve"} {
			found[user] = s.counts(user, "d")["d"][1]
		}
		return found
	}
	before := unread()
	require.Equal(t, map[string]int{"ann": 0, "bob": 1, "eve": 1}, before)
	s.edit(edited(says("another"), 1, 2, 3))
	require.Equal(t, before, unread())
	s.edit(edited(map[string]any{"from": map[string]any{"userId": "bob"}}, 3))
	require.Equal(t, map[string]int{"ann": 0, "bob": 0, "eve": 1}, unread(), "he has nothing to read of others then")
}

// A thread holds 8 MiB of text and HTML, whoever makes it longer.
func TestCommentsUpdate_AThreadIsFull(t *testing.T) {
	s := begin(t)
	comments := make([]map[string]any, 65)
	for i := range comments {
		comments[i] = wrote("ann", "a")
	}
	s.discuss(comments...)
	large := func(n int) map[string]any {
		return map[string]any{"commentText": "", "commentHtml": strings.Repeat("x", n), "isCommentTextAvailable": true}
	}
	for from := int64(1); from < 65; from += 16 {
		ids := make([]int64, 16)
		for i := range ids {
			ids[i] = from + int64(i)
		}
		s.edit(edited(large(128<<10-64), ids...))
	}
	s.edit(edited(large(64*64), 65))
	s.refusedAs("FAILED_PRECONDITION", updateComments, edited(large(64*64+1), 65))
	s.edit(edited(large(64), 65, 64))
}
