package annotation

import (
	"context"
	"slices"

	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/notification"
)

// everyComment finds who is told of added comments because they want to be told of every
// one. As many users may want that as an organization has, of as many comments as a call
// adds: beyond room nobody is told.
type everyComment struct {
	*change
	wants notification.Preferences
	who   *viewers
	room  int
	// dropped counts who would have been told beyond room.
	dropped int
	// readers are those who may read the document; viewers those of them who may see the
	// annotation at.
	readers, viewers []string
	at               *annotation
}

// of returns a notice of each added comment to those of the users, who are in order, whom
// its notice does not name already.
func (e *everyComment) of(ctx context.Context, tx *pg.Tx, notices []notice, users []string) (told []notice, err error) {
	for _, user := range users {
		if e.who.Reads(user) {
			e.readers = append(e.readers, user)
		}
	}
	for _, n := range notices {
		if !n.comment.isNew() || len(e.readers) == 0 {
			continue
		}
		if err := e.see(ctx, tx, n.annotation); err != nil {
			return nil, err
		}
		if n.recipients = e.recipients(n); len(n.recipients) > 0 {
			told = append(told, n)
		}
	}
	return told, nil
}

// recipients are those whom one notice tells.
func (e *everyComment) recipients(n notice) (some []recipient) {
	if e.room == 0 {
		e.dropped += e.others(n)
		return nil
	}
	for _, user := range e.viewers {
		switch {
		case n.listed[user]:
		case e.room == 0:
			e.dropped++
		default:
			e.room--
			r := recipient{userID: user, reason: notification.ReasonAll}
			r.choose(e.wants)
			some = append(some, r)
		}
	}
	return some
}

// others counts the viewers whom a notice does not name: it names fewer than there may be
// viewers.
func (e *everyComment) others(n notice) int {
	count := len(e.viewers)
	for user := range n.listed {
		if _, found := slices.BinarySearch(e.viewers, user); found {
			count--
		}
	}
	return count
}

// see finds the viewers of an annotation.
func (e *everyComment) see(ctx context.Context, tx *pg.Tx, a *annotation) error {
	if e.at == a {
		return nil
	}
	e.at, e.viewers = a, nil
	members := directory.Viewers{Members: map[directory.Membership]bool{}}
	if err := members.ReadMembers(ctx, tx, e.workspaceID, a.memberships(e.readers...)); err != nil {
		return err
	}
	listed := map[string]bool{a.author: true} // of many readers few are on a list
	for _, user := range a.visibility.UserIDs {
		listed[user] = true
	}
	for _, user := range e.readers {
		mayBe := a.visibility.Type != directory.VisibleRestricted || listed[user]
		if mayBe && a.visibility.Admits(a.author, user, members.Members) {
			e.viewers = append(e.viewers, user)
		}
	}
	return nil
}
