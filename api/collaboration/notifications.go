package collaboration

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/cursor"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/notification"
)

type notificationStore interface {
	List(ctx context.Context, workspaceID string, f notification.Filter, after *notification.Position, size int) (*notification.Page, error)
	Add(ctx context.Context, workspaceID string, add notification.Addition) (id string, recipients int, err error)
	MarkEach(ctx context.Context, workspaceID string, of notification.Narrowing, marks []notification.Mark, verify bool) ([]directory.Entry, error)
	Documents(ctx context.Context, workspaceID string, of notification.Narrowing, ids []string) (map[string]string, error)
	MarkAll(ctx context.Context, workspaceID string, of notification.Narrowing) (changed int64, err error)
	Delete(ctx context.Context, workspaceID string, d notification.Deletion) ([]directory.Entry, error)
	Set(ctx context.Context, workspaceID string, setting notification.Setting) error
	Get(ctx context.Context, workspaceID string, f notification.PreferenceFilter) ([]notification.Held, error)
}

// Notifications are the operations on what people were told of comments.
type Notifications struct {
	listing

	store    notificationStore
	verifier *Verifier
}

// NewNotifications makes the operations.
func NewNotifications(store notificationStore, verifier *Verifier, settings settingsReader, cursors *cursor.Codec) *Notifications {
	return &Notifications{listing{Settings: settings, Cursors: cursors}, store, verifier}
}

// NotifiedData names an organization, and a document of it, a user, or both.
type NotifiedData struct {
	OrganizationID string `json:"organizationId" minLength:"1" maxLength:"200" format:"caller-id"`
	DocumentID     string `json:"documentId,omitempty" selector:"true" minLength:"1" maxLength:"200" format:"caller-id" example:"spring" doc:"those about comments of this document"`
	UserID         string `json:"userId,omitempty" selector:"true" minLength:"1" maxLength:"200" format:"caller-id" example:"u_ann" doc:"those for this user"`
	LocationID     string `json:"locationId,omitempty" selector:"true" minLength:"1" maxLength:"200" format:"caller-id" example:"page-2" doc:"those about annotations at this location"`
}

func (t NotifiedData) narrowing() notification.Narrowing {
	return notification.Narrowing{Container: t.container(), UserID: t.UserID, LocationID: t.LocationID}
}

func (t NotifiedData) container() directory.Container {
	return directory.Container{OrganizationID: t.OrganizationID, DocumentID: t.DocumentID}
}

// GetNotifications is the request of notifications/get.
type GetNotifications struct {
	NotifiedData
	NotificationIDs []string `json:"notificationIds,omitempty" maxItems:"30" minLength:"1" maxLength:"200" format:"caller-id" example:"ntf_01kdvm9w00abcdefghjkmnpqrs" doc:"those of them that are there"`
	UnreadOnly      bool     `json:"unreadOnly,omitempty" doc:"what the user, or without one anybody, has not read"`
	Order           string   `json:"order,omitempty" enum:"asc,desc" example:"asc" doc:"by time, default desc"`
	PageData
}

// Validate wants a document or a user.
func (r *GetNotifications) Validate() []fault.Issue {
	if r.DocumentID == "" && r.UserID == "" {
		return []fault.Issue{{Code: shape.Required, Path: []string{"documentId"}, Message: "documentId or userId is required"}}
	}
	return nil
}

const notificationsList = "v2/notifications/get"

// Get reads notifications, newest first. A user gets those that they may see at this
// moment, with their own entry.
func (n *Notifications) Get(ctx context.Context, req *GetNotifications) (*rpc.Success[[]NotificationView], error) {
	workspaceID := rpc.CallerFrom(ctx).WorkspaceID
	filter := notification.Filter{
		OrganizationID: req.OrganizationID, DocumentID: req.DocumentID, UserID: req.UserID, LocationID: req.LocationID,
		IDs: once(req.NotificationIDs), Unread: req.UnreadOnly, OldestFirst: req.Order == "asc",
	}
	pages := n.advancedPages(ctx, workspaceID, notificationsList, filter)
	found, next, err := rpc.List(pages, req.PageToken, viewNotification(req.OrganizationID, req.UserID != ""), func(after *notification.Position) (*notification.Page, error) {
		return n.store.List(ctx, workspaceID, filter, after, cmp.Or(req.PageSize, pageSize))
	})
	return rpc.Found("Notifications found.", found, next, err)
}

// NotificationData says who has read a notification, and what one says from now on that
// notifications/add made.
type NotificationData struct {
	ID              string    `json:"id" minLength:"1" maxLength:"200" format:"caller-id"`
	ReadByUserIDs   []string  `json:"readByUserIds,omitempty" maxItems:"100" minLength:"1" maxLength:"200" format:"caller-id" doc:"recipients who have read it; others are passed over"`
	UnreadByUserIDs []string  `json:"unreadByUserIds,omitempty" maxItems:"100" minLength:"1" maxLength:"200" format:"caller-id" example:"u_bob" doc:"recipients who have not read it"`
	ActionUser      *UserData `json:"actionUser,omitempty"`
	NotificationTexts
}

func (d *NotificationData) mark() notification.Mark {
	edit := notification.CustomEdit{Actor: d.ActionUser.whole(), Custom: d.custom()}
	return notification.Mark{ID: d.ID, Read: once(d.ReadByUserIDs), Unread: once(d.UnreadByUserIDs), Edit: edit}
}

