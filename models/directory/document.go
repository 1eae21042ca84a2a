package directory

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/subject"
)

// MaxDocument bounds what is known of a document as JSON, in bytes, after a merge
// too.
const MaxDocument = 32 << 10

// TopFolder is the word for the top of an organization; no folder has it.
const TopFolder = "root"

// Documents stores documents. Each holds an organization's row before anything in
// it, and several documents in the order of their keys.
type Documents struct{ db *pg.DB }

// NewDocuments makes the store.
func NewDocuments(db *pg.DB) *Documents { return &Documents{db: db} }

func documentItem(workspaceID, organizationID string) func(string) string {
	return func(id string) string { return secret.DerivedID(workspaceID, "document", organizationID, id) }
}

// insertDocuments makes those that are not there and whose ids no migration has
// reserved, in the order of their ids, so that two calls wait for one another instead
// of each other.
const insertDocuments = `
INSERT INTO document_rows (workspace_id, organization_key, folder_key, document_id, name, access, extra, default_access)
SELECT $1, $2, $3, n.id, n.name, n.access, n.extra::json, w.default_access
FROM workspaces w CROSS JOIN unnest($4::text[], $5::text[], $6::text[], $7::text[]) AS n (id, name, access, extra)
WHERE w.id = $1 AND NOT EXISTS (SELECT 1 FROM document_migrations m WHERE m.organization_key = $2 AND m.new_document_id = n.id AND m.open)
ORDER BY n.id COLLATE "C"
ON CONFLICT (organization_key, document_id) WHERE document_id IS NOT NULL DO NOTHING RETURNING document_id`

const reservedIDs = `SELECT new_document_id FROM document_migrations WHERE organization_key = $1 AND new_document_id = ANY($2) AND open`

// freeHidden takes ids from documents of deleted folders, which nobody finds, and returns them. What is about them goes
// with removeSubjects.
const freeHidden = `
WITH gone AS (
    SELECT d.key, d.document_id FROM document_rows d WHERE d.organization_key = $1 AND d.document_id = ANY($2)
      AND EXISTS (SELECT FROM folders f WHERE f.key = d.folder_key AND f.folder_id IS NULL) ORDER BY d.key FOR NO KEY UPDATE
)
UPDATE document_rows d SET document_id = NULL FROM gone WHERE d.key = gone.key RETURNING gone.document_id`

// createDocuments makes the documents that are not there, in the folder of the
// scope or at the top, and returns the ids of those, and the ids that are reserved by
// migrations. Every document is made here.
func createDocuments(ctx context.Context, tx *pg.Tx, workspaceID string, at Scope, all []Properties) (created, reserved map[string]bool, err error) {
	c := newColumns(all)
	var hidden, made, taken []string
	b := &pgx.Batch{}
	b.Queue(lockIDs, at.Organization, c.ids)
	b.Queue(freeHidden, at.Organization, c.ids).Query(collectInto(&hidden))
	b.Queue(insertDocuments, workspaceID, at.Organization, at.folder, c.ids, c.names, c.access, c.extras).Query(collectInto(&made))
	b.Queue(reservedIDs, at.Organization, c.ids).Query(collectInto(&taken))
	if err = tx.SendBatch(ctx, b).Close(); err == nil {
		err = removeSubjects(ctx, tx, workspaceID, organizationOfKey, at.Organization, hidden, subject.RemoveDocuments)
	}
	return setOf(made), setOf(taken), err
}

// openFolder opens the organization of the container with its folder, which may be
// none. Whoever puts documents into a folder holds off changes of folders: one that
// is being deleted takes its documents with it, and none may come behind it.
func (c Container) openFolder(ctx context.Context, tx *pg.Tx, workspaceID string) (Scope, error) {
	lock := LockPeople
	if c.FolderID == "" || c.FolderID == TopFolder {
		c.FolderID, lock = "", LockStay
	}
	return c.open(ctx, tx, workspaceID, lock)
}

