package notification

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/pg"
)

// DropMentions takes back that users were notified of a comment because it tagged them,
// and the notifications that are for nobody then. Those are held first, as by who removes
// them with their recipients.
func DropMentions(b *pgx.Batch, annotationKey, seq int64, users []string) {
	if len(users) == 0 {
		return
	}
	b.Queue(`DELETE FROM notification_recipients WHERE reason = $4 AND user_id = ANY ($3)
AND notification_id = ANY (ARRAY(SELECT id FROM notifications WHERE annotation_key = $1 AND comment_seq = $2 ORDER BY id FOR UPDATE))`,
		annotationKey, seq, users, ReasonMention)
	b.Queue(`DELETE FROM notifications n WHERE annotation_key = $1 AND comment_seq = $2
AND NOT EXISTS (SELECT FROM notification_recipients WHERE notification_id = n.id)`, annotationKey, seq)
}

// DropOfComments removes the notifications about comments of an annotation.
func DropOfComments(b *pgx.Batch, annotationKey int64, seqs []int64) {
	b.Queue(`DELETE FROM notifications WHERE id = ANY (ARRAY(
    SELECT id FROM notifications WHERE annotation_key = $1 AND comment_seq = ANY ($2) ORDER BY id FOR UPDATE))`, annotationKey, seqs)
}

// DropOfAnnotations removes the notifications about annotations.
func DropOfAnnotations(b *pgx.Batch, annotationKeys []int64) {
	b.Queue(`DELETE FROM notifications WHERE id = ANY (ARRAY(SELECT id FROM notifications WHERE annotation_key = ANY ($1) ORDER BY id FOR UPDATE))`, annotationKeys)
}

// RemoveRecipients is the statement that removes recipients of notifications about the
// annotations $1, $2 at once: there may be any number. What it leaves of the notifications
// goes with their annotations.
const RemoveRecipients = `DELETE FROM notification_recipients WHERE ctid = ANY(ARRAY(
    SELECT r.ctid FROM notifications n JOIN notification_recipients r ON r.notification_id = n.id WHERE n.annotation_key = ANY($1) LIMIT $2))`

// What removes the notifications that callers added in the documents $1, $2 rows at once:
// their recipients, of whom there may be any number, and then themselves.
const (
	RemoveCustomRecipients = `DELETE FROM notification_recipients WHERE ctid = ANY(ARRAY(
    SELECT r.ctid FROM notifications n JOIN notification_recipients r ON r.notification_id = n.id
    WHERE n.document_key = ANY($1) AND n.custom IS NOT NULL LIMIT $2))`
	RemoveCustom = `DELETE FROM notifications WHERE id = ANY(ARRAY(
    SELECT id FROM notifications WHERE document_key = ANY($1) AND custom IS NOT NULL ORDER BY id LIMIT $2 FOR UPDATE))`
)

// RemovePreferences is the statement that removes what users want to be told of the
// documents $1, $2 at once.
const RemovePreferences = `DELETE FROM notification_preferences WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM notification_preferences WHERE document_key = ANY($1) LIMIT $2))`

// removeOfOrganizations removes what users wanted to be told of in the deleted organizations
// of a workspace.
const removeOfOrganizations = `
DELETE FROM notification_preferences WHERE ctid = ANY(ARRAY(
    SELECT p.ctid FROM organizations o CROSS JOIN LATERAL (
        SELECT ctid FROM notification_preferences WHERE organization_key = o.key LIMIT $2) p
    WHERE o.workspace_id = $1 AND o.organization_id IS NULL LIMIT $2))`

// removedAtOnce is how many rows one batch of a removal has at most.
const removedAtOnce = 1000

// RemoveBatch removes some of what users wanted to be told of in deleted organizations and
// returns how many rows these were; 0 means that nothing is left.
func (s *Notifications) RemoveBatch(ctx context.Context, workspaceID string) (int, error) {
	removed, err := s.db.Exec(ctx, removeOfOrganizations, workspaceID, removedAtOnce)
	return int(removed), err
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

// Expire removes notifications older than so many days with their recipients, so many rows
// at once, and returns how many notifications these were.
func (s *Notifications) Expire(ctx context.Context, days, atOnce int) (removed int64, err error) {
	for {
		recipients, err := s.db.Exec(ctx, removeOldRecipients, pg.Days(days), atOnce)
		if err != nil {
			return removed, err
		}
		if recipients > 0 {
			continue
		}
		notifications, err := s.db.Exec(ctx, removeOldNotifications, pg.Days(days), atOnce)
		if removed += notifications; err != nil || notifications == 0 {
			return removed, err
		}
	}
}
