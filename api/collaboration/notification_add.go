package collaboration

import (
	"context"
	"encoding/json"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/notification"
)

// NotificationTexts are what a caller says in a notification that it adds.
type NotificationTexts struct {
	HeadlineTemplate       *string      `json:"displayHeadlineMessageTemplate,omitempty" minLength:"1" maxLength:"2000" example:"{actionUser.name} printed {what}" doc:"with places {a.b}"`
	HeadlineData           shape.Object `json:"displayHeadlineMessageTemplateData,omitempty" maxBytes:"8192" storable:"true" example:"{\"what\":\"Spring\"}" doc:"what the places are filled from; actionUser is there in any case"`
	Body                   *string      `json:"displayBodyMessage,omitempty" minLength:"1" maxLength:"10000" example:"Two hundred copies." doc:"as it is"`
	BodyTemplate           *string      `json:"displayBodyMessageTemplate,omitempty" minLength:"1" maxLength:"10000" example:"{copies} copies." doc:"in place of displayBodyMessage, with places {a.b}"`
	BodyData               shape.Object `json:"displayBodyMessageTemplateData,omitempty" maxBytes:"8192" storable:"true" example:"{\"copies\":200}"`
	NotificationSourceData shape.Object `json:"notificationSourceData,omitempty" maxBytes:"8192" storable:"true" example:"{\"printer\":\"hall\"}"`
	Metadata               shape.Object `json:"metadata,omitempty" maxBytes:"8192" storable:"true" example:"{\"team\":\"desk\"}"`
}

// LocationRef is where in a document something is.
type LocationRef struct {
	LocationID   string  `json:"locationId" minLength:"1" maxLength:"200" format:"caller-id" example:"page-2"`
	LocationName *string `json:"locationName,omitempty" maxLength:"500" example:"Page 2"`
}

func (t *NotificationTexts) custom() notification.Custom {
	return notification.Custom{
		Headline: t.HeadlineTemplate, HeadlineData: json.RawMessage(t.HeadlineData), Body: t.Body, BodyTemplate: t.BodyTemplate,
		BodyData: json.RawMessage(t.BodyData), SourceData: json.RawMessage(t.NotificationSourceData), Metadata: json.RawMessage(t.Metadata),
	}
}

// AddNotification is the request of notifications/add.
type AddNotification struct {
	DocumentData
	CreateOrganization         bool         `json:"createOrganization,omitempty" example:"true"`
	CreateDocument             bool         `json:"createDocument,omitempty" example:"true"`
	VerifyUserPermissions      bool         `json:"verifyUserPermissions,omitempty" example:"true" doc:"only where the action user may write to the document"`
	NotificationID             string       `json:"notificationId,omitempty" minLength:"1" maxLength:"200" format:"caller-id" example:"print-7" doc:"unique in the workspace; made when absent"`
	ActionUser                 UserData     `json:"actionUser" doc:"who causes it, and is not told"`
	NotifyUsers                []UserData   `json:"notifyUsers,omitempty" minItems:"1" maxItems:"1000"`
	NotifyAll                  *bool        `json:"notifyAll,omitempty" example:"false" doc:"the members of the organization besides; default whether notifyUsers is absent"`
	IsNotificationResolverUsed bool         `json:"isNotificationResolverUsed,omitempty" example:"true" doc:"the texts are found somewhere else"`
	Location                   *LocationRef `json:"location,omitempty"`
	NotificationTexts
}

// Validate checks what tags cannot say.
func (r *AddNotification) Validate() []fault.Issue {
	issues := r.ActionUser.issues("actionUser")
	at := rpc.IssuesIn(&issues)
	if r.HeadlineTemplate == nil && !r.IsNotificationResolverUsed {
		at.At("displayHeadlineMessageTemplate").Add(shape.Required, "is required")
	}
	if r.Body == nil && r.BodyTemplate == nil && !r.IsNotificationResolverUsed {
		at.At("displayBodyMessage").Add(shape.Required, "displayBodyMessage or displayBodyMessageTemplate is required")
	}
	at.Append(r.NotificationTexts.issues()...)
	return append(issues, usersIssuesAt("notifyUsers", r.NotifyUsers)...)
}

// issues refuses two bodies.
func (t *NotificationTexts) issues(path ...string) []fault.Issue {
	if t.Body == nil || t.BodyTemplate == nil {
		return nil
	}
	return []fault.Issue{{Code: shape.Conflict, Path: append(path, "displayBodyMessageTemplate"), Message: "excludes displayBodyMessage"}}
}

// AddedNotification says whom a notification tells.
type AddedNotification struct {
	NotificationID *string `json:"notificationId" nullable:"true" doc:"null where nobody is left, so that there is none"`
	Recipients     int     `json:"recipients"`
}

// Add notifies users of something that the caller says.
func (n *Notifications) Add(ctx context.Context, req *AddNotification) (*rpc.Success[AddedNotification], error) {
	add := notification.Addition{
		Container: directory.Container{
			OrganizationID: req.OrganizationID, DocumentID: req.DocumentID, CreateOrganization: req.CreateOrganization, CreateDocument: req.CreateDocument,
		},
		ID: req.NotificationID, Actor: *req.ActionUser.whole(), Everybody: req.NotifyUsers == nil, Custom: req.custom(),
		Users: rpc.Each(req.NotifyUsers, func(u UserData) string { return u.UserID }),
	}
	if req.NotifyAll != nil {
		add.Everybody = *req.NotifyAll
	}
	if req.Location != nil {
		add.Custom.Location = raw(req.Location)
	}
	if req.VerifyUserPermissions {
		var err error
		if add.Verify, err = n.verifier.verify(ctx, add.Container, []author{{userID: req.ActionUser.UserID}}); err != nil {
			return nil, err
		}
	}
	id, recipients, err := n.store.Add(ctx, rpc.CallerFrom(ctx).WorkspaceID, add)
	if err != nil {
		return nil, err
	}
	shown := AddedNotification{Recipients: recipients}
	if id != "" {
		shown.NotificationID = &id
	}
	return rpc.Succeed("Users notified.", shown), nil
}
