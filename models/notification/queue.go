package notification

import (
	"context"
	"encoding/json"
	"iter"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/internal/mail"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/job"
	mails "github.com/redline-svc/redline/models/mail"
)

// Reasons for which somebody is notified, the first one that holds.
const (
	ReasonMention    = "mention"
	ReasonAssignment = "assignment"
	ReasonReply      = "reply"
	ReasonAll        = "all"
	ReasonDirect     = "direct"
)

// reasons are all of them in their order.
var reasons = []string{ReasonMention, ReasonAssignment, ReasonReply, ReasonAll, ReasonDirect}

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

// How many are notified of one change, each of one comment: in its transaction, and in all.
// A portion is written at once.
const (
	AtOnce      = 10_000
	InAll       = 100_000
	PortionSize = 1000
)

// Notice is what people are told of one comment. Actor is who caused it, as JSON.
type Notice struct {
	ID                        string
	AnnotationKey, CommentSeq int64
	Actor                     json.RawMessage
}

// Recipient is a user who is told by a notice, and why.
type Recipient struct {
	NoticeID string `json:"notice"`
	UserID   string `json:"user"`
	Reason   string `json:"reason"`
}

// Portion are some of those who are notified of a change, PortionSize at most by notices and
// as many by mails.
type Portion struct {
	Recipients []Recipient   `json:"recipients,omitempty"`
	Mails      []mails.Draft `json:"mails,omitempty"`
}

// Queue stores the notices of a change of a document that is held, and notifies by them: as
// many as AtOnce in the transaction, with the mails of the first portion, the others by a job.
// The ids of the notices, which rise in their order, are in them.
func Queue(ctx context.Context, tx *pg.Tx, workspaceID string, at directory.Scope, now time.Time, notices []Notice, portions iter.Seq[Portion]) error {
	b := &pgx.Batch{}
	queueNotices(b, workspaceID, at, now, notices)
	return queuePortions(ctx, tx, b, workspaceID, at, portions)
}

// queuePortions notifies by notices that the batch stores first.
func queuePortions(ctx context.Context, tx *pg.Tx, b *pgx.Batch, workspaceID string, at directory.Scope, portions iter.Seq[Portion]) error {
	later := rest{workspaceID: workspaceID, at: at}
	n := 0
	for portion := range portions {
		now, after := portion.split(n)
		if err := now.queue(ctx, tx, b, workspaceID, at); err != nil {
			return err
		}
		if err := later.add(ctx, tx, b, after); err != nil {
			return err
		}
		if err := tx.SendBatch(ctx, b).Close(); err != nil {
			return err
		}
		b = &pgx.Batch{}
		n++
	}
	return nil
}

// split returns what the transaction writes of the nth portion, from 0, and what a job does.
func (p Portion) split(n int) (now, after Portion) {
	switch {
	case n == 0:
		return p, Portion{}
	case n < AtOnce/PortionSize:
		return Portion{Recipients: p.Recipients}, Portion{Mails: p.Mails}
	default:
		return Portion{}, p
	}
}

func (p Portion) isEmpty() bool { return len(p.Recipients)+len(p.Mails) == 0 }

const insertNotifications = `
INSERT INTO notifications (id, workspace_id, annotation_key, comment_seq, action_user, created_at, document_key)
SELECT n.id, $1, n.annotation_key, n.comment_seq, n.actor::json, $2, $3
FROM unnest($4::text[], $5::bigint[], $6::bigint[], $7::text[]) AS n (id, annotation_key, comment_seq, actor)`

func queueNotices(b *pgx.Batch, workspaceID string, at directory.Scope, now time.Time, notices []Notice) {
	if len(notices) == 0 {
		return
	}
	n := len(notices)
	ids, keys, seqs, actors := make([]string, n), make([]int64, n), make([]int64, n), make([]string, n)
	for i, notice := range notices {
		ids[i], keys[i], seqs[i], actors[i] = notice.ID, notice.AnnotationKey, notice.CommentSeq, string(notice.Actor)
	}
	b.Queue(insertNotifications, workspaceID, now, *at.Document, ids, keys, seqs, actors)
}

// insertRecipients leaves out who is told already, and notices that went with their comment.
const insertRecipients = `
INSERT INTO notification_recipients (notification_id, workspace_id, organization_key, document_key, user_id, reason)
SELECT n.id, $1, $2, $3, r.user_id, r.reason FROM unnest($4::text[], $5::text[], $6::text[]) AS r (id, user_id, reason)
JOIN notifications n ON n.id = r.id ON CONFLICT (notification_id, user_id) DO NOTHING`

// queue adds to the batch what notifies those of the portion.
func (p Portion) queue(ctx context.Context, tx *pg.Tx, b *pgx.Batch, workspaceID string, at directory.Scope) error {
	if n := len(p.Recipients); n > 0 {
		ids, users, why := make([]string, n), make([]string, n), make([]string, n)
		for i, r := range p.Recipients {
			ids[i], users[i], why[i] = r.NoticeID, r.UserID, r.Reason
		}
		b.Queue(insertRecipients, workspaceID, at.Organization, *at.Document, ids, users, why)
	}
	return mails.QueueDrafts(ctx, tx, b, workspaceID, p.Mails)
}

// rest are the portions of a change that a job writes; the job is queued with the first one.
type rest struct {
	workspaceID, jobID string
	at                 directory.Scope
	portions           int
}

const insertPortion = `INSERT INTO notification_portions (job_id, n, workspace_id, portion) VALUES ($1, $2, $3, $4)`

// add adds a portion to the batch.
func (r *rest) add(ctx context.Context, tx *pg.Tx, b *pgx.Batch, p Portion) error {
	if p.isEmpty() {
		return nil
	}
	if r.portions == 0 {
		if err := r.queue(ctx, tx); err != nil {
			return err
		}
	}
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	r.portions++
	b.Queue(insertPortion, r.jobID, r.portions, r.workspaceID, string(text))
	return nil
}

// queue queues the job.
func (r *rest) queue(ctx context.Context, tx *pg.Tx) error {
	input, err := json.Marshal(Rest{Organization: r.at.Organization, Document: *r.at.Document})
	if err != nil {
		return err
	}
	r.jobID = id.New(id.Notification)
	return job.Queue(ctx, tx, job.Job{WorkspaceID: r.workspaceID, ID: r.jobID, Kind: job.Notification, Input: input})
}
