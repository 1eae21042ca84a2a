package annotation

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/activity"
	"github.com/redline-svc/redline/models/internal/pg"
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
	`DELETE FROM read_marks WHERE ctid = ANY(ARRAY(SELECT ctid FROM read_marks WHERE annotation_key = ANY($1) LIMIT $2))`,
	`DELETE FROM document_read_marks WHERE ctid = ANY(ARRAY(SELECT ctid FROM document_read_marks WHERE annotation_key = ANY($1) LIMIT $2))`,
	`DELETE FROM notification_recipients WHERE ctid = ANY(ARRAY(
    SELECT r.ctid FROM notifications n JOIN notification_recipients r ON r.notification_id = n.id WHERE n.annotation_key = ANY($1) LIMIT $2))`,
	`DELETE FROM annotations WHERE key = ANY(ARRAY(SELECT key FROM annotations WHERE key = ANY($1) LIMIT $2))`,
}

const removeDeleted = `
DELETE FROM deleted_annotations WHERE annotation_key = ANY(ARRAY(SELECT annotation_key FROM deleted_annotations WHERE document_key = ANY($1) LIMIT $2))`

// RemoveOfDocuments removes some of what belongs to documents that were deleted and
// gives how many rows these were beside comments and notifications, limit at most; 0
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
	return a.db.ExecByKeys(ctx, removeDeleted, documents, limit)
}

// RemoveOfOrganizations is RemoveOfDocuments for what belongs to deleted organizations and
// to no document.
func (a *Annotations) RemoveOfOrganizations(ctx context.Context, organizations []int64, limit int) (removed int64, err error) {
	return activity.RemoveOfOrganizations(ctx, a.db, organizations, limit)
}

func annotationsToRemove(ctx context.Context, tx *pg.Tx, documents []int64, limit int) (keys []int64, err error) {
	b := &pgx.Batch{}
	b.Queue(pg.ByKeys)
	b.Queue(chooseAnnotations, documents, limit).Query(func(rows pgx.Rows) (err error) {
		keys, err = pgx.CollectRows(rows, pgx.RowTo[int64])
		return err
	})
	return keys, tx.SendBatch(ctx, b).Close()
}

// What goes by its age: the recipients of the oldest notifications, and these when they have
// none, since one may have more than a thousand. Notifications that somebody else holds are
// passed over.
const (
	removeOldRecipients = `
DELETE FROM notification_recipients WHERE ctid = ANY(ARRAY(
    SELECT r.ctid FROM (SELECT id FROM notifications WHERE created_at < now() - $1::text::interval ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED) n
    JOIN notification_recipients r ON r.notification_id = n.id LIMIT $2))`
	removeOldNotifications = `
DELETE FROM notifications WHERE id = ANY(ARRAY(
    SELECT id FROM notifications n WHERE created_at < now() - $1::text::interval
           AND NOT EXISTS (SELECT FROM notification_recipients r WHERE r.notification_id = n.id)
    ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED))`
)

// ExpireNotifications removes notifications older than so many days with their
// recipients, so many rows at once, and gives how many notifications these were.
func (a *Annotations) ExpireNotifications(ctx context.Context, days, atOnce int) (removed int64, err error) {
	for {
		recipients, err := a.db.ExecByKeys(ctx, removeOldRecipients, pg.Days(days), atOnce)
		if err != nil {
			return removed, err
		}
		if recipients > 0 {
			continue
		}
		notifications, err := a.db.ExecByKeys(ctx, removeOldNotifications, pg.Days(days), atOnce)
		if removed += notifications; err != nil || notifications == 0 {
			return removed, err
		}
	}
}
