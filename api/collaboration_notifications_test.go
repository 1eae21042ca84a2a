package api_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestNotifications_1_OneRecipient(t *testing.T) {
	env := newWorkspace(t)
	kit.Annotate(env, kit.Made("d", kit.SecretTo(kit.Annotated("n", kit.Wrote("ann", "{{ann}} {{bob}} {{eve}} {{bob}}", kit.Loud)), "ann", "bob")))
	all := kit.Notices(env, kit.InDocument("d"))
	require.Len(t, all, 1)
	require.Equal(t, "bob mention", kit.Notified(all[0]))
	require.Empty(t, kit.Notices(env, kit.ForUser("ann")))
	require.Empty(t, kit.Notices(env, kit.ForUser("eve")))
}

// What a user may not see any more is gone from their list at once, whatever took it away.
func TestNotifications_3_MadePrivateAfterwards(t *testing.T) {
	env := newWorkspace(t)
	kit.Annotate(env, kit.Made("d", kit.Annotated("n", kit.Wrote("ann", "1 {{bob}} {{eve}}", kit.Loud)), kit.Annotated("m", kit.Wrote("ann", "2 {{bob}} {{eve}}", kit.Loud))))
	kit.Annotate(env, kit.Made("e", kit.Annotated("o", kit.Wrote("ann", "3 {{bob}} {{eve}}", kit.Loud))))
	require.Equal(t, []string{"3 {{bob}} {{eve}}", "2 {{bob}} {{eve}}", "1 {{bob}} {{eve}}"}, kit.NoticeBodies(kit.Notices(env, kit.ForUser("eve"))))
	_, err := env.DB().Exec(env.Ctx, `UPDATE annotations SET visibility = 'restricted', visible_to = '{bob}' WHERE workspace_id = $1 AND annotation_id = 'm'`, env.Workspace.ID)
	require.NoError(t, err)
	require.Equal(t, []string{"3 {{bob}} {{eve}}", "1 {{bob}} {{eve}}"}, kit.NoticeBodies(kit.Notices(env, kit.ForUser("eve"))))
	require.Len(t, kit.Notices(env, kit.ForUser("bob")), 3)
	setDocumentAccess(env, "e", "restricted")
	for _, pageSize := range []int{1, 2} {
		require.Equal(t, []string{"1 {{bob}} {{eve}}"}, kit.NoticeBodies(kit.Notices(env, kit.ForUser("eve"), map[string]any{"pageSize": pageSize})))
	}
	require.Empty(t, kit.Notices(env, kit.ForUser("eve"), kit.InDocument("e")))
	require.Len(t, kit.Notices(env, kit.InDocument("e")), 1, "a list for nobody has all")
	var marked redline.UpdatedNotifications
	env.Call(client.UpdateNotifications, kit.InAcme(kit.ForUser("eve"), map[string]any{"allRead": true}), &marked)
	require.Equal(t, int64(1), marked.Updated)
	setDocumentAccess(env, "e", nil)
	require.Equal(t, "eve mention", kit.Notified(kit.Notices(env, kit.ForUser("eve"))[0]), "it was not read")
}

func TestNotifications_4_TheTextOfThisMoment(t *testing.T) {
	env := newWorkspace(t)
	kit.AddPeople(env, kit.User("ann", "Ann\r\nBcc: eve@example.com", "ann@example.com"))
	kit.Items(env, client.AddFolders, kit.InAcme(map[string]any{"folders": []any{kit.Folder("drawer")}}))
	kit.Items(env, client.AddDocuments, kit.InAcme(map[string]any{"folderId": "drawer", "documents": []any{map[string]any{"documentId": "d", "documentName": "Spring"}}}))
	kit.Annotate(env, kit.Made("d", kit.Annotated("n", kit.Wrote("ann", "{{bob}} first", kit.Loud, map[string]any{"commentId": 1}))))
	before := kit.Notices(env, kit.ForUser("bob"))[0]
	long := "{{bob}} " + strings.Repeat("ä", 500)
	kit.Items(env, client.UpdateComments, kit.Doc("d", map[string]any{"annotationId": "n", "commentIds": []int{1}, "updatedData": kit.Says(long)}))
	after := kit.Notices(env, kit.ForUser("bob"))
	require.Len(t, after, 1)
	n := after[0]
	require.Equal(t, string([]rune(long)[:500]), n.DisplayBodyMessage)
	require.Equal(t, "Ann Bcc: eve@example.com mentioned you in “Spring”", n.DisplayHeadlineMessage)
	require.Equal(t, []string{before.ID, "comment", "mention"}, []string{n.ID, string(n.NotificationSource), string(n.Reason)})
	require.Regexp(t, "^ntf_", n.ID)
	require.JSONEq(t, `{"userId":"ann","name":"Ann\r\nBcc: eve@example.com","email":"ann@example.com","initial":"A"}`, string(n.ActionUser))
	require.Equal(t, []any{new("n"), new(int64(1)), "d"}, []any{n.NotificationSourceData.AnnotationID, n.NotificationSourceData.CommentID, n.NotificationSourceData.DocumentID})
	require.Equal(t, redline.NotificationMetadata{OrganizationID: "acme", DocumentID: "d", FolderID: new("drawer")}, n.Metadata)
	require.Equal(t, before.Timestamp, n.Timestamp)
	require.Positive(t, n.Timestamp)
	require.False(t, n.IsRead)
	require.Zero(t, kit.Notices(env, kit.InDocument("d"))[0].IsRead)
}

// A hundred comments of one add are a hundred notifications, in the order of the thread.
func TestNotifications_5_HundredCommentsOfOneAdd(t *testing.T) {
	env := newWorkspace(t)
	comments, want := make([]map[string]any, 100), make([]string, 100)
	for i := range comments {
		want[i] = fmt.Sprintf("Number %d for {{bob}}", i)
		comments[i] = kit.Wrote("ann", want[i], kit.Loud)
	}
	kit.Annotate(env, kit.Made("d", kit.Annotated("n", comments...)))
	oldest := map[string]any{"order": "asc"}
	require.Equal(t, want, kit.NoticeBodies(kit.Notices(env, kit.ForUser("bob"), oldest)))
	require.Equal(t, want, kit.NoticeBodies(kit.Notices(env, kit.InDocument("d"), oldest, map[string]any{"pageSize": 7})))
	slices.Reverse(want)
	require.Equal(t, want, kit.NoticeBodies(kit.Notices(env, kit.ForUser("bob"), kit.InDocument("d"), map[string]any{"pageSize": 33})))
}

func TestNotifications_6_MarksOfTwoUsersAtOnce(t *testing.T) {
	env := newWorkspace(t)
	kit.Annotate(env, kit.Made("d", kit.Annotated("n", kit.Wrote("ann", "{{bob}} {{eve}} {{kim}}", kit.Loud))))
	id := kit.Notices(env, kit.InDocument("d"))[0].ID
	users := []string{"bob", "eve"}
	for range 10 {
		for _, as := range []string{"readByUserIds", "unreadByUserIds"} {
			kit.Concurrently(2, func(i int) {
				_, err := client.Call[redline.ItemByIDResult](env.Ctx, env.Keyed, client.UpdateNotifications, kit.InAcme(map[string]any{
					"notifications": []any{map[string]any{"id": id, as: []string{users[i]}}},
				}))
				assert.NoError(t, err)
			})
			want := map[string]string{"readByUserIds": "bob mention read, eve mention read, kim mention", "unreadByUserIds": "bob mention, eve mention, kim mention"}[as]
			require.Equal(t, want, kit.Notified(kit.Notices(env, kit.InDocument("d"))[0]))
		}
	}
}
