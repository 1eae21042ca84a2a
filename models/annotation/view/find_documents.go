package view

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
)

// belowFolder are the keys of a folder and of all folders below it.
const belowFolder = `(
    WITH RECURSIVE below (key) AS (
        SELECT f.key FROM folders f WHERE f.organization_key = o.key AND f.folder_id = %s
        UNION ALL
        SELECT f.key FROM below b JOIN folders f ON f.parent_key = b.key WHERE f.folder_id IS NOT NULL
    )
    SELECT key FROM below)`

// findDocuments returns the keys of the documents in which a search looks: those that are
// there, and that its viewer may read.
func findDocuments(ctx context.Context, tx *pg.Tx, workspaceID string, s Search) (keys []int64, err error) {
	q := pg.NewConditions(workspaceID)
	q.And("o.organization_id = %s", s.OrganizationID)
	if len(s.DocumentIDs) > 0 {
		q.And("d.document_id = ANY(%s)", s.DocumentIDs)
	}
	if s.FolderID != "" && s.FolderID != directory.TopFolder {
		q.And("d.folder_key = ANY(ARRAY"+belowFolder+")", s.FolderID)
	}
	rows, err := tx.Query(ctx, `SELECT d.key, o.key FROM organizations o JOIN documents d ON d.organization_key = o.key
WHERE o.workspace_id = $1`+q.Text(), q.Args...)
	if err != nil {
		return nil, err
	}
	var key, organization int64
	if _, err = pgx.ForEachRow(rows, []any{&key, &organization}, func() error {
		keys = append(keys, key)
		return nil
	}); err != nil || s.Viewer == "" || len(keys) == 0 {
		return keys, err
	}
	access, err := directory.ReadAccess(ctx, tx, organization, keys, []string{s.Viewer})
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(keys, func(key int64) bool { return !access.Decide(key, s.Viewer).Read }), nil
}
