package annotation

import (
	"context"

	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/notification"
)

// Reading is a call that says which annotations of a document a user has read, or has not
// read any more.
type Reading struct {
	directory.Container
	UserID string
	// AnnotationIDs name each annotation once; where there are none, all are meant that
	// the user may see.
	AnnotationIDs []string
	Unread        bool
}

// markedAtOnce is how many annotations of a whole document one transaction marks, and how many notifications it reads.
const markedAtOnce = 10_000

// readCall is one call of MarkRead.
type readCall struct {
	Reading
	workspaceID string
	scope       directory.Scope
	// found are the annotations named that the user may see, by the caller's id; changed is how
	// many have another mark now.
	found   map[string]bool
	changed int64
	// after is the id behind which a whole document is to be marked; marked says that nothing is, left that there is more to do.
	after        string
	marked, left bool
}

// MarkRead marks annotations as read as far as they go at this moment, or takes the marks
// back: those of a whole document some at a time. It returns how many have another mark now, and an entry for each annotation that is
// named: one that the user may not see is not-found. Nobody waits for it who changes an
// annotation. Errors: NOT_FOUND of organization, document.
func (s *Annotations) MarkRead(ctx context.Context, workspaceID string, reading Reading) (int64, []directory.Entry, error) {
	r := &readCall{Reading: reading, workspaceID: workspaceID, found: map[string]bool{}, left: true}
	for r.left {
		if err := s.db.InTx(ctx, func(tx *pg.Tx) error { return r.markSome(ctx, tx) }); err != nil {
			return 0, nil, err
		}
	}
	entries := make([]directory.Entry, len(r.AnnotationIDs))
	for i, annotationID := range r.AnnotationIDs {
		entries[i] = directory.Entry{ID: annotationID, ItemID: annotationID}
		if !r.found[annotationID] {
			entries[i].Code = directory.CodeNotFound
		}
	}
	return r.changed, entries, nil
}

// markSome does what one transaction does of the call.
func (r *readCall) markSome(ctx context.Context, tx *pg.Tx) error {
	r.left = false
	readable, err := r.open(ctx, tx)
	switch {
	case err != nil || !readable:
		return err
	case r.Unread:
		return r.forget(ctx, tx)
	case !r.marked:
		if err := r.mark(ctx, tx); err != nil || r.left {
			return err
		}
		r.marked = true
	default:
	}
	return r.readNotifications(ctx, tx)
}

// open holds the document and reports whether the user may read it.
func (r *readCall) open(ctx context.Context, tx *pg.Tx) (bool, error) {
	organization, err := r.OpenOrganization(ctx, tx, r.workspaceID, directory.LockStay)
	if err != nil {
		return false, err
	}
	if r.scope, err = r.EnterRest(ctx, tx, r.workspaceID, organization); err != nil {
		return false, err
	}
	access, err := directory.ReadAccess(ctx, tx, organization, []int64{*r.scope.Document}, []string{r.UserID})
	return err == nil && access.Decide(*r.scope.Document, r.UserID).Read, err
}

// narrow adds the conditions for the annotations a that are meant.
func (r *readCall) narrow(q *pg.Conditions) {
	q.And("a.document_key = %s", *r.scope.Document)
	q.And(directory.VisibleTo, []string{r.UserID})
	if len(r.AnnotationIDs) > 0 {
		q.And("a.annotation_id = ANY(%s)", r.AnnotationIDs)
	}
}

// visible is the statement for those of the annotations that the user may see, with the
// numbers of their newest comments: of a whole document those with the next ids. They are held in the order of their keys against being
// removed, and against nothing else.
func (r *readCall) visible() (statement string, q *pg.Conditions) {
	q = pg.NewConditions(r.workspaceID)
	r.narrow(q)
	meant := ` FROM annotations a WHERE a.workspace_id = $1` + q.Text()
	if len(r.AnnotationIDs) == 0 {
		meant += ` AND a.key = ANY(ARRAY(SELECT a.key` + meant + ` AND a.annotation_id > ` + q.Value(r.after) + ` ORDER BY a.annotation_id LIMIT ` + q.Value(markedAtOnce) + `))`
	}
	return `SELECT a.key, a.annotation_id, a.last_seq` + meant + ` ORDER BY a.key FOR KEY SHARE`, q
}

