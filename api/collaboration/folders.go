package collaboration

import (
	"cmp"
	"context"
	"strconv"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/cursor"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/directory"
)

type folderStore interface {
	Add(ctx context.Context, workspaceID string, c directory.Container, folders []directory.NewFolder) ([]directory.Entry, error)
	Get(ctx context.Context, workspaceID string, f directory.FolderFilter, after *directory.FolderPosition, size int) (*directory.FolderPage, error)
	Update(ctx context.Context, workspaceID, organizationID string, changes []directory.FolderChange) ([]directory.Entry, error)
	Delete(ctx context.Context, workspaceID, organizationID, folderID string) error
	SetAccess(ctx context.Context, workspaceID, organizationID string, folderIDs []string, access string) ([]directory.Entry, error)
}

// Folders are the operations on the folders of organizations.
type Folders struct {
	listing

	store folderStore
}

// NewFolders makes the operations.
func NewFolders(store folderStore, settings settingsReader, cursors *cursor.Codec) *Folders {
	return &Folders{listing{Settings: settings, Cursors: cursors}, store}
}

// FolderData is a folder as it is added.
type FolderData struct {
	FolderID       string  `json:"folderId" minLength:"1" maxLength:"200" format:"caller-id"`
	FolderName     *string `json:"folderName,omitempty" maxLength:"200" doc:"default the folderId"`
	ParentFolderID string  `json:"parentFolderId,omitempty" minLength:"1" maxLength:"200" format:"caller-id" doc:"default root, the top; may be a folder before it in the list"`
	AccessType     string  `json:"accessType,omitempty" enum:"public,organizationPrivate,restricted" example:"restricted" doc:"inherited when absent"`
}

// AddFolders is the request of folders/add.
type AddFolders struct {
	OrganizationID     string       `json:"organizationId" minLength:"1" maxLength:"200" format:"caller-id"`
	CreateOrganization bool         `json:"createOrganization,omitempty" example:"true"`
	Folders            []FolderData `json:"folders" minItems:"1" maxItems:"100"`
}

// Validate wants each folder once, and none that has the word for the top.
func (r *AddFolders) Validate() []fault.Issue {
	issues := elementIssues("folders", "folderId", 0, r.Folders,
		func(f FolderData) (string, shape.Rest) { return f.FolderID, shape.Rest{} })
	for i, f := range r.Folders {
		if f.FolderID == directory.TopFolder {
			issues = append(issues, fault.Issue{Code: shape.Conflict, Path: []string{"folders", strconv.Itoa(i), "folderId"}, Message: rootIsNoFolder})
		}
	}
	return issues
}

const rootIsNoFolder = "root means the top and is no folder"

// above is the folder that an id names as a parent: none for the top.
func above(parentFolderID string) string {
	if parentFolderID == directory.TopFolder {
		return ""
	}
	return parentFolderID
}

// Add adds folders to an organization.
func (f *Folders) Add(ctx context.Context, req *AddFolders) (*rpc.Success[rpc.Keyed[Item]], error) {
	c := directory.Container{OrganizationID: req.OrganizationID, CreateOrganization: req.CreateOrganization}
	folders := rpc.Each(req.Folders, func(d FolderData) directory.NewFolder {
		return directory.NewFolder{FolderID: d.FolderID, Name: d.FolderName, ParentID: above(d.ParentFolderID), Access: d.AccessType}
	})
	entries, err := f.store.Add(ctx, rpc.CallerFrom(ctx).WorkspaceID, c, folders)
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Folders added.", folderSentences.items(entries, "Folder added.")), nil
}

// GetFolders is the request of folders/get.
type GetFolders struct {
	OrganizationID string `json:"organizationId" minLength:"1" maxLength:"200" format:"caller-id"`
	FolderID       string `json:"folderId,omitempty" minLength:"1" maxLength:"200" format:"caller-id" example:"seasons" doc:"this folder; absent or root means those at the top"`
	RootOnly       bool   `json:"rootFoldersOnly,omitempty" example:"true" doc:"those at the top, as without folderId"`
	MaxDepth       int    `json:"maxDepth,omitempty" minimum:"1" maximum:"20" doc:"how many levels, default 1: without their subfolders; INVALID_ARGUMENT where more then stand in one folder than an answer takes (about 8 MiB)"`
	PageData
}

