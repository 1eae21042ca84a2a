package change

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/redline-svc/redline/internal/envelope"
	"github.com/redline-svc/redline/models/directory"
)

// NameEvents says what happened, in the order in which it is published: the
// annotation was added and assigned, then each of its comments was added.
func (a *Annotation) NameEvents() {
	a.Changed = a.Comments
	for _, c := range a.Comments {
		c.Events = []string{envelope.CommentAdd}
	}
	events := []string{envelope.AnnotationAdd}
	if a.Assigned != nil {
		a.assignment = &assignment{to: a.Assigned}
		events = append(events, envelope.AnnotationAssign)
	}
	events = append(events, envelope.CommentAdd)
	a.Comments[0].Events = events
}

// Append puts a comment at the end of the thread and keeps what count/get needs. Its
// number is above that of every comment before it.
func (a *Annotation) Append(c *Comment) {
	c.Seq = max(a.LastSeq, a.GoneSeq) + 1
	a.Follow(c)
	a.Bytes += c.Bytes()
	a.UpdatedMs = max(a.UpdatedMs, c.UpdatedMs)
	a.Comments = append(a.Comments, c)
}

// Follow notes who wrote the next comments of the thread.
func (a *Annotation) Follow(next ...*Comment) {
	for _, c := range next {
		if user := c.From.UserID; user != a.LastAuthor {
			a.OtherSeq, a.LastAuthor = a.LastSeq, user
		}
		a.LastSeq = c.Seq
	}
}

// Bytes is what a comment takes of its thread.
func (c *Comment) Bytes() int64 { return int64(len(c.Text) + len(c.HTML)) }

// Contacts are those that came with a comment, and those of the other users whom it
// tags, from their profiles.
func (c *Change) Contacts(sent []directory.Contact, tags []string) []directory.Contact {
	contacts := slices.Clone(sent)
	for _, user := range tags {
		profile := c.Profiles[user]
		if profile == nil || slices.ContainsFunc(contacts, func(listed directory.Contact) bool { return listed.UserID == user }) {
			continue
		}
		contacts = append(contacts, directory.Contact{UserID: user, Contact: directory.ContactPerson{UserID: user, Name: profile.Name, Email: profile.Email}})
	}
	return contacts
}

// Same tells whether a comment is what it was.
func (c *Comment) Same(as *Comment) bool {
	return c.Text == as.Text && c.HTML == as.HTML && c.TextAvailable == as.TextAvailable && c.ResolverUsed == as.ResolverUsed &&
		compact(c.Context) == compact(as.Context) && string(c.From.Snapshot()) == string(as.From.Snapshot()) &&
		ContactsOrNil(c.Contacts) == ContactsOrNil(as.Contacts)
}

// compact is JSON without the blanks between its parts.
func compact(text json.RawMessage) string {
	var out bytes.Buffer
	_ = json.Compact(&out, text) // what is stored was read as JSON; nothing stays nothing
	return out.String()
}

// Rewritten tells whether others than before are in the thread.
func (a *Annotation) rewritten() bool {
	return slices.ContainsFunc(a.Comments, func(c *Comment) bool { return c.Rewritten })
}

// StoredAssignee is the assignee as a row has them.
func (a *Annotation) StoredAssignee() (assignedID, assigned any) {
	if a.Assigned != nil {
		assignedID, assigned = a.Assigned.UserID, string(a.Assigned.Snapshot())
	}
	return assignedID, assigned
}

// StoredVisibility is to whom a row says that the annotation is visible.
func (a *Annotation) StoredVisibility() (organization *string, users []string) {
	switch a.Visibility.Type {
	case directory.VisibleOrganization:
		organization = &a.Visibility.OrganizationID
	case directory.VisibleRestricted:
		users = a.Visibility.UserIDs
	default:
	}
	return organization, users
}

// ContactsOrNil are contacts as a row has them, NULL for none.
func ContactsOrNil(contacts []directory.Contact) any {
	if len(contacts) == 0 {
		return nil
	}
	text, _ := json.Marshal(contacts) // texts are always written
	return string(text)
}
