package collaboration

import (
	"cmp"
	"context"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/directory"
)

// CountUsers is the request of users/count/get.
type CountUsers struct {
	OrganizationID string `json:"organizationId" minLength:"1" maxLength:"200" format:"caller-id"`
	DocumentID     string `json:"documentId,omitempty" minLength:"1" maxLength:"200" format:"caller-id" example:"spring" doc:"who was added to this document; default the organization"`
	AllDocuments   bool   `json:"allDocuments,omitempty" doc:"who was added to any document"`
	UserID         string `json:"userId,omitempty" minLength:"1" maxLength:"200" format:"caller-id" example:"u_ann" doc:"this user alone: 0 or 1"`
}

// Validate checks which fields exclude each other.
func (r *CountUsers) Validate() []fault.Issue {
	if r.DocumentID != "" && r.AllDocuments {
		return []fault.Issue{{Code: shape.Conflict, Path: []string{"allDocuments"}, Message: "excludes documentId"}}
	}
	return nil
}

// CountOf is how many there are.
type CountOf struct {
	Count int64 `json:"count"`
}

// Count counts the people of an organization, of a document or of all documents.
func (u *Users) Count(ctx context.Context, req *CountUsers) (*rpc.Success[CountOf], error) {
	n, err := u.store.Count(ctx, rpc.CallerFrom(ctx).WorkspaceID, directory.UserCount(*req))
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Users counted.", CountOf{n}), nil
}

// GetDocumentUsers is the request of users/doc/get.
type GetDocumentUsers struct {
	OrganizationID           string   `json:"organizationId" minLength:"1" maxLength:"200" format:"caller-id"`
	UserIDs                  []string `json:"userIds,omitempty" maxItems:"20" minLength:"1" maxLength:"200" format:"caller-id"`
	IncludeInvolvedDocuments bool     `json:"includeInvolvedDocuments,omitempty" doc:"with the documents in which they have a part; for 1 to 5 userIds"`
	PageData
}

// maxInvolvedUsers is of how many users at once the documents are read in which they have a
// part.
const maxInvolvedUsers = 5

// Validate wants users to be named whose documents are asked for.
func (r *GetDocumentUsers) Validate() []fault.Issue {
	if n := len(r.UserIDs); r.IncludeInvolvedDocuments && (n == 0 || n > maxInvolvedUsers) {
		return []fault.Issue{{Code: shape.Count, Path: []string{"userIds"}, Message: "must have 1 to 5 users with includeInvolvedDocuments"}}
	}
	return nil
}

// DocumentUsers are users with the documents that they were added to.
type DocumentUsers []UserView

const documentUsersList = "v2/users/doc/get"

// GetOfDocuments reads who was added to documents, newest profile first.
func (u *Users) GetOfDocuments(ctx context.Context, req *GetDocumentUsers) (*rpc.Success[DocumentUsers], error) {
	workspaceID := rpc.CallerFrom(ctx).WorkspaceID
	filter := directory.UserFilter{OrganizationID: req.OrganizationID, UserIDs: req.UserIDs, AllDocuments: true, Documents: true}
	pages := u.pages(workspaceID, documentUsersList, filter)
	found, next, err := rpc.List(pages, req.PageToken, asRead, func(after *directory.UserPosition) (*directory.UserPage, error) {
		return u.store.Get(ctx, workspaceID, filter, after, cmp.Or(req.PageSize, pageSize))
	})
	if err != nil {
		return nil, err
	}
	involved, err := u.involve(ctx, req.OrganizationID, InvolvedData{IncludeInvolvedDocuments: req.IncludeInvolvedDocuments}, found)
	show := func(user directory.UserView) UserView {
		view := viewUser(user)
		view.DocumentIDs, view.DocumentsCount, view.Involved = &user.Granted.DocumentIDs, &user.Granted.Count, involved[user.UserID]
		return view
	}
	return rpc.Found("Users found.", DocumentUsers(rpc.Each(found, show)), next, err)
}