// Validate refuses a folder beside the top.
func (r *GetFolders) Validate() []fault.Issue {
	if !r.RootOnly || r.FolderID == "" {
		return nil
	}
	return []fault.Issue{{Code: shape.Conflict, Path: []string{"rootFoldersOnly"}, Message: "excludes folderId"}}
}

// FolderView is a folder.
type FolderView struct {
	FolderID                string       `json:"folderId"`
	FolderName              string       `json:"folderName"`
	OrganizationID          string       `json:"organizationId"`
	ParentFolderID          string       `json:"parentFolderId" doc:"root at the top"`
	Ancestors               []string     `json:"ancestors" doc:"ids of the folders above it, from the top on"`
	AccessType              string       `json:"accessType" enum:"public,organizationPrivate,restricted" doc:"what holds in the folder"`
	InheritAccessFromParent bool         `json:"inheritAccessFromParent" doc:"it has no accessType of its own"`
	CreatedAt               int64        `json:"createdAt"`
	LastUpdated             int64        `json:"lastUpdated"`
	SubFolders              []FolderView `json:"subFolders" doc:"newest first; empty below maxDepth"`
}

func viewFolder(organizationID string) func(v *directory.FolderView) FolderView {
	return func(v *directory.FolderView) FolderView {
		return FolderView{
			FolderID: v.FolderID, FolderName: v.Name, OrganizationID: organizationID, ParentFolderID: cmp.Or(v.ParentID, directory.TopFolder),
			Ancestors: v.Ancestors, AccessType: v.Access, InheritAccessFromParent: v.Inherits,
			CreatedAt: v.CreatedAt.UnixMilli(), LastUpdated: v.UpdatedAt.UnixMilli(),
			SubFolders: rpc.Each(v.SubFolders, viewFolder(organizationID)),
		}
	}
}

const foldersList = "v2/organizations/folders/get"

// Get reads the folders at the top, or one folder, with what stands in them.
func (f *Folders) Get(ctx context.Context, req *GetFolders) (*rpc.Success[[]FolderView], error) {
	workspaceID := rpc.CallerFrom(ctx).WorkspaceID
	filter := directory.FolderFilter{OrganizationID: req.OrganizationID, FolderID: above(req.FolderID), Depth: cmp.Or(req.MaxDepth, 1)}
	pages := f.advancedPages(ctx, workspaceID, foldersList, filter)
	found, next, err := rpc.List(pages, req.PageToken, viewFolder(req.OrganizationID), func(after *directory.FolderPosition) (*directory.FolderPage, error) {
		return f.store.Get(ctx, workspaceID, filter, after, cmp.Or(req.PageSize, pageSize))
	})
	return rpc.Found("Folders found.", found, next, err)
}

// FolderUpdate is what changes in a folder; what is absent stays.
type FolderUpdate struct {
	FolderID       string      `json:"folderId" minLength:"1" maxLength:"200" format:"caller-id"`
	FolderName     *string     `json:"folderName,omitempty" maxLength:"200" doc:"null makes it the folderId"`
	ParentFolderID string      `json:"parentFolderId,omitempty" minLength:"1" maxLength:"200" format:"caller-id" doc:"root or null is the top"`
	Cleared        shape.Nulls `json:"-"`
}

func (u FolderUpdate) change() directory.FolderChange {
	c := directory.FolderChange{FolderID: u.FolderID, Name: u.FolderName, ParentID: above(u.ParentFolderID)}
	c.Moves = u.ParentFolderID != "" || u.Cleared.Null("parentFolderId")
	if u.Cleared.Null("folderName") {
		c.Name = new(string)
	}
	return c
}

// UpdateFolders is the request of folders/update.
type UpdateFolders struct {
	OrganizationID string         `json:"organizationId" minLength:"1" maxLength:"200" format:"caller-id"`
	Folders        []FolderUpdate `json:"folders" minItems:"1" maxItems:"100"`
}

// Validate wants each folder once.
func (r *UpdateFolders) Validate() []fault.Issue {
	return elementIssues("folders", "folderId", 0, r.Folders,
		func(f FolderUpdate) (string, shape.Rest) { return f.FolderID, shape.Rest{} })
}

