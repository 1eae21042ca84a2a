package tests

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// What was committed before a user reads is read, what came after is not, whichever way
// annotations are named.
func TestAnnotationsRead_1_AndCommentsAtTheSameInstant(t *testing.T) {
	s := begin(t)
	for round := range 15 {
		id := fmt.Sprint("n", round)
		s.annotate(made("d", annotated(id, wrote("ann", "root"))))
		call := readBy("eve")
		if round%2 == 0 {
			call = readBy("eve", id)
		}
		together(2, func(i int) {
			var err error
			if i == 0 {
				_, err = s.tryRead(call)
			} else {
				_, err = s.tryReply(with(replying(wrote("bob", "late")), map[string]any{"annotationId": id}))
			}
			fine(t, err)
		})
		s.shows(id)
		s.reply(with(replying(wrote("bob", "later")), map[string]any{"annotationId": id}))
		require.Equal(t, 1, s.unread("eve"))
		s.read(readBy("eve"))
		require.Zero(t, s.unread("eve"))
	}
}

func TestAnnotationsRead_2_TheHigherMarkHolds(t *testing.T) {
	s := begin(t)
	s.annotate(made("d", annotated("n", wrote("ann", "root"))))
	for round := range 10 {
		s.reply(replying(wrote("ann", strconv.Itoa(round))))
		together(6, func(i int) {
			call := readBy("eve", "n")
			if i%2 == 0 {
				call = readBy("eve")
			}
			_, err := s.tryRead(call)
			fine(t, err)
		})
		require.Zero(t, s.unread("eve"))
		require.Zero(t, s.read(readBy("eve")).Updated, "a mark that stands there already stays")
	}
	require.Equal(t, 1, s.unread("bob"))
}

// A call about a whole document marks it while comments are added to it, also by the user
// whose marks it moves, and none of them waits for it.
func TestAnnotationsRead_3_AWholeDocumentBlocksNoComment(t *testing.T) {
	s := begin(t)
	s.annotate(made("d", annotated("n", wrote("ann", "root"))))
	s.annotate(made("d", annotated("last", wrote("ann", "root"))))
	held, err := s.rows().Begin(s.ctx)
	require.NoError(t, err)
	defer held.Rollback(s.ctx)
	_, err = held.Exec(s.ctx, `INSERT INTO document_read_marks SELECT key, 'eve', workspace_id, document_key, last_seq FROM annotations
WHERE workspace_id = $1 AND annotation_id = 'last'`, s.workspace.ID)
	require.NoError(t, err)
	waiting := s.reads(readBy("eve"), 1)
	eventually(t, "a call that has marked all but the last", func() bool {
		var calls int
		require.NoError(t, s.rows().QueryRow(s.ctx, `SELECT count(*) FROM pg_stat_activity
WHERE wait_event_type = 'Lock' AND query LIKE '%INSERT INTO document_read_marks%'`).Scan(&calls))
		return calls > 0
	})
	s.reply(replying(wrote("eve", "while it runs"), wrote("bob", "and this")))
	require.Equal(t, 1, s.read(readBy("eve", "n")).Updated, "nor does a call that names annotations")
	require.NoError(t, held.Commit(s.ctx))
	require.NoError(t, <-waiting)
	require.Zero(t, s.unread("eve"))

	const many = 2000
	s.copies("n", many)
	require.Equal(t, many+2, s.unread("kim"))
	done := s.reads(readBy("kim"), many+2)
	for i := range 20 {
		s.reply(with(replying(wrote("bob", "x")), map[string]any{"annotationId": fmt.Sprint("n ", i+1)}))
	}
	require.NoError(t, <-done)
	require.LessOrEqual(t, s.unread("kim"), 20)
}

func TestAnnotationsRead_4_NotAnyMore(t *testing.T) {
	s := begin(t)
	s.annotate(made("d", annotated("a", wrote("ann", "a")), annotated("b", wrote("ann", "b"))))
	for _, call := range []map[string]any{readBy("eve"), readBy("eve", "a", "b")} {
		require.Equal(t, 2, s.read(call).Updated)
		require.Zero(t, s.unread("eve"))
		require.Equal(t, 1, s.read(notAnyMore(readBy("eve", "a"))).Updated)
		require.Equal(t, 1, s.unread("eve"))
		require.Equal(t, 1, s.read(notAnyMore(readBy("eve"))).Updated)
		require.Equal(t, 2, s.unread("eve"))
		require.Zero(t, s.read(notAnyMore(readBy("eve"))).Updated)
	}
	require.Equal(t, 2, s.read(notAnyMore(readBy("ann"))).Updated, "that one has written it as well")
	require.Zero(t, s.unread("ann"), "which is not unread by that")
}

