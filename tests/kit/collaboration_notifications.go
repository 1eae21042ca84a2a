package kit

import (
	"encoding/json"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit/client"
)

// NoticeView is a notification as notifications/get returns it.
type NoticeView struct {
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

// Notified returns the recipients with their reasons, those who have read with a mark.
func (n NoticeView) Notified() string {
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

// Notices returns all notifications of acme that a call finds.
func Notices(env *Env, more ...map[string]any) (all []NoticeView) {
	env.T.Helper()
	call := InAcme(more...)
	for {
		var page client.Wrapped[[]NoticeView]
		env.Call(client.GetNotifications, call, &page)
		require.NotNil(env.T, page.Data)
		all = append(all, page.Data...)
		if page.NextPageToken == "" {
			return all
		}
		call["pageToken"] = page.NextPageToken
	}
}

// ForUser returns the fields of a call about the notifications of a user.
func ForUser(user string) map[string]any { return map[string]any{"userId": user} }

// InDocument returns the fields of a call about the notifications of a document.
func InDocument(documentID string) map[string]any { return map[string]any{"documentId": documentID} }

// NoticeBodies returns the texts of notifications.
func NoticeBodies(notices []NoticeView) []string {
	texts := []string{}
	for _, n := range notices {
		texts = append(texts, n.DisplayBodyMessage)
	}
	return texts
}

// Wants sets what users want to be notified of in acme, or in documents of it.
func Wants(env *Env, config map[string]any, userIDs []string, documentIDs ...string) {
	env.T.Helper()
	env.Call(client.SetPreferences, InAcme(map[string]any{"userIds": userIDs, "documentIds": documentIDs, "config": config}), nil)
}

// SecretTo returns an annotation that only these users see.
func SecretTo(annotation map[string]any, userIDs ...string) map[string]any {
	return With(annotation, map[string]any{"visibility": map[string]any{"type": "restricted", "userIds": userIDs}})
}
