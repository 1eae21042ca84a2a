package mail

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/internal/mail"
	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/notifier"
)

// delayOf is how long mails about comments wait before they leave.
func delayOf(ctx context.Context, tx *pg.Tx, workspaceID string) (time.Duration, error) {
	var seconds int
	err := tx.QueryRow(ctx, `SELECT delay_seconds FROM notification_settings WHERE workspace_id = $1 AND delayed`, workspaceID).Scan(&seconds)
	if pg.IsNoRow(err) {
		return 0, nil
	}
	return time.Duration(seconds) * time.Second, err
}

// batching says how mails about comments are joined.
type batching struct {
	byUser       bool
	window, most int
}

// readBatching reads how mails of a workspace are joined that has any joined.
const readBatching = `
SELECT user_batched, CASE WHEN user_batched THEN user_window ELSE document_window END, CASE WHEN user_batched THEN user_most ELSE document_most END
FROM notification_settings WHERE workspace_id = $1 AND (user_batched OR document_batched)`

const (
	// joinBatch puts one more item into the open batch of a person.
	joinBatch = `
UPDATE mail_batches SET items = items + 1, closed = items + 1 >= most
WHERE workspace_id = $1 AND user_id = $2 AND organization_id = $3 AND document_key IS NOT DISTINCT FROM $4 AND NOT closed RETURNING mail_id, closed`
	// openBatch makes one, with its mail, unless somebody else has made it.
	openBatch = `
WITH made AS (
    INSERT INTO mails (id, workspace_id, template, recipient, recipient_name, user_id, organization_id) VALUES ($5, $1, $6, $7, $8, $2, $3) RETURNING id)
INSERT INTO mail_batches (mail_id, workspace_id, user_id, organization_id, document_key, most) SELECT id, $1, $2, $3, $4, $9 FROM made
ON CONFLICT (workspace_id, user_id, organization_id, document_key) WHERE NOT closed DO NOTHING`
)

// join lets a mail about a comment that is due leave with others, where the workspace wants that, and reports whether it does.
// One that has joined before stays with them.
func (s *Mails) join(ctx context.Context, workspaceID string, d *dueMail) (joined bool, err error) {
	if d.annotationKey == nil || d.batchID != "" {
		return d.batchID != "", nil
	}
	var by batching
	err = s.db.Pool.QueryRow(ctx, readBatching, workspaceID).Scan(&by.byUser, &by.window, &by.most)
	if err != nil {
		if pg.IsNoRow(err) {
			return false, nil
		}
		return false, pg.Translate(err)
	}
	for !joined && err == nil {
		err = s.db.InTx(ctx, func(tx *pg.Tx) error {
			joined, err = d.joinOnce(ctx, tx, workspaceID, by)
			return err
		})
	}
	return joined, err
}

// joinOnce reports false where somebody else has just opened the batch.
func (d *dueMail) joinOnce(ctx context.Context, tx *pg.Tx, workspaceID string, by batching) (bool, error) {
	var document *int64
	if !by.byUser {
		err := tx.QueryRow(ctx, `SELECT document_key FROM annotations WHERE workspace_id = $1 AND key = $2`, workspaceID, *d.annotationKey).Scan(&document)
		if err != nil && !pg.IsNoRow(err) {
			return false, err
		}
	}
	destination, err := delivery.DestinationOfMail(ctx, tx, workspaceID)
	if err != nil {
		return false, err
	}
	var batch string
	var full bool
	err = tx.QueryRow(ctx, joinBatch, workspaceID, d.userID, d.organizationID, document).Scan(&batch, &full)
	switch {
	case pg.IsNoRow(err):
		batch = id.New(id.Mail)
		opened, err := tx.Exec(ctx, openBatch, workspaceID, d.userID, d.organizationID, document, batch, mail.Batch, d.out.Message.To, d.out.Message.ToName, by.most)
		if err != nil {
			return false, err
		}
		if opened.RowsAffected() == 0 {
			_, err = tx.Exec(ctx, `DELETE FROM mails WHERE id = $1`, batch)
			return false, err
		}
		b := &pgx.Batch{}
		delivery.EnqueueMails(b, workspaceID, destination, []string{batch}, time.Duration(by.window)*time.Second)
		tx.Notify(notifier.Destinations, destination)
		if err := tx.SendBatch(ctx, b).Close(); err != nil {
			return false, err
		}
	case err != nil:
		return false, err
	case full:
		tx.Notify(notifier.Destinations, destination)
		if _, err := delivery.MailsDue(ctx, tx, `SELECT $1::text`, batch); err != nil {
			return false, err
		}
	default:
	}
	_, err = tx.Exec(ctx, `UPDATE mails SET batch_id = $2 WHERE id = $1`, d.out.Message.ID, batch)
	return true, err
}

