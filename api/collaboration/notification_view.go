package collaboration

import (
	"cmp"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/mail"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/notification"
)

// NotificationView is a notification as it reads at this moment.
type NotificationView struct {
	ID                     string               `json:"id"`
	NotificationSource     string               `json:"notificationSource" enum:"comment"`
	Reason                 string               `json:"reason" enum:"mention,assignment,reply,all" doc:"the first for which somebody was told"`
	ActionUser             shape.Object         `json:"actionUser" nullable:"true" doc:"who caused it, as known then"`
	NotificationSourceData NotificationSource   `json:"notificationSourceData"`
	DisplayHeadlineMessage string               `json:"displayHeadlineMessage"`
	DisplayBodyMessage     string               `json:"displayBodyMessage" doc:"the first 500 characters of the comment as it is now"`
	Metadata               NotificationMetadata `json:"metadata"`
	Timestamp              int64                `json:"timestamp"`
	Recipients             []RecipientView      `json:"recipients" doc:"with userId that user only"`
	IsRead                 *bool                `json:"isRead,omitempty" doc:"with userId"`
}

// NotificationSource names the comment that a notification is about.
type NotificationSource struct {
	AnnotationID string `json:"annotationId"`
	CommentID    int64  `json:"commentId"`
	DocumentID   string `json:"documentId"`
}

// NotificationMetadata says where the comment is.
type NotificationMetadata struct {
	OrganizationID string  `json:"organizationId"`
	DocumentID     string  `json:"documentId"`
	FolderID       *string `json:"folderId"`
}

// RecipientView is a user who was told.
type RecipientView struct {
	UserID string `json:"userId"`
	Reason string `json:"reason" enum:"mention,assignment,reply,all"`
	ReadAt *int64 `json:"readAt"`
}

// commentSource is where notifications come from.
const commentSource = "comment"

func viewNotification(organizationID string, forUser bool) func(*notification.View) NotificationView {
	return func(n *notification.View) NotificationView {
		view := NotificationView{
			ID: n.ID, NotificationSource: commentSource, Reason: n.Reason(),
			NotificationSourceData: NotificationSource{n.AnnotationID, n.CommentID, n.DocumentID},
			DisplayHeadlineMessage: headline(n), DisplayBodyMessage: n.Text,
			Metadata:  NotificationMetadata{organizationID, n.DocumentID, n.FolderID},
			Timestamp: n.At.UnixMilli(), Recipients: rpc.Each(n.Recipients, viewRecipient),
		}
		if string(n.Actor) != "null" {
			view.ActionUser = shape.Object(n.Actor)
		}
		if forUser {
			view.IsRead = new(view.Recipients[0].ReadAt != nil)
		}
		return view
	}
}

func viewRecipient(t notification.Notified) RecipientView {
	v := RecipientView{UserID: t.UserID, Reason: t.Reason}
	if t.ReadAt != nil {
		v.ReadAt = new(t.ReadAt.UnixMilli())
	}
	return v
}

// headline returns what happened, as the mail about it does. Where nobody is named who edited a
// comment, its author is.
func headline(n *notification.View) string {
	name := func(snapshot []byte) string {
		return cmp.Or(shape.Text(snapshot, "name"), shape.Text(snapshot, "userId"))
	}
	return mail.Headline(mail.About{
		Template: notification.Template(n.Reason()), Actor: cmp.Or(name(n.Actor), name(n.Author)), Document: n.DocumentName,
	})
}
