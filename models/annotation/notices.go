package annotation

import (
	"context"
	"iter"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/envelope"
	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/notification"
)

// notice is the notification of one flagged comment: its recipients in the
// order of their reasons.
type notice struct {
	id         string
	annotation *annotation
	comment    *comment
	recipients []recipient
	// listed are those and who made the change: nobody is told twice.
	listed map[string]bool
	// off are the reasons that name nobody.
	off []string
}

// recipient is a user who is told, and by which ways.
type recipient struct {
	userID, reason string
	inbox, email   bool
}

// notify stores what tells of the changed comments: notifications and mails of those
// that ask for them, to people who want them and may see them now (who is left out gets
// nothing later either), and events, the last of these on the batch.
func notify(ctx context.Context, tx *pg.Tx, c *change, last *pgx.Batch) error {
	if !slices.ContainsFunc(c.annotations, (*annotation).published) {
		return nil
	}
	notices, err := c.notices(ctx, tx)
	if err != nil {
		return err
	}
	var wants notification.Preferences
	if len(notices) > 0 {
		if wants, err = notification.ReadPreferences(ctx, tx, c.scope, usersOf(notices)); err != nil {
			return err
		}
	}
	everything := wants.Everything()
	if len(notices) > 0 && slices.Contains(notices[0].off, notification.ReasonAll) {
		everything = nil
	}
	who, err := readViewers(ctx, tx, c, notices, everything)
	if err != nil {
		return err
	}
	if err := c.tell(ctx, tx, notices, wants, everything, who); err != nil {
		return err
	}
	return queueEvents(ctx, tx, c, who, last)
}

// tell stores the notifications of the notices, and the mails.
func (c *change) tell(ctx context.Context, tx *pg.Tx, notices []notice, wants notification.Preferences, everything []string, who *viewers) error {
	told := concerned(notices, wants, who)
	room := notification.InAll
	for _, n := range told {
		room -= len(n.recipients)
	}
	all := everyComment{change: c, wants: wants, who: who, room: max(0, room)}
	others, err := all.of(ctx, tx, notices, everything)
	if err != nil {
		return err
	}
	told, c.dropped = append(told, others...), all.dropped
	if err := c.readMailable(ctx, tx, told); err != nil || len(told) == 0 {
		return err
	}
	return notification.Queue(ctx, tx, c.workspaceID, c.scope, c.now, inboxOf(told), portionsOf(c, told))
}

// concerned keeps those of the notices' recipients who want to be told and may see it now,
// and the notices that have any.
func concerned(notices []notice, wants notification.Preferences, who *viewers) (told []notice) {
	for _, n := range notices {
		var kept []recipient
		for _, r := range n.recipients {
			if r.choose(wants); (r.inbox || r.email) && who.Sees(n.annotation.visibility, n.annotation.author, r.userID) {
				kept = append(kept, r)
			}
		}
		if n.recipients = kept; len(kept) > 0 {
			told = append(told, n)
		}
	}
	return told
}

// choose notes by which ways somebody wants to be told.
func (r *recipient) choose(wants notification.Preferences) {
	p := wants.Of(r.userID)
	wanted := func(want string) bool {
		return want == notification.WantsAll || want == notification.WantsMine && r.reason != notification.ReasonAll
	}
	r.inbox, r.email = wanted(p.Inbox), wanted(p.Email)
}

// notices are the notices of the change, as far as the workspace has people notified.
func (c *change) notices(ctx context.Context, tx *pg.Tx) (notices []notice, err error) {
	if notices = noticesOf(c, nil); len(notices) == 0 {
		return nil, nil
	}
	settings, err := notification.ReadSettings(ctx, tx, c.workspaceID, "")
	switch {
	case err != nil || !settings.Enabled:
		return nil, err
	case len(settings.Off) > 0:
		return noticesOf(c, settings.Off), nil
	default:
		return notices, nil
	}
}

// noticesOf are the notices of the flagged comments, to those whom they concern. Nobody
// is notified of what they did themselves, nor for a reason that is off: the next one may name
// them.
func noticesOf(c *change, off []string) []notice {
	var notices []notice
	for _, a := range c.annotations {
		for _, comment := range a.changed {
			if comment.notify {
				notices = append(notices, noticeOf(a, comment, off))
			}
		}
		if a.notify && a.assigned != nil && slices.ContainsFunc(a.acts, assigns) {
			notices = append(notices, assignmentNotice(a, off)...)
		}
	}
	for i, noticeID := range id.Series(id.Notice, c.now, len(notices)) {
		notices[i].id = noticeID
	}
	return notices
}

// assignmentNotice is the notice of an update that assigns the annotation to somebody else,
// about the first comment of its thread.
func assignmentNotice(a *annotation, off []string) []notice {
	root := *a.comments[0]
	root.actor = a.actor
	n := notice{annotation: a, comment: &root, off: off, listed: map[string]bool{root.doer().UserID: true}}
	if n.add(a.assigned.UserID, notification.ReasonAssignment); len(n.recipients) == 0 {
		return nil
	}
	return []notice{n}
}

func assigns(done act) bool { return done.event == envelope.AnnotationAssign }

func noticeOf(a *annotation, c *comment, off []string) notice {
	n := notice{annotation: a, comment: c, off: off, listed: map[string]bool{c.doer().UserID: true}}
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
	if !n.listed[userID] && !slices.Contains(n.off, reason) {
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

// inboxOf are the notifications of the notices that somebody wants one of, each once.
func inboxOf(told []notice) (all []notification.Notice) {
	seen := map[string]bool{}
	for _, n := range told {
		if !seen[n.id] && slices.ContainsFunc(n.recipients, func(r recipient) bool { return r.inbox }) {
			seen[n.id] = true
			all = append(all, notification.Notice{
				ID: n.id, AnnotationKey: n.annotation.key, CommentSeq: n.comment.seq, Actor: snapshotOrNull(n.comment.actor),
			})
		}
	}
	return all
}

// portionsOf are those who are told, in their order, with the mails to all who want one and
// have an address.
func portionsOf(c *change, told []notice) iter.Seq[notification.Portion] {
	return func(yield func(notification.Portion) bool) {
		var p notification.Portion
		n, drafts := 0, drafts{change: c}
		for _, notice := range told {
			for _, r := range notice.recipients {
				if n == notification.PortionSize {
					if !yield(p) {
						return
					}
					p, n = notification.Portion{}, 0
				}
				n++
				if r.inbox {
					p.Recipients = append(p.Recipients, notification.Recipient{NoticeID: notice.id, UserID: r.userID, Reason: r.reason})
				}
				if r.email {
					p.Mails = append(p.Mails, drafts.of(notice, r)...)
				}
			}
		}
		if n > 0 {
			yield(p)
		}
	}
}
