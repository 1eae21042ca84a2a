package annotation

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/erase"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/judgment"
	"github.com/redline-svc/redline/models/notification"
)

// Erasure takes people out of the annotations of a workspace, in the organizations with these keys, nil for all.
type Erasure struct {
	WorkspaceID   string
	Organizations []int64
	Marks         *erase.Marks
}

const (
	// walkedAtOnce is how many annotations one portion of an erasure looks at, and walkedComments how many comments they may have,
	// fewer where there are many marks, and walkedBytes how many bytes, for each mark.
	walkedAtOnce   = 500
	walkedComments = 5000
	walkedBytes    = 256 << 20
	// erasedAtOnce, erasedComments and erasedBytes bound the threads that it changes.
	erasedAtOnce   = 100
	erasedComments = 1000
	erasedBytes    = 16 << 20
)

// walked is an annotation that was looked at.
type walked struct {
	key             int64
	id              string
	comments, bytes int64
	// named reports that it may name one of the people, in any of its columns or comments.
	named bool
}

// walkAnnotations looks at annotations behind the id $2, in the order of their ids: at $6 at most, and at none behind $7 bytes or $8 comments. Each row
// says how many there were within the first of these. A tag in HTML may be spelled in any way: who is mentioned is known by rows.
const walkAnnotations = `
SELECT a.key, a.annotation_id, a.comment_count, a.thread_bytes, a.within,
       may_name(concat_ws(' ', a.author_id, a.author::text, a.resolved_by, a.status_updated_by, array_to_string(a.visible_to, ' '), a.assigned::text,
                          a.suggestion::text, a.context::text, a.agent::text), $4)
       OR EXISTS (SELECT FROM annotation_mentions m WHERE m.annotation_key = a.key AND m.user_id = ANY ($5))
       OR EXISTS (SELECT FROM comments c WHERE c.annotation_key = a.key AND may_name(concat_ws(' ', c.author_id, c.author::text, c.comment_text,
                          c.context::text, c.contacts::text, c.agent::text), $4))
FROM (
    SELECT l.*, count(*) OVER () AS within, sum(l.thread_bytes) OVER ordered - l.thread_bytes AS bytes_before,
           sum(l.comment_count) OVER ordered - l.comment_count AS comments_before FROM (
        SELECT a.* FROM annotations a JOIN document_rows d ON d.key = a.document_key
        WHERE a.workspace_id = $1 AND a.annotation_id > $2 AND ($3::bigint[] IS NULL OR d.organization_key = ANY ($3))
        ORDER BY a.annotation_id LIMIT $6) l WINDOW ordered AS (ORDER BY l.annotation_id, l.key)) a
WHERE a.bytes_before < $7 AND a.comments_before < $8 ORDER BY a.annotation_id, a.key`

// Erase takes the people out of some annotations behind an id. It returns the id of the last one, empty when there are
// no more, and how many it has changed.
func (e Erasure) Erase(ctx context.Context, tx *pg.Tx, after string) (last string, changed int, err error) {
	all, more, err := e.walk(ctx, tx, after)
	if err != nil || len(all) == 0 {
		return "", 0, err
	}
	var keys, named []int64
	for _, w := range all {
		keys = append(keys, w.key)
		if w.named {
			named = append(named, w.key)
		}
	}
	if len(named) > 0 {
		if changed, err = e.eraseThreads(ctx, tx, named); err != nil {
			return "", 0, err
		}
	}
	if more {
		last = all[len(all)-1].id
	}
	return last, changed, e.eraseBeside(ctx, tx, keys)
}

// walk looks at annotations, until those that may name somebody are as many as one portion changes. It reports whether there may
// be more of them.
func (e Erasure) walk(ctx context.Context, tx *pg.Tx, after string) (all []walked, more bool, err error) {
	marks, most := e.Marks.All(), e.Marks.AtOnce(walkedAtOnce)
	rows, err := tx.Query(ctx, walkAnnotations, e.WorkspaceID, after, e.Organizations, marks, e.Marks.IDs(), most, walkedBytes/len(marks), e.Marks.AtOnce(walkedComments))
	if err != nil {
		return nil, false, err
	}
	within := 0
	all, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (w walked, err error) {
		return w, row.Scan(&w.key, &w.id, &w.comments, &w.bytes, &within, &w.named)
	})
	var named, comments, bytes int64
	for i, w := range all {
		if w.named {
			named, comments, bytes = named+1, comments+w.comments, bytes+w.bytes
		}
		if i > 0 && (named > erasedAtOnce || comments > erasedComments || bytes > erasedBytes) {
			return all[:i], true, err
		}
	}
	return all, within == most || len(all) < within, err
}

