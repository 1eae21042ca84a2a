package change

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/redline-svc/redline/internal/envelope"
	"github.com/redline-svc/redline/internal/person"
	"github.com/redline-svc/redline/models/annotation/shown"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
)

// Change is what one transaction changed in a document, with all that is needed
// to store what follows from it. The functions that do so (StoreEffects) take a
// change and do not know which operation made it.
type Change struct {
	WorkspaceID string
	// APIKeyID is the calling key's; its events name it.
	APIKeyID string
	// Container has the ids by which callers name the document and what it is in,
	// Scope the keys of their rows. folderID is that of the folder which the
	// document is in at this moment.
	Container directory.Container
	Scope     directory.Scope
	folderID  *string
	Now       time.Time
	// Profiles are those of the people whom the annotations name, by user.
	Profiles    map[string]*directory.Profile
	Annotations []*Annotation
}

// Annotation is an annotation as it stands after the change.
type Annotation struct {
	Key                             int64
	ID, Kind, CommentType, StatusID string
	Author                          string
	// From and agent are author and agent as stored: those of the root as first written.
	From, Agent                         json.RawMessage
	Status                              json.RawMessage
	Visibility                          directory.Visibility
	LocationID                          string
	Location, Target, Context, Priority json.RawMessage
	Suggestion                          json.RawMessage
	Assigned                            *person.Person
	ResolvedBy, StatusUpdatedBy         string
	CreatedMs, UpdatedMs                int64
	LastAuthor                          string
	LastSeq, OtherSeq                   int64
	// GoneSeq is the highest number that a deleted comment had: that of the next one is
	// higher, so that nobody has read it.
	GoneSeq int64
	Bytes   int64
	// Comments are the whole thread in order, changed those of them that the
	// change is about; those that it deletes are not in the thread any more. What happens
	// to an annotation as it is added is kept with its root.
	Comments, Changed []*Comment
	// Acts are what was done with a stored annotation itself, after what happened to its
	// comments; actor is who did so, nil where the call names nobody, notify asks for the
	// notification of an assignee and record for activities.
	Acts           []Act
	Actor          *person.Person
	Notify, Record bool
	// before is what an updated annotation was.
	before *Annotation
	// assignment is set where the change is about the assignee.
	assignment *assignment
}

// Act is what was done with an annotation itself, by the name of its event, with the fields
// that it changed by the names under which events show them.
type Act struct {
	Event   string
	changes map[string]fieldChange
}

// assignment is another assignee; nil is nobody.
type assignment struct{ from, to *person.Person }

// Content is what a comment says, by whom, and whom it tags. Context is the caller's own
// JSON, nil when absent; Agent is nil for a person.
type Content struct {
	Text, HTML                  string
	TextAvailable, ResolverUsed bool
	Context                     json.RawMessage
	From                        person.Person
	Tags                        []string
	Contacts                    []directory.Contact
	Agent                       *Agent
}

// Comment is a comment as it stands after the change.
type Comment struct {
	Content

	ID, Seq              int64
	Status               string
	CreatedMs, UpdatedMs int64
	// judged says of a stored one that it has got a judgment, as long as it has not itself
	// taken it back by saying nothing: others may have deleted it.
	judged bool
	// Deleted says that it is gone, rewritten that an update of the annotation put others
	// than before into it.
	Deleted, Rewritten bool
	// Mentions are those of its tags that came with the change.
	Mentions []string
	// Actor is who changed it, nil where the call names nobody; events name what was
	// done, in the order in which they are published.
	Actor  *person.Person
	Events []string
	// Publish asks for the events, notify for notifications and mails, record for an
	// activity.
	Publish, Notify, Record bool
	// Changes are the fields that an edit changed, for its activity.
	Changes json.RawMessage
}

// StoreEffects stores everything that follows from a change whose rows are
// written.
func StoreEffects(ctx context.Context, tx *pg.Tx, c *Change) error {
	for _, store := range []func(context.Context, *pg.Tx, *Change) error{notify, recordActivities, recordJudgments} {
		if err := store(ctx, tx, c); err != nil {
			return err
		}
	}
	return nil
}