// mark moves the marks to the newest comments, unless they stand there.
func (r *readCall) mark(ctx context.Context, tx *pg.Tx) error {
	visible, q := r.visible()
	user, document := q.Value(r.UserID), q.Value(*r.scope.Document)
	table := "read_marks"
	if len(r.AnnotationIDs) == 0 {
		table = "document_read_marks"
	}
	of := func(table string) string {
		return `LEFT JOIN LATERAL (SELECT m.seq FROM ` + table + ` m WHERE m.annotation_key = s.key AND m.user_id = ` + user + ` OFFSET 0) `
	}
	return r.send(ctx, tx, `WITH seen AS (`+visible+`), moved AS (
    INSERT INTO `+table+` AS m (annotation_key, user_id, workspace_id, document_key, seq)
    SELECT s.key, `+user+`, $1, `+document+`, s.last_seq FROM seen s
    `+of("read_marks")+`o ON true `+of("document_read_marks")+`d ON true
    WHERE s.last_seq > greatest(o.seq, d.seq, 0) ORDER BY s.key
    ON CONFLICT (annotation_key, user_id) DO UPDATE SET seq = excluded.seq WHERE m.seq < excluded.seq RETURNING 1
)`+seenAnd+`(SELECT count(*) FROM moved)`, q)
}

// readNotifications reads some of those that the user has not read about comments up to the marks.
// One that is being taken back meanwhile is passed over.
func (r *readCall) readNotifications(ctx context.Context, tx *pg.Tx) error {
	q := pg.NewConditions(r.workspaceID)
	user := q.Value(r.UserID)
	r.narrow(q)
	read, err := tx.Exec(ctx, notification.ReadSeen(user, q.Text(), q.Value(markedAtOnce)), q.Args...)
	r.left = read.RowsAffected() == markedAtOnce
	return err
}

// forget removes the marks.
func (r *readCall) forget(ctx context.Context, tx *pg.Tx) error {
	visible, q := r.visible()
	user, document := q.Value(r.UserID), q.Value(*r.scope.Document)
	removed := func(table string) string {
		return `DELETE FROM ` + table + ` WHERE document_key = ` + document + ` AND user_id = ` + user +
			` AND annotation_key = ANY(ARRAY(SELECT key FROM seen)) RETURNING annotation_key`
	}
	return r.send(ctx, tx, `WITH seen AS (`+visible+`), own AS (`+removed("read_marks")+`), all_at_once AS (`+removed("document_read_marks")+`)
`+seenAnd+`(SELECT count(*) FROM (SELECT annotation_key FROM own UNION SELECT annotation_key FROM all_at_once) u)`, q)
}

// seenAnd returns which annotations a statement has seen, in the order of their ids, and another column.
const seenAnd = `SELECT ARRAY(SELECT annotation_id FROM seen ORDER BY annotation_id), `

// send sends the statement and takes over what it found and changed.
func (r *readCall) send(ctx context.Context, tx *pg.Tx, statement string, q *pg.Conditions) error {
	var seen []string
	var changed int64
	if err := tx.QueryRow(ctx, statement, q.Args...).Scan(&seen, &changed); err != nil {
		return err
	}
	r.changed += changed
	if len(r.AnnotationIDs) == 0 {
		if r.left = len(seen) == markedAtOnce; r.left {
			r.after = seen[len(seen)-1]
		}
		return nil
	}
	for _, annotationID := range seen {
		r.found[annotationID] = true
	}
	return nil
}
