package annotation

import (
	"cmp"
	"context"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/models/internal/pg"
)

// statusAdded is the status of a comment that nobody changed since.
const statusAdded = "added"

// fill completes people from their profiles and everything else from its
// defaults.
func (a *addCall) fill(ctx context.Context, tx *pg.Tx) error {
	if err := a.change.readPeople(ctx, tx, a.stored(), a.tagged()); err != nil {
		return err
	}
	var all int64
	for i := range a.Annotations {
		added := newAnnotation(&a.change, &a.Annotations[i])
		if added.bytes > maxThread {
			return tooLarge()
		}
		if all += added.bytes; all > maxAdded {
			return fault.FailedPrecondition("", "the call would store more than 64 MiB, with what is known of its people; send fewer annotations at once")
		}
		a.change.annotations = append(a.change.annotations, added)
	}
	return nil
}

// maxAdded is how many bytes one call adds with all that is stored of them: of each author
// and of each who is tagged something comes from their profile.
const maxAdded = 64 << 20

// stored are the users whose snapshots the annotations have: authors and assignees.
func (a *addCall) stored() []string {
	users, _ := a.authors()
	for i := range a.Annotations {
		users = append(users, userOf(a.Annotations[i].Assigned)...)
	}
	return users
}

// newAnnotation is an annotation to be added with all its defaults.
func newAnnotation(c *change, n *NewAnnotation) *annotation {
	added := &annotation{
		document: *c.scope.Document, id: n.ID, kind: n.Kind, commentType: n.CommentType, statusID: n.StatusID, author: n.Comments[0].From.UserID, status: n.Status,
		visibility: n.Visibility, locationID: n.LocationID, location: n.Location, target: n.Target, context: n.Context, priority: n.Priority,
		suggestion: n.Suggestion, kept: n.Kept, assigned: c.filled(n.Assigned),
	}
	if added.id == "" {
		added.id = id.New(id.Annotation)
	}
	taken := map[int64]bool{}
	for i := range n.Comments {
		if sent := n.Comments[i].ID; sent != nil {
			taken[*sent] = true
		}
	}
	for i := range n.Comments {
		added.add(newComment(c, &n.Comments[i], taken))
	}
	root := added.comments[0]
	added.from, added.agent = root.From.Snapshot(), root.Agent.block()
	added.createdMs = timeOf(n.CreatedMs, &root.createdMs)
	added.updatedMs = timeOf(n.UpdateMs, &added.updatedMs)
	added.bytes += added.ownBytes()
	added.nameEvents()
	return added
}

// newComment is a comment to be added with all its defaults; taken are the ids in
// use in its annotation.
func newComment(c *change, n *NewComment, taken map[int64]bool) *comment {
	author := c.filled(&n.From)
	added := &comment{
		Content: n.Content, status: statusAdded, mentions: n.Tags, actor: author, publish: n.Notify, notify: n.Notify, record: n.Record,
	}
	added.From, added.Contacts = *author, c.contacts(n.Contacts, n.Tags)
	if n.ID != nil {
		added.id = *n.ID
	} else {
		added.id = id.Number(taken)
	}
	now := c.now.UnixMilli()
	added.createdMs = timeOf(n.CreatedMs, n.UpdateMs, &now)
	added.updatedMs = timeOf(n.UpdateMs, &added.createdMs)
	return added
}

// timeOf is the first time that is there.
func timeOf(times ...*int64) int64 {
	return *cmp.Or(times...)
}
