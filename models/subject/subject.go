package subject

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/pg"
)

// Keys are the subjects that something is about; nil where it is about none.
type Keys struct{ Organization, Document *int64 }

// Open is a statement, as part of others' too, that finds or makes the subjects of a
// workspace's ids, which may be NULL, and gives their keys in two columns.
const Open = `SELECT o.organization_key, o.document_key FROM open_subjects($1, $2, $3) o`

// Queue finds or makes the subjects of ids, in the transaction of the batch. Empty ids
// are none, and without any nothing is queued. SQL by hand: it has no trip of its own.
func (k *Keys) Queue(b *pgx.Batch, workspaceID, organizationID, documentID string) {
	if organizationID == "" && documentID == "" {
		return
	}
	b.Queue(Open, workspaceID, pg.Optional(organizationID), pg.Optional(documentID)).
		QueryRow(func(row pgx.Row) error { return row.Scan(&k.Organization, &k.Document) })
}

// ID is the text of an expression: the caller's id of the subject whose key the column
// has, NULL for none.
func ID(column string) string { return `(SELECT n.id FROM subjects n WHERE n.key = ` + column + `)` }

// Shown is the text of a condition: neither the organization nor the document whose
// keys the columns have is removed. NULL is no subject. It looks up both for each row,
// whatever the planner thinks of the table.
func Shown(organization, document string) string {
	return stands(organization) + ` AND ` + stands(document)
}

func stands(column string) string {
	return `coalesce((SELECT r.removed_at IS NULL FROM subjects r WHERE r.key = ` + column + `), true)`
}

// Rename gives a document another id: from the commit on everything about it is found
// under the new id, and nothing under the old one, which is free. What is about the
// new id already is found under it as before. Whoever writes about a document at this
// moment and has found it goes along. The function is called by hand: it waits for
// those who make one of the two ids, and tries again.
func Rename(ctx context.Context, tx *pg.Tx, workspaceID, organizationID, documentID, newDocumentID string) error {
	_, err := tx.Exec(ctx, `SELECT rename_subject($1, $2, $3, $4)`, workspaceID, organizationID, documentID, newDocumentID)
	return err
}

// RemoveDocuments marks documents of an organization as removed: their ids are free,
// and a later use makes new subjects. Its cost is that of so many rows, whatever is
// about them.
func RemoveDocuments(ctx context.Context, tx *pg.Tx, workspaceID, organizationID string, documentIDs []string) error {
	_, err := tx.Exec(ctx, `SELECT remove_subjects($1, subject_key($1, NULL, $2), $3)`, workspaceID, organizationID, documentIDs)
	return err
}

// RemoveKnown is RemoveDocuments for ids of which the caller sees to it that nobody is making one: those that nothing is
// about get no row.
func RemoveKnown(ctx context.Context, tx *pg.Tx, workspaceID, organizationID string, documentIDs []string) error {
	_, err := tx.Exec(ctx, removeKnown, workspaceID, organizationID, documentIDs)
	return err
}

// removeKnown looks up each id by itself, and locks the rows in the order of their keys, as all do who remove several.
const removeKnown = `
UPDATE subjects SET current = false, removed_at = clock_timestamp() WHERE key = ANY (ARRAY(
    SELECT g.key FROM subjects g WHERE g.key = ANY (ARRAY(
        SELECT s.key FROM unnest($3::text[]) known (id) CROSS JOIN LATERAL (
            SELECT d.key FROM subjects d WHERE d.workspace_id = $1 AND d.id = known.id AND d.removed_at IS NULL
              AND d.parent_key = (SELECT o.key FROM subjects o WHERE o.workspace_id = $1 AND o.parent_key IS NULL AND o.id = $2 AND o.current)
            OFFSET 0) s)) AND g.removed_at IS NULL
    ORDER BY g.key FOR NO KEY UPDATE))`

// RemoveOrganizations marks organizations as removed, with all documents in them. No
// row of a document is touched, so it costs as much for any number of them.
func RemoveOrganizations(ctx context.Context, tx *pg.Tx, workspaceID string, organizationIDs []string) error {
	_, err := tx.Exec(ctx, `SELECT remove_subjects($1, NULL, $2)`, workspaceID, organizationIDs)
	return err
}
