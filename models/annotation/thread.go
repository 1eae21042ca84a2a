package annotation

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/redline-svc/redline/internal/envelope"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
)

// nameEvents says what happened, in the order in which it is published: the
// annotation was added and assigned, then each of its comments was added.
func (a *annotation) nameEvents() {
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

// add puts a comment at the end of the thread and keeps what count/get needs. Its
// number is above that of every comment before it.
func (a *annotation) add(c *comment) {
	c.seq = max(a.lastSeq, a.goneSeq) + 1
	a.follow(c)
	a.bytes += c.bytes()
	a.updatedMs = max(a.updatedMs, c.updatedMs)
	a.comments = append(a.comments, c)
}

// follow notes who wrote the next comments of the thread.
func (a *annotation) follow(next ...*comment) {
	for _, c := range next {
		if user := c.From.UserID; user != a.lastAuthor {
			a.otherSeq, a.lastAuthor = a.lastSeq, user
		}
		a.lastSeq = c.seq
	}
}

// bytes is what a comment takes of its thread: all that is stored of it.
func (c *comment) bytes() int64 {
	return c.Content.bytes() + int64(len(c.Agent.block())+len(c.From.Snapshot()))
}

// bytes is what is stored of what a comment says.
func (c *Content) bytes() int64 {
	size := int64(len(c.Text) + len(c.HTML) + len(c.Context) + len(c.Kept))
	for _, contact := range c.Contacts {
		size += aroundContact + int64(2*len(contact.UserID)+len(pg.Present(contact.Contact.Name))+len(pg.Present(contact.Contact.Email)))
	}
	return size
}

// aroundContact is how many bytes a contact takes beside its texts.
const aroundContact = 64

// ownBytes is what is stored of the annotation beside its thread.
func (a *annotation) ownBytes() int64 {
	size := 0
	for _, part := range []json.RawMessage{a.from, a.agent, a.status, a.location, a.target, a.context, a.priority, a.suggestion, a.kept} {
		size += len(part)
	}
	if a.assigned != nil {
		size += len(a.assigned.Snapshot())
	}
	for _, user := range a.visibility.UserIDs {
		size += len(user)
	}
	return int64(size)
}

// resize says again what is stored of an annotation that was another one, with as many
// comments.
func (a *annotation) resize(was *annotation) {
	a.bytes += a.ownBytes() - was.ownBytes()
	for i, c := range a.comments {
		if before := was.comments[i]; c != before {
			a.bytes += c.bytes() - before.bytes()
		}
	}
}

// contacts are those that came with a comment, and those of the other users whom it
// tags, from their profiles.
func (c *change) contacts(sent []directory.Contact, tags []string) []directory.Contact {
	contacts := slices.Clone(sent)
	for _, user := range tags {
		known := c.called(user)
		if known.UserID == "" || slices.ContainsFunc(contacts, func(listed directory.Contact) bool { return listed.UserID == user }) {
			continue
		}
		contacts = append(contacts, directory.Contact{UserID: user, Contact: directory.ContactPerson{UserID: user, Name: known.Name, Email: known.Email}})
	}
	return contacts
}

// same reports whether a comment is what it was.
func (c *comment) same(as *comment) bool {
	return c.Text == as.Text && c.HTML == as.HTML && c.TextAvailable == as.TextAvailable && c.ResolverUsed == as.ResolverUsed &&
		sameJSON(c.Context, as.Context) && sameJSON(c.Kept, as.Kept) && c.createdMs == as.createdMs && c.updatedMs == as.updatedMs && string(c.From.Snapshot()) == string(as.From.Snapshot()) &&
		string(storedContacts(c.Contacts)) == string(storedContacts(as.Contacts))
}

// compact is JSON without the blanks between its parts.
func compact(text json.RawMessage) string {
	var out bytes.Buffer
	_ = json.Compact(&out, text) // what is stored was read as JSON; nothing stays nothing
	return out.String()
}

// rewritten reports whether others than before are in the thread.
func (a *annotation) rewritten() bool {
	return slices.ContainsFunc(a.comments, func(c *comment) bool { return c.rewritten })
}

// storedAssignee is the assignee as a row has them, nothing for nobody.
func (a *annotation) storedAssignee() []byte {
	if a.assigned == nil {
		return nil
	}
	return a.assigned.Snapshot()
}

// storedVisibility is to whom a row says that the annotation is visible.
func (a *annotation) storedVisibility() (organization *string, users []string) {
	switch a.visibility.Type {
	case directory.VisibleOrganization:
		organization = &a.visibility.OrganizationID
	case directory.VisibleRestricted:
		users = a.visibility.UserIDs
	default:
	}
	return organization, users
}

// storedContacts are contacts as a row has them, nothing for none.
func storedContacts(contacts []directory.Contact) []byte {
	if len(contacts) == 0 {
		return nil
	}
	text, _ := json.Marshal(contacts) // texts are always written
	return text
}
