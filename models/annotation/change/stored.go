package change

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
SELECT key, annotation_id, kind, comment_type, status_id, status, author_id, author, visibility, coalesce(visible_to_org, ''), visible_to,
       coalesce(location_id, ''), location, target, context, priority, suggestion, assigned, agent, created_ms, updated_ms, thread_bytes, gone_seq,
       coalesce(resolved_by, ''), coalesce(status_updated_by, '')
FROM annotations`

// holdAnnotation lets writes to one annotation follow one another; who only refers to
// it does not wait.
const holdAnnotation = storedColumns + ` WHERE workspace_id = $1 AND annotation_id = $2 AND document_key = $3 FOR NO KEY UPDATE`

const wholeThread = `
SELECT comment_id, seq, status, comment_text, comment_html, text_available, resolver_used, context, author, contacts, agent, created_ms, updated_ms, judged
FROM comments WHERE annotation_key = $1 ORDER BY seq`

// LockAnnotation holds an annotation of the document that a change is in and gives it as
// it is, with its thread. The time of the change is then, so that times of changes rise.
// Error: NOT_FOUND.
func LockAnnotation(ctx context.Context, tx *pg.Tx, c *Change, annotationID string) (*Annotation, error) {
	a, err := scanAnnotation(tx.QueryRow(ctx, holdAnnotation, c.WorkspaceID, annotationID, *c.Scope.Document))
	if pg.IsNoRow(err) {
		return nil, fault.MissingResource("annotation", annotationID)
	}
	if err != nil {
		return nil, err
	}
	b := &pgx.Batch{}
	b.Queue(`SELECT clock_timestamp()`).QueryRow(func(row pgx.Row) error { return row.Scan(&c.Now) })
	b.Queue(wholeThread, a.Key).Query(func(rows pgx.Rows) (err error) {
		a.Comments, err = pgx.CollectRows(rows, scanStoredComment)
		return err
	})
	return a, tx.SendBatch(ctx, b).Close()
}

// ReadHeld reads annotations that are held, with their threads, in the order of their ids.
func ReadHeld(ctx context.Context, tx *pg.Tx, c *Change, keys []int64) error {
	b := &pgx.Batch{}
	b.Queue(`SELECT clock_timestamp()`).QueryRow(func(row pgx.Row) error { return row.Scan(&c.Now) })
	threads := map[int64][]*Comment{}
	for _, key := range keys {
		b.Queue(wholeThread, key).Query(func(rows pgx.Rows) (err error) {
			threads[key], err = pgx.CollectRows(rows, scanStoredComment)
			return err
		})
	}
	b.Queue(storedColumns+` WHERE key = ANY ($1) ORDER BY annotation_id`, keys).Query(func(rows pgx.Rows) (err error) {
		c.Annotations, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (*Annotation, error) { return scanAnnotation(row) })
		return err
	})
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	for _, a := range c.Annotations {
		a.Comments = threads[a.Key]
	}
	return nil
}

func scanAnnotation(row pgx.Row) (*Annotation, error) {
	a := &Annotation{}
	var assigned json.RawMessage
	v := &a.Visibility
	err := row.Scan(&a.Key, &a.ID, &a.Kind, &a.CommentType, &a.StatusID, (*[]byte)(&a.Status), &a.Author, (*[]byte)(&a.From),
		&v.Type, &v.OrganizationID, &v.UserIDs, &a.LocationID, (*[]byte)(&a.Location), (*[]byte)(&a.Target), (*[]byte)(&a.Context),
		(*[]byte)(&a.Priority), (*[]byte)(&a.Suggestion), (*[]byte)(&assigned), (*[]byte)(&a.Agent), &a.CreatedMs, &a.UpdatedMs, &a.Bytes, &a.GoneSeq,
		&a.ResolvedBy, &a.StatusUpdatedBy)
	if assigned != nil {
		who := person.Of(assigned)
		a.Assigned = &who
	}
	return a, err
}

func scanStoredComment(row pgx.CollectableRow) (*Comment, error) {
	c := &Comment{}
	var author, contacts, agent json.RawMessage
	err := row.Scan(&c.ID, &c.Seq, &c.Status, &c.Text, &c.HTML, &c.TextAvailable, &c.ResolverUsed, (*[]byte)(&c.Context),
		(*[]byte)(&author), (*[]byte)(&contacts), (*[]byte)(&agent), &c.CreatedMs, &c.UpdatedMs, &c.judged)
	if err != nil {
		return nil, err
	}
	c.From, c.Tags, c.Agent = person.Of(author), StoredTags(c.Text, c.HTML), storedAgent(agent)
	if contacts != nil {
		err = json.Unmarshal(contacts, &c.Contacts)
	}
	return c, err
}

// StoredTags are the users whom a stored comment tags. A text that only says what the
// HTML says was made of it, with its blanks joined, those within a tag too: it tags
// nobody besides.
func StoredTags(text, markup string) []string {
	if text == thread.Text(markup) {
		text = ""
	}
	return thread.Tags(text, markup)
}
