package annotation

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/binary"
	"slices"

	"github.com/redline-svc/redline/internal/envelope"
	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
)

// statusAdded is the status of a comment that nobody changed since.
const statusAdded = "added"

// fill completes people from their profiles and everything else from its
// defaults.
func (a *addCall) fill(ctx context.Context, tx *pg.Tx) error {
	var err error
	if a.change.profiles, err = directory.ReadProfiles(ctx, tx, a.change.scope.Organization, a.people()); err != nil {
		return err
	}
	for i := range a.Annotations {
		a.change.annotations = append(a.change.annotations, newAnnotation(&a.change, &a.Annotations[i]))
	}
	return nil
}

// people are the users whom the annotations name: authors, tagged, assigned.
func (a *addCall) people() []string {
	users := a.authorship.people()
	for i := range a.Annotations {
		if assigned := a.Annotations[i].Assigned; assigned != nil {
			users = append(users, assigned.UserID)
		}
	}
	return pg.Distinct(users)
}

// newAnnotation is an annotation to be added with all its defaults.
func newAnnotation(c *change, n *NewAnnotation) *changedAnnotation {
	added := &changedAnnotation{
		id: n.ID, kind: n.Kind, commentType: n.CommentType, statusID: n.StatusID, author: n.Comments[0].From.UserID, status: n.Status,
		visibility: n.Visibility, locationID: n.LocationID, location: n.Location, target: n.Target, context: n.Context, priority: n.Priority,
		suggestion: n.Suggestion, assigned: c.filled(n.Assigned),
	}
	if added.id == "" {
		added.id = id.New(id.Annotation)
	}
	taken := map[int64]bool{}
	for i := range n.Comments {
		if sent := n.Comments[i].ID; sent != nil {
			taken[*sent] = true
		}
	}
	for i := range n.Comments {
		added.append(newComment(c, &n.Comments[i], taken))
	}
	root := added.comments[0]
	added.from, added.agent = root.from.Snapshot(), root.agent.block()
	added.createdMs = timeOf(n.CreatedMs, &root.createdMs)
	added.updatedMs = timeOf(n.UpdateMs, &added.updatedMs)
	added.nameEvents()
	return added
}

// nameEvents says what happened, in the order in which it is published: the
// annotation was added and assigned, then each of its comments was added.
func (a *changedAnnotation) nameEvents() {
	a.changed = a.comments
	for _, c := range a.comments {
		c.events = []string{envelope.CommentAdd}
	}
	events := []string{envelope.AnnotationAdd}
	if a.assigned != nil {
		a.assignment = &assignment{to: a.assigned}
		events = append(events, envelope.AnnotationAssign)
	}
	events = append(events, envelope.CommentAdd)
	a.comments[0].events = events
}

// append puts a comment at the end of the thread and keeps what count/get needs. Its
// number is above that of every comment before it.
func (a *changedAnnotation) append(c *changedComment) {
	c.seq = max(a.lastSeq, a.goneSeq) + 1
	a.follow(c)
	a.bytes += c.bytes()
	a.updatedMs = max(a.updatedMs, c.updatedMs)
	a.comments = append(a.comments, c)
}

// follow notes who wrote the next comments of the thread.
func (a *changedAnnotation) follow(next ...*changedComment) {
	for _, c := range next {
		if user := c.from.UserID; user != a.lastAuthor {
			a.otherSeq, a.lastAuthor = a.lastSeq, user
		}
		a.lastSeq = c.seq
	}
}

// bytes is what a comment takes of its thread.
func (c *changedComment) bytes() int64 { return int64(len(c.text) + len(c.html)) }

// newComment is a comment to be added with all its defaults; taken are the ids in
// use in its annotation.
func newComment(c *change, n *NewComment, taken map[int64]bool) *changedComment {
	author := c.filled(&n.From)
	added := &changedComment{
		status: statusAdded, text: n.Text, html: n.HTML, textAvailable: n.TextAvailable, resolverUsed: n.ResolverUsed, context: n.Context,
		from: *author, tags: n.Tags, mentions: n.Tags, contacts: c.contacts(n.Contacts, n.Tags), agent: n.Agent, actor: author,
		publish: n.Notify, notify: n.Notify, record: n.Record,
	}
	if n.ID != nil {
		added.id = *n.ID
	} else {
		added.id = newCommentID(taken)
	}
	now := c.now.UnixMilli()
	added.createdMs = timeOf(n.CreatedMs, n.UpdateMs, &now)
	added.updatedMs = timeOf(n.UpdateMs, &added.createdMs)
	return added
}

// contacts are those that came with a comment, and those of the other users whom it
// tags, from their profiles.
func (c *change) contacts(sent []directory.Contact, tags []string) []directory.Contact {
	contacts := slices.Clone(sent)
	for _, user := range tags {
		profile := c.profiles[user]
		if profile == nil || slices.ContainsFunc(contacts, func(listed directory.Contact) bool { return listed.UserID == user }) {
			continue
		}
		contacts = append(contacts, directory.Contact{UserID: user, Contact: directory.ContactPerson{UserID: user, Name: profile.Name, Email: profile.Email}})
	}
	return contacts
}

// timeOf is the first time that is there.
func timeOf(times ...*int64) int64 {
	return *cmp.Or(times...)
}

// newCommentID makes an id that is not taken in its annotation, and takes it.
// Ids are positive and below 2^53, which every reader of JSON keeps exact.
func newCommentID(taken map[int64]bool) int64 {
	const bits = 53
	for {
		var random [8]byte
		_, _ = rand.Read(random[:]) // never fails: the runtime ends the process instead
		made := int64(binary.BigEndian.Uint64(random[:]) >> (64 - bits))
		if made > 0 && !taken[made] {
			taken[made] = true
			return made
		}
	}
}
