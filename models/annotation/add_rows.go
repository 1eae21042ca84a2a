package annotation

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/binary"

	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/models/annotation/change"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
)

// statusAdded is the status of a comment that nobody changed since.
const statusAdded = "added"

// fill completes people from their profiles and everything else from its
// defaults.
func (a *addCall) fill(ctx context.Context, tx *pg.Tx) error {
	var err error
	if a.change.Profiles, err = directory.ReadProfiles(ctx, tx, a.change.Scope.Organization, a.people()); err != nil {
		return err
	}
	for i := range a.Annotations {
		a.change.Annotations = append(a.change.Annotations, newAnnotation(&a.change, &a.Annotations[i]))
	}
	return nil
}

// people are the users whom the annotations name: authors, tagged, assigned.
func (a *addCall) people() []string {
	users := a.authorship.people()
	for i := range a.Annotations {
		if assigned := a.Annotations[i].Assigned; assigned != nil {
			users = append(users, assigned.UserID)
		}
	}
	return pg.Distinct(users)
}

// newAnnotation is an annotation to be added with all its defaults.
func newAnnotation(c *change.Change, n *NewAnnotation) *change.Annotation {
	added := &change.Annotation{
		ID: n.ID, Kind: n.Kind, CommentType: n.CommentType, StatusID: n.StatusID, Author: n.Comments[0].From.UserID, Status: n.Status,
		Visibility: n.Visibility, LocationID: n.LocationID, Location: n.Location, Target: n.Target, Context: n.Context, Priority: n.Priority,
		Suggestion: n.Suggestion, Assigned: c.Filled(n.Assigned),
	}
	if added.ID == "" {
		added.ID = id.New(id.Annotation)
	}
	taken := map[int64]bool{}
	for i := range n.Comments {
		if sent := n.Comments[i].ID; sent != nil {
			taken[*sent] = true
		}
	}
	for i := range n.Comments {
		added.Append(newComment(c, &n.Comments[i], taken))
	}
	root := added.Comments[0]
	added.From, added.Agent = root.From.Snapshot(), root.Agent.Block()
	added.CreatedMs = timeOf(n.CreatedMs, &root.CreatedMs)
	added.UpdatedMs = timeOf(n.UpdateMs, &added.UpdatedMs)
	added.NameEvents()
	return added
}

// newComment is a comment to be added with all its defaults; taken are the ids in
// use in its annotation.
func newComment(c *change.Change, n *NewComment, taken map[int64]bool) *change.Comment {
	author := c.Filled(&n.From)
	added := &change.Comment{
		Content: n.Content, Status: statusAdded, Mentions: n.Tags, Actor: author, Publish: n.Notify, Notify: n.Notify, Record: n.Record,
	}
	added.From, added.Contacts = *author, c.Contacts(n.Contacts, n.Tags)
	if n.ID != nil {
		added.ID = *n.ID
	} else {
		added.ID = newCommentID(taken)
	}
	now := c.Now.UnixMilli()
	added.CreatedMs = timeOf(n.CreatedMs, n.UpdateMs, &now)
	added.UpdatedMs = timeOf(n.UpdateMs, &added.CreatedMs)
	return added
}

// timeOf is the first time that is there.
func timeOf(times ...*int64) int64 {
	return *cmp.Or(times...)
}

// newCommentID makes an id that is not taken in its annotation, and takes it.
// Ids are positive and below 2^53, which every reader of JSON keeps exact.
func newCommentID(taken map[int64]bool) int64 {
	const bits = 53
	for {
		var random [8]byte
		_, _ = rand.Read(random[:]) // never fails: the runtime ends the process instead
		made := int64(binary.BigEndian.Uint64(random[:]) >> (64 - bits))
		if made > 0 && !taken[made] {
			taken[made] = true
			return made
		}
	}
}