// eraseBeside removes what people have read of annotations, and that they were notified about them.
func (e Erasure) eraseBeside(ctx context.Context, tx *pg.Tx, keys []int64) error {
	b := &pgx.Batch{}
	for _, table := range []string{"read_marks", "document_read_marks"} {
		b.Queue(`WITH held AS (
    SELECT annotation_key, user_id FROM `+table+` WHERE annotation_key = ANY ($1) AND user_id = ANY ($2) ORDER BY annotation_key, user_id FOR UPDATE
)
DELETE FROM `+table+` m USING held h WHERE m.annotation_key = h.annotation_key AND m.user_id = h.user_id`, keys, e.Marks.IDs())
	}
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	return notification.EraseOfAnnotations(ctx, tx, keys, e.Marks)
}

// eraseThreads holds annotations and takes the people out of them and their comments.
func (e Erasure) eraseThreads(ctx context.Context, tx *pg.Tx, keys []int64) (changed int, err error) {
	var held []int64
	rows, err := tx.Query(ctx, `SELECT key FROM annotations WHERE key = ANY ($1) ORDER BY key FOR UPDATE`, keys)
	if err != nil {
		return 0, err
	}
	if held, err = pgx.CollectRows(rows, pgx.RowTo[int64]); err != nil || len(held) == 0 {
		return 0, err
	}
	c := &change{workspaceID: e.WorkspaceID}
	if err := readLocked(ctx, tx, c, held); err != nil {
		return 0, err
	}
	b := &pgx.Batch{}
	var emptied []int64
	for _, a := range c.annotations {
		erased := e.of(a)
		switch {
		case len(erased.comments) == 0:
			emptied = append(emptied, a.key)
		case erased.changed:
			erased.queue(b, e.WorkspaceID, a)
			erased.reword(tx, b, e.WorkspaceID, a)
		default:
			continue
		}
		changed++
	}
	if len(emptied) > 0 {
		b.Queue(keepVisibility, emptied, []int64{})
		notification.DropOfAnnotations(b, emptied)
		b.Queue(`DELETE FROM annotations WHERE key = ANY ($1)`, emptied)
	}
	if b.Len() == 0 {
		return changed, nil
	}
	return changed, tx.SendBatch(ctx, b).Close()
}

// erasedThread is an annotation without the people.
type erasedThread struct {
	annotation

	changed bool
	// gone are the numbers of comments that went, edited those that are others.
	gone   []int64
	edited []*comment
}

// of is an annotation without the people.
func (e Erasure) of(stored *annotation) *erasedThread {
	t := &erasedThread{annotation: *stored}
	t.comments, t.lastSeq, t.otherSeq, t.lastAuthor = nil, 0, 0, ""
	for _, c := range stored.comments {
		if e.Marks.Has(c.From.UserID) {
			t.gone, t.bytes, t.goneSeq = append(t.gone, c.seq), t.bytes-c.bytes(), max(t.goneSeq, c.seq)
			continue
		}
		now := e.comment(c)
		if now != c {
			t.edited, t.bytes = append(t.edited, now), t.bytes+now.bytes()-c.bytes()
		}
		t.comments = append(t.comments, now)
	}
	t.follow(t.comments...)
	own := e.own(&t.annotation)
	t.changed = own || len(t.gone) > 0 || len(t.edited) > 0
	return t
}

