package annotation

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/redline-svc/redline/internal/person"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
	mails "github.com/redline-svc/redline/models/mail"
	"github.com/redline-svc/redline/models/notification"
)

// readMailable reads how those are called who want mails, and where they have them sent.
func (c *change) readMailable(ctx context.Context, tx *pg.Tx, told []notice) error {
	users := map[string]bool{}
	for _, n := range told {
		for _, r := range n.recipients {
			if r.email {
				users[r.userID] = true
			}
		}
	}
	return c.readNames(ctx, tx, slices.Collect(maps.Keys(users)))
}

// drafts makes the mails that go with the notices of a change.
type drafts struct {
	*change
	// written are the people of the annotation at who come with an address.
	written map[string]person.Person
	at      *annotation
}

// of is the mail to one of the recipients of a notice, none without an address: that of the
// contact that came with the comment, else of the profile, else of what the thread itself
// knows of the user.
func (d *drafts) of(n notice, r recipient) []mails.Draft {
	var contact directory.ContactPerson
	for _, sent := range n.comment.Contacts {
		if sent.UserID == r.userID {
			contact = sent.Contact
		}
	}
	known := d.called(r.userID)
	written := d.writtenIn(n.annotation)[r.userID]
	to := mails.UsableAddress(contact.Email, known.Email, written.Email)
	if to == "" {
		return nil
	}
	return []mails.Draft{{
		Template: notification.Template(r.reason), UserID: r.userID, OrganizationID: d.container.OrganizationID,
		Recipient: to, Name: cmp.Or(pg.Present(contact.Name), pg.Present(known.Name), pg.Present(written.Name)),
		AnnotationKey: &n.annotation.key, CommentSeq: &n.comment.seq, Thread: mails.ThreadOf(d.workspaceID, n.annotation.id),
	}}
}

// writtenIn are the people of an annotation whom it has with an address: the assignee, and
// the authors as they first wrote with one.
func (d *drafts) writtenIn(a *annotation) map[string]person.Person {
	if d.at == a {
		return d.written
	}
	d.at, d.written = a, map[string]person.Person{}
	note := func(p *person.Person) {
		if _, noted := d.written[p.UserID]; !noted && pg.Present(p.Email) != "" {
			d.written[p.UserID] = *p
		}
	}
	if a.assigned != nil {
		note(a.assigned)
	}
	for _, c := range a.comments {
		note(&c.From)
	}
	return d.written
}
