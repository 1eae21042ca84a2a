package annotation

import (
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
	Kept    Kept
	From    *person.Person
	// CreatedMs and UpdatedMs are epoch milliseconds.
	CreatedMs, UpdatedMs *int64
	// Contacts are those sent, none of them where they are to be cleared: both only if
	// SetContacts.
	Contacts    []directory.Contact
	SetContacts bool
	// FollowText lets TextAvailable say again whether there is text.
	TextAvailable, ResolverUsed *bool
	FollowText                  bool
}

// apply returns a comment with the fields.
func (f *EditedFields) apply(c *change, stored *comment) *comment {
	edited := *stored
	if f.Words != nil {
		edited.Text, edited.HTML, edited.Tags = f.Words.Text, f.Words.HTML, f.Words.Tags
	}
	if f.From != nil {
		edited.From = *c.filled(f.From)
	}
	edited.Kept = f.Kept.onto(stored.Kept)
	set(&edited.Context, f.Context)
	set(&edited.ResolverUsed, f.ResolverUsed)
	set(&edited.createdMs, f.CreatedMs)
	set(&edited.updatedMs, f.UpdatedMs)
	edited.TextAvailable = f.available(stored, edited.Text)
	edited.Contacts = f.contacts(c, stored, &edited)
	return &edited
}

// available is whether text is available. Unless it is sent, a value that says what the
// text says goes on doing so, and one that says otherwise stays.
func (f *EditedFields) available(stored *comment, text string) bool {
	switch follows := stored.TextAvailable == (stored.Text != ""); {
	case f.TextAvailable != nil:
		return *f.TextAvailable
	case f.FollowText || follows:
		return text != ""
	default:
		return stored.TextAvailable
	}
}

// contacts are those that are sent, filled as those of an added comment. Where none are
// sent, those of users stay who are tagged still, or were never and need not be; who is
// tagged now comes with the contact of the profile.
func (f *EditedFields) contacts(c *change, stored, edited *comment) []directory.Contact {
	if f.SetContacts {
		return c.contacts(f.Contacts, edited.Tags)
	}
	kept := slices.DeleteFunc(slices.Clone(stored.Contacts), func(contact directory.Contact) bool {
		untagged := edited.ResolverUsed && !slices.Contains(stored.Tags, contact.UserID)
		return !untagged && !slices.Contains(edited.Tags, contact.UserID)
	})
	return c.contacts(kept, without(edited.Tags, stored.Tags))
}

// admits reports whether a comment with the fields may come with a contact of this user.
func (f *EditedFields) admits(stored *comment, user string) bool {
	tags, resolved := stored.Tags, stored.ResolverUsed
	if f.Words != nil {
		tags = f.Words.Tags
	}
	if f.ResolverUsed != nil {
		resolved = *f.ResolverUsed
	}
	return resolved || slices.Contains(tags, user)
}
