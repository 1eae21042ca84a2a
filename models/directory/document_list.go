package directory

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/list"
	"github.com/redline-svc/redline/models/internal/pg"
)

// DocumentView is a document as read. FolderID is nil outside of all folders,
// Access the type that holds, wherever it is set, and Inherits says that it is not
// set on the document. Extra are the caller's own keys as a JSON object, empty
// without any.
type DocumentView struct {
	ID, Name             string
	FolderID             *string
	Access               string
	Inherits             bool
	CreatedAt, UpdatedAt time.Time
	// Disabled is the document's own switch, OrganizationDisabled that of all documents.
	Disabled, OrganizationDisabled bool
	Extra                          []byte

	key, organization int64
}

// DocumentFilter names the organization and narrows: to ids, and to what is
// directly in a folder, or with TopFolder in none. What is empty does not narrow.
type DocumentFilter struct {
	OrganizationID string   `json:"organizationId"`
	IDs            []string `json:"ids"`
	FolderID       string   `json:"folderId"`
	// Conditions are those to which documents have to keep.
	Conditions []Condition `json:"conditions"`
}

// DocumentPosition is where a page of documents ended.
type DocumentPosition = list.Position

// DocumentPage is a page of documents, newest first.
type DocumentPage = list.Page[DocumentView, DocumentPosition]

var newestDocument = list.Descending("d.created_at", "d.document_id")

// documentBytes is about how large a document is in an answer, beside what its
// members are called.
const documentBytes = `300 + octet_length(p.document_id) + octet_length(p.name) + coalesce(octet_length(p.folder_id), 0)
 + coalesce(octet_length(p.extra::text), 0)`

const documentColumns = `
SELECT d.document_id, d.name, f.folder_id, d.access IS NULL AS inherits, d.created_at, d.updated_at, d.extra, d.key, d.organization_key,
       d.disabled, (SELECT o.disabled FROM organizations o WHERE o.key = d.organization_key) AS organization_disabled
FROM documents d LEFT JOIN folders f ON f.key = d.folder_key WHERE d.workspace_id = $1`

// Get reads the documents that are there; of what is not known an empty page.
func (s *Documents) Get(ctx context.Context, workspaceID string, f DocumentFilter, after *DocumentPosition, size int) (*DocumentPage, error) {
	read := f.read
	if len(f.Conditions) > 0 {
		read = f.matching
	}
	var page *DocumentPage
	err := s.db.Read(ctx, func(tx *pg.Tx) (err error) {
		if page, err = read(ctx, tx, workspaceID, after, size); err != nil {
			return err
		}
		return readEffective(ctx, tx, page.Items)
	})
	return page, err
}

// read reads a page of the documents, whatever conditions there are.
func (f DocumentFilter) read(ctx context.Context, tx *pg.Tx, workspaceID string, after *DocumentPosition, size int) (*DocumentPage, error) {
	query, args := f.query(workspaceID, after, size)
	rows, err := tx.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	var found list.Found[DocumentView, DocumentPosition]
	err = found.Collect(func(row pgx.CollectableRow) (DocumentView, DocumentPosition, error) {
		var v DocumentView
		err := row.Scan(&v.ID, &v.Name, &v.FolderID, &v.Inherits, &v.CreatedAt, &v.UpdatedAt, &v.Extra, &v.key, &v.organization, &v.Disabled, &v.OrganizationDisabled,
			&found.Count, nil, nil)
		return v, list.PositionOf(v.CreatedAt, v.ID), err
	})(rows)
	if err != nil {
		return nil, err
	}
	return found.Page(), nil
}

// OrganizationOf is the key of an organization by the caller's id, in a list of the
// workspace $1.
const OrganizationOf = `(SELECT o.key FROM organizations o WHERE o.workspace_id = $1 AND o.organization_id = %s)`

// conditions are those of the documents in a list of the workspace.
func (f DocumentFilter) conditions(workspaceID string) *pg.Conditions {
	q := pg.NewConditions(workspaceID)
	q.And("d.organization_key = "+OrganizationOf, f.OrganizationID)
	if len(f.IDs) > 0 {
		q.And("d.document_id = ANY(%s)", f.IDs)
	}
	switch f.FolderID {
	case "":
	case TopFolder:
		q.And("d.folder_key IS NULL")
	default:
		q.And("d.folder_key = (SELECT u.key FROM folders u WHERE u.organization_key = "+OrganizationOf+" AND u.folder_id = %s)",
			f.OrganizationID, f.FolderID)
	}
	return q
}

// query is the statement of a page.
func (f DocumentFilter) query(workspaceID string, after *DocumentPosition, size int) (string, []any) {
	q := f.conditions(workspaceID)
	if after != nil {
		newestDocument.After(q, after.Values()...)
	}
	return newestDocument.Fit(q, newestDocument.First(q, documentColumns, size), documentBytes, size), q.Args
}

// readEffective fills which access type holds for the documents, all of one
// organization.
func readEffective(ctx context.Context, tx *pg.Tx, documents []DocumentView) error {
	if len(documents) == 0 {
		return nil
	}
	keys := make([]int64, len(documents))
	for i, d := range documents {
		keys[i] = d.key
	}
	access, err := ReadAccess(ctx, tx, documents[0].organization, keys, nil)
	if err != nil {
		return err
	}
	for i, d := range documents {
		documents[i].Access = string(access.Effective(d.key))
	}
	return nil
}