// comment is a comment of somebody else without the people; the same one where they have no part in it.
func (e Erasure) comment(stored *comment) *comment {
	c := *stored
	c.Text, c.HTML = e.Marks.Untagged(c.Text), e.Marks.UntaggedHTML(c.HTML)
	c.Context = e.Marks.JSON(c.Context)
	c.Contacts = slices.DeleteFunc(slices.Clone(c.Contacts), func(contact directory.Contact) bool { return e.Marks.Has(contact.UserID) })
	c.Tags = slices.DeleteFunc(slices.Clone(c.Tags), e.Marks.Has)
	if block := stored.Agent.block(); block != nil {
		if erased := e.Marks.JSON(block); string(erased) != string(block) {
			c.Agent = storedAgent(erased)
			return &c
		}
	}
	if c.same(stored) {
		return stored
	}
	return &c
}

// own takes the people out of the annotation itself and reports whether they had a part in it.
func (e Erasure) own(a *annotation) (changed bool) {
	before := *a
	if e.Marks.Has(a.author) {
		a.author, a.from = e.Marks.Pseudonym, e.Marks.Person(a.from)
	}
	if a.assigned != nil && e.Marks.Has(a.assigned.UserID) {
		a.assigned = nil
	}
	a.resolvedBy, a.statusUpdatedBy = e.Marks.Text(a.resolvedBy), e.Marks.Text(a.statusUpdatedBy)
	a.visibility.UserIDs = slices.DeleteFunc(slices.Clone(a.visibility.UserIDs), e.Marks.Has)
	a.suggestion, a.context, a.agent = e.Marks.JSON(a.suggestion), e.Marks.JSON(a.context), e.Marks.JSON(a.agent)
	a.bytes += a.ownBytes() - before.ownBytes()
	return a.author != before.author || a.assigned != before.assigned || a.resolvedBy != before.resolvedBy ||
		a.statusUpdatedBy != before.statusUpdatedBy || len(a.visibility.UserIDs) != len(before.visibility.UserIDs) ||
		string(a.suggestion) != string(before.suggestion) || string(a.context) != string(before.context) || string(a.agent) != string(before.agent)
}

const eraseAnnotation = `
UPDATE annotations SET author_id = $2, author = $3::json, visible_to = $4, context = $5::json, assigned = $6::json, suggestion = $7::json,
       agent = $8::json, resolved_by = $9, status_updated_by = $10, comment_count = $11, last_seq = $12, last_author = $13, other_seq = $14,
       gone_seq = $15, thread_bytes = $16 WHERE key = $1`

const eraseComment = `
UPDATE comments SET comment_text = $3, comment_html = $4, context = $5::json, contacts = $6::json, agent = $7::json WHERE annotation_key = $1 AND seq = $2`

// queue stores what is left of an annotation.
func (t *erasedThread) queue(b *pgx.Batch, workspaceID string, stored *annotation) {
	_, users := t.storedVisibility()
	if stored.visibility.Type == directory.VisibleRestricted && users == nil {
		users = []string{} // nobody but the author
	}
	if len(t.gone) > 0 {
		notification.DropOfComments(b, t.key, t.gone)
		b.Queue(`DELETE FROM comments WHERE annotation_key = $1 AND seq = ANY ($2)`, t.key, t.gone)
	}
	for _, c := range t.edited {
		b.Queue(eraseComment, t.key, c.seq, c.Text, c.HTML, pg.JSONOrNil(c.Context), pg.JSONOrNil(storedContacts(c.Contacts)), pg.JSONOrNil(c.Agent.block()))
	}
	keepMentions(b, workspaceID, &t.annotation)
	b.Queue(eraseAnnotation, t.key, t.author, string(t.from), users, pg.JSONOrNil(t.context), pg.JSONOrNil(t.storedAssignee()), pg.JSONOrNil(t.suggestion),
		pg.JSONOrNil(t.agent), pg.Optional(t.resolvedBy), pg.Optional(t.statusUpdatedBy), len(t.comments), t.lastSeq, t.lastAuthor, t.otherSeq,
		t.goneSeq, t.bytes)
}

// reword lets judgments that quote comments say what those say now.
func (t *erasedThread) reword(tx *pg.Tx, b *pgx.Batch, workspaceID string, stored *annotation) {
	for _, now := range t.edited {
		for _, was := range stored.comments {
			if was.seq == now.seq {
				judgment.QueueRewording(tx, b, workspaceID, stored.id, was.readable(), now.readable())
			}
		}
	}
}
