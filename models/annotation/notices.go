package annotation

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/envelope"
	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/models/internal/pg"
	mails "github.com/redline-svc/redline/models/mail"
)

// Reasons for which somebody is notified, the first one that holds.
const (
	ReasonMention    = "mention"
	ReasonAssignment = "assignment"
	ReasonReply      = "reply"
)

// notice is the notification of one flagged comment: its recipients in the
// order of their reasons.
type notice struct {
	annotation *changedAnnotation
	comment    *changedComment
	recipients []recipient
}

type recipient struct{ userID, reason string }

// notify stores what tells of the changed comments: notifications and mails of those
// that ask for them, to people who may see them now (who is left out gets nothing
// later either), and events.
func notify(ctx context.Context, tx *pg.Tx, c *change) error {
	if !slices.ContainsFunc(c.annotations, (*changedAnnotation).published) {
		return nil
	}
	notices := noticesOf(c)
	who, err := readAudience(ctx, tx, c, notices)
	if err != nil {
		return err
	}
	notices = visibleNotices(notices, who)
	b := &pgx.Batch{}
	queueNotices(b, c, notices)
	if err := mails.QueueDrafts(ctx, &tx.SQLTx, b, c.workspaceID, draftsOf(c, notices)); err != nil {
		return err
	}
	if err := queueEvents(ctx, tx, b, c, who); err != nil || b.Len() == 0 {
		return err
	}
	return tx.SendBatch(ctx, b).Close()
}

// noticesOf are the notices of the flagged comments, whoever may see them. Nobody
// is notified of what they did themselves.
func noticesOf(c *change) []notice {
	var notices []notice
	for _, a := range c.annotations {
		for _, comment := range a.changed {
			if !comment.notify {
				continue
			}
			if n := noticeOf(a, comment); len(n.recipients) > 0 {
				notices = append(notices, n)
			}
		}
	}
	return notices
}

func noticeOf(a *changedAnnotation, c *changedComment) notice {
	n := notice{annotation: a, comment: c}
	for _, user := range c.mentions {
		n.add(user, ReasonMention)
	}
	if a.assigned != nil && slices.Contains(c.events, envelope.AnnotationAssign) {
		n.add(a.assigned.UserID, ReasonAssignment)
	}
	for _, earlier := range a.comments {
		if c.isNew() && earlier.seq < c.seq {
			n.add(earlier.from.UserID, ReasonReply)
		}
	}
	return n
}

func (n *notice) add(userID, reason string) {
	listed := slices.ContainsFunc(n.recipients, func(r recipient) bool { return r.userID == userID })
	if userID != n.comment.doer().UserID && !listed {
		n.recipients = append(n.recipients, recipient{userID, reason})
	}
}

// visibleNotices keeps the recipients who may see the annotation, and the notices
// that have any.
func visibleNotices(notices []notice, who *audience) []notice {
	var kept []notice
	for _, n := range notices {
		n.recipients = slices.DeleteFunc(n.recipients, func(r recipient) bool {
			return !who.Sees(n.annotation.visibility, n.annotation.author, r.userID)
		})
		if len(n.recipients) > 0 {
			kept = append(kept, n)
		}
	}
	return kept
}

// dropMentions takes back that users were notified of a comment because it tagged them,
// and the notifications that are for nobody then. Those are held first, as by who removes
// them with their recipients.
func dropMentions(b *pgx.Batch, annotationKey, seq int64, users []string) {
	if len(users) == 0 {
		return
	}
	b.Queue(`DELETE FROM notification_recipients WHERE reason = $4 AND user_id = ANY ($3)
AND notification_id = ANY (ARRAY(SELECT id FROM notifications WHERE annotation_key = $1 AND comment_seq = $2 ORDER BY id FOR UPDATE))`,
		annotationKey, seq, users, ReasonMention)
	b.Queue(`DELETE FROM notifications n WHERE annotation_key = $1 AND comment_seq = $2
AND NOT EXISTS (SELECT FROM notification_recipients WHERE notification_id = n.id)`, annotationKey, seq)
}

// queueNotices stores a notification for each notice, with its recipients.
func queueNotices(b *pgx.Batch, c *change, notices []notice) {
	for _, n := range notices {
		var users, reasons []string
		for _, r := range n.recipients {
			users, reasons = append(users, r.userID), append(reasons, r.reason)
		}
		notificationID := id.New(id.Notice)
		b.Queue(`INSERT INTO notifications (id, workspace_id, annotation_key, comment_seq, action_user) VALUES ($1, $2, $3, $4, $5)`,
			notificationID, c.workspaceID, n.annotation.key, n.comment.seq, string(snapshotOrNull(n.comment.actor)))
		b.Queue(`INSERT INTO notification_recipients (notification_id, workspace_id, user_id, reason)
SELECT $1, $2, r.user_id, r.reason FROM unnest($3::text[], $4::text[]) AS r (user_id, reason)`,
			notificationID, c.workspaceID, users, reasons)
	}
}
