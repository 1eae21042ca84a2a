package annotation

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/notification"
)

// updateComment leaves what an edit cannot change: the id, the agent, when it was added.
const updateComment = `
UPDATE comments SET status = $3, comment_text = $4, comment_html = $5, text_available = $6, resolver_used = $7, author_id = $8, author = $9,
       context = $10, contacts = $11, updated_ms = $12 WHERE annotation_key = $1 AND seq = $2`

// store stores the comments and what the annotation says of its thread. The numbers of
// the comments stay, and with them what everybody has read.
func (e *editCall) store(ctx context.Context, tx *pg.Tx) error {
	b, a := &pgx.Batch{}, e.annotation
	for _, c := range a.changed {
		b.Queue(updateComment, a.key, c.seq, c.status, c.text, c.html, c.textAvailable, c.resolverUsed, c.from.UserID, string(c.from.Snapshot()),
			pg.JSONOrNil(c.context), contactsOrNil(c.contacts), c.updatedMs)
		notification.DropMentions(b, a.key, c.seq, e.dropped[c])
	}
	a.follow(a.comments...)
	b.Queue(`UPDATE annotations SET updated_ms = $2, thread_bytes = $3, last_author = $4, other_seq = $5 WHERE key = $1`,
		a.key, a.updatedMs, a.bytes, a.lastAuthor, a.otherSeq)
	return tx.SendBatch(ctx, b).Close()
}
