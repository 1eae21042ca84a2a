package annotation

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/envelope"
	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
)

// eventsAtOnce is how many events are written at once: a call may raise thousands, each as large as a body can be.
const eventsAtOnce = 100

// shownComments is how many comments of a thread an event shows.
const shownComments = 20

// queueEvents publishes the events of the changed comments to the endpoints of the
// workspace, some at once: the last of them on the batch.
func queueEvents(ctx context.Context, tx *pg.Tx, c *change, who *viewers, last *pgx.Batch) error {
	if err := readFolder(ctx, tx, c); err != nil {
		return err
	}
	for some := range pg.Portions(eventsOf(c, who), eventsAtOnce) {
		if err := tx.SendQueued(ctx, last); err != nil {
			return err
		}
		fanout, err := delivery.FanOut(ctx, tx, c.workspaceID, some...)
		if err != nil {
			return err
		}
		if err := fanout.Queue(ctx, tx, last); err != nil {
			return err
		}
	}
	return nil
}

// readFolder finds the caller's id of the folder that the document is in.
func readFolder(ctx context.Context, tx *pg.Tx, c *change) error {
	err := tx.QueryRow(ctx, `SELECT f.folder_id FROM documents d JOIN folders f ON f.key = d.folder_key WHERE d.key = $1`, *c.scope.Document).
		Scan(&c.folderID)
	if pg.IsNoRow(err) {
		return nil
	}
	return err
}

// eventsOf are the events to be published, in the order of the thread, with how many bytes
// each shows. One is made when it is its turn, and goes when it is written.
func eventsOf(c *change, who *viewers) iter.Seq2[delivery.Event, int64] {
	return func(yield func(delivery.Event, int64) bool) {
		for _, a := range c.annotations {
			for _, comment := range a.changed {
				for _, name := range comment.events {
					if comment.publish && !yield(eventOf(c, who.named[a], name, a, comment), a.shownBytes(comment)+who.named[a].bytes) {
						return
					}
				}
			}
			for _, done := range a.acts {
				if !yield(actEvent(c, who.named[a], a, done), a.shownBytes(nil)+who.named[a].bytes) {
					return
				}
			}
		}
	}
}

// shownBytes is about what an event about one of the comments shows, or about the annotation
// itself.
func (a *annotation) shownBytes(target *comment) (n int64) {
	n = int64(len(a.context) + len(a.suggestion) + len(a.status) + len(a.location) + len(a.target) + len(a.agent) + len(a.kept))
	for _, c := range shownThread(a.comments, target) {
		n += c.bytes()
	}
	return n
}

// eventOf is the event of that name about a comment, or about the annotation whose
// root it is.
func eventOf(c *change, users *named, name string, a *annotation, comment *comment) delivery.Event {
	data := &eventData{Annotation: showAnnotation(c, a, users.mentioned, comment), ActionUser: snapshotOrNull(comment.actor)}
	if name == envelope.AnnotationAssign {
		data.shownAssignment = &shownAssignment{Old: snapshotOrNull(a.assignment.from), New: snapshotOrNull(a.assignment.to)}
	} else {
		data.Target = showComment(comment)
	}
	event := c.event(name, users, a, data)
	event.Aside = name == envelope.CommentAdd && slices.Contains(comment.events, envelope.AnnotationAdd)
	return event
}

// actEvent is the event of what was done with an annotation itself.
func actEvent(c *change, users *named, a *annotation, done act) delivery.Event {
	data := &eventData{ActionUser: snapshotOrNull(a.actor)}
	switch done.event {
	case envelope.AnnotationDelete:
		data.AnnotationID = a.id
		return c.event(done.event, users, a, data)
	case envelope.AnnotationAssign:
		data.shownAssignment = (*shownAssignment)(done.was(fieldAssigned))
	case envelope.StatusChange:
		data.shownStatus = (*shownStatus)(done.was(fieldStatus))
	case envelope.PriorityChange:
		data.shownPriority = (*shownPriority)(done.was(fieldPriority))
	case envelope.AnnotationUpdate:
		data.Changes = done.encoded()
	default:
	}
	data.Annotation = showAnnotation(c, a, users.mentioned, nil)
	event := c.event(done.event, users, a, data)
	_, shown := done.changes[fieldVisibility]
	event.Aside = done.event == envelope.AnnotationUpdate && !shown
	return event
}

