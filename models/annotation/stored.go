package annotation

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/person"
	"github.com/redline-svc/redline/internal/thread"
	"github.com/redline-svc/redline/models/internal/pg"
)

const storedColumns = `
SELECT key, annotation_id, document_key, kind, comment_type, status_id, status, author_id, author, visibility, coalesce(visible_to_org, ''), visible_to,
       coalesce(location_id, ''), location, target, context, priority, suggestion, kept, assigned, agent, created_ms, updated_ms, thread_bytes, gone_seq,
       coalesce(resolved_by, ''), coalesce(status_updated_by, '')
FROM annotations`

// lockAnnotationRow lets writes to one annotation follow one another; who only refers to
// it does not wait.
const lockAnnotationRow = storedColumns + ` WHERE workspace_id = $1 AND annotation_id = $2 AND document_key = $3 FOR NO KEY UPDATE`

const wholeThread = `
SELECT comment_id, seq, status, comment_text, comment_html, text_available, resolver_used, context, kept, author, contacts, agent, created_ms, updated_ms, judged
FROM comments WHERE annotation_key = $1 ORDER BY seq`

// lockAnnotation holds an annotation of the document that a change is in and returns it as
// it is, with its thread. The time of the change is then, so that times of changes rise.
// Error: NOT_FOUND.
func lockAnnotation(ctx context.Context, tx *pg.Tx, c *change, annotationID string) (*annotation, error) {
	a, err := scanAnnotation(tx.QueryRow(ctx, lockAnnotationRow, c.workspaceID, annotationID, *c.scope.Document))
	if pg.IsNoRow(err) {
		return nil, fault.NotFoundResource("annotation", annotationID)
	}
	if err != nil {
		return nil, err
	}
	b := &pgx.Batch{}
	b.Queue(`SELECT clock_timestamp()`).QueryRow(func(row pgx.Row) error { return row.Scan(&c.now) })
	b.Queue(wholeThread, a.key).Query(func(rows pgx.Rows) (err error) {
		a.comments, err = pgx.CollectRows(rows, scanStoredComment)
		return err
	})
	return a, tx.SendBatch(ctx, b).Close()
}

// readLocked reads annotations that are locked, with their threads, in the order of their ids.
func readLocked(ctx context.Context, tx *pg.Tx, c *change, keys []int64) error {
	b := &pgx.Batch{}
	b.Queue(`SELECT clock_timestamp()`).QueryRow(func(row pgx.Row) error { return row.Scan(&c.now) })
	threads := map[int64][]*comment{}
	for _, key := range keys {
		b.Queue(wholeThread, key).Query(func(rows pgx.Rows) (err error) {
			threads[key], err = pgx.CollectRows(rows, scanStoredComment)
			return err
		})
	}
	b.Queue(storedColumns+` WHERE key = ANY ($1) ORDER BY annotation_id`, keys).Query(func(rows pgx.Rows) (err error) {
		c.annotations, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (*annotation, error) { return scanAnnotation(row) })
		return err
	})
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	for _, a := range c.annotations {
		a.comments = threads[a.key]
	}
	return nil
}

func scanAnnotation(row pgx.Row) (*annotation, error) {
	a := &annotation{}
	var assigned json.RawMessage
	v := &a.visibility
	err := row.Scan(&a.key, &a.id, &a.document, &a.kind, &a.commentType, &a.statusID, (*[]byte)(&a.status), &a.author, (*[]byte)(&a.from),
		&v.Type, &v.OrganizationID, &v.UserIDs, &a.locationID, (*[]byte)(&a.location), (*[]byte)(&a.target), (*[]byte)(&a.context),
		(*[]byte)(&a.priority), (*[]byte)(&a.suggestion), (*[]byte)(&a.kept), (*[]byte)(&assigned), (*[]byte)(&a.agent), &a.createdMs, &a.updatedMs, &a.bytes, &a.goneSeq,
		&a.resolvedBy, &a.statusUpdatedBy)
	if assigned != nil {
		who := person.Of(assigned)
		a.assigned = &who
	}
	return a, err
}

func scanStoredComment(row pgx.CollectableRow) (*comment, error) {
	c := &comment{}
	var author, contacts, agent json.RawMessage
	err := row.Scan(&c.id, &c.seq, &c.status, &c.Text, &c.HTML, &c.TextAvailable, &c.ResolverUsed, (*[]byte)(&c.Context),
		(*[]byte)(&c.Kept), (*[]byte)(&author), (*[]byte)(&contacts), (*[]byte)(&agent), &c.createdMs, &c.updatedMs, &c.judged)
	if err != nil {
		return nil, err
	}
	c.From, c.Tags, c.Agent = person.Of(author), thread.StoredTags(c.Text, c.HTML), storedAgent(agent)
	if contacts != nil {
		err = json.Unmarshal(contacts, &c.Contacts)
	}
	return c, err
}
