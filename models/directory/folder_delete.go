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

// hiddenAtOnce is how many folders one transaction deletes.
const hiddenAtOnce = 10_000

const (
	// topOf is a folder of an organization.
	topOf = `SELECT key FROM folders WHERE organization_key = $1 AND folder_id = $2`
	// standsBelow finds folders and what stands below them, those above first, up to a number.
	standsBelow = `
WITH RECURSIVE below (key) AS (
    SELECT key FROM folders WHERE key = ANY($1) AND folder_id IS NOT NULL
    UNION
    SELECT f.key FROM below b CROSS JOIN LATERAL (SELECT key FROM folders WHERE parent_key = b.key AND folder_id IS NOT NULL OFFSET 0) f
)
SELECT key FROM below LIMIT $2`
	// lockFolders waits for those who are about to put something into any of them, who hold it FOR KEY SHARE.
	lockFolders = `SELECT FROM folders WHERE key = ANY($1) ORDER BY key FOR UPDATE`
	freeFolders = `UPDATE folders SET folder_id = NULL WHERE key = ANY($1)`
	// freedAtOnce is how many documents of a deleted folder one transaction frees.
	freedAtOnce = 1000
	// deletedFor is for how long a deletion goes on itself. It is answered within five seconds, however much stands in the folder.
	deletedFor = 4 * time.Second
)

// Delete removes a folder with the folders and documents in it. They are gone for
// everybody with one change of the folders, and their ids are free; a job takes the ids from the documents and
// removes the rows. It begins with the ids itself, portion by portion, so that what is about so many documents is hidden with
// the answer; what is left when its time is up, or when it dies, is the job's. Where more than hiddenAtOnce folders stand in it they go
// in portions too, the deepest first, and it goes with the last one: the job does what the call leaves. Errors: NOT_FOUND of the
// organization or the folder.
func (s *Folders) Delete(ctx context.Context, workspaceID, organizationID, folderID string) error {
	began := time.Now()
	folders, top, err := s.hide(ctx, workspaceID, organizationID, folderID)
	if err != nil {
		return err
	}
	for more := top != 0; more && time.Since(began) < deletedFor; {
		some := s.hideMore(ctx, workspaceID, top)
		folders, more = append(folders, some...), len(some) > 0
	}
	for more := true; more && time.Since(began) < deletedFor; {
		more = s.frees(ctx, workspaceID, folders)
	}
	return nil
}

// hideMore deletes some of the folders that stand in one and returns their keys. What fails is promised all the same, here as in frees.
func (s *Folders) hideMore(ctx context.Context, workspaceID string, top int64) []int64 {
	folders, err := hideSome(ctx, s.db, workspaceID, top)
	if err != nil {
		return nil
	}
	return folders
}

// frees some documents of deleted folders and reports whether there may be more.
func (s *Folders) frees(ctx context.Context, workspaceID string, folders []int64) (more bool) {
	freed, err := freeBelow(ctx, s.db, workspaceID, folders, freedAtOnce)
	return err == nil && freed > 0
}

// hide deletes a folder and those below it, promises the rest, and returns their keys. Of too many it promises that all go, and
// returns the key of the folder.
func (s *Folders) hide(ctx context.Context, workspaceID, organizationID, folderID string) (folders []int64, top int64, err error) {
	err = s.inOrganization(ctx, workspaceID, Container{OrganizationID: organizationID}, func(tx *pg.Tx, organization int64) error {
		tops, err := collect[int64](ctx, tx, topOf, organization, folderID)
		if err != nil {
			return err
		}
		if len(tops) == 0 {
			return fault.NotFoundResource("folder", folderID)
		}
		if folders, err = collect[int64](ctx, tx, standsBelow, tops, hiddenAtOnce+1); err != nil {
			return err
		}
		if len(folders) <= hiddenAtOnce {
			return hideFolders(ctx, tx, workspaceID, folders)
		}
		folders, top = nil, tops[0]
		return QueueRemoval(ctx, tx, workspaceID, Removal{Tree: top})
	})
	return folders, top, err
}

// hideSome deletes some of the folders that stand in one which is deleted, or all of them with it, and returns their keys: those
// that stand deepest, with all below them. There are none once the folder is gone.
func hideSome(ctx context.Context, db *pg.DB, workspaceID string, top int64) (folders []int64, err error) {
	err = db.InTx(ctx, func(tx *pg.Tx) error {
		organization, err := collect[int64](ctx, tx, lockOrganizationOf, top)
		if err != nil || len(organization) == 0 {
			return err
		}
		for among := []int64{top}; ; among = folders[len(folders)/2:] {
			if folders, err = collect[int64](ctx, tx, standsBelow, among, hiddenAtOnce+1); err != nil {
				return err
			}
			if len(folders) <= hiddenAtOnce {
				return hideFolders(ctx, tx, workspaceID, folders)
			}
		}
	})
	return folders, err
}

// lockOrganizationOf holds the organization of a folder that is there.
const lockOrganizationOf = `
SELECT o.key FROM organizations o WHERE o.organization_id IS NOT NULL
   AND o.key = (SELECT organization_key FROM folders WHERE key = $1 AND folder_id IS NOT NULL) ` + LockPeople

// hideFolders takes the ids from folders, with which all that stands below them goes, and promises the rest.
func hideFolders(ctx context.Context, tx *pg.Tx, workspaceID string, folders []int64) error {
	for _, statement := range []string{lockFolders, freeFolders} {
		if _, err := tx.Exec(ctx, statement, folders); err != nil {
			return err
		}
	}
	return QueueRemoval(ctx, tx, workspaceID, Removal{Folders: folders})
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
