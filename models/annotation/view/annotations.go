package view

import (
	"context"
	"encoding/json"
	"slices"
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
	// Rest is there where whole annotations are asked for.
	Rest *Rest
}

// CommentView is a comment as read. From is the author's snapshot.
type CommentView struct {
	CommentID   int64
	Text, HTML  string
	From        json.RawMessage
	Status      string
	LastUpdated time.Time
	// Rest is there where whole comments are asked for.
	Rest *CommentRest
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
func (v *Views) Get(ctx context.Context, workspaceID string, f Filter, after *Position, size int) (*Page, error) {
	page := &Page{}
	p := list.NewPager(f.IDs, after, size)
	err := v.db.Read(ctx, func(tx *pg.Tx) error {
		rows, err := findAnnotations(ctx, tx, workspaceID, f, p)
		if err != nil {
			return err
		}
		if err := newThreads(tx).read(ctx, inOrderOf(f.IDs, rows)); err != nil {
			return err
		}
		cut := list.CutPage(p, rows)
		page.Items, page.Next = viewsOf(cut.Items), cut.Next
		return nil
	})
	return page, err
}

// inOrderOf returns rows in the order in which the page shows them: that of the ids,
// if any were asked for.
func inOrderOf(ids []string, rows []*storedAnnotation) []*storedAnnotation {
	if len(ids) == 0 {
		return rows
	}
	sorted := slices.Clone(rows)
	slices.SortFunc(sorted, func(a, b *storedAnnotation) int {
		return slices.Index(ids, a.AnnotationID) - slices.Index(ids, b.AnnotationID)
	})
	return sorted
}

// viewsOf are the annotations of a page; nil for an empty slot.
func viewsOf(rows []*storedAnnotation) []*View {
	views := make([]*View, len(rows))
	for i, r := range rows {
		if r != nil {
			views[i] = &r.View
		}
	}
	return views
}

// storedAnnotation is an annotation with what it takes: how many bytes and how many comments
// are stored, and, once it is read, how large it is as written.
type storedAnnotation struct {
	View
	key, updatedMs              int64
	bytes, comments, writtenLen int64
}

func (f *storedAnnotation) Name() string     { return f.AnnotationID }
func (f *storedAnnotation) Position() Change { return Change{f.updatedMs, f.AnnotationID} }
func (f *storedAnnotation) Bytes() int64     { return f.writtenLen }

func findAnnotations(ctx context.Context, tx *pg.Tx, workspaceID string, f Filter, p list.Pager[string, Change]) ([]*storedAnnotation, error) {
	q := pg.NewConditions(workspaceID)
	q.And("a.document_key = "+documentKey, f.OrganizationID, f.DocumentID)
	if len(f.LocationIDs) > 0 {
		q.And("a.location_id = ANY(%s)", f.LocationIDs)
	}
	if len(f.Authors) > 0 {
		q.And("a.author_id = ANY(%s)", f.Authors)
	}
	p.Narrow(q, "a.annotation_id", func(at Change) { latestChange.After(q, at.UpdatedMs, at.ID) })
	query := latestChange.First(q, `SELECT a.key, a.annotation_id, a.created_ms, a.updated_ms, a.thread_bytes, a.comment_count
FROM annotations a WHERE a.workspace_id = $1`, p.Size)
	rows, err := tx.Query(ctx, query, q.Args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (*storedAnnotation, error) {
		var r storedAnnotation
		var created int64
		err := row.Scan(&r.key, &r.AnnotationID, &created, &r.updatedMs, &r.bytes, &r.comments)
		r.CreatedAt, r.LastUpdated = time.UnixMilli(created), time.UnixMilli(r.updatedMs)
		return &r, err
	})
}

const commentColumns = `comment_id, comment_text, comment_html, author, status, updated_ms`

// What is read of threads at once: at most so many comments and, unless one thread
// alone has more, so many bytes. Beyond what a page can hold no more than this is in
// memory.
const (
	threadsComments = 2000
	threadsBytes    = 2 << 20
)

// threads reads the threads of annotations, and knows how large these are together.
type threads struct {
	tx       *pg.Tx
	measured measure
	total    int64
}

func newThreads(tx *pg.Tx) *threads { return &threads{tx: tx, measured: newMeasure()} }

// full reports whether what was read is more than one answer holds.
func (t *threads) full() bool { return t.total > list.AnswerLimit }

// read reads the threads of the annotations in their order, some at a time,
// and measures them, until they are more than one answer holds. What is behind has
// no thread and is on a later page.
func (t *threads) read(ctx context.Context, rows []*storedAnnotation) error {
	for len(rows) > 0 && !t.full() {
		several := rows[:severalThreads(rows)]
		rows = rows[len(several):]
		if err := readSeveral(ctx, t.tx, several); err != nil {
			return err
		}
		for _, r := range several {
			r.Rest.mention(r.Comments)
			r.writtenLen = t.measured.annotation(&r.View)
			t.total += r.writtenLen
		}
	}
	return nil
}

// severalThreads is how many threads are read at once; at least one.
func severalThreads(rows []*storedAnnotation) int {
	var comments, bytes int64
	for i, r := range rows {
		comments, bytes = comments+r.comments, bytes+r.bytes
		if i > 0 && (comments > threadsComments || bytes > threadsBytes) {
			return i
		}
	}
	return len(rows)
}

// readSeveral reads threads in one trip: with all that is known of their comments where the
// annotations are whole, else with what an older annotation shows of itself.
func readSeveral(ctx context.Context, tx *pg.Tx, several []*storedAnnotation) error {
	keys, byKey := keysOf(several)
	columns, whole := commentColumns+`, annotation_key`, several[0].Rest != nil
	b := &pgx.Batch{}
	if whole {
		columns += `, ` + restColumns
	} else {
		b.Queue(`SELECT key, author, status FROM annotations WHERE key = ANY($1)`, keys).Query(func(rows pgx.Rows) error {
			var key int64
			var author, status []byte
			_, err := pgx.ForEachRow(rows, []any{&key, &author, &status}, func() error {
				byKey[key].From, byKey[key].Status = slices.Clone(author), slices.Clone(status)
				return nil
			})
			return err
		})
	}
	b.Queue(`SELECT `+columns+` FROM comments WHERE annotation_key = ANY($1) ORDER BY annotation_key, seq`, keys).Query(func(rows pgx.Rows) error {
		return scanThreads(rows, whole, byKey)
	})
	return tx.SendBatch(ctx, b).Close()
}

// scanThreads reads comments into their annotations.
func scanThreads(rows pgx.Rows, whole bool, byKey map[int64]*storedAnnotation) error {
	defer rows.Close()
	for rows.Next() {
		var key int64
		c, err := scanWholeComment(rows, whole, &key)
		if err != nil {
			return err
		}
		byKey[key].Comments = append(byKey[key].Comments, c)
	}
	return rows.Err()
}

// keysOf are the keys of annotations, and these by them.
func keysOf(rows []*storedAnnotation) ([]int64, map[int64]*storedAnnotation) {
	keys, byKey := make([]int64, len(rows)), map[int64]*storedAnnotation{}
	for i, r := range rows {
		keys[i], byKey[r.key] = r.key, r
	}
	return keys, byKey
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
