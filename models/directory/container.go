package directory

import (
	"context"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/internal/pg"
)

// Container names an organization and, at most, a folder or a document in it;
// what is missing is made where the caller wants it.
type Container struct {
	OrganizationID, FolderID, DocumentID             string
	CreateOrganization, CreateFolder, CreateDocument bool
}

// Scope is a container whose rows are held until the end of the transaction.
// A key is nil where the container does not name the thing.
type Scope struct {
	Organization     int64
	folder, Document *int64
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
		at.folder, err = c.openInside(ctx, tx, workspaceID, at.Organization, folderRows, c.FolderID, c.CreateFolder)
	case c.DocumentID != "":
		at.Document, err = c.openInside(ctx, tx, workspaceID, at.Organization, documentRows, c.DocumentID, c.CreateDocument)
	default:
	}
	return at, err
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

var (
	folderRows = insideRows{
		"folder", `SELECT key FROM folders WHERE organization_key = $1 AND folder_id = $2 FOR KEY SHARE`,
		func(ctx context.Context, tx *pg.Tx, workspaceID string, organization int64, callersID string) error {
			_, err := tx.Exec(ctx, `
INSERT INTO folders (workspace_id, organization_key, folder_id, name, default_access)
SELECT $1, $2, $3, $3, w.default_access FROM workspaces w WHERE w.id = $1
ON CONFLICT (organization_key, folder_id) WHERE folder_id IS NOT NULL DO NOTHING`, workspaceID, organization, callersID)
			return err
		},
	}
	documentRows = insideRows{
		"document", `SELECT key FROM documents WHERE organization_key = $1 AND document_id = $2 FOR KEY SHARE`,
		func(ctx context.Context, tx *pg.Tx, workspaceID string, organization int64, callersID string) error {
			_, reserved, err := createDocuments(ctx, tx, workspaceID, Scope{Organization: organization}, []Properties{{ID: callersID}})
			if err == nil && reserved[callersID] {
				return reservedID(reasonInMigration)
			}
			return err
		},
	}
)

// openInside finds a folder or a document, and makes it where the caller wants
// that.
func (c Container) openInside(ctx context.Context, tx *pg.Tx, workspaceID string, organization int64, rows insideRows, callersID string, create bool) (*int64, error) {
	find := func() (key int64, err error) {
		err = tx.QueryRow(ctx, rows.find, organization, callersID).Scan(&key)
		return key, err
	}
	key, err := find()
	if pg.IsNoRow(err) && create {
		if err = rows.create(ctx, tx, workspaceID, organization, callersID); err == nil {
			key, err = find()
		}
	}
	if pg.IsNoRow(err) {
		return nil, fault.NotFoundResource(rows.resource, callersID)
	}
	return &key, err
}
