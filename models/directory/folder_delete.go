package directory

import (
	"context"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/subject"
)

// lockSubtree finds a folder and what stands below it and waits for those who are
// about to put something into any of them, who hold it FOR KEY SHARE.
const lockSubtree = `
WITH RECURSIVE below (key) AS (
    SELECT key FROM folders WHERE organization_key = $1 AND folder_id = $2
    UNION ALL
    SELECT f.key FROM below b JOIN folders f ON f.parent_key = b.key WHERE f.folder_id IS NOT NULL
)
SELECT f.key FROM folders f WHERE f.key IN (SELECT key FROM below) ORDER BY f.key FOR UPDATE`

// freeFolders and freeDocuments take the callers' ids, so nobody finds the rows any
// more. Documents are locked in the order of their keys; who writes into one holds
// it FOR KEY SHARE and is not waited for.
const (
	freeFolders   = `UPDATE folders SET folder_id = NULL WHERE key = ANY($1)`
	freeDocuments = `
WITH gone AS (
    SELECT key, document_id FROM documents WHERE folder_key = ANY($1) AND document_id IS NOT NULL ORDER BY key FOR NO KEY UPDATE
)
UPDATE documents d SET document_id = NULL FROM gone WHERE d.key = gone.key RETURNING gone.document_id`
)

// Delete removes a folder with the folders and documents in it. They are gone for
// everybody at once, and their ids are free; a job removes the rows. Errors:
// NOT_FOUND of the organization or the folder.
func (s *Folders) Delete(ctx context.Context, workspaceID, organizationID, folderID string) error {
	return s.inOrganization(ctx, workspaceID, Container{OrganizationID: organizationID}, func(tx *pg.Tx, organization int64) error {
		folders, err := collect[int64](ctx, tx, lockSubtree, organization, folderID)
		if err != nil {
			return err
		}
		if len(folders) == 0 {
			return fault.NotFoundResource("folder", folderID)
		}
		if _, err := tx.Exec(ctx, freeFolders, folders); err != nil {
			return err
		}
		documents, err := collect[string](ctx, tx, freeDocuments, folders)
		if err != nil {
			return err
		}
		if err := subject.RemoveDocuments(ctx, tx, workspaceID, organizationID, documents); err != nil {
			return err
		}
		return QueueRemoval(ctx, tx, workspaceID, Removal{Folders: folders})
	})
}
