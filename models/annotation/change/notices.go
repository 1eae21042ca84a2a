package change

import (
	"context"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/envelope"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
	mails "github.com/redline-svc/redline/models/mail"
	"github.com/redline-svc/redline/models/notification"
)

// notice is the notification of one flagged comment: its recipients in the
// order of their reasons.
type notice struct {
	annotation *Annotation
	comment    *Comment
	recipients []recipient
	// listed are those and who made the change: nobody is told twice.
	listed map[string]bool
}

// recipient is a user who is told, and by which ways.
type recipient struct {
	userID, reason string
	inbox, email   bool
}

// Notify stores what tells of the changed comments: notifications and mails of those
// that ask for them, to people who want them and may see them now (who is left out gets
// nothing later either), and events.
func notify(ctx context.Context, tx *pg.Tx, c *Change) error {
	if !slices.ContainsFunc(c.Annotations, (*Annotation).published) {
		return nil
	}
	notices, err := wantedNotices(ctx, tx, c)
	if err != nil {
		return err
	}
	who, err := readAudience(ctx, tx, c, notices)
	if err != nil {
		return err
	}
	notices = keep(notices, func(n *notice, r recipient) bool {
		return who.Sees(n.annotation.Visibility, n.annotation.Author, r.userID)
	})
	b := &pgx.Batch{}
	notification.Queue(b, c.WorkspaceID, c.Scope, c.Now, inboxOf(notices))
	if err := mails.QueueDrafts(ctx, &tx.SQLTx, b, c.WorkspaceID, draftsOf(c, notices)); err != nil {
		return err
	}
	if err := queueEvents(ctx, tx, b, c, who); err != nil || b.Len() == 0 {
		return err
	}
	return tx.SendBatch(ctx, b).Close()
}

// wantedNotices are the notices of the flagged comments to people who want them, whoever
// may see them. Those who want every comment are told of the added ones.
func wantedNotices(ctx context.Context, tx *pg.Tx, c *Change) ([]notice, error) {
	notices := noticesOf(c)
	if len(notices) == 0 {
		return nil, nil
	}
	wants, err := notification.ReadPreferences(ctx, tx, c.Scope, usersOf(notices))
	if err != nil {
		return nil, err
	}
	everything := wants.Everything()
	for i := range notices {
		n := &notices[i]
		for _, user := range everything {
			if n.comment.isNew() {
				n.add(user, notification.ReasonAll)
			}
		}
		for j := range n.recipients {
			n.recipients[j].choose(wants)
		}
	}
	notices = keep(notices, func(_ *notice, r recipient) bool { return r.inbox || r.email })
	return notices, c.readProfiles(ctx, tx, everything)
}

// choose says by which ways somebody wants to be told.
func (r *recipient) choose(wants notification.Preferences) {
	p := wants.Of(r.userID)
	wanted := func(want string) bool {
		return want == notification.WantsAll || want == notification.WantsMine && r.reason != notification.ReasonAll
	}
	r.inbox, r.email = wanted(p.Inbox), wanted(p.Email)
}

// readProfiles reads those of users whom the annotations do not name.
func (c *Change) readProfiles(ctx context.Context, tx *pg.Tx, users []string) error {
	missing := slices.DeleteFunc(users, func(user string) bool { return c.Profiles[user] != nil })
	if len(missing) == 0 {
		return nil
	}
	more, err := directory.ReadProfiles(ctx, tx, c.Scope.Organization, missing)
	maps.Copy(c.Profiles, more)
	return err
}

// noticesOf are the notices of the flagged comments, to those whom they concern. Nobody
// is notified of what they did themselves.
func noticesOf(c *Change) []notice {
	var notices []notice
	for _, a := range c.Annotations {
		for _, comment := range a.Changed {
			if comment.Notify {
				notices = append(notices, noticeOf(a, comment))
			}
		}
		if a.Notify && a.Assigned != nil && slices.ContainsFunc(a.Acts, assigns) {
			notices = append(notices, assignmentNotice(a)...)
		}
	}
	return notices
}

// assignmentNotice is the notice of an update that assigns the annotation to somebody else,
// about the first comment of its thread.
func assignmentNotice(a *Annotation) []notice {
	root := *a.Comments[0]
	root.Actor = a.Actor
	n := notice{annotation: a, comment: &root, listed: map[string]bool{root.doer().UserID: true}}
	if n.add(a.Assigned.UserID, notification.ReasonAssignment); len(n.recipients) == 0 {
		return nil
	}
	return []notice{n}
}

func assigns(done Act) bool { return done.Event == envelope.AnnotationAssign }

func noticeOf(a *Annotation, c *Comment) notice {
	n := notice{annotation: a, comment: c, listed: map[string]bool{c.doer().UserID: true}}
	for _, user := range c.Mentions {
		n.add(user, notification.ReasonMention)
	}
	if a.Assigned != nil && slices.Contains(c.Events, envelope.AnnotationAssign) {
		n.add(a.Assigned.UserID, notification.ReasonAssignment)
	}
	for _, earlier := range a.Comments {
		if c.isNew() && earlier.Seq < c.Seq {
			n.add(earlier.From.UserID, notification.ReasonReply)
		}
	}
	return n
}

func (n *notice) add(userID, reason string) {
	if !n.listed[userID] {
		n.listed[userID] = true
		n.recipients = append(n.recipients, recipient{userID: userID, reason: reason})
	}
}

// usersOf are the recipients of notices.
func usersOf(notices []notice) (users []string) {
	for _, n := range notices {
		for _, r := range n.recipients {
			users = append(users, r.userID)
		}
	}
	return pg.Distinct(users)
}

// keep keeps recipients, and the notices that have any.
func keep(notices []notice, of func(*notice, recipient) bool) []notice {
	var kept []notice
	for _, n := range notices {
		n.recipients = slices.DeleteFunc(n.recipients, func(r recipient) bool { return !of(&n, r) })
		if len(n.recipients) > 0 {
			kept = append(kept, n)
		}
	}
	return kept
}

// inboxOf are the notifications of the notices, to those who want one.
func inboxOf(notices []notice) []notification.Notice {
	var all []notification.Notice
	for _, n := range notices {
		inbox := notification.Notice{AnnotationKey: n.annotation.Key, CommentSeq: n.comment.Seq, Actor: snapshotOrNull(n.comment.Actor)}
		for _, r := range n.recipients {
			if r.inbox {
				inbox.Recipients = append(inbox.Recipients, notification.Recipient{UserID: r.userID, Reason: r.reason})
			}
		}
		if len(inbox.Recipients) > 0 {
			all = append(all, inbox)
		}
	}
	return all
}
