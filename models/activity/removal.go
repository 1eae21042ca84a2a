package activity

import (
	"context"

	"github.com/redline-svc/redline/models/internal/pg"
)

// The records of documents, and all those of organizations, so many at once. Who takes the
// id of such a record for another one holds it, and removes it.
const (
	removeOfDocuments = `
DELETE FROM activities WHERE ctid = ANY(ARRAY(SELECT ctid FROM activities WHERE document_key = ANY($1) LIMIT $2 FOR UPDATE SKIP LOCKED))`
	removeOfOrganizations = `
DELETE FROM activities WHERE ctid = ANY(ARRAY(SELECT ctid FROM activities WHERE organization_key = ANY($1) LIMIT $2 FOR UPDATE SKIP LOCKED))`
)

// RemoveOfDocuments removes some of the records of documents that were deleted and returns
// how many these were, limit at most; 0 means that there are none left.
func RemoveOfDocuments(ctx context.Context, db *pg.DB, documents []int64, limit int) (removed int64, err error) {
	return db.Exec(ctx, removeOfDocuments, documents, limit)
}

// RemoveOfOrganizations is RemoveOfDocuments for organizations.
func RemoveOfOrganizations(ctx context.Context, db *pg.DB, organizations []int64, limit int) (removed int64, err error) {
	return db.Exec(ctx, removeOfOrganizations, organizations, limit)
}
