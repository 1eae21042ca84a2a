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
	"github.com/redline-svc/redline/models/annotation/change"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/notification"
)

// maxThread bounds the text and HTML of a thread, in bytes.
const maxThread = 8 << 20

// Edit is a call that gives comments of one annotation new fields.
type Edit struct {
	directory.Container
	// APIKeyID is the calling key's; the events of the call name it.
	APIKeyID     string
	AnnotationID string
	// CommentIDs name each comment once.
	CommentIDs []int64
	Fields     EditedFields
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
	change change.Change
	// annotation is the one that is edited, and the only one of the change.
	annotation *change.Annotation
	// named are where in its thread the comments of the call stand; entries say of
	// each of these whether it is there.
	named   []int
	entries []directory.Entry
	// dropped are the users whom an edited comment does not tag any more.
	dropped map[*change.Comment][]string
}

// EditComments changes comments of an annotation and gives an entry for each: one that
// is not there is not-found. A comment that stays the same is left alone. Errors:
// NOT_FOUND of organization, document, annotation; INVALID_ARGUMENT for contacts that a
// comment does not tag; FAILED_PRECONDITION when the thread would be too large.
func (s *Annotations) EditComments(ctx context.Context, workspaceID string, edit Edit) ([]directory.Entry, error) {
	e := &editCall{Edit: edit, change: change.Change{WorkspaceID: workspaceID, APIKeyID: edit.APIKeyID, Container: edit.Container}}
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		for _, step := range []func(context.Context, *pg.Tx) error{e.change.Open, e.read, e.apply} {
			if err := step(ctx, tx); err != nil {
				return err
			}
		}
		if len(e.annotation.Changed) == 0 {
			return nil
		}
		if err := e.store(ctx, tx); err != nil {
			return err
		}
		return change.StoreEffects(ctx, tx, &e.change)
	})
	if err != nil {
		return nil, err
	}
	return e.entries, nil
}

// people are the users whom the edit names: who makes it, the author, the tagged, also
// those whom the comments tag already where their contacts are made anew.
func (e *editCall) people() []string {
	var users []string
	for _, named := range []*person.Person{e.Actor, e.Fields.From} {
		if named != nil {
			users = append(users, named.UserID)
		}
	}
	if e.Fields.Words != nil {
		users = append(users, e.Fields.Words.Tags...)
	} else if e.Fields.SetContacts {
		for _, i := range e.named {
			users = append(users, e.annotation.Comments[i].Tags...)
		}
	}
	return users
}

// read holds the annotation and reads it with its thread, and the people.
func (e *editCall) read(ctx context.Context, tx *pg.Tx) (err error) {
	if e.annotation, err = change.LockAnnotation(ctx, tx, &e.change, e.AnnotationID); err != nil {
		return err
	}
	e.change.Annotations = []*change.Annotation{e.annotation}
	for i, stored := range e.annotation.Comments {
		if slices.Contains(e.CommentIDs, stored.ID) {
			e.named = append(e.named, i)
		}
	}
	e.entries = change.CommentEntries(e.CommentIDs, change.IDsOf(e.annotation.Comments))
	e.change.Profiles, err = directory.ReadProfiles(ctx, tx, e.change.Scope.Organization, e.people())
	return err
}

// apply gives the comments their new fields, and notes which of them are others by that.
func (e *editCall) apply(context.Context, *pg.Tx) error {
	if err := e.refuseContacts(); err != nil {
		return err
	}
	a := e.annotation
	e.dropped = map[*change.Comment][]string{}
	for _, i := range e.named {
		stored := a.Comments[i]
		edited := e.Fields.apply(&e.change, stored)
		if edited.Same(stored) {
			continue
		}
		e.mark(edited, stored)
		a.Comments[i], a.Changed = edited, append(a.Changed, edited)
		a.Bytes += edited.Bytes() - stored.Bytes()
	}
	if a.Bytes > maxThread {
		return tooLarge()
	}
	return nil
}

func tooLarge() error {
	return fault.Precondition("", "the thread would have more than 8 MiB of text and HTML")
}

// refuseContacts refuses contacts of users whom one of the comments would not tag,
// unless its resolver knows better.
func (e *editCall) refuseContacts() error {
	var issues []fault.Issue
	for i, contact := range e.Fields.Contacts {
		if slices.ContainsFunc(e.named, func(at int) bool { return !e.Fields.admits(e.annotation.Comments[at], contact.UserID) }) {
			issues = append(issues, fault.Issue{
				Code: shape.Conflict, Path: []string{e.Within, "taggedUserContacts", strconv.Itoa(i), "userId"}, Message: "is not tagged in the comment",
			})
		}
	}
	if len(issues) > 0 {
		return fault.Invalid(issues...)
	}
	return nil
}

// mark says what happened to a comment. Its event is published whoever is to be
// notified.
func (e *editCall) mark(edited, stored *change.Comment) {
	edited.Status, edited.UpdatedMs = statusUpdated, e.change.Now.UnixMilli()
	edited.Events, edited.Actor = []string{envelope.CommentUpdate}, e.change.Filled(e.Actor)
	edited.Publish, edited.Notify, edited.Record = true, e.Notify, e.Record
	edited.Mentions = without(edited.Tags, stored.Tags)
	if e.Record {
		edited.Changes = change.ChangesOf(stored, edited)
	}
	if dropped := without(stored.Tags, edited.Tags); len(dropped) > 0 {
		e.dropped[edited] = dropped
	}
	e.annotation.UpdatedMs = edited.UpdatedMs
}

// without are the users who are not among others.
func without(users, others []string) []string {
	return slices.DeleteFunc(slices.Clone(users), func(user string) bool { return slices.Contains(others, user) })
}

// updateComment leaves what an edit cannot change: the id, the agent, when it was added.
const updateComment = `
UPDATE comments SET status = $3, comment_text = $4, comment_html = $5, text_available = $6, resolver_used = $7, author_id = $8, author = $9,
       context = $10, contacts = $11, updated_ms = $12 WHERE annotation_key = $1 AND seq = $2`

// store stores the comments and what the annotation says of its thread. The numbers of
// the comments stay, and with them what everybody has read.
func (e *editCall) store(ctx context.Context, tx *pg.Tx) error {
	b, a := &pgx.Batch{}, e.annotation
	for _, c := range a.Changed {
		b.Queue(updateComment, a.Key, c.Seq, c.Status, c.Text, c.HTML, c.TextAvailable, c.ResolverUsed, c.From.UserID, string(c.From.Snapshot()),
			pg.JSONOrNil(c.Context), change.ContactsOrNil(c.Contacts), c.UpdatedMs)
		notification.DropMentions(b, a.Key, c.Seq, e.dropped[c])
	}
	if e.Fields.Words != nil {
		keepMentions(b, a.Key, a.Mentioned())
	}
	a.Follow(a.Comments...)
	b.Queue(`UPDATE annotations SET updated_ms = $2, thread_bytes = $3, last_author = $4, other_seq = $5 WHERE key = $1`,
		a.Key, a.UpdatedMs, a.Bytes, a.LastAuthor, a.OtherSeq)
	return tx.SendBatch(ctx, b).Close()
}