// Filled is a person who was sent, with the gaps filled from the profile: as stored
// with what they wrote. Nobody stays nobody.
func (c *Change) Filled(p *person.Person) *person.Person {
	if p == nil {
		return nil
	}
	var known *person.Person
	if profile := c.Profiles[p.UserID]; profile != nil {
		known = &profile.Person
	}
	whole := p.Filled(known)
	return &whole
}

// snapshotOrNull is a person as JSON, also nobody.
func snapshotOrNull(p *person.Person) json.RawMessage {
	if p == nil {
		return shown.Null
	}
	return p.Snapshot()
}

// Open holds the document, as an addition does.
func (c *Change) Open(ctx context.Context, tx *pg.Tx) error {
	organization, err := c.Container.OpenOrganization(ctx, tx, c.WorkspaceID, directory.LockStay)
	if err != nil {
		return err
	}
	c.Scope, err = c.Container.OpenRest(ctx, tx, c.WorkspaceID, organization)
	return err
}

// Gone tells whether the change deletes the annotation.
func (a *Annotation) Gone() bool {
	return slices.ContainsFunc(a.Acts, func(done Act) bool { return done.Event == envelope.AnnotationDelete })
}

// published tells whether anything that happened is to be published.
func (a *Annotation) published() bool {
	return len(a.Acts) > 0 || slices.ContainsFunc(a.Changed, func(c *Comment) bool { return c.Publish })
}

// isNew tells whether the change added the comment.
func (c *Comment) isNew() bool { return slices.Contains(c.Events, envelope.CommentAdd) }

// doer is who counts as having made the update: where the call names nobody, the author.
func (a *Annotation) doer() *person.Person {
	if a.Actor != nil {
		return a.Actor
	}
	author := person.Of(a.From)
	return &author
}

// doer is who counts as having made the change: where the call names nobody, the
// author.
func (c *Comment) doer() *person.Person { return cmp.Or(c.Actor, &c.From) }

// Mentioned are the users whom the thread tags, in the order of their first tag.
func (a *Annotation) Mentioned() []string { return MentionedIn(a.Comments) }

// MentionedIn are the users whom comments tag, in the order of their first tag.
func MentionedIn(comments []*Comment) []string {
	var users []string
	seen := map[string]bool{}
	for _, c := range comments {
		for _, user := range c.Tags {
			if !seen[user] {
				seen[user], users = true, append(users, user)
			}
		}
	}
	return users
}

// UserOf is the id of somebody, none of nobody.
func UserOf(p *person.Person) (ids []string) {
	if p != nil {
		ids = []string{p.UserID}
	}
	return ids
}

// mentionedBefore are the users whom the deleted comments tag.
func (a *Annotation) mentionedBefore() (users []string) {
	for _, c := range a.Changed {
		if c.Deleted {
			users = append(users, c.Tags...)
		}
	}
	return users
}

// IDsOf are the ids of comments.
func IDsOf(comments []*Comment) []int64 {
	ids := make([]int64, len(comments))
	for i, c := range comments {
		ids[i] = c.ID
	}
	return ids
}

// CommentEntries are those of a call about comments, of which these are there.
func CommentEntries(named, there []int64) []directory.Entry {
	found := map[int64]bool{}
	for _, id := range there {
		found[id] = true
	}
	entries := make([]directory.Entry, len(named))
	for i, id := range named {
		name := strconv.FormatInt(id, 10)
		if entries[i] = (directory.Entry{ID: name, ItemID: name}); !found[id] {
			entries[i].Code = directory.CodeNotFound
		}
	}
	return entries
}

// concerned are the users whom the annotation mentions or is assigned to, in the
// order of their ids.
func (a *Annotation) concerned(mentioned []string) []string {
	users := slices.Clone(mentioned)
	if a.Assigned != nil {
		users = append(users, a.Assigned.UserID)
	}
	slices.Sort(users)
	return slices.Compact(users)
}