// oldAndNew are what a field was and is, in the form of all that events show so.
type oldAndNew struct{ Old, New json.RawMessage }

// was returns what a field was before an act and what it is.
func (done act) was(field string) *oldAndNew {
	change := done.changes[field]
	return &oldAndNew{change.From, change.To}
}

// event is an event with who must not be told of the annotation.
func (c *change) event(name string, users *named, a *annotation, data *eventData) delivery.Event {
	if a.visibility.Type != directory.VisiblePublic {
		data.Visibility = showVisibility(a.visibility)
		data.AccessDenied = &users.excluded
	}
	return delivery.Event{
		Event: name, At: c.now, APIKeyID: c.apiKeyID, OrganizationID: c.container.OrganizationID, DocumentID: c.container.DocumentID, Data: data,
	}
}

func showVisibility(v directory.Visibility) *shownVisibility {
	return &shownVisibility{Type: v.Type, OrganizationID: v.OrganizationID, UserIDs: v.UserIDs}
}

// showAnnotation shows an annotation in an event about one of its comments.
func showAnnotation(c *change, a *annotation, mentioned []string, target *comment) *shownAnnotation {
	view := &shownAnnotation{
		AnnotationID: a.id, OrganizationID: c.container.OrganizationID, DocumentID: c.container.DocumentID, FolderID: c.folderID,
		Type: a.kind, CommentType: a.commentType, SourceType: cmp.Or(sourceOf(a.agent), sourceInterface), CreatedAt: a.createdMs, LastUpdated: a.updatedMs,
		From: a.from, Status: a.status, Visibility: *showVisibility(a.visibility), CommentCount: len(a.comments), Comments: []*shownComment{},
		Location: orJSON(a.location, jsonNull), TargetElement: orJSON(a.target, jsonNull), Context: orJSON(a.context, jsonEmpty),
		Priority: a.priority, ResolvedBy: a.resolvedBy, StatusUpdatedBy: a.statusUpdatedBy, Suggestion: a.suggestion, Agent: a.agent, Mentioned: mentioned,
		shownPlace: kept[shownPlace](a.kept),
	}
	if a.assigned != nil {
		view.AssignedTo = snapshotOrNull(a.assigned)
	}
	for _, comment := range shownThread(a.comments, target) {
		view.Comments = append(view.Comments, showComment(comment))
	}
	return view
}

// shownThread are the comments that an event shows: the root, the one it is about,
// and the newest others, shownComments in all.
func shownThread(thread []*comment, target *comment) []*comment {
	newest := len(thread) - (shownComments - 1)
	at := slices.Index(thread, target)
	if at > 0 && at < newest {
		newest++
	}
	var some []*comment
	for i, c := range thread {
		if i == 0 || i == at || i >= newest {
			some = append(some, c)
		}
	}
	return some
}

func showComment(comment *comment) *shownComment {
	agent := comment.Agent.block()
	return &shownComment{
		CommentID: comment.id, Type: shownCommentType, Status: comment.status, CommentText: comment.Text, CommentHTML: comment.HTML,
		TextAvailable: comment.TextAvailable, ResolverUsed: comment.ResolverUsed, Context: orJSON(comment.Context, jsonEmpty),
		From: comment.From.Snapshot(), CreatedAt: comment.createdMs, LastUpdated: envelope.Time(time.UnixMilli(comment.updatedMs)),
		Contacts: append([]directory.Contact{}, comment.Contacts...), Agent: agent, SourceType: sourceOf(agent),
		shownWork: kept[shownWork](comment.Kept),
	}
}