// Add makes documents in the container's folder, or at the top where it names none.
// One that is there stays as it is and has the entry already-exists, one whose id a
// migration has reserved has in-progress. No id is among them twice. Errors:
// NOT_FOUND of what may not be made.
func (s *Documents) Add(ctx context.Context, workspaceID string, c Container, all []Properties) ([]Entry, error) {
	var created, reserved map[string]bool
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		at, err := c.openFolder(ctx, tx, workspaceID)
		if err != nil {
			return err
		}
		created, reserved, err = createDocuments(ctx, tx, workspaceID, at, all)
		return err
	})
	if err != nil {
		return nil, err
	}
	entries := EntriesOf(idsOfProperties(all), created, CodeAlreadyExists, documentItem(workspaceID, c.OrganizationID))
	return inProgress(entries, reserved), nil
}

// lockDocuments holds off other changes of the documents themselves; who writes
// into them does not wait.
const lockDocuments = `
SELECT key, document_id, name, access, extra FROM documents
WHERE organization_key = $1 AND document_id = ANY($2) ORDER BY key FOR NO KEY UPDATE`

// change holds the documents of an organization that are there and has do change
// them; it is not called for none. Each id has an entry, not-found where there is
// no document. Error: NOT_FOUND organization.
func (s *Documents) change(ctx context.Context, workspaceID, organizationID string, ids []string,
	do func(tx *pg.Tx, held heldThings) error,
) ([]Entry, error) {
	var held heldThings
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		organization, err := Container{OrganizationID: organizationID}.OpenOrganization(ctx, tx, workspaceID, LockStay)
		if err != nil {
			return err
		}
		if held, err = lockThings(ctx, tx, lockDocuments, organization, ids); err != nil || len(held) == 0 {
			return err
		}
		return do(tx, held)
	})
	if err != nil {
		return nil, err
	}
	return EntriesOf(ids, held, CodeNotFound, documentItem(workspaceID, organizationID)), nil
}

const updateDocuments = `
UPDATE documents d SET name = n.name, extra = n.extra::json, updated_at = clock_timestamp()
FROM unnest($1::bigint[], $2::text[], $3::text[]) AS n (key, name, extra) WHERE d.key = n.key`

// Update merges names and the caller's own keys into the documents that are there.
// Errors: NOT_FOUND organization; INVALID_ARGUMENT when one would become too large.
func (s *Documents) Update(ctx context.Context, workspaceID, organizationID string, changes []Properties) ([]Entry, error) {
	return s.change(ctx, workspaceID, organizationID, idsOfProperties(changes), func(tx *pg.Tx, held heldThings) error {
		keys, c, err := held.merge(changes, "documents", MaxDocument)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, updateDocuments, keys, c.names, c.extras)
		return err
	})
}

// SetAccess sets the access type of the documents that are there; nil lets what is
// above them decide. Error: NOT_FOUND organization.
func (s *Documents) SetAccess(ctx context.Context, workspaceID, organizationID string, ids []string, access *string) ([]Entry, error) {
	return s.change(ctx, workspaceID, organizationID, ids, func(tx *pg.Tx, held heldThings) error {
		_, err := tx.Exec(ctx, `UPDATE documents SET access = $2, updated_at = clock_timestamp() WHERE key = ANY($1)`, held.keys(), access)
		return err
	})
}

// Delete takes the ids from the documents that are there: nobody finds them any
// more, nor anything in them, which is found through them alone. So it costs the
// same whatever they hold; a job removes that. One on its way to another id stays and
// has the entry in-progress. Error: NOT_FOUND organization.
func (s *Documents) Delete(ctx context.Context, workspaceID, organizationID string, ids []string) ([]Entry, error) {
	var migrating map[string]bool
	entries, err := s.change(ctx, workspaceID, organizationID, ids, func(tx *pg.Tx, held heldThings) (err error) {
		if migrating, err = idsOf(ctx, tx, `SELECT d.document_id FROM document_migrations m JOIN documents d ON d.key = m.document_key
WHERE m.document_key = ANY($1) AND m.open`, held.keys()); err != nil {
			return err
		}
		for id := range migrating {
			delete(held, id)
		}
		if _, err := tx.Exec(ctx, `UPDATE documents SET document_id = NULL WHERE key = ANY($1)`, held.keys()); err != nil {
			return err
		}
		if err := subject.RemoveDocuments(ctx, tx, workspaceID, organizationID, held.ids()); err != nil {
			return err
		}
		return QueueRemoval(ctx, tx, workspaceID, Removal{Documents: held.keys()})
	})
	return inProgress(entries, migrating), err
}
