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

// CommentPosition is where a page of a thread ended: the number of its last
// comment, or of slots given.
type CommentPosition struct {
	Seq   int64 `json:"q"`
	Slots int   `json:"s"`
}

// CommentPage is a page of a thread, oldest first, and where the next one
// begins; nil on the last one. With ids, a slot is nil where no comment answers.
type CommentPage struct {
	Items []*CommentView
	Next  *CommentPosition
}

// Comments reads the thread of an annotation; nil when there is none to be seen.
func (s *Annotations) Comments(ctx context.Context, workspaceID string, f CommentFilter, after *CommentPosition, size int) (*CommentPage, error) {
	var page *CommentPage
	err := s.db.readTx(ctx, func(tx pgx.Tx) error {
		key, err := findThread(ctx, tx, workspaceID, f)
		if isNoRow(err) {
			return nil
		}
		if err != nil {
			return err
		}
		page, err = readThread(ctx, tx, key, f, after, size)
		return err
	})
	return page, err
}

func findThread(ctx context.Context, tx pgx.Tx, workspaceID string, f CommentFilter) (key int64, err error) {
	q := newConditions(workspaceID)
	q.and("a.annotation_id = %s", f.AnnotationID)
	q.and("a.document_key = "+documentKey, f.OrganizationID, f.DocumentID)
	if len(f.Users) > 0 {
		q.and(visibleTo, f.Users)
	}
	err = tx.QueryRow(ctx, `SELECT a.key FROM annotations a WHERE a.workspace_id = $1`+q.text(), q.args...).Scan(&key)
	return key, err
}

// threadRow is a comment with its place and size.
type threadRow struct {
	CommentView
	seq, bytes int64
}

func readThread(ctx context.Context, tx pgx.Tx, key int64, f CommentFilter, after *CommentPosition, size int) (*CommentPage, error) {
	q := &conditions{args: []any{key}}
	slots := firstOfEach(f.IDs)
	if after != nil {
		slots = slots[min(after.Slots, len(slots)):]
	}
	asked := slots[:min(size, len(slots))]
	if len(f.IDs) > 0 {
		q.and("comment_id = ANY(%s)", asked)
	} else if after != nil {
		q.and("seq > %s", after.Seq)
	}
	if len(f.Users) > 0 {
		q.and("author_id = ANY(%s)", f.Users)
	}
	rows, err := tx.Query(ctx, `SELECT `+commentColumns+`, seq, octet_length(comment_text) + octet_length(comment_html)
FROM comments WHERE annotation_key = $1`+q.text()+` ORDER BY seq LIMIT `+q.value(size+1), q.args...)
	if err != nil {
		return nil, err
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (threadRow, error) {
		var r threadRow
		c, err := scanComment(row, &r.seq, &r.bytes)
		r.CommentView = c
		return r, err
	})
	if err != nil {
		return nil, err
	}
	if len(f.IDs) > 0 {
		return slotPage(all, asked, len(slots), after), nil
	}
	return threadPage(all, size), nil
}

// threadPage ends a page at its size, or early where its comments are large.
func threadPage(all []threadRow, size int) *CommentPage {
	page := &CommentPage{Items: []*CommentView{}}
	var bytes int64
	for i := range all {
		bytes += all[i].bytes
		if i == size || i > 0 && bytes > maxPageBytes {
			page.Next = &CommentPosition{Seq: all[i-1].seq}
			return page
		}
		page.Items = append(page.Items, &all[i].CommentView)
	}
	return page
}

// slotPage puts the comments where they were asked for; left is how many slots
// there are from here on. All the asked for stay within the limit of a thread.
func slotPage(all []threadRow, asked []int64, left int, after *CommentPosition) *CommentPage {
	byID := make(map[int64]*CommentView, len(all))
	for i := range all {
		byID[all[i].CommentID] = &all[i].CommentView
	}
	page := &CommentPage{Items: make([]*CommentView, len(asked))}
	for i, commentID := range asked {
		page.Items[i] = byID[commentID]
	}
	if len(asked) < left {
		page.Next = &CommentPosition{Slots: len(asked)}
		if after != nil {
			page.Next.Slots += after.Slots
		}
	}
	return page
}
