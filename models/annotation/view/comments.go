package view

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/annotation"
	"github.com/redline-svc/redline/models/internal/list"
	"github.com/redline-svc/redline/models/internal/pg"
)

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
type CommentPosition = list.SlotPosition[int64]

// CommentPage is a page of a thread, oldest first.
type CommentPage = list.SlotPage[CommentView, int64]

var oldestComment = list.Ascending("seq")

// Comments reads the thread of an annotation; nil when there is none to be seen.
func (v *Views) Comments(ctx context.Context, workspaceID string, f CommentFilter, after *CommentPosition, size int) (*CommentPage, error) {
	var page *CommentPage
	err := v.db.ReadTx(ctx, func(tx *pg.SQLTx) error {
		key, err := findThread(ctx, tx, workspaceID, f)
		if pg.IsNoRow(err) {
			return nil
		}
		if err != nil {
			return err
		}
		page, err = readThread(ctx, tx, key, f, list.NewPager(f.IDs, after, size))
		return err
	})
	return page, err
}

func findThread(ctx context.Context, tx *pg.SQLTx, workspaceID string, f CommentFilter) (key int64, err error) {
	q := pg.NewConditions(workspaceID)
	q.And("a.annotation_id = %s", f.AnnotationID)
	q.And("a.document_key = "+documentKey, f.OrganizationID, f.DocumentID)
	if len(f.Users) > 0 {
		q.And(annotation.VisibleTo, f.Users)
	}
	err = tx.QueryRow(ctx, `SELECT a.key FROM annotations a WHERE a.workspace_id = $1`+q.Text(), q.Args...).Scan(&key)
	return key, err
}

// threadRow is a comment with its number and size.
type threadRow struct {
	CommentView
	seq, size int64
}

func (r *threadRow) Name() int64     { return r.CommentID }
func (r *threadRow) Position() int64 { return r.seq }
func (r *threadRow) Bytes() int64    { return r.size }

func readThread(ctx context.Context, tx *pg.SQLTx, key int64, f CommentFilter, p list.Pager[int64, int64]) (*CommentPage, error) {
	q := &pg.Conditions{Args: []any{key}}
	p.Narrow(q, "comment_id", func(seq int64) { oldestComment.After(q, seq) })
	if len(f.Users) > 0 {
		q.And("author_id = ANY(%s)", f.Users)
	}
	query := oldestComment.First(q, `SELECT `+commentColumns+`, seq
FROM comments WHERE annotation_key = $1`, p.Size)
	rows, err := tx.Query(ctx, query, q.Args...)
	if err != nil {
		return nil, err
	}
	measured := newMeasure()
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (*threadRow, error) {
		var r threadRow
		var err error
		r.CommentView, err = scanComment(row, &r.seq)
		r.size = measured.comment(&r.CommentView)
		return &r, err
	})
	if err != nil {
		return nil, err
	}
	cut := list.CutPage(p, all)
	page := &CommentPage{Items: make([]*CommentView, len(cut.Items)), Next: cut.Next}
	for i, r := range cut.Items {
		if r != nil {
			page.Items[i] = &r.CommentView
		}
	}
	return page, nil
}
