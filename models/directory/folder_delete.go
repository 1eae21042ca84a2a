package directory

import (
	"context"
	"maps"
	"slices"
	"time"

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
	freeFolders = `UPDATE folders SET folder_id = NULL WHERE key = ANY($1)`
	// freedAtOnce is how many documents of a deleted folder one transaction frees.
	freedAtOnce = 1000
	// freeFor is how long a deletion frees documents itself. It is answered within five seconds, however many there are.
	freeFor = 4 * time.Second
)

// Delete removes a folder with the folders and documents in it. They are gone for
// everybody with one change of the folders, and their ids are free; a job takes the ids from the documents and
// removes the rows. It begins with the ids itself, portion by portion, so that what is about so many documents is hidden with
// the answer; what is left when its time is up, or when it dies, is the job's. Errors: NOT_FOUND of the organization or the folder.
func (s *Folders) Delete(ctx context.Context, workspaceID, organizationID, folderID string) error {
	folders, err := s.hide(ctx, workspaceID, organizationID, folderID)
	if err != nil {
		return err
	}
	for began := time.Now(); time.Since(began) < freeFor; {
		if !s.frees(ctx, workspaceID, folders) {
			break
		}
	}
	return nil
}

// frees some documents of deleted folders and reports whether there may be more. What fails is promised all the same.
func (s *Folders) frees(ctx context.Context, workspaceID string, folders []int64) (more bool) {
	freed, err := freeBelow(ctx, s.db, workspaceID, folders, freedAtOnce)
	return err == nil && freed > 0
}

// hide takes the ids from a folder and those below it, promises the rest, and returns their keys.
func (s *Folders) hide(ctx context.Context, workspaceID, organizationID, folderID string) (folders []int64, err error) {
	err = s.inOrganization(ctx, workspaceID, Container{OrganizationID: organizationID}, func(tx *pg.Tx, organization int64) error {
		if folders, err = collect[int64](ctx, tx, lockSubtree, organization, folderID); err != nil {
			return err
		}
		if len(folders) == 0 {
			return fault.NotFoundResource("folder", folderID)
		}
		if _, err := tx.Exec(ctx, freeFolders, folders); err != nil {
			return err
		}
		return QueueRemoval(ctx, tx, workspaceID, Removal{Folders: folders})
	})
	return folders, err
}

const (
	// someBelow holds off others who free documents, in the order in which they do.
	someBelow = `
SELECT d.document_id, d.key FROM document_rows d WHERE d.key = ANY(ARRAY(
    SELECT n.key FROM folders f CROSS JOIN LATERAL (
        SELECT key FROM document_rows WHERE organization_key = f.organization_key AND folder_key = f.key AND document_id IS NOT NULL LIMIT $2) n
    WHERE f.key = ANY($1) LIMIT $2)) AND d.document_id IS NOT NULL ORDER BY d.key FOR NO KEY UPDATE`
	isBelow = `SELECT EXISTS (SELECT FROM document_rows WHERE folder_key = ANY($1) AND document_id IS NOT NULL)`
	// unheld keeps writers out of documents, and returns the ids of those that nobody holds.
	unheld = `SELECT document_id FROM document_rows WHERE key = ANY($1) FOR UPDATE SKIP LOCKED`
)

// freeBelow frees some of the documents in deleted folders and returns how many; 0 when none has an id.
func freeBelow(ctx context.Context, db *pg.DB, workspaceID string, folders []int64, limit int) (freed int, err error) {
	for left := true; left && freed == 0 && err == nil; {
		err = db.InTx(ctx, func(tx *pg.Tx) error {
			below, err := keysOf[string](ctx, tx, someBelow, folders, limit)
			if err != nil {
				return err
			}
			if freed = len(below); freed == 0 { // somebody else may have been faster with all of them
				return tx.QueryRow(ctx, isBelow, folders).Scan(&left)
			}
			return freeDocuments(ctx, tx, workspaceID, folders[0], below)
		})
	}
	return freed, err
}

// freeDocuments takes their ids from held documents in a deleted folder, and marks the subjects of these as removed. In a document
// that nobody holds nobody is making one, so those that are there are all; for whoever holds one nobody waits.
func freeDocuments(ctx context.Context, tx *pg.Tx, workspaceID string, folder int64, below map[string]int64) error {
	keys := slices.Collect(maps.Values(below))
	free, err := idsOf(ctx, tx, unheld, keys)
	if err != nil {
		return err
	}
	var known, held []string
	for id := range below {
		if free[id] {
			known = append(known, id)
		} else {
			held = append(held, id)
		}
	}
	if err := removeSubjects(ctx, tx, workspaceID, folderOrganization, folder, known, subject.RemoveKnown); err != nil {
		return err
	}
	if err := removeSubjects(ctx, tx, workspaceID, folderOrganization, folder, held, subject.RemoveDocuments); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE document_rows SET document_id = NULL WHERE key = ANY($1)`, keys)
	return err
}

const (
	folderOrganization = `SELECT o.organization_id FROM folders f JOIN organizations o ON o.key = f.organization_key WHERE f.key = $1`
	organizationOfKey  = `SELECT organization_id FROM organizations WHERE key = $1`
)

// removeSubjects marks the subjects of documents as removed, by a function of package subject; those of a deleted organization are
// hidden by it. The organization's id is what a query with a key returns.
func removeSubjects(ctx context.Context, tx *pg.Tx, workspaceID, query string, key int64, ids []string,
	remove func(ctx context.Context, tx *pg.Tx, workspaceID, organizationID string, documentIDs []string) error,
) error {
	if len(ids) == 0 {
		return nil
	}
	var organizationID *string
	if err := tx.QueryRow(ctx, query, key).Scan(&organizationID); err != nil || organizationID == nil {
		return err
	}
	return remove(ctx, tx, workspaceID, *organizationID, ids)
}
