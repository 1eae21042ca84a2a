package annotation

import (
	"context"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/envelope"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/person"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/notification"
)

// maxThread bounds an annotation with its thread, in bytes of all that is stored of them.
const maxThread = 8 << 20

// Edit is a call that gives comments of one annotation new fields.
type Edit struct {
	directory.Container
	// APIKeyID is the calling key's; the events of the call name it.
	APIKeyID     string
	AnnotationID string
	Which        CommentSelection
	Fields       EditedFields
	// Within is where the fields stand in the request: faults of them are named by it.
	Within string
	// Actor is who edits, nil where the call names nobody.
	Actor *person.Person
	// Notify asks for notifications and mails, Record for an activity.
	Notify, Record bool
}

// editCall is one call of EditComments within its transaction: it fills the change.
type editCall struct {
	Edit
	change change
	// annotation is the one that is edited, and the only one of the change.
	annotation *annotation
	// meant are where in its thread the comments of the call stand; entries say of
	// each of these whether it is there.
	meant   []int
	entries []directory.Entry
	// dropped are the users whom an edited comment does not tag any more.
	dropped map[*comment][]string
}

// EditComments changes comments of an annotation and returns an entry for each: one that
// is not there is not-found. A comment that stays the same is left alone. Errors:
// NOT_FOUND of organization, document, annotation; INVALID_ARGUMENT for contacts that a
// comment does not tag; FAILED_PRECONDITION when the thread would be too large, or
// access is switched off (access-disabled).
func (s *Annotations) EditComments(ctx context.Context, workspaceID string, edit Edit) ([]directory.Entry, error) {
	e := &editCall{Edit: edit, change: change{workspaceID: workspaceID, apiKeyID: edit.APIKeyID, container: edit.Container}}
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		for _, step := range []func(context.Context, *pg.Tx) error{e.change.enter, e.read, e.apply} {
			if err := step(ctx, tx); err != nil {
				return err
			}
		}
		if len(e.annotation.changed) == 0 {
			return nil
		}
		if err := e.store(ctx, tx); err != nil {
			return err
		}
		return storeEffects(ctx, tx, &e.change)
	})
	if err != nil {
		return nil, err
	}
	return e.entries, nil
}

// stored are the users whose snapshots the edit stores: who makes it, and the author.
func (e *editCall) stored() []string { return slices.Concat(userOf(e.Actor), userOf(e.Fields.From)) }

// tagged are the users whom the comments will tag, also those whom they tag already where
// their contacts are made again.
func (e *editCall) tagged() (users []string) {
	if e.Fields.Words != nil {
		return e.Fields.Words.Tags
	}
	if e.Fields.SetContacts {
		for _, i := range e.meant {
			users = append(users, e.annotation.comments[i].Tags...)
		}
	}
	return users
}

// read holds the annotation and reads it with its thread, and the people.
func (e *editCall) read(ctx context.Context, tx *pg.Tx) (err error) {
	if e.annotation, err = lockAnnotation(ctx, tx, &e.change, e.AnnotationID); err != nil {
		return err
	}
	e.change.annotations = []*annotation{e.annotation}
	meant := e.Which.ids(e.annotation.comments)
	for i, stored := range e.annotation.comments {
		if slices.Contains(meant, stored.id) {
			e.meant = append(e.meant, i)
		}
	}
	e.entries = e.Which.entries(meant)
	return e.change.readPeople(ctx, tx, e.stored(), e.tagged())
}

// apply gives the comments their new fields, and notes which of them are others by that.
func (e *editCall) apply(context.Context, *pg.Tx) error {
	if err := e.refuseContacts(); err != nil {
		return err
	}
	a := e.annotation
	e.dropped = map[*comment][]string{}
	for _, i := range e.meant {
		stored := a.comments[i]
		edited := e.Fields.apply(&e.change, stored)
		if edited.same(stored) {
			continue
		}
		e.mark(edited, stored)
		a.comments[i], a.changed = edited, append(a.changed, edited)
		a.bytes += edited.bytes() - stored.bytes()
	}
	if a.bytes > maxThread {
		return tooLarge()
	}
	return nil
}

func tooLarge() error {
	return fault.FailedPrecondition("", "the thread would have more than 8 MiB of all that is stored of it")
}

// refuseContacts refuses contacts of users whom one of the comments would not tag,
// unless its resolver knows better.
func (e *editCall) refuseContacts() error {
	var issues []fault.Issue
	for i, contact := range e.Fields.Contacts {
		if slices.ContainsFunc(e.meant, func(at int) bool { return !e.Fields.admits(e.annotation.comments[at], contact.UserID) }) {
			issues = append(issues, fault.Issue{
				Code: shape.Conflict, Path: []string{e.Within, "taggedUserContacts", strconv.Itoa(i), "userId"}, Message: "is not tagged in the comment",
			})
		}
	}
	if len(issues) > 0 {
		return fault.InvalidArgument(issues...)
	}
	return nil
}

// mark says what happened to a comment. Its event is published whoever is to be
// notified.
func (e *editCall) mark(edited, stored *comment) {
	if !edited.onlyProgressed(stored) {
		edited.status = statusUpdated
	}
	if e.Fields.UpdatedMs == nil {
		edited.updatedMs = e.change.now.UnixMilli()
	}
	edited.events, edited.actor = []string{envelope.CommentUpdate}, e.change.filled(e.Actor)
	edited.publish, edited.notify, edited.record = true, e.Notify, e.Record
	edited.mentions = without(edited.Tags, stored.Tags)
	if e.Record {
		edited.before = stored
	}
	if dropped := without(stored.Tags, edited.Tags); len(dropped) > 0 {
		e.dropped[edited] = dropped
	}
	e.annotation.updatedMs = e.change.now.UnixMilli()
}

// without are the users who are not among others.
func without(users, others []string) []string {
	return slices.DeleteFunc(slices.Clone(users), func(user string) bool { return slices.Contains(others, user) })
}

// updateComment leaves what an edit cannot change: the id, the agent.
const updateComment = `
UPDATE comments SET status = $3, comment_text = $4, comment_html = $5, text_available = $6, resolver_used = $7, author_id = $8, author = $9,
       context = $10, kept = $11, contacts = $12, created_ms = $13, updated_ms = $14 WHERE annotation_key = $1 AND seq = $2`

// store stores the comments and what the annotation says of its thread. The numbers of
// the comments stay, and with them what everybody has read.
func (e *editCall) store(ctx context.Context, tx *pg.Tx) error {
	b, a := &pgx.Batch{}, e.annotation
	for _, c := range a.changed {
		b.Queue(updateComment, a.key, c.seq, c.status, c.Text, c.HTML, c.TextAvailable, c.ResolverUsed, c.From.UserID, string(c.From.Snapshot()),
			pg.JSONOrNil(c.Context), pg.JSONOrNil(c.Kept), pg.JSONOrNil(storedContacts(c.Contacts)), c.createdMs, c.updatedMs)
		notification.DropMentions(b, a.key, c.seq, e.dropped[c])
	}
	if e.Fields.Words != nil {
		keepMentions(b, e.change.workspaceID, a)
	}
	a.follow(a.comments...)
	b.Queue(`UPDATE annotations SET updated_ms = $2, thread_bytes = $3, last_author = $4, other_seq = $5 WHERE key = $1`,
		a.key, a.updatedMs, a.bytes, a.lastAuthor, a.otherSeq)
	return tx.SendBatch(ctx, b).Close()
}
