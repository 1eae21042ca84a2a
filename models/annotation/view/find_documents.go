package view

import (
	"context"

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
// there, and that its viewer may read. Of more than so many, unless that is nil, it only says that there are more.
func findDocuments(ctx context.Context, tx *pg.Tx, workspaceID string, s Search, most *int64) (keys []int64, many bool, err error) {
	q := pg.NewConditions(workspaceID)
	q.And("o.organization_id = %s", s.OrganizationID)
	if len(s.DocumentIDs) > 0 {
		q.And("d.document_id = ANY(%s)", s.DocumentIDs)
	}
	if len(s.IDs) > 0 {
		q.And("d.key = ANY(ARRAY(SELECT a.document_key FROM annotations a WHERE a.workspace_id = $1 AND a.annotation_id = ANY(%s)))", s.IDs)
	}
	if s.FolderID != "" && s.FolderID != directory.TopFolder {
		q.And("d.folder_key = ANY(ARRAY"+belowFolder+")", s.FolderID)
	}
	rows, err := tx.Query(ctx, `SELECT d.key, o.key FROM organizations o JOIN documents d ON d.organization_key = o.key
WHERE o.workspace_id = $1`+q.Text()+` LIMIT `+q.Value(most)+`::bigint + 1`, q.Args...)
	if err != nil {
		return nil, false, err
	}
	var key, organization int64
	if _, err = pgx.ForEachRow(rows, []any{&key, &organization}, func() error {
		keys = append(keys, key)
		return nil
	}); err != nil || len(keys) == 0 {
		return nil, false, err
	}
	if most != nil && int64(len(keys)) > *most {
		return nil, true, nil
	}
	if s.Viewer != "" {
		keys, err = directory.Readable(ctx, tx, organization, keys, s.Viewer)
	}
	return keys, false, err
}
