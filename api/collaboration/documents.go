package collaboration

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/cursor"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/directory"
)

type documentStore interface {
	Add(ctx context.Context, workspaceID string, c directory.Container, all []directory.Properties) ([]directory.Entry, error)
	Get(ctx context.Context, workspaceID string, f directory.DocumentFilter, after *directory.DocumentPosition, size int) (*directory.DocumentPage, error)
	Update(ctx context.Context, workspaceID, organizationID string, changes []directory.Properties) ([]directory.Entry, error)
	Delete(ctx context.Context, workspaceID, organizationID string, ids []string) ([]directory.Entry, error)
	SetAccess(ctx context.Context, workspaceID, organizationID string, ids []string, access *string) ([]directory.Entry, error)
	Move(ctx context.Context, workspaceID, organizationID, folderID string, ids []string) error
	SetDisabled(ctx context.Context, workspaceID, organizationID string, ids []string, disabled bool) ([]directory.Entry, error)
	Count(ctx context.Context, workspaceID string, f directory.DocumentFilter) (int64, error)
}

// Documents are the operations on documents of organizations.
type Documents struct {
	listing

	store documentStore
}

// NewDocuments makes the operations.
func NewDocuments(store documentStore, settings settingsReader, cursors *cursor.Codec) *Documents {
	return &Documents{listing{Settings: settings, Cursors: cursors}, store}
}

// AddedDocument is a document as sent to documents/add; other keys are kept as they
// are.
type AddedDocument struct {
	DocumentID   string     `json:"documentId" minLength:"1" maxLength:"200" format:"caller-id"`
	DocumentName *string    `json:"documentName,omitempty" maxLength:"500" doc:"the id when absent"`
	AccessType   string     `json:"accessType,omitempty" enum:"public,organizationPrivate,restricted" example:"restricted" doc:"inherited when absent"`
	Rest         shape.Rest `json:"-"`
}

// AddDocuments is the request of documents/add.
type AddDocuments struct {
	OrganizationID     string `json:"organizationId" minLength:"1" maxLength:"200" format:"caller-id"`
	CreateOrganization bool   `json:"createOrganization,omitempty" example:"true"`
	FolderID           string `json:"folderId,omitempty" minLength:"1" maxLength:"200" format:"caller-id" doc:"root, or absent, is the top"`
	FolderSent
	Documents []AddedDocument `json:"documents" minItems:"1" maxItems:"100"`
}

// Validate checks what tags cannot say.
func (r *AddDocuments) Validate() []fault.Issue {
	return append(r.parentIssues(r.FolderID), elementIssues("documents", "documentId", directory.MaxDocument, r.Documents,
		func(d AddedDocument) (string, shape.Rest) { return d.DocumentID, d.Rest })...)
}

// Add makes documents.
func (d *Documents) Add(ctx context.Context, req *AddDocuments) (*rpc.Success[rpc.Keyed[Item]], error) {
	c := directory.Container{
		OrganizationID: req.OrganizationID, FolderID: req.FolderID, CreateOrganization: req.CreateOrganization, CreateFolder: req.CreateFolder,
		ParentID: req.ParentFolderID,
	}
	entries, err := d.store.Add(ctx, rpc.CallerFrom(ctx).WorkspaceID, c, rpc.Each(req.Documents, func(d AddedDocument) directory.Properties {
		return directory.Properties{ID: d.DocumentID, Name: d.DocumentName, Access: d.AccessType, Extra: ownKeys[DocumentView](d.Rest.Members)}
	}))
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Documents added.", thingSentences.items(entries, "Document added.")), nil
}

// GetDocuments is the request of documents/get.
type GetDocuments struct {
	OrganizationID string   `json:"organizationId" minLength:"1" maxLength:"200" format:"caller-id"`
	DocumentIDs    []string `json:"documentIds,omitempty" maxItems:"30" minLength:"1" maxLength:"200" format:"caller-id" example:"spring,summer"`
	FolderID       string   `json:"folderId,omitempty" minLength:"1" maxLength:"200" format:"caller-id" doc:"what is directly in it; root is what is in no folder"`

	Filters []DocumentFilter `json:"filters,omitempty" maxItems:"10" closed:"true" doc:"all have to hold; a page looks at 10,000 documents at most, so it may be short, or empty, and go on"`
	PageData
}

// Validate checks what tags cannot say.
func (r *GetDocuments) Validate() []fault.Issue {
	var issues []fault.Issue
	checkFilters(rpc.IssuesIn(&issues, "filters"), r.Filters)
	return issues
}

