package annotation

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/redline-svc/redline/internal/envelope"
	"github.com/redline-svc/redline/models/directory"
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

// bytes is what a comment takes of its thread.
func (c *comment) bytes() int64 { return int64(len(c.Text) + len(c.HTML)) }

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

// same reports whether a comment is what it was.
func (c *comment) same(as *comment) bool {
	return c.Text == as.Text && c.HTML == as.HTML && c.TextAvailable == as.TextAvailable && c.ResolverUsed == as.ResolverUsed &&
		compact(c.Context) == compact(as.Context) && string(c.From.Snapshot()) == string(as.From.Snapshot()) &&
		contactsOrNil(c.Contacts) == contactsOrNil(as.Contacts)
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

// storedAssignee is the assignee as a row has them.
func (a *annotation) storedAssignee() any {
	if a.assigned == nil {
		return nil
	}
	return string(a.assigned.Snapshot())
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

// contactsOrNil are contacts as a row has them, NULL for none.
func contactsOrNil(contacts []directory.Contact) any {
	if len(contacts) == 0 {
		return nil
	}
	text, _ := json.Marshal(contacts) // texts are always written
	return string(text)
}
