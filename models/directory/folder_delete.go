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

const (
	// holdBelow keeps writers out of the documents of folders, and returns the ids of those that somebody holds already,
	// for whom nobody waits.
	holdBelow = `
WITH held AS (
    SELECT key FROM document_rows WHERE folder_key = ANY($1) AND document_id IS NOT NULL FOR UPDATE SKIP LOCKED
)
SELECT document_id FROM document_rows WHERE key = ANY(ARRAY(
    SELECT key FROM document_rows WHERE folder_key = ANY($1) AND document_id IS NOT NULL EXCEPT SELECT key FROM held))`
	idsBelow    = `SELECT document_id AS id FROM document_rows WHERE folder_key = ANY(%s) AND document_id IS NOT NULL`
	freeFolders = `UPDATE folders SET folder_id = NULL WHERE key = ANY($1)`
)

// Delete removes a folder with the folders and documents in it. They are gone for
// everybody at once, and their ids are free; a job takes the ids from the documents and
// removes the rows. Errors: NOT_FOUND of the organization or the folder.
func (s *Folders) Delete(ctx context.Context, workspaceID, organizationID, folderID string) error {
	return s.inOrganization(ctx, workspaceID, Container{OrganizationID: organizationID}, func(tx *pg.Tx, organization int64) error {
		folders, err := collect[int64](ctx, tx, lockSubtree, organization, folderID)
		if err != nil {
			return err
		}
		if len(folders) == 0 {
			return fault.NotFoundResource("folder", folderID)
		}
		if err := removeBelow(ctx, tx, workspaceID, organizationID, folders); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, freeFolders, folders); err != nil {
			return err
		}
		return QueueRemoval(ctx, tx, workspaceID, Removal{Folders: folders})
	})
}

// removeBelow marks the subjects of the documents in folders as removed. In a document that nobody holds nobody is making
// one, so those that are there are all.
func removeBelow(ctx context.Context, tx *pg.Tx, workspaceID, organizationID string, folders []int64) error {
	busy, err := collect[string](ctx, tx, holdBelow, folders)
	if err != nil {
		return err
	}
	if err := subject.RemoveListed(ctx, tx, workspaceID, organizationID, idsBelow, folders); err != nil || len(busy) == 0 {
		return err
	}
	return subject.RemoveDocuments(ctx, tx, workspaceID, organizationID, busy)
}