// UpdateNotifications is the request of notifications/update.
type UpdateNotifications struct {
	NotifiedData
	Notifications         []NotificationData `json:"notifications,omitempty" maxItems:"100"`
	AllRead               bool               `json:"allRead,omitempty" doc:"the user has read everything that they may see, of the document where one is named"`
	VerifyUserPermissions bool               `json:"verifyUserPermissions,omitempty" example:"true" doc:"only where each action user may write to the document"`
}

// Validate wants notifications or a user who has read all, each notification once, and
// nobody who has read one and has not.
func (r *UpdateNotifications) Validate() []fault.Issue {
	var issues []fault.Issue
	top := rpc.IssuesIn(&issues)
	switch {
	case len(r.Notifications) == 0 && !r.AllRead:
		top.At("notifications").Add(shape.Required, "notifications, or userId with allRead, is required")
	case len(r.Notifications) > 0 && r.AllRead:
		top.At("allRead").Add(shape.Conflict, "notifications and allRead exclude each other")
	case r.AllRead && r.UserID == "":
		top.At("userId").Add(shape.Required, "is required with allRead")
	default:
	}
	seen := map[string]bool{}
	for i, n := range r.Notifications {
		at := top.At("notifications", strconv.Itoa(i))
		if seen[n.ID] {
			at.At("id").Add(shape.Duplicate, "is there twice in the request")
		}
		seen[n.ID] = true
		at.Append(n.NotificationTexts.issues(at.Path()...)...)
		at.Append(n.ActionUser.issuesAt(at.At("actionUser").Path()...)...)
		for j, user := range n.UnreadByUserIDs {
			if slices.Contains(n.ReadByUserIDs, user) {
				at.At("unreadByUserIds", strconv.Itoa(j)).Add(shape.Conflict, "is in readByUserIds too")
			}
		}
	}
	return issues
}

// UpdatedNotifications says what is marked.
type UpdatedNotifications struct {
	Status  string          `json:"status" enum:"success"`
	Message string          `json:"message" doc:"a short sentence, not part of the contract"`
	Updated *int64          `json:"updated,omitempty" doc:"with allRead: how many are read now"`
	Data    rpc.Keyed[Item] `json:"data" doc:"by the ids that were sent"`
}

// Update marks notifications as read or unread by users.
func (n *Notifications) Update(ctx context.Context, req *UpdateNotifications) (*UpdatedNotifications, error) {
	workspaceID := rpc.CallerFrom(ctx).WorkspaceID
	result := &UpdatedNotifications{Status: "success", Message: "Notifications updated."}
	if req.AllRead {
		updated, err := n.store.MarkAll(ctx, workspaceID, req.narrowing())
		if err != nil {
			return nil, err
		}
		result.Updated = &updated
		return result, nil
	}
	byGrants, err := n.verifyActors(ctx, req)
	if err != nil {
		return nil, err
	}
	marks := rpc.Each(req.Notifications, func(d NotificationData) notification.Mark { return d.mark() })
	entries, err := n.store.MarkEach(ctx, workspaceID, req.narrowing(), marks, byGrants)
	if err != nil {
		return nil, err
	}
	result.Data = notificationSentences.items(entries, "Notification updated.")
	return result, nil
}

// verifyActors asks the permission provider about who edits notifications, document by
// document, and reports whether grants have to be looked at instead.
func (n *Notifications) verifyActors(ctx context.Context, req *UpdateNotifications) (byGrants bool, err error) {
	if !req.VerifyUserPermissions {
		return false, nil
	}
	ids := rpc.Each(req.Notifications, func(d NotificationData) string { return d.ID })
	documents, err := n.store.Documents(ctx, rpc.CallerFrom(ctx).WorkspaceID, req.narrowing(), ids)
	if err != nil {
		return false, err
	}
	actors := map[string][]author{}
	for i, d := range req.Notifications {
		if document, known := documents[d.ID]; known && d.ActionUser != nil {
			actors[document] = append(actors[document], author{d.ActionUser.UserID, i})
		}
	}
	for document, of := range actors {
		grants, err := n.verifier.verify(ctx, directory.Container{OrganizationID: req.OrganizationID, DocumentID: document}, of)
		if err != nil {
			return false, err
		}
		byGrants = byGrants || grants
	}
	return byGrants, nil
}

// DeleteNotifications is the request of notifications/delete.
type DeleteNotifications struct {
	NotifiedData
	NotificationIDs []string `json:"notificationIds,omitempty" selector:"true" maxItems:"1000" minLength:"1" maxLength:"200" format:"caller-id"`
}

// Validate wants to know which ones.
func (r *DeleteNotifications) Validate() []fault.Issue {
	if r.DocumentID == "" && r.UserID == "" && len(r.NotificationIDs) == 0 {
		return []fault.Issue{{Code: shape.Required, Path: []string{"notificationIds"}, Message: "documentId, userId or notificationIds is required"}}
	}
	return nil
}

// Delete deletes notifications; with a user only their entries.
func (n *Notifications) Delete(ctx context.Context, req *DeleteNotifications) (*rpc.Success[rpc.Keyed[Item]], error) {
	entries, err := n.store.Delete(ctx, rpc.CallerFrom(ctx).WorkspaceID, notification.Deletion{
		Narrowing: req.narrowing(), IDs: once(req.NotificationIDs),
	})
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Notifications deleted.", notificationSentences.items(entries, "Notification deleted.")), nil
}

var notificationSentences = sentences{
	directory.CodeNotFound:       "There is no such notification.",
	notification.CodeNotEditable: "What a notification about a comment says is not changed.",
}
