package annotation

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/envelope"
	"github.com/redline-svc/redline/internal/person"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
)

// change is what one transaction changed in a document, with all that is needed
// to store what follows from it. The functions that do so (storeEffects) take a
// change and do not know which operation made it.
type change struct {
	workspaceID string
	// apiKeyID is the calling key's; its events name it.
	apiKeyID string
	// container has the ids by which callers name the document and what it is in,
	// Scope the keys of their rows. folderID is that of the folder which the
	// document is in at this moment.
	container directory.Container
	scope     directory.Scope
	folderID  *string
	now       time.Time
	// profiles are those of the people whose snapshots the change stores, by user; known is
	// how others are called whom it names, and where they have mails sent.
	profiles    map[string]*directory.Profile
	known       map[string]person.Person
	annotations []*annotation
	// dropped counts who is not told of added comments because too many would be.
	dropped int
}

// annotation is an annotation as it stands after the change.
type annotation struct {
	key, document                   int64
	id, kind, commentType, statusID string
	author                          string
	// from and agent are author and agent as stored: those of the root as first written.
	from, agent                         json.RawMessage
	status                              json.RawMessage
	visibility                          directory.Visibility
	locationID                          string
	location, target, context, priority json.RawMessage
	suggestion, kept                    json.RawMessage
	assigned                            *person.Person
	resolvedBy, statusUpdatedBy         string
	createdMs, updatedMs                int64
	lastAuthor                          string
	lastSeq, otherSeq                   int64
	// goneSeq is the highest number that a deleted comment had: that of the next one is
	// higher, so that nobody has read it.
	goneSeq int64
	bytes   int64
	// comments are the whole thread in order, changed those of them that the
	// change is about; those that it deletes are not in the thread any more. What happens
	// to an annotation as it is added is kept with its root.
	comments, changed []*comment
	// acts are what was done with a stored annotation itself, after what happened to its
	// comments; actor is who did so, nil where the call names nobody, notify asks for the
	// notification of an assignee and record for activities.
	acts           []act
	actor          *person.Person
	notify, record bool
	// before is what an updated annotation was.
	before *annotation
	// rootSays is what the root says for judgments, read once however many comments are about it.
	rootSays string
	// assignment is set where the change is about the assignee.
	assignment *assignment
}

// act is what was done with an annotation itself, by the name of its event, with the fields
// that it changed by the names under which events show them.
type act struct {
	event   string
	changes map[string]fieldChange
}

// assignment is another assignee; nil is nobody.
type assignment struct{ from, to *person.Person }

// Content is what a comment says, by whom, and whom it tags. Context and Kept are the caller's
// own JSON, nil when absent; Agent is nil for a person.
type Content struct {
	Text, HTML                  string
	TextAvailable, ResolverUsed bool
	Context, Kept               json.RawMessage
	From                        person.Person
	Tags                        []string
	Contacts                    []directory.Contact
	Agent                       *Agent
}

// comment is a comment as it stands after the change.
type comment struct {
	Content

	id, seq              int64
	status               string
	createdMs, updatedMs int64
	// judged says of a stored one that it has got a judgment, as long as it has not itself
	// taken it back by saying nothing: others may have deleted it.
	judged bool
	// deleted says that it is gone, rewritten that an update of the annotation put others
	// than before into it.
	deleted, rewritten bool
	// mentions are those of its tags that came with the change.
	mentions []string
	// actor is who changed it, nil where the call names nobody; events name what was
	// done, in the order in which they are published.
	actor  *person.Person
	events []string
	// publish asks for the events, notify for notifications and mails, record for an
	// activity.
	publish, notify, record bool
	// before is what a comment was whose edit is recorded.
	before *comment
}

// storeEffects stores everything that follows from a change whose rows are
// written. What can wait for that is sent with the commit.
func storeEffects(ctx context.Context, tx *pg.Tx, c *change) error {
	last := &pgx.Batch{}
	if err := notify(ctx, tx, c, last); err != nil {
		return err
	}
	if err := recordActivities(ctx, tx, c); err != nil {
		return err
	}
	if err := recordJudgments(ctx, tx, c, last); err != nil {
		return err
	}
	tx.SendLast(last)
	return nil
}

// filled is a person who was sent, with the gaps filled from the profile: as stored
// with what they wrote. Nobody stays nobody.
func (c *change) filled(p *person.Person) *person.Person {
	if p == nil {
		return nil
	}
	var known *person.Person
	if profile := c.profiles[p.UserID]; profile != nil {
		known = &profile.Person
	}
	whole := p.Filled(known)
	return &whole
}

