package tests

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

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
