package annotation

import (
	"context"

	"github.com/jackc/pgx/v5"

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

// readCall is one call of MarkRead within its transaction.
type readCall struct {
	Reading
	workspaceID string
	scope       directory.Scope
	// found are the annotations that the user may see, by the caller's id; changed is how
	// many of them have another mark now.
	found   map[string]bool
	changed int64
}

// MarkRead marks annotations as read as far as they go at this moment, or takes the marks
// back. It returns how many have another mark now, and an entry for each annotation that is
// named: one that the user may not see is not-found. Nobody waits for it who changes an
// annotation. Errors: NOT_FOUND of organization, document.
func (s *Annotations) MarkRead(ctx context.Context, workspaceID string, reading Reading) (int64, []directory.Entry, error) {
	r := &readCall{Reading: reading, workspaceID: workspaceID, found: map[string]bool{}}
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		readable, err := r.open(ctx, tx)
		if err != nil || !readable {
			return err
		}
		if r.Unread {
			return r.forget(ctx, tx)
		}
		return r.mark(ctx, tx)
	})
	entries := make([]directory.Entry, len(r.AnnotationIDs))
	for i, annotationID := range r.AnnotationIDs {
		entries[i] = directory.Entry{ID: annotationID, ItemID: annotationID}
		if !r.found[annotationID] {
			entries[i].Code = directory.CodeNotFound
		}
	}
	return r.changed, entries, err
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
// numbers of their newest comments. They are held in the order of their keys against being
// removed, and against nothing else.
func (r *readCall) visible() (statement string, q *pg.Conditions) {
	q = pg.NewConditions(r.workspaceID)
	r.narrow(q)
	return `SELECT a.key, a.annotation_id, a.last_seq FROM annotations a WHERE a.workspace_id = $1` + q.Text() + ` ORDER BY a.key FOR KEY SHARE`, q
}

// mark moves the marks to the newest comments, unless they stand there, and reads the
// notifications about what is read then.
func (r *readCall) mark(ctx context.Context, tx *pg.Tx) error {
	visible, q := r.visible()
	user, document := q.Value(r.UserID), q.Value(*r.scope.Document)
	table := "read_marks"
	if len(r.AnnotationIDs) == 0 {
		table = "document_read_marks"
	}
	err := r.send(ctx, tx, `WITH seen AS (`+visible+`), moved AS (
    INSERT INTO `+table+` AS m (annotation_key, user_id, workspace_id, document_key, seq)
    SELECT s.key, `+user+`, $1, `+document+`, s.last_seq FROM seen s
    LEFT JOIN read_marks o ON o.document_key = `+document+` AND o.user_id = `+user+` AND o.annotation_key = s.key
    LEFT JOIN document_read_marks d ON d.document_key = `+document+` AND d.user_id = `+user+` AND d.annotation_key = s.key
    WHERE s.last_seq > greatest(o.seq, d.seq, 0) ORDER BY s.key
    ON CONFLICT (annotation_key, user_id) DO UPDATE SET seq = excluded.seq WHERE m.seq < excluded.seq RETURNING 1
)
SELECT ARRAY(SELECT annotation_id FROM seen WHERE `+q.Value(len(r.AnnotationIDs) > 0)+`), (SELECT count(*) FROM moved)`, q)
	if err != nil {
		return err
	}
	return r.readNotifications(ctx, tx)
}

// byKeyAgain lets Postgres look up by key again what is behind pg.BySets.
const byKeyAgain = `SELECT set_config('enable_nestloop', 'on', true)`

// readNotifications reads those that the user has not read about comments up to the marks.
// One that is being taken back meanwhile is passed over.
func (r *readCall) readNotifications(ctx context.Context, tx *pg.Tx) error {
	q := pg.NewConditions(r.workspaceID)
	user := q.Value(r.UserID)
	r.narrow(q)
	b := &pgx.Batch{}
	b.Queue(byKeyAgain)
	b.Queue(notification.ReadSeen(user, q.Text()), q.Args...)
	return tx.SendBatch(ctx, b).Close()
}

// forget removes the marks.
func (r *readCall) forget(ctx context.Context, tx *pg.Tx) error {
	visible, q := r.visible()
	user, document := q.Value(r.UserID), q.Value(*r.scope.Document)
	removed := func(table string) string {
		return `DELETE FROM ` + table + ` WHERE document_key = ` + document + ` AND user_id = ` + user +
			` AND annotation_key IN (SELECT key FROM seen) RETURNING annotation_key`
	}
	return r.send(ctx, tx, `WITH seen AS (`+visible+`), own AS (`+removed("read_marks")+`), all_at_once AS (`+removed("document_read_marks")+`)
SELECT ARRAY(SELECT annotation_id FROM seen WHERE `+q.Value(len(r.AnnotationIDs) > 0)+`),
       (SELECT count(*) FROM (SELECT annotation_key FROM own UNION SELECT annotation_key FROM all_at_once) u)`, q)
}

// send sends the statement and takes over what it found and changed. All annotations of a
// document are joined with their marks set by set.
func (r *readCall) send(ctx context.Context, tx *pg.Tx, statement string, q *pg.Conditions) error {
	var found []string
	b := &pgx.Batch{}
	if len(r.AnnotationIDs) == 0 {
		b.Queue(pg.BySets)
	}
	b.Queue(statement, q.Args...).QueryRow(func(row pgx.Row) error { return row.Scan(&found, &r.changed) })
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	for _, annotationID := range found {
		r.found[annotationID] = true
	}
	return nil
}
