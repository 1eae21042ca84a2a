package kit

import (
	"strings"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

// Notified returns the recipients with their reasons, those who have read with a mark.
func Notified(n redline.Notification) string {
	var all []string
	for _, r := range n.Recipients {
		text := r.UserID + " " + string(r.Reason)
		if r.ReadAt != nil {
			text += " read"
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

// Notices returns all notifications of acme that a call finds.
func Notices(env *Env, more ...map[string]any) (all []redline.Notification) {
	env.T.Helper()
	call := InAcme(more...)
	for {
		var page redline.NotificationListResult
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
func NoticeBodies(notices []redline.Notification) []string {
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