// An annotation that the user may not see is none.
func TestAnnotationsRead_OnlyWhatTheUserSees(t *testing.T) {
	s := begin(t)
	hidden := annotated("hidden", wrote("ann", "a"))
	hidden["visibility"] = map[string]any{"type": "restricted", "userIds": []string{"bob"}}
	s.annotate(made("d", annotated("open", wrote("ann", "a")), hidden))
	s.annotate(made("other", annotated("elsewhere", wrote("ann", "a"))))
	named := readBy("eve", "hidden", "open", "elsewhere", "open", "nothing")
	done := itemView{Success: true, ID: "open", Message: "Annotation marked."}
	missing := func(id string) itemView {
		return itemView{ID: id, Message: "The document has no such annotation that the user may see.", Code: "not-found"}
	}
	want := map[string]itemView{"open": done, "hidden": missing("hidden"), "elsewhere": missing("elsewhere"), "nothing": missing("nothing")}
	require.Equal(t, readView{Updated: 1, Data: want}, s.read(named))
	require.Equal(t, readView{Updated: 1, Data: want}, s.read(notAnyMore(named)))
	require.Equal(t, readView{Updated: 1, Data: map[string]itemView{}}, s.read(readBy("eve")), "one of the two")
	require.Equal(t, 2, s.read(readBy("bob")).Updated)
	s.setDocumentAccess("d", "restricted")
	require.Equal(t, readView{Data: map[string]itemView{}}, s.read(readBy("kim")), "nor where the document is closed to them")
	require.Equal(t, "not-found", s.read(readBy("kim", "open")).Data["open"].Code)
}

// Who has read an annotation has read the notifications about it, up to there.
func TestAnnotationsRead_ReadsNotifications(t *testing.T) {
	s := begin(t)
	s.annotate(made("d", annotated("n", wrote("ann", "{{eve}} {{bob}}", loud)), annotated("m", wrote("ann", "{{eve}}", loud))))
	left := func() (who []string) {
		require.NoError(t, s.rows().QueryRow(s.ctx, `SELECT array_agg(concat_ws(' ', a.annotation_id, n.comment_seq, r.user_id) ORDER BY 1, a.annotation_id, r.user_id)
FROM notification_recipients r JOIN notifications n ON n.id = r.notification_id JOIN annotations a ON a.key = n.annotation_key
WHERE n.workspace_id = $1 AND r.read_at IS NULL`, s.workspace.ID).Scan(&who))
		return who
	}
	require.ElementsMatch(t, []string{"m 1 eve", "n 1 bob", "n 1 eve"}, left())
	s.read(readBy("eve", "n"))
	require.ElementsMatch(t, []string{"m 1 eve", "n 1 bob"}, left())
	s.reply(replying(wrote("ann", "{{eve}} again", loud)))
	require.ElementsMatch(t, []string{"m 1 eve", "n 1 bob", "n 2 eve"}, left())
	s.read(readBy("eve"))
	require.ElementsMatch(t, []string{"n 1 bob"}, left())
	s.read(notAnyMore(readBy("eve")))
	require.ElementsMatch(t, []string{"n 1 bob"}, left(), "that stays")
}

func TestAnnotationsRead_WhatIsRefused(t *testing.T) {
	s := begin(t)
	s.annotate(made("d", annotated("n", wrote("ann", "a"))))
	require.Len(t, s.read(readBy("eve", many(1000)...)).Data, 1000)
	require.Equal(t, []string{"annotationIds"}, s.refusedAs("INVALID_ARGUMENT", readAnnotations, readBy("eve", many(1001)...)).Issues[0].Path)
	call := readBy("eve")
	delete(call, "userId")
	require.Equal(t, []string{"userId"}, s.refusedAs("INVALID_ARGUMENT", readAnnotations, call).Issues[0].Path)
	require.Equal(t, []string{"read"}, s.refusedAs("INVALID_ARGUMENT", readAnnotations, with(readBy("eve"), map[string]any{"read": "yes"})).Issues[0].Path)
	for resource, change := range map[string]map[string]any{"organization": {"organizationId": "nowhere"}, "document": {"documentId": "nowhere"}} {
		require.Equal(t, resource, s.details(readAnnotations, with(readBy("eve"), change))["resource"])
	}
	require.Equal(t, "organization", s.elsewhere().details(readAnnotations, readBy("eve"))["resource"])
	require.Equal(t, 1, s.unread("eve"))
}
