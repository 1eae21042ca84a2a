package annotation

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
	annotation *annotation
	comment    *comment
	recipients []recipient
	// listed are those and who made the change: nobody is told twice.
	listed map[string]bool
}

// recipient is a user who is told, and by which ways.
type recipient struct {
	userID, reason string
	inbox, email   bool
}

// notify stores what tells of the changed comments: notifications and mails of those
// that ask for them, to people who want them and may see them now (who is left out gets
// nothing later either), and events.
func notify(ctx context.Context, tx *pg.Tx, c *change) error {
	if !slices.ContainsFunc(c.annotations, (*annotation).published) {
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
	notices = keepNotices(notices, func(n *notice, r recipient) bool {
		return who.Sees(n.annotation.visibility, n.annotation.author, r.userID)
	})
	b := &pgx.Batch{}
	notification.Queue(b, c.workspaceID, c.scope, c.now, inboxOf(notices))
	if err := mails.QueueDrafts(ctx, tx, b, c.workspaceID, draftsOf(c, notices)); err != nil {
		return err
	}
	if err := queueEvents(ctx, tx, b, c, who); err != nil || b.Len() == 0 {
		return err
	}
	return tx.SendBatch(ctx, b).Close()
}

// wantedNotices are the notices of the flagged comments to people who want them, whoever
// may see them. Those who want every comment are told of the added ones.
func wantedNotices(ctx context.Context, tx *pg.Tx, c *change) ([]notice, error) {
	notices := noticesOf(c)
	if len(notices) == 0 {
		return nil, nil
	}
	wants, err := notification.ReadPreferences(ctx, tx, c.scope, usersOf(notices))
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
	notices = keepNotices(notices, func(_ *notice, r recipient) bool { return r.inbox || r.email })
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
func (c *change) readProfiles(ctx context.Context, tx *pg.Tx, users []string) error {
	missing := slices.DeleteFunc(users, func(user string) bool { return c.profiles[user] != nil })
	if len(missing) == 0 {
		return nil
	}
	more, err := directory.ReadProfiles(ctx, tx, c.scope.Organization, missing)
	maps.Copy(c.profiles, more)
	return err
}

// noticesOf are the notices of the flagged comments, to those whom they concern. Nobody
// is notified of what they did themselves.
func noticesOf(c *change) []notice {
	var notices []notice
	for _, a := range c.annotations {
		for _, comment := range a.changed {
			if comment.notify {
				notices = append(notices, noticeOf(a, comment))
			}
		}
		if a.notify && a.assigned != nil && slices.ContainsFunc(a.acts, assigns) {
			notices = append(notices, assignmentNotice(a)...)
		}
	}
	return notices
}

// assignmentNotice is the notice of an update that assigns the annotation to somebody else,
// about the first comment of its thread.
func assignmentNotice(a *annotation) []notice {
	root := *a.comments[0]
	root.actor = a.actor
	n := notice{annotation: a, comment: &root, listed: map[string]bool{root.doer().UserID: true}}
	if n.add(a.assigned.UserID, notification.ReasonAssignment); len(n.recipients) == 0 {
		return nil
	}
	return []notice{n}
}

func assigns(done act) bool { return done.event == envelope.AnnotationAssign }

func noticeOf(a *annotation, c *comment) notice {
	n := notice{annotation: a, comment: c, listed: map[string]bool{c.doer().UserID: true}}
	for _, user := range c.mentions {
		n.add(user, notification.ReasonMention)
	}
	if a.assigned != nil && slices.Contains(c.events, envelope.AnnotationAssign) {
		n.add(a.assigned.UserID, notification.ReasonAssignment)
	}
	for _, earlier := range a.comments {
		if c.isNew() && earlier.seq < c.seq {
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

// keepNotices keeps recipients, and the notices that have any.
func keepNotices(notices []notice, of func(*notice, recipient) bool) []notice {
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
		inbox := notification.Notice{AnnotationKey: n.annotation.key, CommentSeq: n.comment.seq, Actor: snapshotOrNull(n.comment.actor)}
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
