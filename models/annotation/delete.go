package annotation

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/envelope"
	"github.com/redline-svc/redline/internal/person"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/notification"
)

// CommentDeletion is a call that deletes comments of one annotation.
type CommentDeletion struct {
	directory.Container
	// APIKeyID is the calling key's; the events of the call name it.
	APIKeyID     string
	AnnotationID string
	Which        CommentSelection
	// Actor is who deletes, nil where the call names nobody.
	Actor *person.Person
	// Record asks for activities.
	Record bool
}

// commentDeletion is one call of DeleteComments within its transaction: it fills the change.
type commentDeletion struct {
	CommentDeletion
	change  change
	entries []directory.Entry
}

// DeleteComments deletes comments of an annotation, and with the last of them the
// annotation. It returns an entry for each: one that is not there is not-found. Errors:
// NOT_FOUND of organization, document, annotation.
func (s *Annotations) DeleteComments(ctx context.Context, workspaceID string, deletion CommentDeletion) ([]directory.Entry, error) {
	d := &commentDeletion{CommentDeletion: deletion, change: change{workspaceID: workspaceID, apiKeyID: deletion.APIKeyID, container: deletion.Container}}
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		for _, step := range []func(context.Context, *pg.Tx) error{d.change.open, d.read, d.store} {
			if err := step(ctx, tx); err != nil {
				return err
			}
		}
		return storeEffects(ctx, tx, &d.change)
	})
	if err != nil {
		return nil, err
	}
	return d.entries, nil
}

// read holds the annotation, reads it with its thread, and takes the comments out of that.
func (d *commentDeletion) read(ctx context.Context, tx *pg.Tx) error {
	a, err := lockAnnotation(ctx, tx, &d.change, d.AnnotationID)
	if err != nil {
		return err
	}
	meant := d.Which.ids(a.comments)
	d.entries = d.Which.entries(meant)
	d.change.annotations = []*annotation{a}
	if err = d.change.readPeople(ctx, tx, userOf(d.Actor), nil); err != nil {
		return err
	}
	d.mark(a, meant)
	return nil
}

// mark says what happens to the annotation: comments go, and it goes with the last of
// them.
func (d *commentDeletion) mark(a *annotation, meant []int64) {
	a.actor, a.record = d.change.filled(d.Actor), d.Record
	var kept []*comment
	for _, c := range a.comments {
		if !slices.Contains(meant, c.id) {
			kept = append(kept, c)
			continue
		}
		c.deleted, c.publish, c.record = true, true, d.Record
		c.events, c.actor = []string{envelope.CommentDelete}, a.actor
		a.bytes -= c.bytes()
		a.goneSeq, a.updatedMs = max(a.goneSeq, c.seq), d.change.now.UnixMilli()
		a.changed = append(a.changed, c)
	}
	if a.comments = kept; len(kept) == 0 {
		a.acts = []act{{event: envelope.AnnotationDelete}}
	}
}

// store removes the comments and says again what the annotation says of its thread, or
// removes the annotation.
func (d *commentDeletion) store(ctx context.Context, tx *pg.Tx) error {
	a := d.change.annotations[0]
	switch {
	case len(a.changed) == 0:
		return nil
	case a.gone():
		return removeAnnotationsOf(ctx, tx, &d.change)
	}
	seqs := make([]int64, len(a.changed))
	for i, c := range a.changed {
		seqs[i] = c.seq
	}
	a.follow(a.comments...)
	b := &pgx.Batch{}
	notification.DropOfComments(b, a.key, seqs)
	b.Queue(`DELETE FROM comments WHERE annotation_key = $1 AND seq = ANY ($2)`, a.key, seqs)
	keepMentions(b, d.change.workspaceID, a)
	b.Queue(`UPDATE annotations SET updated_ms = $2, comment_count = $3, thread_bytes = $4, last_seq = $5, last_author = $6, other_seq = $7,
       gone_seq = $8 WHERE key = $1`, a.key, a.updatedMs, len(a.comments), a.bytes, a.lastSeq, a.lastAuthor, a.otherSeq, a.goneSeq)
	return tx.SendBatch(ctx, b).Close()
}

// Deletion is a call that deletes annotations of a document.
type Deletion struct {
	directory.Container
	// APIKeyID is the calling key's; the events of the call name it.
	APIKeyID string
	Which    Selection
	// Actor is who deletes, nil where the call names nobody.
	Actor *person.Person
	// Record asks for activities.
	Record bool
}

