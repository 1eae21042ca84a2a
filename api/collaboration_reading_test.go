package api_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// What was committed before a user reads is read, what came after is not, whichever way
// annotations are named.
func TestAnnotationsRead_1_AndCommentsAtTheSameInstant(t *testing.T) {
	env := newWorkspace(t)
	for round := range 15 {
		id := fmt.Sprint("n", round)
		kit.Annotate(env, kit.Made("d", kit.Annotated(id, kit.Wrote("ann", "root"))))
		call := kit.ReadBy("eve")
		if round%2 == 0 {
			call = kit.ReadBy("eve", id)
		}
		kit.Concurrently(2, func(i int) {
			var err error
			if i == 0 {
				_, err = kit.TryRead(env, call)
			} else {
				_, err = kit.TryReply(env, kit.With(kit.Replying(kit.Wrote("bob", "late")), map[string]any{"annotationId": id}))
			}
			kit.NoError(t, err)
		})
		kit.Shows(env, id)
		kit.Reply(env, kit.With(kit.Replying(kit.Wrote("bob", "later")), map[string]any{"annotationId": id}))
		require.Equal(t, 1, kit.Unread(env, "eve"))
		kit.Read(env, kit.ReadBy("eve"))
		require.Zero(t, kit.Unread(env, "eve"))
	}
}

func TestAnnotationsRead_2_TheHigherMarkHolds(t *testing.T) {
	env := newWorkspace(t)
	kit.Annotate(env, kit.Made("d", kit.Annotated("n", kit.Wrote("ann", "root"))))
	for round := range 10 {
		kit.Reply(env, kit.Replying(kit.Wrote("ann", strconv.Itoa(round))))
		kit.Concurrently(6, func(i int) {
			call := kit.ReadBy("eve", "n")
			if i%2 == 0 {
				call = kit.ReadBy("eve")
			}
			_, err := kit.TryRead(env, call)
			kit.NoError(t, err)
		})
		require.Zero(t, kit.Unread(env, "eve"))
		require.Zero(t, kit.Read(env, kit.ReadBy("eve")).Updated, "a mark that stands there already stays")
	}
	require.Equal(t, 1, kit.Unread(env, "bob"))
}

// A call about a whole document marks it while comments are added to it, also by the user
// whose marks it moves, and none of them waits for it.
func TestAnnotationsRead_3_AWholeDocumentBlocksNoComment(t *testing.T) {
	env := newWorkspace(t)
	kit.Annotate(env, kit.Made("d", kit.Annotated("n", kit.Wrote("ann", "root"))))
	kit.Annotate(env, kit.Made("d", kit.Annotated("last", kit.Wrote("ann", "root"))))
	held, err := env.DB().Begin(env.Ctx)
	require.NoError(t, err)
	defer held.Rollback(env.Ctx)
	_, err = held.Exec(env.Ctx, `INSERT INTO document_read_marks SELECT key, 'eve', workspace_id, document_key, last_seq FROM annotations
WHERE workspace_id = $1 AND annotation_id = 'last'`, env.Workspace.ID)
	require.NoError(t, err)
	waiting := kit.Reads(env, kit.ReadBy("eve"), 1)
	kit.RequireEventually(t, "a call that has marked all but the last", func() bool {
		var calls int
		require.NoError(t, env.DB().QueryRow(env.Ctx, `SELECT count(*) FROM pg_stat_activity
WHERE $1 = ANY (pg_blocking_pids(pid)) AND query LIKE 'WITH seen AS (%'`, held.Conn().PgConn().PID()).Scan(&calls))
		return calls > 0
	})
	kit.Reply(env, kit.Replying(kit.Wrote("eve", "while it runs"), kit.Wrote("bob", "and this")))
	require.Equal(t, int64(1), kit.Read(env, kit.ReadBy("eve", "n")).Updated, "nor does a call that names annotations")
	require.NoError(t, held.Commit(env.Ctx))
	require.NoError(t, <-waiting)
	require.Zero(t, kit.Unread(env, "eve"))

	const many = 2000
	kit.Copies(env, "n", many)
	require.Equal(t, many+2, kit.Unread(env, "kim"))
	done := kit.Reads(env, kit.ReadBy("kim"), many+2)
	for i := range 20 {
		kit.Reply(env, kit.With(kit.Replying(kit.Wrote("bob", "x")), map[string]any{"annotationId": fmt.Sprint("n ", i+1)}))
	}
	require.NoError(t, <-done)
	require.LessOrEqual(t, kit.Unread(env, "kim"), 20)
}

func TestAnnotationsRead_4_NotAnyMore(t *testing.T) {
	env := newWorkspace(t)
	kit.Annotate(env, kit.Made("d", kit.Annotated("a", kit.Wrote("ann", "a")), kit.Annotated("b", kit.Wrote("ann", "b"))))
	for _, call := range []map[string]any{kit.ReadBy("eve"), kit.ReadBy("eve", "a", "b")} {
		require.Equal(t, int64(2), kit.Read(env, call).Updated)
		require.Zero(t, kit.Unread(env, "eve"))
		require.Equal(t, int64(1), kit.Read(env, kit.NotAnyMore(kit.ReadBy("eve", "a"))).Updated)
		require.Equal(t, 1, kit.Unread(env, "eve"))
		require.Equal(t, int64(1), kit.Read(env, kit.NotAnyMore(kit.ReadBy("eve"))).Updated)
		require.Equal(t, 2, kit.Unread(env, "eve"))
		require.Zero(t, kit.Read(env, kit.NotAnyMore(kit.ReadBy("eve"))).Updated)
	}
	require.Equal(t, int64(2), kit.Read(env, kit.NotAnyMore(kit.ReadBy("ann"))).Updated, "that one has written it as well")
	require.Zero(t, kit.Unread(env, "ann"), "which is not unread by that")
}

