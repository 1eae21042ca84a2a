package collaboration

import (
	"context"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/api/signed"
	"github.com/redline-svc/redline/internal/cursor"
	"github.com/redline-svc/redline/models/annotation/view"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/person"
)

type personStore interface {
	Data(ctx context.Context, workspaceID string, of person.Of, after *person.Position, size int) (*person.Page, error)
	Export(ctx context.Context, workspaceID string, of person.Of) (jobID string, err error)
	ExportStatus(ctx context.Context, workspaceID, jobID string) (*person.ExportStatus, error)
	ExportFile(ctx context.Context, workspaceID, jobID string) (key string, err error)
	Erase(ctx context.Context, workspaceID string, r person.Erasure) (person.Accepted, error)
	ErasureStatus(ctx context.Context, workspaceID, jobID string) (*person.ErasureStatus, error)
}

// Persons are the operations on what is kept of a person.
type Persons struct {
	cursors *cursor.Codec
	store   personStore
	signer  signed.Signer
	files   signed.Store
}

// NewPersons makes the operations.
func NewPersons(store personStore, cursors *cursor.Codec, signer signed.Signer, files signed.Store) *Persons {
	return &Persons{cursors, store, signer, files}
}

// GetPersonData is the request of users/data/get.
type GetPersonData struct {
	OrganizationID string `json:"organizationId" minLength:"1" maxLength:"200" format:"caller-id"`
	UserID         string `json:"userId" minLength:"1" maxLength:"200" format:"caller-id"`
	PageToken      string `json:"pageToken,omitempty" maxLength:"4000" example:"8mNq2v5yBxE0hKjRlTnZpQ"`
}

// PersonComment is a comment that a person wrote, or in which somebody else tags them.
type PersonComment struct {
	WholeComment

	AnnotationID string `json:"annotationId"`
	DocumentID   string `json:"documentId"`
	Relation     string `json:"relation" enum:"author,mentioned"`
}

// PersonGrant is what a person was granted.
type PersonGrant struct {
	Type       string `json:"type" enum:"organization,folder,document"`
	ID         string `json:"id"`
	AccessRole string `json:"accessRole" enum:"viewer,editor"`
	ExpiresAt  *int64 `json:"expiresAt" doc:"epoch milliseconds, null without an end"`
}

// PersonData is a page of what is kept of a person; a kind that has ended is empty.
type PersonData struct {
	Comments      []PersonComment    `json:"comments" doc:"their own, and those of others that tag them; the newest annotation first, in it the last comment"`
	Notifications []NotificationView `json:"notifications" doc:"newest first"`
	Activities    []ActivityView     `json:"activities" doc:"what they did, newest first"`
	Grants        []PersonGrant      `json:"grants" doc:"on documents, then folders, then the organization"`
}

// PersonDataPage is the result of users/data/get.
type PersonDataPage struct {
	Status        string     `json:"status" enum:"success"`
	Message       string     `json:"message" doc:"a short sentence, not part of the contract"`
	Data          PersonData `json:"data"`
	NextPageToken *string    `json:"nextPageToken" doc:"null on the last page"`
}

func viewPersonComment(c *view.PersonComment) PersonComment {
	return PersonComment{*viewWholeComment(&c.CommentView), c.AnnotationID, c.DocumentID, c.Relation}
}

func viewPersonGrant(g directory.PersonGrant) PersonGrant {
	return PersonGrant{g.Type, g.ID, g.Role, millis(g.ExpiresAt)}
}

func viewPersonData(organizationID string) func(person.Data) PersonData {
	return func(d person.Data) PersonData {
		return PersonData{
			Comments: rpc.Each(d.Comments, viewPersonComment), Notifications: rpc.Each(d.Notifications, viewNotification(organizationID, true)),
			Activities: rpc.Each(d.Activities, viewActivity(organizationID)), Grants: rpc.Each(d.Grants, viewPersonGrant),
		}
	}
}

const (
	personDataList = "v2/users/data/get"
	// personPageSize is how many of each kind a page has at most.
	personPageSize = 100
)

// Data reads what is kept of a person, each kind page by page.
func (p *Persons) Data(ctx context.Context, req *GetPersonData) (*PersonDataPage, error) {
	of := person.Of{OrganizationID: req.OrganizationID, UserID: req.UserID}
	workspaceID := rpc.CallerFrom(ctx).WorkspaceID
	pages := rpc.Pages{Codec: p.cursors, Field: "pageToken", WorkspaceID: workspaceID, List: personDataList, Filters: of}
	found, next, err := rpc.List(pages, req.PageToken, viewPersonData(req.OrganizationID), func(after *person.Position) (*person.Page, error) {
		return p.store.Data(ctx, workspaceID, of, after, personPageSize)
	})
	if err != nil {
		return nil, err
	}
	return &PersonDataPage{Status: "success", Message: "Data found.", Data: found[0], NextPageToken: next}, nil
}