// readPeople reads the profiles of users whose snapshots the change stores, and how those
// are called whom it only names: of these there may be a hundred for each comment.
func (c *change) readPeople(ctx context.Context, tx *pg.Tx, stored, named []string) (err error) {
	if c.profiles, err = directory.ReadProfiles(ctx, tx, c.scope.Organization, pg.Distinct(stored)); err != nil {
		return err
	}
	return c.readNames(ctx, tx, named)
}

// readNames reads how users are called of whom that is not known.
func (c *change) readNames(ctx context.Context, tx *pg.Tx, named []string) error {
	missing := slices.DeleteFunc(pg.Distinct(named), func(user string) bool {
		_, known := c.known[user]
		return known || c.profiles[user] != nil
	})
	if len(missing) == 0 {
		return nil
	}
	found, err := directory.ReadContacts(ctx, tx, c.scope.Organization, missing)
	if c.known == nil {
		c.known = map[string]person.Person{}
	}
	maps.Copy(c.known, found)
	return err
}

// called is what is known of a user; the zero value of nobody.
func (c *change) called(user string) person.Person {
	if profile := c.profiles[user]; profile != nil {
		return profile.Person
	}
	return c.known[user]
}

// snapshotOrNull is a person as JSON, also nobody.
func snapshotOrNull(p *person.Person) json.RawMessage {
	if p == nil {
		return jsonNull
	}
	return p.Snapshot()
}

// open holds the document, as an addition does.
func (c *change) open(ctx context.Context, tx *pg.Tx) error {
	return c.openBy(ctx, tx, directory.Container.OpenRest)
}

// enter is open where access must not be switched off.
func (c *change) enter(ctx context.Context, tx *pg.Tx) error {
	return c.openBy(ctx, tx, directory.Container.EnterRest)
}

// openBy holds the organization and then the document.
func (c *change) openBy(ctx context.Context, tx *pg.Tx, rest func(directory.Container, context.Context, *pg.Tx, string, int64) (directory.Scope, error)) error {
	organization, err := c.container.OpenOrganization(ctx, tx, c.workspaceID, directory.LockStay)
	if err != nil {
		return err
	}
	c.scope, err = rest(c.container, ctx, tx, c.workspaceID, organization)
	return err
}

// gone reports whether the change deletes the annotation.
func (a *annotation) gone() bool {
	return slices.ContainsFunc(a.acts, func(done act) bool { return done.event == envelope.AnnotationDelete })
}

// published reports whether anything that happened is to be published.
func (a *annotation) published() bool {
	return len(a.acts) > 0 || slices.ContainsFunc(a.changed, func(c *comment) bool { return c.publish })
}

// isNew reports whether the change added the comment.
func (c *comment) isNew() bool { return slices.Contains(c.events, envelope.CommentAdd) }

// doer is who counts as having made the update: where the call names nobody, the author.
func (a *annotation) doer() *person.Person {
	if a.actor != nil {
		return a.actor
	}
	author := person.Of(a.from)
	return &author
}

// doer is who counts as having made the change: where the call names nobody, the
// author.
func (c *comment) doer() *person.Person { return cmp.Or(c.actor, &c.From) }

// mentioned are the users whom the thread tags, in the order of their first tag.
func (a *annotation) mentioned() []string { return mentionedIn(a.comments) }

// mentionedIn are the users whom comments tag, in the order of their first tag.
func mentionedIn(comments []*comment) []string {
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

// userOf is the id of somebody, none of nobody.
func userOf(p *person.Person) (ids []string) {
	if p != nil {
		ids = []string{p.UserID}
	}
	return ids
}

// mentionedBefore are the users whom the deleted comments tag.
func (a *annotation) mentionedBefore() (users []string) {
	for _, c := range a.changed {
		if c.deleted {
			users = append(users, c.Tags...)
		}
	}
	return users
}

// commentEntries are those of a call about comments, of which these are there.
func commentEntries(named, there []int64) []directory.Entry {
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
func (a *annotation) concerned(mentioned []string) []string {
	users := slices.Clone(mentioned)
	if a.assigned != nil {
		users = append(users, a.assigned.UserID)
	}
	slices.Sort(users)
	return slices.Compact(users)
}