// An annotation that the user may not see is none.
func TestAnnotationsRead_OnlyWhatTheUserSees(t *testing.T) {
	env := newWorkspace(t)
	hidden := kit.Annotated("hidden", kit.Wrote("ann", "a"))
	hidden["visibility"] = map[string]any{"type": "restricted", "userIds": []string{"bob"}}
	kit.Annotate(env, kit.Made("d", kit.Annotated("open", kit.Wrote("ann", "a")), hidden))
	kit.Annotate(env, kit.Made("other", kit.Annotated("elsewhere", kit.Wrote("ann", "a"))))
	named := kit.ReadBy("eve", "hidden", "open", "elsewhere", "open", "nothing")
	done := redline.Item{Success: true, ID: "open", Message: "Annotation marked."}
	missing := func(id string) redline.Item {
		return redline.Item{ID: id, Message: "The document has no such annotation that the user may see.", Code: "not-found"}
	}
	want := map[string]redline.Item{"open": done, "hidden": missing("hidden"), "elsewhere": missing("elsewhere"), "nothing": missing("nothing")}
	require.Equal(t, redline.ReadResult{Status: redline.ReadResultStatusSuccess, Message: "Annotations marked.", Updated: 1, Data: want}, kit.Read(env, named))
	require.Equal(t, redline.ReadResult{Status: redline.ReadResultStatusSuccess, Message: "Annotations marked.", Updated: 1, Data: want}, kit.Read(env, kit.NotAnyMore(named)))
	require.Equal(t, redline.ReadResult{Status: redline.ReadResultStatusSuccess, Message: "Annotations marked.", Updated: 1, Data: map[string]redline.Item{}}, kit.Read(env, kit.ReadBy("eve")), "one of the two")
	require.Equal(t, int64(2), kit.Read(env, kit.ReadBy("bob")).Updated)
	setDocumentAccess(env, "d", "restricted")
	require.Equal(t, redline.ReadResult{Status: redline.ReadResultStatusSuccess, Message: "Annotations marked.", Data: map[string]redline.Item{}}, kit.Read(env, kit.ReadBy("kim")), "nor where the document is closed to them")
	require.Equal(t, redline.ItemCodeNotFound, kit.Read(env, kit.ReadBy("kim", "open")).Data["open"].Code)
}

// Who has read an annotation has read the notifications about it, up to there.
func TestAnnotationsRead_ReadsNotifications(t *testing.T) {
	env := newWorkspace(t)
	kit.Annotate(env, kit.Made("d", kit.Annotated("n", kit.Wrote("ann", "{{eve}} {{bob}}", kit.Loud)), kit.Annotated("m", kit.Wrote("ann", "{{eve}}", kit.Loud))))
	left := func() (who []string) {
		require.NoError(t, env.DB().QueryRow(env.Ctx, `SELECT array_agg(concat_ws(' ', a.annotation_id, n.comment_seq, r.user_id) ORDER BY 1, a.annotation_id, r.user_id)
FROM notification_recipients r JOIN notifications n ON n.id = r.notification_id JOIN annotations a ON a.key = n.annotation_key
WHERE n.workspace_id = $1 AND r.read_at IS NULL`, env.Workspace.ID).Scan(&who))
		return who
	}
	require.ElementsMatch(t, []string{"m 1 eve", "n 1 bob", "n 1 eve"}, left())
	kit.Read(env, kit.ReadBy("eve", "n"))
	require.ElementsMatch(t, []string{"m 1 eve", "n 1 bob"}, left())
	kit.Reply(env, kit.Replying(kit.Wrote("ann", "{{eve}} again", kit.Loud)))
	require.ElementsMatch(t, []string{"m 1 eve", "n 1 bob", "n 2 eve"}, left())
	kit.Read(env, kit.ReadBy("eve"))
	require.ElementsMatch(t, []string{"n 1 bob"}, left())
	kit.Read(env, kit.NotAnyMore(kit.ReadBy("eve")))
	require.ElementsMatch(t, []string{"n 1 bob"}, left(), "that stays")
}

func TestAnnotationsRead_WhatIsRefused(t *testing.T) {
	env := newWorkspace(t)
	kit.Annotate(env, kit.Made("d", kit.Annotated("n", kit.Wrote("ann", "a"))))
	require.Len(t, kit.Read(env, kit.ReadBy("eve", kit.Many(1000)...)).Data, 1000)
	require.Equal(t, []string{"annotationIds"}, env.RefusedAs("INVALID_ARGUMENT", client.ReadAnnotations, kit.ReadBy("eve", kit.Many(1001)...)).Issues[0].Path)
	call := kit.ReadBy("eve")
	delete(call, "userId")
	require.Equal(t, []string{"userId"}, env.RefusedAs("INVALID_ARGUMENT", client.ReadAnnotations, call).Issues[0].Path)
	require.Equal(t, []string{"read"}, env.RefusedAs("INVALID_ARGUMENT", client.ReadAnnotations, kit.With(kit.ReadBy("eve"), map[string]any{"read": "yes"})).Issues[0].Path)
	for resource, change := range map[string]map[string]any{"organization": {"organizationId": "nowhere"}, "document": {"documentId": "nowhere"}} {
		require.Equal(t, resource, kit.Details(env, client.ReadAnnotations, kit.With(kit.ReadBy("eve"), change))["resource"])
	}
	require.Equal(t, "organization", kit.Details(kit.Elsewhere(env), client.ReadAnnotations, kit.ReadBy("eve"))["resource"])
	require.Equal(t, 1, kit.Unread(env, "eve"))
}
