package models

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"
)

// AnnotationView is an annotation as the older interface reads it, with the
// whole thread.
type AnnotationView struct {
	AnnotationID string
	From         json.RawMessage
	Status       json.RawMessage
	CreatedAt    time.Time
	LastUpdated  time.Time
	Comments     []CommentView
}

// CommentView is a comment as read. From is the author's snapshot.
type CommentView struct {
	CommentID   int64
	Text, HTML  string
	From        json.RawMessage
	Status      string
	LastUpdated time.Time
}

// AnnotationFilter narrows a read of one document; empty lists do not. Authors
// are those of the annotations. With IDs there is one slot for each distinct one.
type AnnotationFilter struct {
	OrganizationID string   `json:"organizationId"`
	DocumentID     string   `json:"documentId"`
	LocationIDs    []string `json:"locationIds"`
	Authors        []string `json:"authors"`
	IDs            []string `json:"ids"`
}

// AnnotationAt is where an annotation stands in its document: the time of its
// latest change, and its id.
type AnnotationAt struct {
	UpdatedMs int64  `json:"u"`
	ID        string `json:"i"`
}

// AnnotationPosition is where a page of annotations ended.
type AnnotationPosition = Place[AnnotationAt]

// AnnotationPage is a page of annotations, latest change first.
type AnnotationPage = Page[AnnotationView, AnnotationAt]

// documentKey is the condition for one document of a workspace's organization.
const documentKey = `(SELECT d.key FROM documents d JOIN organizations o ON o.key = d.organization_key
 WHERE o.workspace_id = $1 AND o.organization_id = %s AND d.document_id = %s)`

// Get reads annotations of a document that is there; of any other an empty page
// or empty slots.
func (s *Annotations) Get(ctx context.Context, workspaceID string, f AnnotationFilter, after *AnnotationPosition, size int) (*AnnotationPage, error) {
	page := &AnnotationPage{}
	p := newPaged(f.IDs, after, size)
	err := s.db.ReadTx(ctx, func(tx *Tx) error {
		rows, err := findAnnotations(ctx, tx, workspaceID, f, p)
		if err != nil {
			return err
		}
		rows, page.Next = cut(p, rows)
		page.Items, err = readThreads(ctx, tx, rows)
		return err
	})
	return page, err
}

// found is an annotation before its thread is read.
type found struct {
	AnnotationView
	key, updatedMs, size int64
}

func (f *found) name() string        { return f.AnnotationID }
func (f *found) place() AnnotationAt { return AnnotationAt{UpdatedMs: f.updatedMs, ID: f.AnnotationID} }
func (f *found) bytes() int64        { return f.size }

func findAnnotations(ctx context.Context, tx *Tx, workspaceID string, f AnnotationFilter, p paged[string, AnnotationAt]) ([]*found, error) {
	q := newConditions(workspaceID)
	q.and("a.document_key = "+documentKey, f.OrganizationID, f.DocumentID)
	if len(f.LocationIDs) > 0 {
		q.and("a.location_id = ANY(%s)", f.LocationIDs)
	}
	if len(f.Authors) > 0 {
		q.and("a.author_id = ANY(%s)", f.Authors)
	}
	p.narrow(q, "a.annotation_id", func(at AnnotationAt) {
		q.and("(a.updated_ms < %s OR a.updated_ms = %s AND a.annotation_id > %s)", at.UpdatedMs, at.UpdatedMs, at.ID)
		q.and("a.updated_ms <= %s", at.UpdatedMs) // what the index can begin at
	})
	rows, err := tx.Query(ctx, `SELECT a.key, a.annotation_id, a.author, a.status, a.created_ms, a.updated_ms, a.thread_bytes
FROM annotations a WHERE a.workspace_id = $1`+q.text()+` ORDER BY a.updated_ms DESC, a.annotation_id LIMIT `+q.value(p.most()), q.args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (*found, error) {
		var r found
		var author, status []byte
		var created int64
		err := row.Scan(&r.key, &r.AnnotationID, &author, &status, &created, &r.updatedMs, &r.size)
		r.From, r.Status = author, status
		r.CreatedAt, r.LastUpdated = time.UnixMilli(created), time.UnixMilli(r.updatedMs)
		return &r, err
	})
}

const commentColumns = `comment_id, comment_text, comment_html, author, status, updated_ms`

// readThreads gives the annotations with their threads.
func readThreads(ctx context.Context, tx *Tx, all []*found) ([]*AnnotationView, error) {
	views := make([]*AnnotationView, len(all))
	keys := []int64{}
	byKey := map[int64]*AnnotationView{}
	for i, r := range all {
		if r != nil {
			views[i], byKey[r.key] = &r.AnnotationView, &r.AnnotationView
			keys = append(keys, r.key)
		}
	}
	rows, err := tx.Query(ctx, `SELECT `+commentColumns+`, annotation_key FROM comments WHERE annotation_key = ANY($1)
ORDER BY annotation_key, seq`, keys)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var key int64
		c, err := scanComment(rows, &key)
		if err != nil {
			return nil, err
		}
		byKey[key].Comments = append(byKey[key].Comments, c)
	}
	return views, rows.Err()
}

// scanComment reads a comment, and more columns behind it.
func scanComment(row pgx.Row, more ...any) (CommentView, error) {
	var c CommentView
	var author []byte
	var updated int64
	err := row.Scan(append([]any{&c.CommentID, &c.Text, &c.HTML, &author, &c.Status, &updated}, more...)...)
	c.From, c.LastUpdated = author, time.UnixMilli(updated)
	return c, err
}
