package change

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/envelope"
	"github.com/redline-svc/redline/models/annotation/shown"
	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
)

// eventsAtOnce is how many events are written at once: each may be as large as a body can be,
// and a call may raise a thousand.
const eventsAtOnce = 100

// shownComments is how many comments of a thread an event shows.
const shownComments = 20

// queueEvents publishes the events of the changed comments to the endpoints of the
// workspace.
func queueEvents(ctx context.Context, tx *pg.Tx, b *pgx.Batch, c *Change, who *audience) error {
	if err := readFolder(ctx, tx, c); err != nil {
		return err
	}
	for events := range slices.Chunk(eventsOf(c, who), eventsAtOnce) {
		if b.Len() > eventsAtOnce {
			if err := tx.SendBatch(ctx, b).Close(); err != nil {
				return err
			}
			*b = pgx.Batch{}
		}
		fanout, err := delivery.FanOut(ctx, tx, c.WorkspaceID, events...)
		if err == nil {
			err = fanout.Queue(&tx.SQLTx, b)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readFolder finds the caller's id of the folder that the document is in.
func readFolder(ctx context.Context, tx *pg.Tx, c *Change) error {
	err := tx.QueryRow(ctx, `SELECT f.folder_id FROM documents d JOIN folders f ON f.key = d.folder_key WHERE d.key = $1`, *c.Scope.Document).
		Scan(&c.folderID)
	if pg.IsNoRow(err) {
		return nil
	}
	return err
}

// eventsOf are the events to be published, in the order of the thread.
func eventsOf(c *Change, who *audience) []delivery.Event {
	var events []delivery.Event
	for _, a := range c.Annotations {
		for _, comment := range a.Changed {
			if !comment.Publish {
				continue
			}
			for _, name := range comment.Events {
				events = append(events, eventOf(c, who.named[a], name, a, comment))
			}
		}
		for _, done := range a.Acts {
			events = append(events, actEvent(c, who.named[a], a, done))
		}
	}
	return events
}

// eventOf is the event of that name about a comment, or about the annotation whose
// root it is.
func eventOf(c *Change, users *named, name string, a *Annotation, comment *Comment) delivery.Event {
	data := &shown.Event{Annotation: showAnnotation(c, a, users.mentioned, comment), ActionUser: snapshotOrNull(comment.Actor)}
	if name == envelope.AnnotationAssign {
		data.Assignment = &shown.Assignment{Old: snapshotOrNull(a.assignment.from), New: snapshotOrNull(a.assignment.to)}
	} else {
		data.Target = showComment(comment)
	}
	return c.event(name, users, a, data)
}

// actEvent is the event of what was done with an annotation itself.
func actEvent(c *Change, users *named, a *Annotation, done Act) delivery.Event {
	data := &shown.Event{ActionUser: snapshotOrNull(a.Actor)}
	switch done.Event {
	case envelope.AnnotationDelete:
		data.AnnotationID = a.ID
		return c.event(done.Event, users, a, data)
	case envelope.AnnotationAssign:
		data.Assignment = (*shown.Assignment)(done.was(fieldAssigned))
	case envelope.StatusChange:
		data.StatusChange = (*shown.StatusChange)(done.was(fieldStatus))
	case envelope.PriorityChange:
		data.PriorityChange = (*shown.PriorityChange)(done.was(fieldPriority))
	case envelope.AnnotationUpdate:
		data.Changes = done.encoded()
	default:
	}
	data.Annotation = showAnnotation(c, a, users.mentioned, nil)
	return c.event(done.Event, users, a, data)
}

// oldAndNew are what a field was and is, in the form of all that events show so.
type oldAndNew struct{ Old, New json.RawMessage }

// was gives what a field was before an act and what it is.
func (done Act) was(field string) *oldAndNew {
	change := done.changes[field]
	return &oldAndNew{change.From, change.To}
}

// Event is an event with who must not be told of the annotation.
func (c *Change) event(name string, users *named, a *Annotation, data *shown.Event) delivery.Event {
	if a.Visibility.Type != directory.VisiblePublic {
		data.Visibility = showVisibility(a.Visibility)
		data.AccessDenied = &users.excluded
	}
	return delivery.Event{
		Event: name, At: c.Now, APIKeyID: c.APIKeyID, OrganizationID: c.Container.OrganizationID, DocumentID: c.Container.DocumentID, Data: data,
	}
}

func showVisibility(v directory.Visibility) *shown.Visibility {
	return &shown.Visibility{Type: v.Type, OrganizationID: v.OrganizationID, UserIDs: v.UserIDs}
}

// showAnnotation shows an annotation in an event about one of its comments.
func showAnnotation(c *Change, a *Annotation, mentioned []string, target *Comment) *shown.Annotation {
	view := &shown.Annotation{
		AnnotationID: a.ID, OrganizationID: c.Container.OrganizationID, DocumentID: c.Container.DocumentID, FolderID: c.folderID,
		Type: a.Kind, CommentType: a.CommentType, SourceType: cmp.Or(shown.SourceOf(a.Agent), shown.SourceInterface), CreatedAt: a.CreatedMs, LastUpdated: a.UpdatedMs,
		From: a.From, Status: a.Status, Visibility: *showVisibility(a.Visibility), CommentCount: len(a.Comments), Comments: []*shown.Comment{},
		Location: shown.OrJSON(a.Location, shown.Null), TargetElement: shown.OrJSON(a.Target, shown.Null), Context: shown.OrJSON(a.Context, shown.Empty),
		Priority: a.Priority, ResolvedBy: a.ResolvedBy, StatusUpdatedBy: a.StatusUpdatedBy, Suggestion: a.Suggestion, Agent: a.Agent, Mentioned: mentioned,
	}
	if a.Assigned != nil {
		view.AssignedTo = snapshotOrNull(a.Assigned)
	}
	for _, comment := range shownThread(a.Comments, target) {
		view.Comments = append(view.Comments, showComment(comment))
	}
	return view
}

// shownThread are the comments that an event shows: the root, the one it is about,
// and the newest others, shownComments in all.
func shownThread(thread []*Comment, target *Comment) []*Comment {
	newest := len(thread) - (shownComments - 1)
	at := slices.Index(thread, target)
	if at > 0 && at < newest {
		newest++
	}
	var some []*Comment
	for i, c := range thread {
		if i == 0 || i == at || i >= newest {
			some = append(some, c)
		}
	}
	return some
}

func showComment(comment *Comment) *shown.Comment {
	agent := comment.Agent.Block()
	return &shown.Comment{
		CommentID: comment.ID, Type: shown.CommentType, Status: comment.Status, CommentText: comment.Text, CommentHTML: comment.HTML,
		TextAvailable: comment.TextAvailable, ResolverUsed: comment.ResolverUsed, Context: shown.OrJSON(comment.Context, shown.Empty),
		From: comment.From.Snapshot(), CreatedAt: comment.CreatedMs, LastUpdated: envelope.Time(time.UnixMilli(comment.UpdatedMs)),
		Contacts: append([]directory.Contact{}, comment.Contacts...), Agent: agent, SourceType: shown.SourceOf(agent),
	}
}