// Update renames and moves folders.
func (f *Folders) Update(ctx context.Context, req *UpdateFolders) (*rpc.Success[rpc.Keyed[Item]], error) {
	changes := rpc.Each(req.Folders, FolderUpdate.change)
	entries, err := f.store.Update(ctx, rpc.CallerFrom(ctx).WorkspaceID, req.OrganizationID, changes)
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Folders updated.", folderSentences.items(entries, "Folder updated.")), nil
}

// DeleteFolder is the request of folders/delete.
type DeleteFolder struct {
	OrganizationID string `json:"organizationId" minLength:"1" maxLength:"200" format:"caller-id"`
	FolderID       string `json:"folderId" minLength:"1" maxLength:"200" format:"caller-id"`
}

// Validate refuses the word for the top.
func (r *DeleteFolder) Validate() []fault.Issue {
	if r.FolderID != directory.TopFolder {
		return nil
	}
	return []fault.Issue{{Code: shape.Conflict, Path: []string{"folderId"}, Message: rootIsNoFolder}}
}

// Delete removes a folder with all that stands in it.
func (f *Folders) Delete(ctx context.Context, req *DeleteFolder) (*rpc.Success[*rpc.NoData], error) {
	if err := f.store.Delete(ctx, rpc.CallerFrom(ctx).WorkspaceID, req.OrganizationID, req.FolderID); err != nil {
		return nil, err
	}
	return rpc.Succeed[*rpc.NoData]("Folder deleted.", nil), nil
}

// UpdateFolderAccess is the request of folders/access/update: a type, or that the
// folders inherit.
type UpdateFolderAccess struct {
	OrganizationID    string   `json:"organizationId" minLength:"1" maxLength:"200" format:"caller-id"`
	FolderIDs         []string `json:"folderIds" minItems:"1" maxItems:"100" minLength:"1" maxLength:"200" format:"caller-id"`
	AccessType        *string  `json:"accessType,omitempty" enum:"public,organizationPrivate,restricted"`
	InheritFromParent bool     `json:"inheritFromParent,omitempty" doc:"true instead of an accessType"`
}

// Validate wants exactly one of the two.
func (r *UpdateFolderAccess) Validate() []fault.Issue {
	switch {
	case r.AccessType == nil && !r.InheritFromParent:
		return []fault.Issue{{Code: shape.Required, Path: []string{"accessType"}, Message: "accessType, or inheritFromParent true, is required"}}
	case r.AccessType != nil && r.InheritFromParent:
		return []fault.Issue{{Code: shape.Conflict, Path: []string{"inheritFromParent"}, Message: "accessType and inheritFromParent exclude each other"}}
	default:
		return nil
	}
}

// FolderAccess says what became of the setting of one folder.
type FolderAccess struct {
	Success           bool    `json:"success"`
	AccessType        *string `json:"accessType" enum:"public,organizationPrivate,restricted" doc:"the folder's own; null where it inherits, or does not exist"`
	InheritFromParent bool    `json:"inheritFromParent"`
	Message           string  `json:"message" doc:"a short sentence, not part of the contract"`
	Code              string  `json:"code,omitempty" enum:"not-found"`
}

// UpdateAccess sets who may enter folders and what stands in them.
func (f *Folders) UpdateAccess(ctx context.Context, req *UpdateFolderAccess) (*rpc.Success[rpc.Keyed[FolderAccess]], error) {
	entries, err := f.store.SetAccess(ctx, rpc.CallerFrom(ctx).WorkspaceID, req.OrganizationID, req.FolderIDs, rpc.TextOf(req.AccessType))
	if err != nil {
		return nil, err
	}
	view := func(e directory.Entry) rpc.KeyedEntry[FolderAccess] {
		v := FolderAccess{Success: e.Success(), Message: "The folder does not exist.", Code: e.Code}
		if e.Success() {
			v.AccessType, v.InheritFromParent, v.Message = req.AccessType, req.InheritFromParent, "Access updated."
		}
		return rpc.KeyedEntry[FolderAccess]{Key: e.ID, Value: v}
	}
	return rpc.Succeed("Access updated.", rpc.Keyed[FolderAccess](rpc.Each(entries, view))), nil
}

var folderSentences = sentences{
	directory.CodeNotFound:      "The folder, or the one that it shall stand in, does not exist.",
	directory.CodeAlreadyExists: "A folder has this id already.",
	directory.CodeCycle:         "The folder would stand in itself, or deeper than 20 folders.",
}
