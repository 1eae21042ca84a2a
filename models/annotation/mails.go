package annotation

import (
	"cmp"

	"github.com/redline-svc/redline/internal/person"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
	mails "github.com/redline-svc/redline/models/mail"
	"github.com/redline-svc/redline/models/notification"
)

// draftsOf are the mails that go with the notices, to all who want one and have an address.
func draftsOf(c *change, notices []notice) []mails.Draft {
	var drafts []mails.Draft
	for _, n := range notices {
		for _, r := range n.recipients {
			if draft := draftOf(c, n, r); r.email && draft.Recipient != "" {
				drafts = append(drafts, draft)
			}
		}
	}
	return drafts
}

// draftOf is the mail to one of the recipients of a notice: to the address of the
// contact that came with the comment, else of the profile, else of what the
// thread itself knows of the user.
func draftOf(c *change, n notice, r recipient) mails.Draft {
	var contact directory.ContactPerson
	for _, sent := range n.comment.Contacts {
		if sent.UserID == r.userID {
			contact = sent.Contact
		}
	}
	var known person.Person
	if profile := c.profiles[r.userID]; profile != nil {
		known = profile.Person
	}
	written := n.annotation.personWithEmail(r.userID)
	return mails.Draft{
		Template: notification.Template(r.reason), UserID: r.userID, OrganizationID: c.container.OrganizationID,
		Recipient: mails.UsableAddress(contact.Email, known.Email, written.Email), Name: cmp.Or(pg.Present(contact.Name), pg.Present(known.Name), pg.Present(written.Name)),
		AnnotationKey: &n.annotation.key, CommentSeq: &n.comment.seq, Thread: mails.ThreadOf(c.workspaceID, n.annotation.id),
	}
}

// personWithEmail is a user as the annotation itself has them with an e-mail
// address: as the assignee, or as an author.
func (a *annotation) personWithEmail(user string) person.Person {
	if a.assigned != nil && a.assigned.UserID == user && pg.Present(a.assigned.Email) != "" {
		return *a.assigned
	}
	for _, c := range a.comments {
		if c.From.UserID == user && pg.Present(c.From.Email) != "" {
			return c.From
		}
	}
	return person.Person{}
}
