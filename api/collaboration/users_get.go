package collaboration

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"

	"github.com/danielgtaylor/huma/v2"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/directory"
)

// GetUsers is the request of users/get.
type GetUsers struct {
	PlaceData
	UserIDs           []string `json:"userIds,omitempty" maxItems:"30" minLength:"1" maxLength:"200" format:"caller-id"`
	GroupIDs          []string `json:"organizationUserGroupIds,omitempty" maxItems:"30" minLength:"1" maxLength:"200" format:"caller-id" doc:"who is in one of them"`
	AllDocuments      bool     `json:"allDocuments,omitempty" doc:"who was added to a document, to one in the folder or below it if one is named"`
	GroupByDocumentID bool     `json:"groupByDocumentId,omitempty" doc:"only with allDocuments: by document, and on each with the role there"`
	PageData
}

// Validate checks which fields exclude each other.
func (r *GetUsers) Validate() []fault.Issue {
	issues := r.issues()
	if r.AllDocuments && r.DocumentID != "" {
		issues = append(issues, fault.Issue{Code: shape.Conflict, Path: []string{"allDocuments"}, Message: "documentId and allDocuments exclude each other"})
	}
	if r.GroupByDocumentID && !r.AllDocuments {
		issues = append(issues, fault.Issue{Code: shape.Conflict, Path: []string{"groupByDocumentId"}, Message: "is for allDocuments only"})
	}
	return issues
}

func (r *GetUsers) filter() directory.UserFilter {
	return directory.UserFilter{
		OrganizationID: r.OrganizationID, FolderID: r.FolderID, DocumentID: r.DocumentID,
		UserIDs: r.UserIDs, GroupIDs: r.GroupIDs, AllDocuments: r.AllDocuments, ByDocument: r.GroupByDocumentID,
	}
}

// UserView is a user as read, with the caller's own keys behind the fields.
type UserView struct {
	UserID     string  `json:"userId"`
	Name       *string `json:"name,omitempty"`
	Email      *string `json:"email,omitempty"`
	Initial    string  `json:"initial,omitempty"`
	PhotoURL   *string `json:"photoUrl,omitempty"`
	AccessRole string  `json:"accessRole" enum:"viewer,editor" doc:"at the level asked for; of all documents the strongest"`

	Own []shape.Pair `json:"-"`
	_   struct{}     `json:"-" additionalProperties:"true"`
}

// MarshalJSON writes the object.
func (v UserView) MarshalJSON() ([]byte, error) {
	type fields UserView
	return appendOwn(fields(v), v.Own)
}

// UnmarshalJSON reads the object.
func (v *UserView) UnmarshalJSON(text []byte) error {
	type fields UserView
	v.Own = ownKeys[UserView](shape.MembersOf(text))
	return json.Unmarshal(text, (*fields)(v))
}

func viewUser(u directory.UserView) UserView {
	return UserView{
		UserID: u.UserID, Name: u.Name, Email: u.Email, Initial: rpc.TextOf(u.Initial), PhotoURL: u.PhotoURL, AccessRole: u.Role, Own: u.Extra,
	}
}

// UserList are users, or users by document.
type UserList struct {
	Items      []UserView
	ByDocument *rpc.Keyed[[]UserView]
}

// listOf makes the list of a page.
func (r *GetUsers) listOf(users []directory.UserView) UserList {
	if !r.GroupByDocumentID {
		return UserList{Items: rpc.Each(users, viewUser)}
	}
	documents, at := rpc.Keyed[[]UserView]{}, map[string]int{}
	for _, u := range users {
		i, known := at[u.DocumentID]
		if !known {
			i = len(documents)
			at[u.DocumentID] = i
			documents = append(documents, rpc.KeyedEntry[[]UserView]{Key: u.DocumentID})
		}
		documents[i].Value = append(documents[i].Value, viewUser(u))
	}
	return UserList{ByDocument: &documents}
}

// MarshalJSON writes the one form or the other.
func (l UserList) MarshalJSON() ([]byte, error) {
	if l.ByDocument != nil {
		return l.ByDocument.MarshalJSON()
	}
	return json.Marshal(l.Items)
}

// UnmarshalJSON reads both forms.
func (l *UserList) UnmarshalJSON(text []byte) error {
	if bytes.HasPrefix(text, []byte("{")) {
		return json.Unmarshal(text, &l.ByDocument)
	}
	return json.Unmarshal(text, &l.Items)
}

// Schema documents both forms.
func (UserList) Schema(registry huma.Registry) *huma.Schema {
	users := rpc.Keyed[[]UserView]{}.Schema(registry)
	users.Description = "with groupByDocumentId, by the documentId"
	return &huma.Schema{OneOf: []*huma.Schema{users.AdditionalProperties.(*huma.Schema), users}}
}

// asRead shows users as they were read: those of one document may be shown together.
func asRead(u directory.UserView) directory.UserView { return u }

const usersList = "v2/users/get"

// Get reads the users of a level, newest profile first.
func (u *Users) Get(ctx context.Context, req *GetUsers) (*rpc.Success[UserList], error) {
	workspaceID, filter := rpc.CallerFrom(ctx).WorkspaceID, req.filter()
	pages := u.advancedPages(ctx, workspaceID, usersList, filter)
	found, next, err := rpc.List(pages, req.PageToken, asRead, func(after *directory.UserPosition) (*directory.UserPage, error) {
		return u.store.Get(ctx, workspaceID, filter, after, cmp.Or(req.PageSize, pageSize))
	})
	return rpc.Found("Users found.", req.listOf(found), next, err)
}