// Delete deletes annotations with all that belongs to them, as many as one call may, and
// returns an entry for each, and whether there are more. Of the ids that the call names, one
// that is not there is not-found. Errors: NOT_FOUND of organization, document.
func (s *Annotations) Delete(ctx context.Context, workspaceID string, d Deletion) (entries []directory.Entry, more bool, err error) {
	c := &change{workspaceID: workspaceID, apiKeyID: d.APIKeyID, container: d.Container}
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := c.open(ctx, tx); err != nil {
			return err
		}
		found, err := d.Which.lock(ctx, tx, workspaceID, *c.scope.Document, lockToDelete)
		if err != nil {
			return err
		}
		if err := found.keepWithin(ctx, tx, maxTaken); err != nil {
			return err
		}
		entries, more = found.entries(d.Which.IDs), found.more
		if len(found.keys) == 0 {
			return nil
		}
		return d.remove(ctx, tx, c, found.keys)
	})
	return entries, more, err
}

// maxTaken is how many recipients of notifications go with the annotations of one call, or as many as
// with the first one: each comment may have concerned thousands.
const maxTaken = 20_000

// takenAlong are the recipients that go with the annotations $1, by the place of these, of the first $2.
const takenAlong = `
SELECT t.n, count(*) FROM (
    SELECT k.n FROM unnest($1::bigint[]) WITH ORDINALITY k (key, n) CROSS JOIN LATERAL (
        SELECT FROM notifications x JOIN notification_recipients r ON r.notification_id = x.id WHERE x.annotation_key = k.key OFFSET 0) r LIMIT $2) t
GROUP BY t.n`

// keepWithin leaves annotations to the next call with which more recipients would go than that.
func (f *selected) keepWithin(ctx context.Context, tx *pg.Tx, most int) error {
	rows, err := tx.Query(ctx, takenAlong, f.keys, most+1)
	if err != nil {
		return err
	}
	counts := make([]int, len(f.keys))
	var n, count int
	if _, err := pgx.ForEachRow(rows, []any{&n, &count}, func() error { counts[n-1] = count; return nil }); err != nil {
		return err
	}
	taken := 0
	for i, count := range counts {
		if taken += count; taken > most && i > 0 {
			f.left, f.more = append(f.left, f.iDs[i:]...), true
			f.keys, f.iDs = f.keys[:i], f.iDs[:i]
			break
		}
	}
	return nil
}

// remove removes annotations that are held, and stores what follows from that.
func (d *Deletion) remove(ctx context.Context, tx *pg.Tx, c *change, keys []int64) (err error) {
	if err = readLocked(ctx, tx, c, keys); err != nil {
		return err
	}
	if err = c.readPeople(ctx, tx, userOf(d.Actor), nil); err != nil {
		return err
	}
	for _, a := range c.annotations {
		a.actor, a.record, a.acts = c.filled(d.Actor), d.Record, []act{{event: envelope.AnnotationDelete}}
	}
	if err = removeAnnotationsOf(ctx, tx, c); err != nil {
		return err
	}
	return storeEffects(ctx, tx, c)
}

// keepVisibility keeps who could see annotations that are deleted, if there are activities
// about them or will be by this change ($2): those follow what was last.
const keepVisibility = `
INSERT INTO deleted_annotations (annotation_key, workspace_id, document_key, annotation_id, author_id, visibility, visible_to_org, visible_to)
SELECT a.key, a.workspace_id, a.document_key, a.annotation_id, a.author_id, a.visibility, a.visible_to_org, a.visible_to FROM annotations a
WHERE a.key = ANY ($1) AND (a.key = ANY ($2) OR (SELECT true FROM activities r WHERE r.annotation_key = a.key LIMIT 1))`

// removeAnnotationsOf removes the annotations of a change with what belongs to them.
// Notifications are held first, as by who removes them by their age.
func removeAnnotationsOf(ctx context.Context, tx *pg.Tx, c *change) error {
	keys, recorded := make([]int64, len(c.annotations)), []int64{}
	for i, a := range c.annotations {
		if keys[i] = a.key; a.isRecorded() {
			recorded = append(recorded, a.key)
		}
	}
	b := &pgx.Batch{}
	b.Queue(keepVisibility, keys, recorded)
	notification.DropOfAnnotations(b, keys)
	b.Queue(`DELETE FROM annotations WHERE key = ANY ($1)`, keys)
	return tx.SendBatch(ctx, b).Close()
}