// maxSaid is how many bytes of texts and HTML of comments are in the mail of a batch; of further comments it says who wrote where.
const maxSaid = 256 << 10

// itemsOf are the mails of a batch, oldest first.
const itemsOf = `SELECT template, annotation_key, comment_seq FROM mails WHERE batch_id = $1 ORDER BY created_at, id`

// writeBatch fills the mail of a batch with what its recipient may see now and has not read, and reports whether that
// is anything.
func (s *Mails) writeBatch(ctx context.Context, workspaceID string, d *dueMail) (bool, error) {
	// Closed in a transaction of its own, so that all who have joined before are seen.
	if _, err := s.db.Exec(ctx, `UPDATE mail_batches SET closed = true WHERE mail_id = $1`, d.out.Message.ID); err != nil {
		return false, err
	}
	rows, err := s.db.Pool.Query(ctx, itemsOf, d.out.Message.ID)
	if err != nil {
		return false, pg.Translate(err)
	}
	items, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (*dueMail, error) {
		item := &dueMail{Settings: d.Settings, userID: d.userID, delayed: true}
		return item, row.Scan(&item.out.Template, &item.annotationKey, &item.commentSeq)
	})
	if err != nil {
		return false, pg.Translate(err)
	}
	var all []mail.About
	said := 0
	for _, item := range items {
		if !d.sends(item.out.Template) {
			continue
		}
		about, err := s.about(ctx, workspaceID, item)
		if err != nil {
			return false, err
		}
		if about == nil {
			continue
		}
		if said += len(about.Text) + len(about.HTML); said > maxSaid {
			about.Text, about.HTML, about.Names = "…", "", nil
		}
		all = append(all, *about)
	}
	if len(all) == 0 {
		return false, nil
	}
	d.out.Message.Content = mail.Comments(all)
	return true, nil
}

// wantedStill is whether the user $3 has not read the notification of a comment, and wants mails about its document.
const wantedStill = `
SELECT NOT EXISTS (SELECT FROM notifications n JOIN notification_recipients r ON r.notification_id = n.id
                   WHERE n.annotation_key = $1 AND n.comment_seq = $2 AND r.user_id = $3 AND r.read_at IS NOT NULL)
       AND coalesce((SELECT p.email FROM notification_preferences p WHERE p.organization_key = $4 AND p.user_id = $3 AND p.document_key = $5),
                    (SELECT p.email FROM notification_preferences p WHERE p.organization_key = $4 AND p.user_id = $3 AND p.document_key IS NULL), 'MINE') <> 'NONE'`

// wanted reports whether a mail that has waited is still wanted.
func (s *Mails) wanted(ctx context.Context, c *subject, d *dueMail) (wanted bool, err error) {
	err = s.db.Pool.QueryRow(ctx, wantedStill, *d.annotationKey, *d.commentSeq, d.userID, c.organization, c.document).Scan(&wanted)
	return wanted, pg.Translate(err)
}

// waitingMails are those that wait by a delay ($2) or as a batch ($3).
const waitingMails = `SELECT id FROM mails WHERE workspace_id = $1 AND result IS NULL AND ($2 AND leaves_at > clock_timestamp() OR $3 AND template = 'batch')`

// Release lets those mails leave now that wait by a delay, or in a batch.
func Release(ctx context.Context, tx *pg.Tx, workspaceID string, delays, batches bool) error {
	if !delays && !batches {
		return nil
	}
	if n, err := delivery.MailsDue(ctx, tx, waitingMails, workspaceID, delays, batches); err != nil || n == 0 {
		return err
	}
	destination, err := delivery.DestinationOfMail(ctx, tx, workspaceID)
	if err == nil {
		tx.Notify(notifier.Destinations, destination)
	}
	return err
}