// DocumentView is a document as read, with the caller's own keys behind the fields.
type DocumentView struct {
	ID                   string  `json:"id" doc:"the caller's"`
	DocumentName         string  `json:"documentName"`
	FolderID             *string `json:"folderId" doc:"null outside of all folders"`
	AccessType           string  `json:"accessType" enum:"public,organizationPrivate,restricted" doc:"what holds, wherever it is set"`
	InheritAccess        bool    `json:"inheritAccess" doc:"accessType is not set on the document itself"`
	CreatedAt            int64   `json:"createdAt" doc:"epoch milliseconds"`
	LastUpdated          int64   `json:"lastUpdated" doc:"epoch milliseconds"`
	Disabled             bool    `json:"disabled" doc:"access is switched off for the document itself"`
	OrganizationDisabled bool    `json:"organizationDisabled" doc:"access is switched off for all documents"`

	Own []shape.Pair `json:"-"`
	_   struct{}     `json:"-" additionalProperties:"true"`
}

// MarshalJSON writes the object.
func (v DocumentView) MarshalJSON() ([]byte, error) {
	type fields DocumentView
	return appendOwn(fields(v), v.Own)
}

// UnmarshalJSON reads the object.
func (v *DocumentView) UnmarshalJSON(text []byte) error {
	type fields DocumentView
	v.Own = ownKeys[DocumentView](shape.MembersOf(text))
	return json.Unmarshal(text, (*fields)(v))
}

func viewDocument(d directory.DocumentView) DocumentView {
	return DocumentView{
		ID: d.ID, DocumentName: d.Name, FolderID: d.FolderID, AccessType: d.Access, InheritAccess: d.Inherits,
		CreatedAt: d.CreatedAt.UnixMilli(), LastUpdated: d.UpdatedAt.UnixMilli(),
		Disabled: d.Disabled, OrganizationDisabled: d.OrganizationDisabled, Own: shape.MembersOf(d.Extra),
	}
}

const documentsList = "v2/organizations/documents/get"

// Get reads documents, newest first.
func (d *Documents) Get(ctx context.Context, req *GetDocuments) (*rpc.Success[[]DocumentView], error) {
	workspaceID := rpc.CallerFrom(ctx).WorkspaceID
	filter := directory.DocumentFilter{OrganizationID: req.OrganizationID, IDs: req.DocumentIDs, FolderID: req.FolderID, Conditions: conditionsOf(req.Filters)}
	pages := d.advancedPages(ctx, workspaceID, documentsList, filter)
	found, next, err := rpc.List(pages, req.PageToken, viewDocument, func(after *directory.DocumentPosition) (*directory.DocumentPage, error) {
		return d.store.Get(ctx, workspaceID, filter, after, cmp.Or(req.PageSize, pageSize))
	})
	return rpc.Found("Documents found.", found, next, err)
}

// ChangedDocument is a document as sent to documents/update: null clears, and other
// keys are kept as they are. An accessType has an operation of its own and is left
// out here.
type ChangedDocument struct {
	DocumentID   string     `json:"documentId" minLength:"1" maxLength:"200" format:"caller-id"`
	DocumentName *string    `json:"documentName,omitempty" maxLength:"500" example:"Spring" doc:"the id when cleared"`
	Rest         shape.Rest `json:"-"`
}

// UpdateDocuments is the request of documents/update.
type UpdateDocuments struct {
	OrganizationID string            `json:"organizationId" minLength:"1" maxLength:"200" format:"caller-id"`
	Documents      []ChangedDocument `json:"documents" minItems:"1" maxItems:"100"`
	Merge          *bool             `json:"merge,omitempty" example:"false" doc:"default true; false: documentName and the other keys are replaced by those that are sent"`
}

// Validate checks what tags cannot say.
func (r *UpdateDocuments) Validate() []fault.Issue {
	return elementIssues("documents", "documentId", directory.MaxDocument, r.Documents,
		func(d ChangedDocument) (string, shape.Rest) { return d.DocumentID, d.Rest })
}

