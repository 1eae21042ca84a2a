package directory

import (
	"context"
	"slices"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/internal/pg"
)

// moveDocuments leaves those alone that are in the folder already.
const moveDocuments = `
UPDATE documents SET folder_key = $2, updated_at = clock_timestamp() WHERE key = ANY($1) AND folder_key IS DISTINCT FROM $2`

// Move puts documents into a folder of their organization, or out of all folders
// (TopFolder), all or none. What they inherit is that of the new folder at once.
// Errors: NOT_FOUND organization, folder, or documents, with the ids of those that
// are not there.
func (s *Documents) Move(ctx context.Context, workspaceID, organizationID, folderID string, ids []string) error {
	to := Container{OrganizationID: organizationID, FolderID: folderID}
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		at, err := to.openFolder(ctx, tx, workspaceID)
		if err != nil {
			return err
		}
		held, err := lockThings(ctx, tx, lockDocuments, at.Organization, ids)
		if err != nil {
			return err
		}
		missing := slices.DeleteFunc(pg.Distinct(ids), func(id string) bool { return held[id] != nil })
		if len(missing) > 0 {
			unknown := fault.NotFound("document")
			unknown.Details.DocumentIDs = missing
			return unknown
		}
		_, err = tx.Exec(ctx, moveDocuments, held.keys(), at.folder)
		return err
	})
}
