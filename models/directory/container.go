package directory

import (
	"context"
	"fmt"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/internal/pg"
)

// Container names an organization and, at most, a folder or a document in it;
// what is missing is made where the caller wants it. A folder that is made is in the parent,
// TopFolder or empty for the top.
type Container struct {
	OrganizationID, FolderID, DocumentID, ParentID   string
	CreateOrganization, CreateFolder, CreateDocument bool
}

// Scope is a container whose rows are held until the end of the transaction.
// A key is nil where the container does not name the thing.
type Scope struct {
	Organization     int64
	folder, Document *int64

	shut bool
}

// Locks on an organization's row. Whoever changes its people or its folders
// holds it for change, so such calls follow one another; comments hold it
// against deletion only.
const (
	LockPeople = "FOR NO KEY UPDATE"
	LockStay   = "FOR KEY SHARE"
)

// open finds the container and makes what may be made. Two transactions that
// make the same thing end up with one. Errors: NOT_FOUND with the resource.
func (c Container) open(ctx context.Context, tx *pg.Tx, workspaceID, lock string) (Scope, error) {
	organization, err := c.OpenOrganization(ctx, tx, workspaceID, lock)
	if err != nil {
		return Scope{}, err
	}
	return c.OpenRest(ctx, tx, workspaceID, organization)
}

// OpenRest finds or makes the folder or the document, once the organization's row is
// locked.
func (c Container) OpenRest(ctx context.Context, tx *pg.Tx, workspaceID string, organization int64) (Scope, error) {
	at := Scope{Organization: organization}
	var err error
	switch {
	case c.FolderID != "":
		at.folder, _, err = c.openInside(ctx, tx, workspaceID, at.Organization, c.folderRows(), c.FolderID, c.CreateFolder)
	case c.DocumentID != "":
		at.Document, at.shut, err = c.openInside(ctx, tx, workspaceID, at.Organization, documentRows, c.DocumentID, c.CreateDocument)
	default:
	}
	return at, err
}

// EnterRest is OpenRest for what nobody does where access is switched off. Whoever switches it
// off waits for those who have entered. Error: FAILED_PRECONDITION (access-disabled).
func (c Container) EnterRest(ctx context.Context, tx *pg.Tx, workspaceID string, organization int64) (Scope, error) {
	at, err := c.OpenRest(ctx, tx, workspaceID, organization)
	if err == nil && c.DocumentID == "" {
		err = tx.QueryRow(ctx, `SELECT disabled FROM organizations WHERE key = $1`, organization).Scan(&at.shut)
	}
	if err != nil || !at.shut {
		return at, err
	}
	refused := fault.FailedPrecondition("access-disabled", "access to the document, or to its organization, is switched off")
	refused.Details.Members = shape.Encode(struct {
		OrganizationID string  `json:"organizationId"`
		DocumentID     *string `json:"documentId"`
	}{c.OrganizationID, pg.Optional(c.DocumentID)})
	return at, refused
}

// OpenOrganization finds the organization, locks its row and returns its key; it makes
// the organization where the caller wants that. Error: NOT_FOUND.
func (c Container) OpenOrganization(ctx context.Context, tx *pg.Tx, workspaceID, lock string) (int64, error) {
	find := func() (key int64, err error) {
		err = tx.QueryRow(ctx, `SELECT key FROM organizations WHERE workspace_id = $1 AND organization_id = $2 `+lock,
			workspaceID, c.OrganizationID).Scan(&key)
		return key, err
	}
	key, err := find()
	if pg.IsNoRow(err) && c.CreateOrganization {
		if _, err = createOrganizations(ctx, tx, workspaceID, []Properties{{ID: c.OrganizationID}}); err == nil {
			key, err = find()
		}
	}
	if pg.IsNoRow(err) {
		err = fault.NotFoundResource("organization", c.OrganizationID)
	}
	return key, err
}

// insideRows are the statements about what an organization holds, by hand for
// their lock order: first the organization, then what is in it. create makes one
// at the top of the organization, whose name is its id, unless it is there.
type insideRows struct {
	resource, find string
	create         func(ctx context.Context, tx *pg.Tx, workspaceID string, organization int64, callersID string) error
}

// folderRows make a folder in the parent of the container.
func (c Container) folderRows() insideRows {
	parent := c.ParentID
	if parent == TopFolder {
		parent = ""
	}
	return insideRows{
		"folder", `SELECT key, false FROM folders WHERE organization_key = $1 AND folder_id = $2 FOR KEY SHARE`,
		func(ctx context.Context, tx *pg.Tx, workspaceID string, organization int64, callersID string) error {
			var code string
			err := tx.QueryRow(ctx, addFolder, workspaceID, organization, callersID, nil, parent, nil, MaxFolderDepth).Scan(&code)
			switch {
			case err != nil:
				return err
			case code == CodeNotFound:
				return fault.NotFoundResource("folder", parent)
			case code == CodeCycle:
				return fault.FailedPrecondition("folder-depth", fmt.Sprintf("at most %d folders stand in one another", MaxFolderDepth))
			default:
				return nil
			}
		},
	}
}

var documentRows = insideRows{
	"document", `SELECT d.key, d.disabled OR o.disabled FROM documents d JOIN organizations o ON o.key = d.organization_key
WHERE d.organization_key = $1 AND d.document_id = $2 FOR KEY SHARE OF d`,
	func(ctx context.Context, tx *pg.Tx, workspaceID string, organization int64, callersID string) error {
		_, reserved, err := createDocuments(ctx, tx, workspaceID, Scope{Organization: organization}, []Properties{{ID: callersID}})
		if err == nil && reserved[callersID] {
			return reservedID(reasonInMigration)
		}
		return err
	},
}

// openInside finds a folder or a document, and makes it where the caller wants
// that. Shut means that access to it is switched off.
func (c Container) openInside(ctx context.Context, tx *pg.Tx, workspaceID string, organization int64, rows insideRows, callersID string, create bool) (at *int64, shut bool, err error) {
	var key int64
	find := func() error { return tx.QueryRow(ctx, rows.find, organization, callersID).Scan(&key, &shut) }
	err = find()
	if pg.IsNoRow(err) && create {
		if err = rows.create(ctx, tx, workspaceID, organization, callersID); err == nil {
			err = find()
		}
	}
	if pg.IsNoRow(err) {
		return nil, false, fault.NotFoundResource(rows.resource, callersID)
	}
	return &key, shut, err
}
