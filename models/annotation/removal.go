package annotation

import "context"

// removeAnnotations removes annotations of documents with their comments, so many that
// both together are about as many as may go at once; one with more goes alone. $2 is
// that number.
//
// Who takes the id of such an annotation for another one holds it: that one goes with
// the next batch.
const removeAnnotations = `
DELETE FROM annotations WHERE key = ANY(ARRAY(
    SELECT key FROM annotations WHERE key = ANY(ARRAY(
        SELECT key FROM (
            SELECT key, sum(comment_count + 1) OVER (ORDER BY key) - comment_count - 1 AS before
            FROM (SELECT a.key, a.comment_count FROM annotations a WHERE a.document_key = ANY($1) LIMIT $2 / 2) few) summed
        WHERE before < $2))
    ORDER BY key FOR UPDATE SKIP LOCKED))`

const removeActivities = `
DELETE FROM activities WHERE ctid = ANY(ARRAY(SELECT ctid FROM activities WHERE document_key = ANY($1) LIMIT $2))`

// RemoveOfDocuments removes some of what belongs to documents that were deleted and
// gives how many annotations and activities these were, limit at most; 0 means that
// nothing is left.
func (a *Annotations) RemoveOfDocuments(ctx context.Context, documents []int64, limit int) (removed int64, err error) {
	for _, statement := range []string{removeAnnotations, removeActivities} {
		if removed, err = a.db.ExecByKeys(ctx, statement, documents, limit); err != nil || removed > 0 {
			return removed, err
		}
	}
	return 0, nil
}
