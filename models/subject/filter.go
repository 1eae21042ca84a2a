package subject

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/pg"
)

// Filter narrows a list to what is about an organization, or about a document, by the
// callers' ids; empty ones do not narrow. A document without an organization is any of
// that id.
type Filter struct {
	OrganizationID, DocumentID string
	// Removed keeps what is about removed subjects of the ids.
	Removed bool
}

// Narrow has the keys of the ids of a Filter.
type Narrow struct {
	filter                   Filter
	organizations, documents []int64
}

// All rows of an id: there is more than one when an id was removed and used again, or
// when a document came to an id that was known.
const (
	organizationKeys = `SELECT o.key FROM subjects o
WHERE o.workspace_id = $1 AND o.id = $2 AND o.parent_key IS NULL AND ($3 OR o.removed_at IS NULL)`
	documentKeys = `SELECT d.key FROM subjects d
WHERE d.workspace_id = $1 AND d.id = $4 AND d.parent_key = ANY (ARRAY(` + organizationKeys + `)) AND ($3 OR d.removed_at IS NULL)`
	documentKeysAnywhere = `SELECT d.key FROM subjects d JOIN subjects o ON o.key = d.parent_key
WHERE d.workspace_id = $1 AND d.id = $2 AND ($3 OR d.removed_at IS NULL AND o.removed_at IS NULL)`
)

// DocumentsOf is a query, as part of others' about the workspace $1, for the keys of the
// documents that have one of the ids in the list %s, in any organization.
const DocumentsOf = `SELECT d.key FROM subjects d WHERE d.workspace_id = $1 AND d.id = ANY (%s) AND d.parent_key IS NOT NULL`

// Read runs the statements of a list in one snapshot, after it has read in it which
// keys the ids have.
func (f Filter) Read(ctx context.Context, db *pg.DB, workspaceID string, reads func(b *pgx.Batch, n Narrow)) error {
	return db.Read(ctx, func(tx *pg.Tx) error {
		n := Narrow{filter: f}
		if f.OrganizationID != "" || f.DocumentID != "" {
			if err := tx.Send(ctx, func(b *pgx.Batch) { n.queue(b, workspaceID) }); err != nil {
				return err
			}
		}
		return tx.Send(ctx, func(b *pgx.Batch) { reads(b, n) })
	})
}

// queue reads the keys of what narrows most: a document's organization is always that
// of whatever is about it.
func (n *Narrow) queue(b *pgx.Batch, workspaceID string) {
	f, keys := n.filter, &n.documents
	var query *pgx.QueuedQuery
	switch {
	case f.DocumentID == "":
		keys, query = &n.organizations, b.Queue(organizationKeys, workspaceID, f.OrganizationID, f.Removed)
	case f.OrganizationID == "":
		query = b.Queue(documentKeysAnywhere, workspaceID, f.DocumentID, f.Removed)
	default:
		query = b.Queue(documentKeys, workspaceID, f.OrganizationID, f.Removed, f.DocumentID)
	}
	query.Query(func(rows pgx.Rows) (err error) {
		*keys, err = pgx.CollectRows(rows, pgx.RowTo[int64])
		return err
	})
}

// Keys are those of organizations or of documents that narrow, and nil what does not.
// Where ids have no keys there is one that nothing has.
func (n Narrow) Keys() (organizations, documents []int64) {
	switch {
	case n.filter.DocumentID != "":
		return nil, orNone(n.documents)
	case n.filter.OrganizationID != "":
		return orNone(n.organizations), nil
	default:
		return nil, nil
	}
}

func orNone(keys []int64) []int64 {
	if len(keys) == 0 {
		return []int64{0}
	}
	return keys
}

// Keep adds the condition on the columns of a list that have the keys. One key is
// compared with =, so that an index behind it returns the list in its order.
func (n Narrow) Keep(q *pg.Conditions, organization, document string) {
	column, keys := organization, n.organizations
	switch {
	case n.filter.DocumentID != "":
		column, keys = document, n.documents
	case n.filter.OrganizationID == "":
		return
	}
	if len(keys) == 1 {
		q.And(column+" = %s", keys[0])
		return
	}
	q.And(column+" = ANY (%s)", keys)
}