// Update changes documents.
func (d *Documents) Update(ctx context.Context, req *UpdateDocuments) (*rpc.Success[rpc.Keyed[Item]], error) {
	changes := rpc.Each(req.Documents, func(d ChangedDocument) directory.Properties {
		return directory.Properties{
			ID: d.DocumentID, Name: d.DocumentName, Extra: ownKeys[DocumentView](d.Rest.Members), ClearName: d.Rest.Null("documentName"),
			Replace: req.Merge != nil && !*req.Merge,
		}
	})
	entries, err := d.store.Update(ctx, rpc.CallerFrom(ctx).WorkspaceID, req.OrganizationID, changes)
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Documents updated.", thingSentences.items(entries, "Document updated.")), nil
}

// DeleteDocuments is the request of documents/delete.
type DeleteDocuments struct {
	OrganizationID string   `json:"organizationId" minLength:"1" maxLength:"200" format:"caller-id"`
	DocumentIDs    []string `json:"documentIds" minItems:"1" maxItems:"100" minLength:"1" maxLength:"200" format:"caller-id"`
}

// Delete removes documents with everything in them.
func (d *Documents) Delete(ctx context.Context, req *DeleteDocuments) (*rpc.Success[rpc.Keyed[Item]], error) {
	entries, err := d.store.Delete(ctx, rpc.CallerFrom(ctx).WorkspaceID, req.OrganizationID, req.DocumentIDs)
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Documents deleted.", thingSentences.items(entries, "Document deleted.")), nil
}

// SetDocumentsAccess is the request of documents/access/update.
type SetDocumentsAccess struct {
	OrganizationID string   `json:"organizationId" minLength:"1" maxLength:"200" format:"caller-id"`
	DocumentIDs    []string `json:"documentIds" minItems:"1" maxItems:"100" minLength:"1" maxLength:"200" format:"caller-id"`
	AccessType     *string  `json:"accessType,omitempty" enum:"public,organizationPrivate,restricted" doc:"required; null lets what is above the documents decide"`

	Cleared shape.Nulls `json:"-"`
}

// Validate checks what tags cannot say.
func (r *SetDocumentsAccess) Validate() []fault.Issue {
	if r.AccessType == nil && !r.Cleared.Null("accessType") {
		return []fault.Issue{{Code: shape.Required, Path: []string{"accessType"}, Message: "is required"}}
	}
	return nil
}

// DocumentAccess says what became of one document of documents/access/update.
type DocumentAccess struct {
	Success    bool    `json:"success"`
	AccessType *string `json:"accessType" enum:"public,organizationPrivate,restricted" doc:"what is set on the document now"`
	Message    string  `json:"message" doc:"a short sentence, not part of the contract"`
	Code       string  `json:"code,omitempty" enum:"not-found"`
}

// SetAccess sets the access type of documents.
func (d *Documents) SetAccess(ctx context.Context, req *SetDocumentsAccess) (*rpc.Success[rpc.Keyed[DocumentAccess]], error) {
	entries, err := d.store.SetAccess(ctx, rpc.CallerFrom(ctx).WorkspaceID, req.OrganizationID, req.DocumentIDs, req.AccessType)
	if err != nil {
		return nil, err
	}
	view := func(e directory.Entry) rpc.KeyedEntry[DocumentAccess] {
		a := DocumentAccess{Success: e.Success(), Message: thingSentences.of(e, "Access set."), Code: e.Code}
		if a.Success {
			a.AccessType = req.AccessType
		}
		return rpc.KeyedEntry[DocumentAccess]{Key: e.ID, Value: a}
	}
	return rpc.Succeed("Access set.", rpc.Keyed[DocumentAccess](rpc.Each(entries, view))), nil
}

// MoveDocuments is the request of documents/move.
type MoveDocuments struct {
	OrganizationID string   `json:"organizationId" minLength:"1" maxLength:"200" format:"caller-id"`
	DocumentIDs    []string `json:"documentIds" minItems:"1" maxItems:"30" minLength:"1" maxLength:"200" format:"caller-id"`
	FolderID       string   `json:"folderId" minLength:"1" maxLength:"200" format:"caller-id" doc:"root is out of all folders"`
}

// Moved is the result of documents/move.
type Moved struct {
	Status  string `json:"status" enum:"success"`
	Message string `json:"message" doc:"a short sentence, not part of the contract"`
}

// Move puts documents into a folder, all or none.
func (d *Documents) Move(ctx context.Context, req *MoveDocuments) (*Moved, error) {
	err := d.store.Move(ctx, rpc.CallerFrom(ctx).WorkspaceID, req.OrganizationID, req.FolderID, req.DocumentIDs)
	if err != nil {
		return nil, err
	}
	return &Moved{"success", "Documents moved."}, nil
}
