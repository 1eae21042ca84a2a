package annotation

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/activity"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/notification"
)

// chooseAnnotations holds annotations of documents, so many that they are with their
// comments about as many as may go at once; one with more goes alone. $2 is that number.
//
// Who takes the id of such an annotation for another one holds it: that one goes with
// the next batch.
const chooseAnnotations = `
SELECT key FROM annotations WHERE key = ANY(ARRAY(
    SELECT key FROM (
        SELECT key, sum(comment_count + 1) OVER (ORDER BY key) - comment_count - 1 AS before
        FROM (SELECT a.key, a.comment_count FROM annotations a WHERE a.document_key = ANY($1) LIMIT $2 / 2) few) summed
    WHERE before < $2))
ORDER BY key FOR UPDATE SKIP LOCKED`

// removeAnnotations removes what belongs to annotations, and then these with their
// comments. An annotation may have any number of marks and recipients, so those go in
// batches of their own.
var removeAnnotations = []string{
	`DELETE FROM annotation_mentions WHERE ctid = ANY(ARRAY(SELECT ctid FROM annotation_mentions WHERE annotation_key = ANY($1) LIMIT $2))`,
	`DELETE FROM read_marks WHERE ctid = ANY(ARRAY(SELECT ctid FROM read_marks WHERE annotation_key = ANY($1) LIMIT $2))`,
	`DELETE FROM document_read_marks WHERE ctid = ANY(ARRAY(SELECT ctid FROM document_read_marks WHERE annotation_key = ANY($1) LIMIT $2))`,
	notification.RemoveRecipients,
	`DELETE FROM annotations WHERE key = ANY(ARRAY(SELECT key FROM annotations WHERE key = ANY($1) LIMIT $2))`,
}

const removeDeleted = `
DELETE FROM deleted_annotations WHERE annotation_key = ANY(ARRAY(SELECT annotation_key FROM deleted_annotations WHERE document_key = ANY($1) LIMIT $2))`

// RemoveOfDocuments removes some of what belongs to documents that were deleted and
// returns how many rows these were beside comments and notifications, limit at most; 0
// means that nothing is left.
func (a *Annotations) RemoveOfDocuments(ctx context.Context, documents []int64, limit int) (removed int64, err error) {
	err = a.db.InTx(ctx, func(tx *pg.Tx) error {
		keys, err := annotationsToRemove(ctx, tx, documents, limit)
		for _, statement := range removeAnnotations {
			if err != nil || removed > 0 || len(keys) == 0 {
				return err
			}
			done, failed := tx.Exec(ctx, statement, keys, limit)
			removed, err = done.RowsAffected(), failed
		}
		return err
	})
	if err != nil || removed > 0 {
		return removed, err
	}
	if removed, err = activity.RemoveOfDocuments(ctx, a.db, documents, limit); err != nil || removed > 0 {
		return removed, err
	}
	for _, statement := range []string{
		removeDeleted, notification.RemovePreferences, notification.RemoveCustomRecipients, notification.RemoveCustom,
	} {
		if removed, err = a.db.Exec(ctx, statement, documents, limit); err != nil || removed > 0 {
			return removed, err
		}
	}
	return 0, nil
}

// RemoveOfOrganizations is RemoveOfDocuments for what belongs to deleted organizations and
// to no document.
func (a *Annotations) RemoveOfOrganizations(ctx context.Context, organizations []int64, limit int) (removed int64, err error) {
	return activity.RemoveOfOrganizations(ctx, a.db, organizations, limit)
}

func annotationsToRemove(ctx context.Context, tx *pg.Tx, documents []int64, limit int) (keys []int64, err error) {
	rows, err := tx.Query(ctx, chooseAnnotations, documents, limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[int64])
}
