package directory

import (
	"context"
	"encoding/json"

	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/job"
)

// Removal names what was deleted by the keys of its rows: organizations with all that
// is in them, folders with the documents in them, documents.
type Removal struct {
	Organizations []int64 `json:"organizations,omitempty"`
	Folders       []int64 `json:"folders,omitempty"`
	Documents     []int64 `json:"documents,omitempty"`
	// Tree is a folder that is there as long as others stand in it, which are deleted in portions and it with the last one.
	Tree int64 `json:"tree,omitempty"`
	// Users is how many left an organization: what goes with them is noted by those who
	// have it.
	Users int `json:"users,omitempty"`
	// Groups is how many user groups were deleted or emptied, likewise.
	Groups int `json:"groups,omitempty"`
}

func (r Removal) isEmpty() bool {
	return len(r.Organizations)+len(r.Folders)+len(r.Documents)+r.Users+r.Groups == 0 && r.Tree == 0
}

// QueueRemoval promises that the rows of what the transaction deletes will go.
func QueueRemoval(ctx context.Context, tx *pg.Tx, workspaceID string, of Removal) error {
	if of.isEmpty() {
		return nil
	}
	input, err := json.Marshal(of)
	if err != nil {
		return err
	}
	return job.Queue(ctx, tx, job.Job{WorkspaceID: workspaceID, ID: id.New(id.Removal), Kind: job.Removal, Input: input})
}

// Deleted removes the rows of what was deleted, in batches.
type Deleted struct{ db *pg.DB }

// NewDeleted makes the store.
func NewDeleted(db *pg.DB) *Deleted { return &Deleted{db} }

// Free takes the ids from some of the folders in a tree, then from some of the documents in deleted folders, and returns of how many;
// 0 when none of them has one. Whoever takes some folders promises what is in them.
func (d *Deleted) Free(ctx context.Context, workspaceID string, of Removal, limit int) (int64, error) {
	if of.Tree != 0 {
		hidden, err := hideSome(ctx, d.db, workspaceID, of.Tree)
		return int64(len(hidden)), err
	}
	if len(of.Folders) == 0 {
		return 0, nil
	}
	freed, err := freeBelow(ctx, d.db, workspaceID, of.Folders, limit)
	return int64(freed), err
}

// someDocuments finds deleted documents by themselves, by their folder and by their
// organization. Those of a deleted organization still have their ids.
const someDocuments = `
SELECT key FROM (
    (SELECT key FROM document_rows WHERE key = ANY($1) AND document_id IS NULL ORDER BY key LIMIT $4)
    UNION
    (SELECT key FROM document_rows WHERE folder_key = ANY($2) AND document_id IS NULL ORDER BY key LIMIT $4)
    UNION
    (SELECT d.key FROM unnest($3::bigint[]) o (key) CROSS JOIN LATERAL (
        SELECT key FROM document_rows WHERE organization_key = o.key LIMIT $4) d)
) d LIMIT $4`

// Documents returns the keys of some of the deleted documents that are still there, once none in a
// folder has its id (Free).
func (d *Deleted) Documents(ctx context.Context, of Removal, limit int) (keys []int64, err error) {
	keys, err = collect[int64](ctx, d.db.Pool, someDocuments, of.Documents, of.Folders, of.Organizations, limit)
	return keys, pg.Translate(err)
}

// RemoveDocuments removes deleted documents whose contents are gone, after the grants on
// them and the invitations into them, of which there may be any number. It returns how many rows these were, limit at most
// or the documents. What a writer that began before the deletion puts into one goes with
// it: the row is waited for.
func (d *Deleted) RemoveDocuments(ctx context.Context, keys []int64, limit int) (removed int64, err error) {
	for _, statement := range []string{someOf("grants", `document_key`), someOf("invitations", `document_key`)} {
		if removed, err = d.db.Exec(ctx, statement, keys, limit); err != nil || removed > 0 {
			return removed, err
		}
	}
	return d.db.Exec(ctx, `DELETE FROM document_rows WHERE key = ANY($1)`, keys)
}

// rest are the statements that remove what is beside documents, in the order in which
// nothing is left behind: $1 is keys, $2 how many rows at once. A folder goes after
// those in it, and grants and invitations before what they are on, since there may be any number.
var rest = []struct {
	of        func(Removal) []int64
	statement string
}{
	{func(r Removal) []int64 { return r.Folders }, someOf("grants", `folder_key`)},
	{func(r Removal) []int64 { return r.Folders }, someOf("invitations", `folder_key`)},
	{func(r Removal) []int64 { return r.Folders }, someFolders(`f.key = ANY($1)`)},
	{func(r Removal) []int64 { return r.Organizations }, someOf("grants", `organization_key`)},
	{func(r Removal) []int64 { return r.Organizations }, someOf("invitations", `organization_key`)},
	{func(r Removal) []int64 { return r.Organizations }, someFolders(`f.organization_key = ANY($1)`)},
	{func(r Removal) []int64 { return r.Organizations }, `DELETE FROM document_migrations WHERE id = ANY(ARRAY(
    SELECT id FROM document_migrations WHERE organization_key = ANY($1) LIMIT $2))`},
	{func(r Removal) []int64 { return r.Organizations }, `DELETE FROM profiles WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM profiles WHERE organization_key = ANY($1) LIMIT $2))`},
	{func(r Removal) []int64 { return r.Organizations }, `DELETE FROM organizations WHERE key = ANY(ARRAY(
    SELECT key FROM organizations WHERE key = ANY($1) LIMIT $2))`},
}

// someOf removes rows of a table by the column that has one of the keys.
func someOf(table, column string) string {
	return `DELETE FROM ` + table + ` WHERE ctid = ANY(ARRAY(SELECT ctid FROM ` + table + ` WHERE ` + column + ` = ANY($1) LIMIT $2))`
}

func someFolders(of string) string {
	return `DELETE FROM folders WHERE key = ANY(ARRAY(
    SELECT f.key FROM folders f WHERE ` + of + ` AND NOT EXISTS (SELECT 1 FROM folders s WHERE s.parent_key = f.key) LIMIT $2))`
}

// RemoveRest removes some of the rows beside documents and returns how many these were;
// 0 means that nothing is left.
func (d *Deleted) RemoveRest(ctx context.Context, of Removal, limit int) (int64, error) {
	for _, r := range rest {
		keys := r.of(of)
		if len(keys) == 0 {
			continue
		}
		if n, err := d.db.Exec(ctx, r.statement, keys, limit); err != nil || n > 0 {
			return n, err
		}
	}
	return 0, nil
}
