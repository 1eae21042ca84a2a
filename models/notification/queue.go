package notification

import (
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/internal/mail"
	"github.com/redline-svc/redline/models/directory"
)

// Reasons for which somebody is notified, the first one that holds.
const (
	ReasonMention    = "mention"
	ReasonAssignment = "assignment"
	ReasonReply      = "reply"
	ReasonAll        = "all"
)

// reasons are all of them in their order.
var reasons = []string{ReasonMention, ReasonAssignment, ReasonReply, ReasonAll}

// Template is the mail that tells for a reason.
func Template(reason string) string {
	switch reason {
	case ReasonMention:
		return mail.Mention
	case ReasonAssignment:
		return mail.Assignment
	default:
		return mail.Reply
	}
}

// Notice is what people are told of one comment. Actor is who caused it, as JSON.
type Notice struct {
	AnnotationKey, CommentSeq int64
	Actor                     json.RawMessage
	Recipients                []Recipient
}

// Recipient is a user who is told, and why.
type Recipient struct{ UserID, Reason string }

// Queue adds notifications about comments of a document that is held to the batch. Their
// ids rise in the order of the notices.
func Queue(b *pgx.Batch, workspaceID string, at directory.Scope, now time.Time, notices []Notice) {
	ids := id.Series(id.Notice, now, len(notices))
	for i, n := range notices {
		var users, why []string
		for _, r := range n.Recipients {
			users, why = append(users, r.UserID), append(why, r.Reason)
		}
		b.Queue(`INSERT INTO notifications (id, workspace_id, annotation_key, comment_seq, action_user, created_at, document_key)
VALUES ($1, $2, $3, $4, $5, $6, $7)`, ids[i], workspaceID, n.AnnotationKey, n.CommentSeq, string(n.Actor), now, *at.Document)
		b.Queue(`INSERT INTO notification_recipients (notification_id, workspace_id, organization_key, document_key, user_id, reason)
SELECT $1, $2, $3, $4, r.user_id, r.reason FROM unnest($5::text[], $6::text[]) AS r (user_id, reason)`,
			ids[i], workspaceID, at.Organization, *at.Document, users, why)
	}
}
