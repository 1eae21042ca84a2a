package api_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestCommentsUpdate_NothingBecomesUnread(t *testing.T) {
	env := newWorkspace(t)
	kit.Discuss(env, kit.Wrote("ann", "one"), kit.Wrote("bob", "two"), kit.Wrote("ann", "three"))
	unread := func() map[string]int {
		found := map[string]int{}
		for _, user := range []string{"ann", "bob", "eve"} {
			found[user] = kit.Counts(env, user, "d")["d"][1]
		}
		return found
	}
	before := unread()
	require.Equal(t, map[string]int{"ann": 0, "bob": 1, "eve": 1}, before)
	kit.Edit(env, kit.Edited(kit.Says("another"), 1, 2, 3))
	require.Equal(t, before, unread())
	kit.Edit(env, kit.Edited(map[string]any{"from": map[string]any{"userId": "bob"}}, 3))
	require.Equal(t, map[string]int{"ann": 0, "bob": 0, "eve": 1}, unread(), "he has nothing to read of others then")
}

// A thread holds 8 MiB of all that is stored of it, whoever makes it longer.
func TestCommentsUpdate_AThreadIsFull(t *testing.T) {
	env := newWorkspace(t)
	comments := make([]map[string]any, 65)
	for i := range comments {
		comments[i] = kit.Wrote("ann", "a")
	}
	kit.Discuss(env, comments...)
	large := func(n int) map[string]any {
		return map[string]any{"commentText": "", "commentHtml": strings.Repeat("x", n), "isCommentTextAvailable": true}
	}
	for from := int64(1); from < 65; from += 16 {
		ids := make([]int64, 16)
		for i := range ids {
			ids[i] = from + int64(i)
		}
		kit.Edit(env, kit.Edited(large(128<<10-64), ids...))
	}
	kit.Edit(env, kit.Edited(large(64*16), 65))
	env.RefusedAs("FAILED_PRECONDITION", client.UpdateComments, kit.Edited(large(64*64+1), 65))
	kit.Edit(env, kit.Edited(large(64), 65, 64))
}
