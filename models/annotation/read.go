package annotation

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/list"
	"github.com/redline-svc/redline/models/internal/pg"
)

// View is an annotation as the older interface reads it, with the
// whole thread.
type View struct {
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

// Filter narrows a read of one document; empty lists do not. Authors
// are those of the annotations. With IDs there is one slot for each distinct one.
type Filter struct {
	OrganizationID string   `json:"organizationId"`
	DocumentID     string   `json:"documentId"`
	LocationIDs    []string `json:"locationIds"`
	Authors        []string `json:"authors"`
	IDs            []string `json:"ids"`
}

// Change is where an annotation stands in its document: the time of its latest
// change, and its id.
type Change struct {
	UpdatedMs int64  `json:"u"`
	ID        string `json:"i"`
}

// Position is where a page of annotations ended.
type Position = list.SlotPosition[Change]

// Page is a page of annotations, latest change first.
type Page = list.SlotPage[View, Change]

var latestChange = list.Descending("a.updated_ms").Then(list.Ascending("a.annotation_id"))

// documentKey is the condition for one document of a workspace's organization.
const documentKey = `(SELECT d.key FROM documents d JOIN organizations o ON o.key = d.organization_key
 WHERE o.workspace_id = $1 AND o.organization_id = %s AND d.document_id = %s)`

// Get reads annotations of a document that is there; of any other an empty page
// or empty slots.
func (s *Annotations) Get(ctx context.Context, workspaceID string, f Filter, after *Position, size int) (*Page, error) {
	page := &Page{}
	p := list.NewPager(f.IDs, after, size)
	err := s.db.ReadTx(ctx, func(tx *pg.SQLTx) error {
		rows, err := findAnnotations(ctx, tx, workspaceID, f, p)
		if err != nil {
			return err
		}
		cut := list.CutPage(p, rows)
		page.Next = cut.Next
		page.Items, err = readThreads(ctx, tx, cut.Items)
		return err
	})
	return page, err
}

// storedAnnotation is an annotation before its thread is read.
type storedAnnotation struct {
	View
	key, updatedMs, size int64
}

func (f *storedAnnotation) Name() string     { return f.AnnotationID }
func (f *storedAnnotation) Position() Change { return Change{f.updatedMs, f.AnnotationID} }
func (f *storedAnnotation) Bytes() int64     { return f.size }

func findAnnotations(ctx context.Context, tx *pg.SQLTx, workspaceID string, f Filter, p list.Pager[string, Change]) ([]*storedAnnotation, error) {
	q := pg.NewConditions(workspaceID)
	q.And("a.document_key = "+documentKey, f.OrganizationID, f.DocumentID)
	if len(f.LocationIDs) > 0 {
		q.And("a.location_id = ANY(%s)", f.LocationIDs)
	}
	if len(f.Authors) > 0 {
		q.And("a.author_id = ANY(%s)", f.Authors)
	}
	p.Narrow(q, "a.annotation_id", func(at Change) { latestChange.After(q, at.UpdatedMs, at.ID) })
	query := latestChange.First(q, `SELECT a.key, a.annotation_id, a.author, a.status, a.created_ms, a.updated_ms, a.thread_bytes
FROM annotations a WHERE a.workspace_id = $1`, p.Size)
	rows, err := tx.Query(ctx, query, q.Args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (*storedAnnotation, error) {
		var r storedAnnotation
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
func readThreads(ctx context.Context, tx *pg.SQLTx, all []*storedAnnotation) ([]*View, error) {
	views := make([]*View, len(all))
	keys := []int64{}
	byKey := map[int64]*View{}
	for i, r := range all {
		if r != nil {
			views[i], byKey[r.key] = &r.View, &r.View
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
