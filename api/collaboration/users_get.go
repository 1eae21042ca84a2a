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
	UserIDs           []string `json:"userIds,omitempty" maxItems:"30" minLength:"1" maxLength:"200" format:"caller-id" example:"u_ann,u_eve"`
	GroupIDs          []string `json:"organizationUserGroupIds,omitempty" maxItems:"30" minLength:"1" maxLength:"200" format:"caller-id" doc:"who is in one of them"`
	AllDocuments      bool     `json:"allDocuments,omitempty" doc:"who was added to a document, to one in the folder or below it if one is named"`
	GroupByDocumentID bool     `json:"groupByDocumentId,omitempty" doc:"only with allDocuments: by document, and on each with the role there"`
	SearchKey         string   `json:"searchKey,omitempty" maxLength:"200" notBlank:"true" example:"ann" doc:"part of the name, the e-mail or the userId, in any case"`
	InvolvedData
	PageData
}

// InvolvedData asks for the documents in which users have a part.
type InvolvedData struct {
	IncludeInvolvedDocuments      bool `json:"includeInvolvedDocuments,omitempty" example:"true" doc:"pageSize is at most 100 then, and by default"`
	IncludeInvolvedDocumentsCount bool `json:"includeInvolvedDocumentsCount,omitempty" example:"true" doc:"pageSize is at most 100 then, and by default"`
}

// maxInvolved is the largest page of users with the documents in which they have a part.
const maxInvolved = 100

func (i InvolvedData) asked() bool {
	return i.IncludeInvolvedDocuments || i.IncludeInvolvedDocumentsCount
}

// issues wants a page that is small enough.
func (i InvolvedData) pageIssues(size int) []fault.Issue {
	if !i.asked() || size <= maxInvolved {
		return nil
	}
	return []fault.Issue{{Code: shape.Range, Path: []string{"pageSize"}, Message: "must be at most 100 with the documents in which users have a part"}}
}

// size is the page size, by default the largest one that may be asked for.
func (i InvolvedData) pageSize(asked int) int {
	if i.asked() {
		return cmp.Or(asked, maxInvolved)
	}
	return cmp.Or(asked, pageSize)
}

// Validate checks which fields exclude each other.
func (r *GetUsers) Validate() []fault.Issue {
	issues := append(r.issues(), r.pageIssues(r.PageSize)...)
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
		Key: r.SearchKey,
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
	Involved
	DocumentIDs    *[]string `json:"documentIds,omitempty" doc:"in users/doc/get: the documents that they were added to, at most 100, newest first"`
	DocumentsCount *int64    `json:"documentsCount,omitempty" doc:"in users/doc/get"`

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

// Involved are the documents in which a user has a part: they wrote a comment, are tagged in
// one, or have something assigned to them.
type Involved struct {
	InvolvedDocuments      *[]string `json:"involvedDocuments,omitempty" doc:"with includeInvolvedDocuments: at most 100, latest annotation first"`
	InvolvedDocumentsCount *int64    `json:"involvedDocumentsCount,omitempty" doc:"with includeInvolvedDocumentsCount"`
}

// involve adds to users on a page what is asked for.
func (u *Users) involve(ctx context.Context, organizationID string, asked InvolvedData, users []directory.UserView) (map[string]Involved, error) {
	if !asked.asked() || len(users) == 0 {
		return map[string]Involved{}, nil
	}
	ids := rpc.Each(users, func(u directory.UserView) string { return u.UserID })
	found, err := u.involvements.Involved(ctx, rpc.CallerFrom(ctx).WorkspaceID, organizationID, ids)
	if err != nil {
		return nil, err
	}
	all := map[string]Involved{}
	for _, id := range ids {
		of := found[id]
		var shown Involved
		if documents := append([]string{}, of.DocumentIDs...); asked.IncludeInvolvedDocuments {
			shown.InvolvedDocuments = &documents
		}
		if asked.IncludeInvolvedDocumentsCount {
			shown.InvolvedDocumentsCount = &of.Count
		}
		all[id] = shown
	}
	return all, nil
}

func viewUser(u directory.UserView) UserView {
	return UserView{
		UserID: u.UserID, Name: u.Name, Email: u.Email, Initial: rpc.TextOf(u.Initial), PhotoURL: u.PhotoURL, AccessRole: u.Role,
		Own: ownKeys[UserView](u.Extra),
	}
}

// UserList are users, or users by document.
type UserList struct {
	Items      []UserView
	ByDocument *rpc.Keyed[[]UserView]
}

// listOf makes the list of a page.
func (r *GetUsers) listOf(users []directory.UserView, involved map[string]Involved) UserList {
	show := func(u directory.UserView) UserView {
		view := viewUser(u)
		view.Involved = involved[u.UserID]
		return view
	}
	if !r.GroupByDocumentID {
		return UserList{Items: rpc.Each(users, show)}
	}
	documents, at := rpc.Keyed[[]UserView]{}, map[string]int{}
	for _, u := range users {
		i, known := at[u.DocumentID]
		if !known {
			i = len(documents)
			at[u.DocumentID] = i
			documents = append(documents, rpc.KeyedEntry[[]UserView]{Key: u.DocumentID})
		}
		documents[i].Value = append(documents[i].Value, show(u))
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
		return u.store.Get(ctx, workspaceID, filter, after, req.pageSize(req.PageSize))
	})
	if err != nil {
		return nil, err
	}
	involved, err := u.involve(ctx, req.OrganizationID, req.InvolvedData, found)
	return rpc.Found("Users found.", req.listOf(found, involved), next, err)
}
