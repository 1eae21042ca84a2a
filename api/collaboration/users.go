package collaboration

import (
	"context"
	"strconv"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/cursor"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/annotation/view"
	"github.com/redline-svc/redline/models/directory"
)

type userStore interface {
	Add(ctx context.Context, workspaceID string, c directory.Container, users []directory.ProfileChange) ([]directory.Entry, error)
	Update(ctx context.Context, workspaceID string, c directory.Container, users []directory.ProfileChange) ([]directory.Entry, error)
	Delete(ctx context.Context, workspaceID string, c directory.Container, userIDs []string) ([]directory.Entry, error)
	Get(ctx context.Context, workspaceID string, f directory.UserFilter, after *directory.UserPosition, size int) (*directory.UserPage, error)
	Count(ctx context.Context, workspaceID string, c directory.UserCount) (int64, error)
}

// Users are the operations on the people of organizations.
type Users struct {
	listing

	store        userStore
	involvements involvements
}

// involvements knows the documents in which users have a part.
type involvements interface {
	Involved(ctx context.Context, workspaceID, organizationID string, userIDs []string) (map[string]view.Involvement, error)
}

// NewUsers makes the operations.
func NewUsers(store userStore, involvements involvements, settings settingsReader, cursors *cursor.Codec) *Users {
	return &Users{listing{Settings: settings, Cursors: cursors}, store, involvements}
}

// PlaceData names an organization, or one folder or document of it.
type PlaceData struct {
	OrganizationID string `json:"organizationId" minLength:"1" maxLength:"200" format:"caller-id"`
	DocumentID     string `json:"documentId,omitempty" selector:"true" minLength:"1" maxLength:"200" format:"caller-id" example:"spring" doc:"this document only"`
	FolderID       string `json:"folderId,omitempty" selector:"true" minLength:"1" maxLength:"200" format:"caller-id" example:"seasons" doc:"this folder and what is below it"`
}

func (p PlaceData) issues() []fault.Issue {
	if p.DocumentID != "" && p.FolderID != "" {
		return []fault.Issue{{Code: shape.Conflict, Path: []string{"folderId"}, Message: "documentId and folderId exclude each other"}}
	}
	return nil
}

func (p PlaceData) container() directory.Container {
	return directory.Container{OrganizationID: p.OrganizationID, FolderID: p.FolderID, DocumentID: p.DocumentID}
}

// AddUsers is the request of users/add.
type AddUsers struct {
	PlaceData
	CreateOrganization *bool `json:"createOrganization,omitempty" example:"true" doc:"default true"`
	CreateDocument     bool  `json:"createDocument,omitempty" example:"true"`
	FolderSent
	Users   []UserData   `json:"users" minItems:"1" maxItems:"1000"`
	Context shape.Object `json:"context,omitempty" example:"{\"page\":\"pricing\"}" doc:"without effect"`
}

// Validate checks the scope and the users.
func (r *AddUsers) Validate() []fault.Issue {
	issues := append(r.issues(), usersIssues(r.Users)...)
	issues = append(issues, r.parentIssues(r.FolderID)...)
	if r.FolderID == directory.TopFolder {
		issues = append(issues, fault.Issue{Code: shape.Conflict, Path: []string{"folderId"}, Message: "root means the top; leave folderId out"})
	}
	return issues
}

// FolderSent says whether a folder is made, and where.
type FolderSent struct {
	CreateFolder   bool   `json:"createFolder,omitempty" example:"true"`
	ParentFolderID string `json:"parentFolderId,omitempty" minLength:"1" maxLength:"200" format:"caller-id" example:"campaigns" doc:"with createFolder: in which folder one is made, root, or absent, is the top; one that is there stays where it is"`
}

// issues wants a folder to be made where a parent is named.
func (f FolderSent) parentIssues(folderID string) []fault.Issue {
	if f.ParentFolderID == "" || f.CreateFolder && folderID != "" {
		return nil
	}
	return []fault.Issue{{Code: shape.Conflict, Path: []string{"parentFolderId"}, Message: "is for folderId with createFolder only"}}
}

func usersIssues(users []UserData) []fault.Issue { return usersIssuesAt("users", users) }

// usersIssuesAt are those of users in a field of a request.
func usersIssuesAt(field string, users []UserData) []fault.Issue {
	var issues []fault.Issue
	for i, u := range users {
		issues = append(issues, u.issues(field, strconv.Itoa(i))...)
	}
	return issues
}

// UpdateUsers is the request of users/update. A key that is null is cleared.
type UpdateUsers struct {
	PlaceData
	Users []UserData `json:"users" minItems:"1" maxItems:"1000"`
}

// Validate checks the scope and the users.
func (r *UpdateUsers) Validate() []fault.Issue { return append(r.issues(), usersIssues(r.Users)...) }

// DeleteUsers is the request of users/delete.
type DeleteUsers struct {
	PlaceData
	UserIDs []string     `json:"userIds" minItems:"1" maxItems:"1000" minLength:"1" maxLength:"200" format:"caller-id"`
	Context shape.Object `json:"context,omitempty" example:"{\"page\":\"pricing\"}" doc:"without effect"`
}

// Validate checks the scope.
func (r *DeleteUsers) Validate() []fault.Issue { return r.issues() }

func changes(users []UserData) []directory.ProfileChange {
	return rpc.Each(users, func(u UserData) directory.ProfileChange {
		return directory.ProfileChange{Person: u.person(), Role: u.AccessRole, Cleared: u.Rest}
	})
}

// Add adds users at one level.
func (u *Users) Add(ctx context.Context, req *AddUsers) (*rpc.Success[rpc.Keyed[Item]], error) {
	c := req.container()
	c.CreateOrganization = req.CreateOrganization == nil || *req.CreateOrganization
	c.CreateDocument, c.CreateFolder, c.ParentID = req.CreateDocument, req.CreateFolder, req.ParentFolderID
	entries, err := u.store.Add(ctx, rpc.CallerFrom(ctx).WorkspaceID, c, changes(req.Users))
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Users added.", userSentences.items(entries, "User added.")), nil
}

// Update changes users.
func (u *Users) Update(ctx context.Context, req *UpdateUsers) (*rpc.Success[rpc.Keyed[Item]], error) {
	entries, err := u.store.Update(ctx, rpc.CallerFrom(ctx).WorkspaceID, req.container(), changes(req.Users))
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Users updated.", userSentences.items(entries, "User updated.")), nil
}

// RemovedUser says what became of one user of users/delete.
type RemovedUser struct {
	Success bool   `json:"success"`
	Message string `json:"message" doc:"a short sentence, not part of the contract"`
	Code    string `json:"code,omitempty" enum:"not-found"`
}

// Delete removes users from one level.
func (u *Users) Delete(ctx context.Context, req *DeleteUsers) (*rpc.Success[rpc.Keyed[RemovedUser]], error) {
	entries, err := u.store.Delete(ctx, rpc.CallerFrom(ctx).WorkspaceID, req.container(), req.UserIDs)
	if err != nil {
		return nil, err
	}
	view := func(e directory.Entry) rpc.KeyedEntry[RemovedUser] {
		return rpc.KeyedEntry[RemovedUser]{Key: e.ID, Value: RemovedUser{e.Success(), userSentences.of(e, "User removed."), e.Code}}
	}
	return rpc.Succeed("Users removed.", rpc.Keyed[RemovedUser](rpc.Each(entries, view))), nil
}

var userSentences = sentences{
	directory.CodeNotFound:  "The user does not exist.",
	directory.CodeNotMember: "The user was not added at this level.",
}
