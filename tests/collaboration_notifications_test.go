package tests

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

const (
	getNotifications    = "notifications/get"
	updateNotifications = "notifications/update"
	deleteNotifications = "notifications/delete"
	setPreferences      = "notifications/config/set"
	getPreferences      = "notifications/config/get"
)

// noticeView is a notification as it is read.
type noticeView struct {
	ID                     string          `json:"id"`
	NotificationSource     string          `json:"notificationSource"`
	Reason                 string          `json:"reason"`
	ActionUser             json.RawMessage `json:"actionUser"`
	NotificationSourceData struct {
		AnnotationID string `json:"annotationId"`
		CommentID    int64  `json:"commentId"`
		DocumentID   string `json:"documentId"`
	} `json:"notificationSourceData"`
	DisplayHeadlineMessage string         `json:"displayHeadlineMessage"`
	DisplayBodyMessage     string         `json:"displayBodyMessage"`
	Metadata               map[string]any `json:"metadata"`
	Timestamp              int64          `json:"timestamp"`
	Recipients             []struct {
		UserID string `json:"userId"`
		Reason string `json:"reason"`
		ReadAt *int64 `json:"readAt"`
	} `json:"recipients"`
	IsRead *bool `json:"isRead"`
}

// notified are the recipients with their reasons, those who have read with a mark.
func (n noticeView) notified() string {
	var all []string
	for _, r := range n.Recipients {
		text := r.UserID + " " + r.Reason
		if r.ReadAt != nil {
			text += " read"
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

// notices reads all notifications of acme that a call means, page by page.
func (s *scene) notices(more ...map[string]any) (all []noticeView) {
	s.t.Helper()
	call := inAcme(more...)
	for {
		var page client.Wrapped[[]noticeView]
		s.call(getNotifications, call, &page)
		require.NotNil(s.t, page.Data)
		all = append(all, page.Data...)
		if page.NextPageToken == "" {
			return all
		}
		call["pageToken"] = page.NextPageToken
	}
}

// forUser and inDocument say whose notifications are meant.
func forUser(user string) map[string]any { return map[string]any{"userId": user} }

func inDocument(documentID string) map[string]any { return map[string]any{"documentId": documentID} }

// bodies are the texts of notifications.
func bodies(notices []noticeView) []string {
	texts := []string{}
	for _, n := range notices {
		texts = append(texts, n.DisplayBodyMessage)
	}
	return texts
}

// wants sets what users want to be told of in acme, or in documents of it.
func (s *scene) wants(config map[string]any, userIDs []string, documentIDs ...string) {
	s.t.Helper()
	s.call(setPreferences, inAcme(map[string]any{"userIds": userIDs, "documentIds": documentIDs, "config": config}), nil)
}

// secretTo lets only these users see an annotation.
func secretTo(annotation map[string]any, userIDs ...string) map[string]any {
	return with(annotation, map[string]any{"visibility": map[string]any{"type": "restricted", "userIds": userIDs}})
}

func TestNotifications_1_OneRecipient(t *testing.T) {
	s := begin(t)
	s.annotate(made("d", secretTo(annotated("n", wrote("ann", "{{ann}} {{bob}} {{eve}} {{bob}}", loud)), "ann", "bob")))
	all := s.notices(inDocument("d"))
	require.Len(t, all, 1)
	require.Equal(t, "bob mention", all[0].notified())
	require.Empty(t, s.notices(forUser("ann")))
	require.Empty(t, s.notices(forUser("eve")))
}

// Who may not see an annotation is told of it in no way, and not later either.
func TestNotifications_2_OpenedLater(t *testing.T) {
	s := begin(t)
	s.mailBy(map[string]any{})
	inside, outside := mailbox(), mailbox()
	s.people(user("ann", "Ann", mailbox()), user("bob", "Bob", inside), user("cat", "Cat", outside))
	s.wants(map[string]any{"inbox": "ALL", "email": "ALL"}, []string{"cat"})
	s.annotate(made("d", secretTo(annotated("n", wrote("ann", "For {{bob}}, not {{cat}}", loud)), "ann", "bob")))
	_, err := s.rows().Exec(s.ctx, `UPDATE annotations SET visibility = 'public', visible_to = NULL WHERE workspace_id = $1`, s.workspace.ID)
	require.NoError(t, err)
	s.reply(replying(wrote("ann", "Now open", loud)))
	require.Equal(t, []string{"Now open"}, bodies(s.notices(forUser("cat"))))
	s.inBoxes(map[string][]string{inside: {"For Bob, not Cat"}, outside: {"Now open"}})
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

// An import that asks for nothing tells nobody, whatever they want.
func TestNotifications_8_AnUnflaggedImport(t *testing.T) {
	s := begin(t)
	s.mailBy(map[string]any{})
	s.people(user("bob", "Bob", mailbox()))
	s.wants(map[string]any{"inbox": "ALL", "email": "ALL"}, []string{"bob"})
	notes := make([]map[string]any, 100)
	for i := range notes {
		notes[i] = annotated(fmt.Sprint("n", i), slices.Repeat([]map[string]any{wrote("ann", "{{bob}}")}, 100)...)
	}
	s.annotate(made("d", notes...))
	var comments, rows int
	require.NoError(t, s.rows().QueryRow(s.ctx, `SELECT (SELECT count(*) FROM comments WHERE workspace_id = $1),
(SELECT count(*) FROM notifications WHERE workspace_id = $1) + (SELECT count(*) FROM notification_recipients WHERE workspace_id = $1)
+ (SELECT count(*) FROM mails WHERE workspace_id = $1) + (SELECT count(*) FROM messages WHERE workspace_id = $1)`, s.workspace.ID).Scan(&comments, &rows))
	require.Equal(t, []int{10_000, 0}, []int{comments, rows})
	s.annotate(made("d", annotated("loud", wrote("ann", "Told", loud))))
	require.Equal(t, []string{"Told"}, bodies(s.notices(forUser("bob"))))
}
