package directory

import (
	"context"

	"github.com/redline-svc/redline/models/internal/pg"
)

// Who writes into an organization or a document for users holds its row FOR KEY SHARE. Who
// switches access off or on waits for them, and they for it: each is committed before, or
// sees the other state.
const (
	lockToShutOrganizations = `
SELECT organization_id, key FROM organizations WHERE workspace_id = $1 AND organization_id = ANY($2) ORDER BY key FOR UPDATE`
	lockToShutDocuments = `
SELECT document_id, key FROM documents WHERE organization_key = $1 AND document_id = ANY($2) ORDER BY key FOR UPDATE`
)

// SetDisabled switches access to the organizations that are there off or on; the others have
// the entry not-found.
func (s *Organizations) SetDisabled(ctx context.Context, workspaceID string, ids []string, disabled bool) ([]Entry, error) {
	var found map[string]int64
	err := s.db.InTx(ctx, func(tx *pg.Tx) (err error) {
		if found, err = keysOf[string](ctx, tx, lockToShutOrganizations, workspaceID, ids); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE organizations SET disabled = $3 WHERE workspace_id = $1 AND organization_id = ANY($2) AND disabled <> $3`, workspaceID, ids, disabled)
		return err
	})
	return EntriesOf(ids, found, CodeNotFound, organizationItem(workspaceID)), err
}

// SetDisabled switches access to the documents that are there off or on; the others have the
// entry not-found. Error: NOT_FOUND organization.
func (s *Documents) SetDisabled(ctx context.Context, workspaceID, organizationID string, ids []string, disabled bool) ([]Entry, error) {
	var found map[string]int64
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		organization, err := Container{OrganizationID: organizationID}.OpenOrganization(ctx, tx, workspaceID, LockStay)
		if err != nil {
			return err
		}
		if found, err = keysOf[string](ctx, tx, lockToShutDocuments, organization, ids); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE documents SET disabled = $3 WHERE organization_key = $1 AND document_id = ANY($2) AND disabled <> $3`, organization, ids, disabled)
		return err
	})
	return EntriesOf(ids, found, CodeNotFound, documentItem(workspaceID, organizationID)), err
}

// IsShut reports whether access to a document, or to the organization in which it would be, is
// switched off; that to what is not there is not.
func (s *Documents) IsShut(ctx context.Context, workspaceID string, c Container) (shut bool, err error) {
	err = s.db.Pool.QueryRow(ctx, `
SELECT o.disabled OR coalesce(d.disabled, false) FROM organizations o LEFT JOIN documents d ON d.organization_key = o.key AND d.document_id = $3
WHERE o.workspace_id = $1 AND o.organization_id = $2`, workspaceID, c.OrganizationID, c.DocumentID).Scan(&shut)
	if pg.IsNoRow(err) {
		return false, nil
	}
	return shut, pg.Translate(err)
}
