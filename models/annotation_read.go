package models

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"
)

// maxPageBytes is how much text of threads one page holds; a page always has at
// least one item.
const maxPageBytes = 8 << 20

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

// AnnotationPosition is where a page ended: the last annotation's time and id,
// or the number of slots given.
type AnnotationPosition struct {
	UpdatedMs int64  `json:"u"`
	ID        string `json:"i"`
	Slots     int    `json:"s"`
}

// AnnotationPage is a page, latest change first, and where the next one begins;
// nil on the last one. With ids, a slot is nil where no annotation answers.
type AnnotationPage struct {
	Items []*AnnotationView
	Next  *AnnotationPosition
}

// readTx runs fn on one snapshot of the database.
func (db *DB) readTx(ctx context.Context, fn func(tx pgx.Tx) error) error {
	tx, err := db.Pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return translate(err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // there is nothing to commit
	return translate(fn(tx))
}

// documentKey is the condition for one document of a workspace's organization.
const documentKey = `(SELECT d.key FROM documents d JOIN organizations o ON o.key = d.organization_key
 WHERE o.workspace_id = $1 AND o.organization_id = %s AND d.document_id = %s)`

// Get reads annotations of a document that is there; of any other an empty page
// or empty slots.
func (s *Annotations) Get(ctx context.Context, workspaceID string, f AnnotationFilter, after *AnnotationPosition, size int) (*AnnotationPage, error) {
	page := &AnnotationPage{Items: []*AnnotationView{}}
	slots := firstOfEach(f.IDs)
	if after != nil {
		slots = slots[min(after.Slots, len(slots)):]
	}
	asked := slots[:min(size, len(slots))]
	err := s.db.readTx(ctx, func(tx pgx.Tx) error {
		found, err := findAnnotations(ctx, tx, workspaceID, f, asked, after, size)
		if err != nil {
			return err
		}
		if len(f.IDs) > 0 {
			found, page.Next = inSlots(found, asked, len(slots), after)
		} else {
			found, page.Next = cut(found, size)
		}
		return page.fill(ctx, tx, found)
	})
	return page, err
}

// found is an annotation before its thread is read; nil stands for an empty slot.
type found struct {
	AnnotationView
	key, updatedMs, bytes int64
}

func findAnnotations(ctx context.Context, tx pgx.Tx, workspaceID string, f AnnotationFilter, ids []string, after *AnnotationPosition, size int) ([]*found, error) {
	q := newConditions(workspaceID)
	q.and("a.document_key = "+documentKey, f.OrganizationID, f.DocumentID)
	if len(f.LocationIDs) > 0 {
		q.and("a.location_id = ANY(%s)", f.LocationIDs)
	}
	if len(f.Authors) > 0 {
		q.and("a.author_id = ANY(%s)", f.Authors)
	}
	if len(f.IDs) > 0 {
		q.and("a.annotation_id = ANY(%s)", ids)
	} else if after != nil {
		q.and("(a.updated_ms < %s OR a.updated_ms = %s AND a.annotation_id > %s)", after.UpdatedMs, after.UpdatedMs, after.ID)
		q.and("a.updated_ms <= %s", after.UpdatedMs) // what the index can begin at
	}
	rows, err := tx.Query(ctx, `SELECT a.key, a.annotation_id, a.author, a.status, a.created_ms, a.updated_ms, a.thread_bytes
FROM annotations a WHERE a.workspace_id = $1`+q.text()+` ORDER BY a.updated_ms DESC, a.annotation_id LIMIT `+q.value(size+1), q.args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (*found, error) {
		var r found
		var author, status []byte
		var created int64
		err := row.Scan(&r.key, &r.AnnotationID, &author, &status, &created, &r.updatedMs, &r.bytes)
		r.From, r.Status = author, status
		r.CreatedAt, r.LastUpdated = time.UnixMilli(created), time.UnixMilli(r.updatedMs)
		return &r, err
	})
}

// cut ends a page at its size, or early where its threads are large.
func cut(all []*found, size int) ([]*found, *AnnotationPosition) {
	kept := all[:fittingThreads(all, size)]
	if len(kept) == len(all) {
		return all, nil
	}
	last := kept[len(kept)-1]
	return kept, &AnnotationPosition{UpdatedMs: last.updatedMs, ID: last.AnnotationID}
}

// fittingThreads is how many of the annotations a page holds.
func fittingThreads(all []*found, size int) int {
	var bytes int64
	for i, r := range all {
		if r != nil {
			bytes += r.bytes
		}
		if i == size || i > 0 && bytes > maxPageBytes {
			return i
		}
	}
	return len(all)
}

// inSlots puts the annotations where they were asked for; left is how many slots
// there are from here on.
func inSlots(all []*found, asked []string, left int, after *AnnotationPosition) ([]*found, *AnnotationPosition) {
	byID := make(map[string]*found, len(all))
	for _, r := range all {
		byID[r.AnnotationID] = r
	}
	slots := make([]*found, len(asked))
	for i, annotationID := range asked {
		slots[i] = byID[annotationID]
	}
	slots = slots[:fittingThreads(slots, len(slots))]
	if len(slots) == left {
		return slots, nil
	}
	given := len(slots)
	if after != nil {
		given += after.Slots
	}
	return slots, &AnnotationPosition{Slots: given}
}

// firstOfEach keeps the first of equal values; never nil.
func firstOfEach[T comparable](values []T) []T {
	seen := map[T]bool{}
	kept := []T{}
	for _, v := range values {
		if !seen[v] {
			seen[v] = true
			kept = append(kept, v)
		}
	}
	return kept
}

const commentColumns = `comment_id, comment_text, comment_html, author, status, updated_ms`

// fill adds the threads.
func (p *AnnotationPage) fill(ctx context.Context, tx pgx.Tx, all []*found) error {
	keys := []int64{}
	byKey := map[int64]*AnnotationView{}
	for _, r := range all {
		if r == nil {
			p.Items = append(p.Items, nil)
			continue
		}
		keys = append(keys, r.key)
		byKey[r.key] = &r.AnnotationView
		p.Items = append(p.Items, &r.AnnotationView)
	}
	rows, err := tx.Query(ctx, `SELECT `+commentColumns+`, annotation_key FROM comments WHERE annotation_key = ANY($1)
ORDER BY annotation_key, seq`, keys)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var key int64
		c, err := scanComment(rows, &key)
		if err != nil {
			return err
		}
		byKey[key].Comments = append(byKey[key].Comments, c)
	}
	return rows.Err()
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
