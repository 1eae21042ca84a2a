package annotation

import (
	"cmp"
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/internal/mail"
	"github.com/redline-svc/redline/internal/person"

	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
	mails "github.com/redline-svc/redline/models/mail"
)

// Reasons for which somebody is notified, the first one that holds.
const (
	ReasonMention    = "mention"
	ReasonAssignment = "assignment"
	ReasonReply      = "reply"
)

// templates are the mails of the reasons for which somebody is notified.
var templates = map[string]string{
	ReasonMention: mail.Mention, ReasonAssignment: mail.Assignment, ReasonReply: mail.Reply,
}

// notice is the notification of one flagged comment: its recipients in the
// order of their reasons.
type notice struct {
	annotation *annotationRow
	comment    *commentRow
	reasons    []cause
}

type cause struct{ userID, why string }

// notices are those of the flagged comments. An author is never notified of an
// own comment.
func (a *change) notices() []notice {
	var found []notice
	for _, r := range a.rows {
		for i := range r.comments {
			c := &r.comments[i]
			if !c.Notify {
				continue
			}
			n := notice{annotation: r, comment: c}
			for _, user := range c.Tags {
				n.add(user, ReasonMention)
			}
			if i == 0 && r.Assigned != nil {
				n.add(r.Assigned.UserID, ReasonAssignment)
			}
			for _, earlier := range r.comments[:i] {
				n.add(earlier.From.UserID, ReasonReply)
			}
			if len(n.reasons) > 0 {
				found = append(found, n)
			}
		}
	}
	return found
}

func (n *notice) add(userID, why string) {
	known := slices.ContainsFunc(n.reasons, func(r cause) bool { return r.userID == userID })
	if userID != n.comment.From.UserID && !known {
		n.reasons = append(n.reasons, cause{userID, why})
	}
}

// readAudience judges those who are notified, and those whom the flagged
// annotations name.
func (a *change) readAudience(ctx context.Context, tx *pg.Tx, notices []notice) (*directory.Audience, error) {
	var users, organizations []string
	for _, n := range notices {
		for _, r := range n.reasons {
			users = append(users, r.userID)
		}
	}
	for _, r := range a.rows {
		if r.flagged() {
			users = append(users, r.concerned()...)
			organizations = append(organizations, r.Visibility.OrganizationID)
		}
	}
	known, err := directory.ReadAccess(ctx, tx, a.at.Organization, []int64{*a.at.Document}, users)
	if err != nil {
		return nil, err
	}
	found := &directory.Audience{Document: *a.at.Document, Reach: known, Members: map[directory.Membership]bool{}}
	return found, found.ReadMembers(ctx, tx, a.workspaceID, users, organizations)
}

// flagged tells whether any of the comments is to be told of.
func (r *annotationRow) flagged() bool {
	return slices.ContainsFunc(r.comments, func(c commentRow) bool { return c.Notify })
}

// concerned are the users whom the annotation tags or is assigned to.
func (r *annotationRow) concerned() []string {
	var users []string
	for i := range r.comments {
		users = append(users, r.comments[i].Tags...)
	}
	if r.Assigned != nil {
		users = append(users, r.Assigned.UserID)
	}
	slices.Sort(users)
	return slices.Compact(users)
}

// notify stores what the flagged comments cause: notifications and mails for
// those who may see them now (who is left out gets nothing later either), and
// what endpoints are told.
func (a *change) notify(ctx context.Context, tx *pg.Tx) error {
	if !slices.ContainsFunc(a.rows, (*annotationRow).flagged) {
		return nil
	}
	notices := a.notices()
	may, err := a.readAudience(ctx, tx, notices)
	if err != nil {
		return err
	}
	b := &pgx.Batch{}
	var letters []mails.Draft
	for _, n := range notices {
		letters = append(letters, a.queueNotice(b, n, may)...)
	}
	if err := mails.QueueDrafts(ctx, tx, b, a.workspaceID, letters); err != nil {
		return err
	}
	if err := a.readFolder(ctx, tx); err != nil {
		return err
	}
	raised, err := delivery.FanOut(ctx, tx, a.workspaceID, a.events(may)...)
	if err != nil {
		return err
	}
	if err := raised.Queue(tx, b); err != nil || b.Len() == 0 {
		return err
	}
	return tx.SendBatch(ctx, b).Close()
}

// readFolder finds the caller's id of the folder that the document is in.
func (a *change) readFolder(ctx context.Context, tx *pg.Tx) error {
	err := tx.QueryRow(ctx, `SELECT f.folder_id FROM documents d JOIN folders f ON f.key = d.folder_key WHERE d.key = $1`, *a.at.Document).
		Scan(&a.folderID)
	if pg.IsNoRow(err) {
		return nil
	}
	return err
}

// queueNotice stores one notification and gives the mails that go with it.
func (a *change) queueNotice(b *pgx.Batch, n notice, may *directory.Audience) []mails.Draft {
	var users, reasons []string
	var letters []mails.Draft
	for _, r := range n.reasons {
		if !may.Sees(n.annotation.Visibility, n.annotation.author, r.userID) {
			continue
		}
		users, reasons = append(users, r.userID), append(reasons, r.why)
		if l := a.letter(n, r); l.Recipient != "" {
			letters = append(letters, l)
		}
	}
	if len(users) == 0 {
		return nil
	}
	notification := id.New(id.Notice)
	b.Queue(`INSERT INTO notifications (id, workspace_id, annotation_key, comment_seq, action_user) VALUES ($1, $2, $3, $4, $5)`,
		notification, a.workspaceID, n.annotation.key, n.comment.seq, a.snapshot(n.comment.From))
	b.Queue(`INSERT INTO notification_recipients (notification_id, workspace_id, user_id, reason)
SELECT $1, $2, r.user_id, r.reason FROM unnest($3::text[], $4::text[]) AS r (user_id, reason)`,
		notification, a.workspaceID, users, reasons)
	return letters
}

// letter is the mail to one of those who are notified: to the address of the
// contact that came with the comment, else of the profile, else of what the
// thread itself knows of the user.
func (a *change) letter(n notice, to cause) mails.Draft {
	var sent directory.ContactPerson
	for _, c := range n.comment.Contacts {
		if c.UserID == to.userID {
			sent = c.Contact
		}
	}
	var known person.Person
	if profile := a.profiles[to.userID]; profile != nil {
		known = profile.Person
	}
	written := n.annotation.snapshotOf(to.userID)
	return mails.Draft{
		Template: templates[to.why], UserID: to.userID, OrganizationID: a.Container.OrganizationID,
		Recipient: mails.UsableAddress(sent.Email, known.Email, written.Email), Name: cmp.Or(pg.Present(sent.Name), pg.Present(known.Name), pg.Present(written.Name)),
		AnnotationKey: &n.annotation.key, CommentSeq: &n.comment.seq, Thread: mails.ThreadOf(a.workspaceID, n.annotation.id),
	}
}

// snapshotOf is what the annotation itself tells of a user: who it is assigned
// to, or an author.
func (r *annotationRow) snapshotOf(user string) person.Person {
	if r.Assigned != nil && r.Assigned.UserID == user && r.Assigned.Email != nil {
		return *r.Assigned
	}
	for i := range r.comments {
		if from := r.comments[i].From; from.UserID == user && from.Email != nil {
			return from
		}
	}
	return person.Person{}
}
