package models

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// visibleTo is the condition for annotations a that at least one of the users
// ($1 workspace, %[1]s the users) may see, whatever the document allows.
const visibleTo = `(a.visibility = 'public' OR a.author_id = ANY(%[1]s::text[]) OR a.visible_to && %[1]s::text[]
 OR a.visible_to_org = ANY(ARRAY(SELECT o.organization_id FROM grants g JOIN organizations o ON o.key = g.organization_key
    WHERE g.workspace_id = $1 AND g.user_id = ANY(%[1]s::text[]) AND g.folder_key IS NULL AND g.document_key IS NULL AND ` + unexpired + `)))`

// CommentFilter names an annotation of a document and narrows its thread; empty
// lists do not. Users are authors, and a read for users finds nothing of an
// annotation that none of them may see.
type CommentFilter struct {
	OrganizationID string   `json:"organizationId"`
	DocumentID     string   `json:"documentId"`
	AnnotationID   string   `json:"annotationId"`
	Users          []string `json:"users"`
	IDs            []int64  `json:"ids"`
}

// CommentPosition is where a page of a thread ended: at the number of its last
// comment, or after slots.
type CommentPosition = Place[int64]

// CommentPage is a page of a thread, oldest first.
type CommentPage = Page[CommentView, int64]

// Comments reads the thread of an annotation; nil when there is none to be seen.
func (s *Annotations) Comments(ctx context.Context, workspaceID string, f CommentFilter, after *CommentPosition, size int) (*CommentPage, error) {
	var page *CommentPage
	err := s.db.ReadTx(ctx, func(tx *Tx) error {
		key, err := findThread(ctx, tx, workspaceID, f)
		if IsNoRow(err) {
			return nil
		}
		if err != nil {
			return err
		}
		page, err = readThread(ctx, tx, key, f, newPaged(f.IDs, after, size))
		return err
	})
	return page, err
}

func findThread(ctx context.Context, tx *Tx, workspaceID string, f CommentFilter) (key int64, err error) {
	q := newConditions(workspaceID)
	q.and("a.annotation_id = %s", f.AnnotationID)
	q.and("a.document_key = "+documentKey, f.OrganizationID, f.DocumentID)
	if len(f.Users) > 0 {
		q.and(visibleTo, f.Users)
	}
	err = tx.QueryRow(ctx, `SELECT a.key FROM annotations a WHERE a.workspace_id = $1`+q.text(), q.args...).Scan(&key)
	return key, err
}

// threadRow is a comment with its number and size.
type threadRow struct {
	CommentView
	seq, size int64
}

func (r *threadRow) name() int64  { return r.CommentID }
func (r *threadRow) place() int64 { return r.seq }
func (r *threadRow) bytes() int64 { return r.size }

func readThread(ctx context.Context, tx *Tx, key int64, f CommentFilter, p paged[int64, int64]) (*CommentPage, error) {
	q := &conditions{args: []any{key}}
	p.narrow(q, "comment_id", func(seq int64) { q.and("seq > %s", seq) })
	if len(f.Users) > 0 {
		q.and("author_id = ANY(%s)", f.Users)
	}
	rows, err := tx.Query(ctx, `SELECT `+commentColumns+`, seq, octet_length(comment_text) + octet_length(comment_html)
FROM comments WHERE annotation_key = $1`+q.text()+` ORDER BY seq LIMIT `+q.value(p.most()), q.args...)
	if err != nil {
		return nil, err
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (*threadRow, error) {
		var r threadRow
		var err error
		r.CommentView, err = scanComment(row, &r.seq, &r.size)
		return &r, err
	})
	if err != nil {
		return nil, err
	}
	all, next := cut(p, all)
	page := &CommentPage{Items: make([]*CommentView, len(all)), Next: next}
	for i, r := range all {
		if r != nil {
			page.Items[i] = &r.CommentView
		}
	}
	return page, nil
}
