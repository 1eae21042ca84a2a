package annotation

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/redline-svc/redline/internal/person"
	"github.com/redline-svc/redline/models/directory"
)

// statusUpdated is the status of a comment that was changed.
const statusUpdated = "updated"

// Words are what a comment says, with the users whom that tags.
type Words struct {
	Text, HTML string
	Tags       []string
}

// EditedFields are the fields that an edit gives a comment; what is nil stays as it is.
type EditedFields struct {
	Words *Words
	// Context is an empty text for none.
	Context *json.RawMessage
	From    *person.Person
	// Contacts are those sent, none of them where they are to be cleared: both only if
	// SetContacts.
	Contacts    []directory.Contact
	SetContacts bool
	// FollowText lets TextAvailable say again whether there is text.
	TextAvailable, ResolverUsed *bool
	FollowText                  bool
}

// apply gives a comment with the fields.
func (f *EditedFields) apply(c *change, stored *changedComment) *changedComment {
	edited := *stored
	if f.Words != nil {
		edited.text, edited.html, edited.tags = f.Words.Text, f.Words.HTML, f.Words.Tags
	}
	if f.Context != nil {
		edited.context = *f.Context
	}
	if f.From != nil {
		edited.from = *c.filled(f.From)
	}
	if f.ResolverUsed != nil {
		edited.resolverUsed = *f.ResolverUsed
	}
	edited.textAvailable = f.available(stored, edited.text)
	edited.contacts = f.contacts(c, stored, &edited)
	return &edited
}

// available is whether text is available. Unless it is sent, a value that says what the
// text says goes on doing so, and one that says otherwise stays.
func (f *EditedFields) available(stored *changedComment, text string) bool {
	switch follows := stored.textAvailable == (stored.text != ""); {
	case f.TextAvailable != nil:
		return *f.TextAvailable
	case f.FollowText || follows:
		return text != ""
	default:
		return stored.textAvailable
	}
}

// contacts are those that are sent, filled as those of an added comment. Where none are
// sent, those of users stay who are tagged still, or were never and need not be; who is
// tagged now comes with the contact of the profile.
func (f *EditedFields) contacts(c *change, stored, edited *changedComment) []directory.Contact {
	if f.SetContacts {
		return c.contacts(f.Contacts, edited.tags)
	}
	kept := slices.DeleteFunc(slices.Clone(stored.contacts), func(contact directory.Contact) bool {
		untagged := edited.resolverUsed && !slices.Contains(stored.tags, contact.UserID)
		return !untagged && !slices.Contains(edited.tags, contact.UserID)
	})
	return c.contacts(kept, without(edited.tags, stored.tags))
}

// admits tells whether a comment with the fields may come with a contact of this user.
func (f *EditedFields) admits(stored *changedComment, user string) bool {
	tags, resolved := stored.tags, stored.resolverUsed
	if f.Words != nil {
		tags = f.Words.Tags
	}
	if f.ResolverUsed != nil {
		resolved = *f.ResolverUsed
	}
	return resolved || slices.Contains(tags, user)
}

// same tells whether a comment is what it was.
func (c *changedComment) same(as *changedComment) bool {
	return c.text == as.text && c.html == as.html && c.textAvailable == as.textAvailable && c.resolverUsed == as.resolverUsed &&
		compact(c.context) == compact(as.context) && string(c.from.Snapshot()) == string(as.from.Snapshot()) &&
		contactsOrNil(c.contacts) == contactsOrNil(as.contacts)
}

// compact is JSON without the blanks between its parts.
func compact(text json.RawMessage) string {
	var out bytes.Buffer
	_ = json.Compact(&out, text) // what is stored was read as JSON; nothing stays nothing
	return out.String()
}
