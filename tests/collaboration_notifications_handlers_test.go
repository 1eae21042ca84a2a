package tests

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

func TestNotifications_1_OneRecipient(t *testing.T) {
	s := begin(t)
	s.annotate(made("d", secretTo(annotated("n", wrote("ann", "{{ann}} {{bob}} {{eve}} {{bob}}", loud)), "ann", "bob")))
	all := s.notices(inDocument("d"))
	require.Len(t, all, 1)
	require.Equal(t, "bob mention", all[0].notified())
	require.Empty(t, s.notices(forUser("ann")))
	require.Empty(t, s.notices(forUser("eve")))
}

// What a user may not see any more is gone from their list at once, whatever took it away.
func TestNotifications_3_MadePrivateAfterwards(t *testing.T) {
	s := begin(t)
	s.annotate(made("d", annotated("n", wrote("ann", "1 {{bob}} {{eve}}", loud)), annotated("m", wrote("ann", "2 {{bob}} {{eve}}", loud))))
	s.annotate(made("e", annotated("o", wrote("ann", "3 {{bob}} {{eve}}", loud))))
	require.Equal(t, []string{"3 {{bob}} {{eve}}", "2 {{bob}} {{eve}}", "1 {{bob}} {{eve}}"}, bodies(s.notices(forUser("eve"))))
	_, err := s.rows().Exec(s.ctx, `UPDATE annotations SET visibility = 'restricted', visible_to = '{bob}' WHERE workspace_id = $1 AND annotation_id = 'm'`, s.workspace.ID)
	require.NoError(t, err)
	require.Equal(t, []string{"3 {{bob}} {{eve}}", "1 {{bob}} {{eve}}"}, bodies(s.notices(forUser("eve"))))
	require.Len(t, s.notices(forUser("bob")), 3)
	s.setDocumentAccess("e", "restricted")
	for _, pageSize := range []int{1, 2} {
		require.Equal(t, []string{"1 {{bob}} {{eve}}"}, bodies(s.notices(forUser("eve"), map[string]any{"pageSize": pageSize})))
	}
	require.Empty(t, s.notices(forUser("eve"), inDocument("e")))
	require.Len(t, s.notices(inDocument("e")), 1, "a list for nobody has all")
	var marked struct{ Updated int }
	s.call(updateNotifications, inAcme(forUser("eve"), map[string]any{"allRead": true}), &marked)
	require.Equal(t, 1, marked.Updated)
	s.setDocumentAccess("e", nil)
	require.Equal(t, "eve mention", s.notices(forUser("eve"))[0].notified(), "it was not read")
}

func TestNotifications_4_TheTextOfThisMoment(t *testing.T) {
	s := begin(t)
	s.people(user("ann", "Ann\r\nBcc: eve@example.com", "ann@example.com"))
	s.items(addFolders, inAcme(map[string]any{"folders": []any{folder("drawer")}}))
	s.items(addDocuments, inAcme(map[string]any{"folderId": "drawer", "documents": []any{map[string]any{"documentId": "d", "documentName": "Spring"}}}))
	s.annotate(made("d", annotated("n", wrote("ann", "{{bob}} first", loud, map[string]any{"commentId": 1}))))
	before := s.notices(forUser("bob"))[0]
	long := "{{bob}} " + strings.Repeat("ä", 500)
	s.items(updateComments, doc("d", map[string]any{"annotationId": "n", "commentIds": []int{1}, "updatedData": says(long)}))
	after := s.notices(forUser("bob"))
	require.Len(t, after, 1)
	n := after[0]
	require.Equal(t, string([]rune(long)[:500]), n.DisplayBodyMessage)
	require.Equal(t, "Ann Bcc: eve@example.com mentioned you in “Spring”", n.DisplayHeadlineMessage)
	require.Equal(t, []string{before.ID, "comment", "mention"}, []string{n.ID, n.NotificationSource, n.Reason})
	require.Regexp(t, "^ntf_", n.ID)
	require.JSONEq(t, `{"userId":"ann","name":"Ann\r\nBcc: eve@example.com","email":"ann@example.com","initial":"A"}`, string(n.ActionUser))
	require.Equal(t, []any{"n", int64(1), "d"}, []any{n.NotificationSourceData.AnnotationID, n.NotificationSourceData.CommentID, n.NotificationSourceData.DocumentID})
	require.Equal(t, map[string]any{"organizationId": "acme", "documentId": "d", "folderId": "drawer"}, n.Metadata)
	require.Equal(t, before.Timestamp, n.Timestamp)
	require.Positive(t, n.Timestamp)
	require.False(t, *n.IsRead)
	require.Nil(t, s.notices(inDocument("d"))[0].IsRead)
}

// A hundred comments of one add are a hundred notifications, in the order of the thread.
func TestNotifications_5_HundredCommentsOfOneAdd(t *testing.T) {
	s := begin(t)
	comments, want := make([]map[string]any, 100), make([]string, 100)
	for i := range comments {
		want[i] = fmt.Sprintf("Number %d for {{bob}}", i)
		comments[i] = wrote("ann", want[i], loud)
	}
	s.annotate(made("d", annotated("n", comments...)))
	oldest := map[string]any{"order": "asc"}
	require.Equal(t, want, bodies(s.notices(forUser("bob"), oldest)))
	require.Equal(t, want, bodies(s.notices(inDocument("d"), oldest, map[string]any{"pageSize": 7})))
	slices.Reverse(want)
	require.Equal(t, want, bodies(s.notices(forUser("bob"), inDocument("d"), map[string]any{"pageSize": 33})))
}

func TestNotifications_6_MarksOfTwoUsersAtOnce(t *testing.T) {
	s := begin(t)
	s.annotate(made("d", annotated("n", wrote("ann", "{{bob}} {{eve}} {{kim}}", loud))))
	id := s.notices(inDocument("d"))[0].ID
	users := []string{"bob", "eve"}
	for range 10 {
		for _, as := range []string{"readByUserIds", "unreadByUserIds"} {
			together(2, func(i int) {
				_, err := client.Call[itemsView](s.ctx, s.keyed, updateNotifications, inAcme(map[string]any{
					"notifications": []any{map[string]any{"id": id, as: []string{users[i]}}},
				}))
				assert.NoError(t, err)
			})
			want := map[string]string{"readByUserIds": "bob mention read, eve mention read, kim mention", "unreadByUserIds": "bob mention, eve mention, kim mention"}[as]
			require.Equal(t, want, s.notices(inDocument("d"))[0].notified())
		}
	}
}
