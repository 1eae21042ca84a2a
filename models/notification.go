package models

import (
	"cmp"
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/internal/mail"
	"github.com/redline-svc/redline/internal/person"
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
func (a *adding) notices() []notice {
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
func (a *adding) readAudience(ctx context.Context, tx *Tx, notices []notice) (*audience, error) {
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
	known, err := readReachOf(ctx, tx, a.at.organization, []int64{*a.at.document}, users)
	if err != nil {
		return nil, err
	}
	found := &audience{document: *a.at.document, reach: known, members: map[membership]bool{}}
	return found, found.readMembers(ctx, tx, a.workspaceID, users, organizations)
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
func (a *adding) notify(ctx context.Context, tx *Tx) error {
	if !slices.ContainsFunc(a.rows, (*annotationRow).flagged) {
		return nil
	}
	notices := a.notices()
	may, err := a.readAudience(ctx, tx, notices)
	if err != nil {
		return err
	}
	b := &pgx.Batch{}
	var letters []letter
	for _, n := range notices {
		letters = append(letters, a.queueNotice(b, n, may)...)
	}
	if err := queueLetters(ctx, tx, b, a.workspaceID, letters); err != nil {
		return err
	}
	if err := a.readFolder(ctx, tx); err != nil {
		return err
	}
	raised, err := match(ctx, tx, a.workspaceID, a.occasions(may)...)
	if err != nil {
		return err
	}
	if err := raised.queue(tx, b); err != nil || b.Len() == 0 {
		return err
	}
	return tx.SendBatch(ctx, b).Close()
}

// readFolder finds the caller's id of the folder that the document is in.
func (a *adding) readFolder(ctx context.Context, tx *Tx) error {
	err := tx.QueryRow(ctx, `SELECT f.folder_id FROM documents d JOIN folders f ON f.key = d.folder_key WHERE d.key = $1`, *a.at.document).
		Scan(&a.folderID)
	if IsNoRow(err) {
		return nil
	}
	return err
}

// queueNotice stores one notification and gives the mails that go with it.
func (a *adding) queueNotice(b *pgx.Batch, n notice, may *audience) []letter {
	var users, reasons []string
	var letters []letter
	for _, r := range n.reasons {
		if !may.sees(n.annotation.Visibility, n.annotation.author, r.userID) {
			continue
		}
		users, reasons = append(users, r.userID), append(reasons, r.why)
		if l := a.letter(n, r); l.recipient != "" {
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
func (a *adding) letter(n notice, to cause) letter {
	var sent ContactPerson
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
	return letter{
		template: templates[to.why], userID: to.userID, organizationID: a.Container.OrganizationID,
		recipient: usable(sent.Email, known.Email, written.Email), name: cmp.Or(present(sent.Name), present(known.Name), present(written.Name)),
		annotationKey: &n.annotation.key, commentSeq: &n.comment.seq, thread: threadOf(a.workspaceID, n.annotation.id),
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
