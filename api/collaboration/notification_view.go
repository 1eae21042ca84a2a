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
	NotificationSource     string               `json:"notificationSource" enum:"comment,custom"`
	Reason                 string               `json:"reason" enum:"mention,assignment,reply,all,direct" doc:"the first for which somebody was told"`
	ActionUser             shape.Object         `json:"actionUser" nullable:"true" doc:"who caused it, as known then"`
	NotificationSourceData NotificationSource   `json:"notificationSourceData"`
	DisplayHeadlineMessage string               `json:"displayHeadlineMessage"`
	DisplayBodyMessage     string               `json:"displayBodyMessage" doc:"the first 500 characters of the comment as it is now, or what a caller says"`
	Metadata               NotificationMetadata `json:"metadata"`
	Location               shape.Object         `json:"location,omitempty" doc:"with which a caller made it"`
	Timestamp              int64                `json:"timestamp"`
	Recipients             []RecipientView      `json:"recipients" doc:"with userId that user only"`
	IsRead                 *bool                `json:"isRead,omitempty" doc:"with userId"`
}

// NotificationSource names the comment that a notification is about.
type NotificationSource struct {
	AnnotationID *string `json:"annotationId" nullable:"true" doc:"null where it is about no comment"`
	CommentID    *int64  `json:"commentId" nullable:"true"`
	DocumentID   string  `json:"documentId"`

	Own []shape.Pair `json:"-"`
	_   struct{}     `json:"-" additionalProperties:"true"`
}

// MarshalJSON writes the object.
func (s NotificationSource) MarshalJSON() ([]byte, error) {
	type fields NotificationSource
	return appendOwn(fields(s), s.Own)
}

// NotificationMetadata says where the comment is.
type NotificationMetadata struct {
	OrganizationID string  `json:"organizationId"`
	DocumentID     string  `json:"documentId"`
	FolderID       *string `json:"folderId"`

	Own []shape.Pair `json:"-"`
	_   struct{}     `json:"-" additionalProperties:"true"`
}

// MarshalJSON writes the object.
func (m NotificationMetadata) MarshalJSON() ([]byte, error) {
	type fields NotificationMetadata
	return appendOwn(fields(m), m.Own)
}

// RecipientView is a user who was told.
type RecipientView struct {
	UserID string `json:"userId"`
	Reason string `json:"reason" enum:"mention,assignment,reply,all,direct"`
	ReadAt *int64 `json:"readAt"`
}

// Where notifications come from.
const (
	commentSource = "comment"
	customSource  = "custom"
)

func viewNotification(organizationID string, forUser bool) func(*notification.View) NotificationView {
	return func(n *notification.View) NotificationView {
		view := NotificationView{
			ID: n.ID, NotificationSource: commentSource, Reason: n.Reason(),
			NotificationSourceData: NotificationSource{DocumentID: n.DocumentID},
			Metadata:               NotificationMetadata{OrganizationID: organizationID, DocumentID: n.DocumentID, FolderID: n.FolderID},
			Timestamp:              n.At.UnixMilli(), Recipients: rpc.Each(n.Recipients, viewRecipient),
		}
		view.describe(n)
		if string(n.Actor) != "null" {
			view.ActionUser = shape.Object(n.Actor)
		}
		if forUser {
			view.IsRead = new(view.Recipients[0].ReadAt != nil)
		}
		return view
	}
}

// describe adds what a notification is about, and what it says.
func (v *NotificationView) describe(n *notification.View) {
	if n.Custom == nil {
		v.NotificationSourceData.AnnotationID, v.NotificationSourceData.CommentID = &n.AnnotationID, &n.CommentID
		v.DisplayHeadlineMessage, v.DisplayBodyMessage = headline(n), n.Text
		return
	}
	v.NotificationSource = customSource
	v.NotificationSourceData.Own = ownKeys[NotificationSource](shape.MembersOf(n.Custom.SourceData))
	v.Metadata.Own = ownKeys[NotificationMetadata](shape.MembersOf(n.Custom.Metadata))
	v.Location = shape.Object(n.Custom.Location)
	v.DisplayHeadlineMessage, v.DisplayBodyMessage = n.Custom.Shown(n.Actor)
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
