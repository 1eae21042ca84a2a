package view

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/list"
	"github.com/redline-svc/redline/models/internal/pg"
)

// CommentFilter names an annotation of a document and narrows its thread; empty
// lists do not. Users are authors, and a read for users finds nothing of an
// annotation that none of them may see. A viewer decides alone about that, and has to be
// one who may read the document.
type CommentFilter struct {
	OrganizationID string   `json:"organizationId"`
	DocumentID     string   `json:"documentId"`
	AnnotationID   string   `json:"annotationId"`
	Users          []string `json:"users"`
	IDs            []int64  `json:"ids"`
	Viewer         string   `json:"viewer,omitempty"`
	// Whole asks for all that is known of the comments.
	Whole bool `json:"-"`
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
	err := v.db.Read(ctx, func(tx *pg.Tx) error {
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

// findThread finds the annotation; none that the users for whom it is read may not see.
func findThread(ctx context.Context, tx *pg.Tx, workspaceID string, f CommentFilter) (key int64, err error) {
	q := pg.NewConditions(workspaceID)
	q.And("a.annotation_id = %s", f.AnnotationID)
	q.And("a.document_key = "+documentKey, f.OrganizationID, f.DocumentID)
	switch {
	case f.Viewer != "":
		q.And(directory.VisibleTo, []string{f.Viewer})
	case len(f.Users) > 0:
		q.And(directory.VisibleTo, f.Users)
	default:
	}
	var document, organization int64
	err = tx.QueryRow(ctx, `SELECT a.key, d.key, d.organization_key FROM annotations a JOIN documents d ON d.key = a.document_key
WHERE a.workspace_id = $1`+q.Text(), q.Args...).Scan(&key, &document, &organization)
	if err != nil || f.Viewer == "" {
		return key, err
	}
	access, err := directory.ReadAccess(ctx, tx, organization, []int64{document}, []string{f.Viewer})
	if err == nil && !access.Decide(document, f.Viewer).Read {
		err = pgx.ErrNoRows
	}
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

// CommentRest is what only the newer interface reads of a comment. Raw parts are as they
// are stored, nil when absent.
type CommentRest struct {
	TextAvailable, ResolverUsed bool
	Context, Contacts, Agent    json.RawMessage
	Kept                        json.RawMessage
	CreatedMs                   int64
}

const restColumns = `text_available, resolver_used, context, contacts, agent, created_ms, kept`

// columns are what the columns are read into.
func (r *CommentRest) columns() []any {
	return []any{&r.TextAvailable, &r.ResolverUsed, (*[]byte)(&r.Context), (*[]byte)(&r.Contacts), (*[]byte)(&r.Agent), &r.CreatedMs, (*[]byte)(&r.Kept)}
}

// scanWholeComment reads a comment with a number, and behind that, where it is whole, all
// that is known of it.
func scanWholeComment(row pgx.Row, whole bool, number *int64) (CommentView, error) {
	if !whole {
		return scanComment(row, number)
	}
	rest := &CommentRest{}
	c, err := scanComment(row, append([]any{number}, rest.columns()...)...)
	c.Rest = rest
	return c, err
}

// readThread reads a page of the comments, in the order of the thread or of the slots.
func readThread(ctx context.Context, tx *pg.Tx, key int64, f CommentFilter, p list.Pager[int64, int64]) (*CommentPage, error) {
	q := &pg.Conditions{Args: []any{key}}
	p.Narrow(q, "comment_id", func(seq int64) { oldestComment.After(q, seq) })
	if len(f.Users) > 0 {
		q.And("author_id = ANY(%s)", f.Users)
	}
	order, columns := oldestComment, commentColumns+`, seq`
	if len(f.IDs) > 0 {
		order = list.Ascending("array_position(" + q.Value(pg.Distinct(f.IDs)) + "::bigint[], comment_id)")
	}
	if f.Whole {
		columns += `, ` + restColumns
	}
	rows, err := tx.Query(ctx, order.First(q, `SELECT `+columns+`
FROM comments WHERE annotation_key = $1`, p.Size), q.Args...)
	if err != nil {
		return nil, err
	}
	all, err := collectThread(rows, f.Whole)
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

// collectThread keeps rows until they are more than one answer holds: what is behind is
// on a later page.
func collectThread(rows pgx.Rows, whole bool) (all []*threadRow, err error) {
	defer rows.Close()
	measured := newMeasure()
	for total := int64(0); (len(all) < 2 || total <= list.AnswerLimit) && rows.Next(); {
		r := &threadRow{}
		if r.CommentView, err = scanWholeComment(rows, whole, &r.seq); err != nil {
			return nil, err
		}
		r.size = measured.comment(&r.CommentView)
		total += r.size
		all = append(all, r)
	}
	return all, rows.Err()
}
