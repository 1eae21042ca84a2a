package annotation

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/envelope"
	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
)

// shownComments is how many comments of a thread an event shows.
const shownComments = 20

// eventData is the data of an event of an annotation. What an event does
// not have is left out.
type eventData struct {
	Annotation *annotationShown `json:"commentAnnotation,omitempty"`
	// AnnotationID is there where the annotation is not any more.
	AnnotationID string          `json:"annotationId,omitempty"`
	Target       *commentShown   `json:"targetComment,omitempty"`
	ActionUser   json.RawMessage `json:"actionUser"`
	*assignmentShown
	// Visibility and AccessDenied are there where not everybody sees the annotation.
	Visibility   *visibilityShown `json:"visibility,omitempty"`
	AccessDenied *[]string        `json:"accessDeniedUsers,omitempty"`
}

// assignmentShown is what an event of another assignee has besides.
type assignmentShown struct {
	Old json.RawMessage `json:"oldAssignedTo"`
	New json.RawMessage `json:"newAssignedTo"`
}

type visibilityShown struct {
	Type           string   `json:"type"`
	OrganizationID string   `json:"organizationId,omitempty"`
	UserIDs        []string `json:"userIds,omitempty"`
}

// annotationShown is an annotation as events show it, with some of its thread.
type annotationShown struct {
	AnnotationID   string          `json:"annotationId"`
	OrganizationID string          `json:"organizationId"`
	DocumentID     string          `json:"documentId"`
	FolderID       *string         `json:"folderId"`
	Type           string          `json:"type"`
	CommentType    string          `json:"commentType"`
	SourceType     string          `json:"sourceType"`
	CreatedAt      int64           `json:"createdAt"`
	LastUpdated    int64           `json:"lastUpdated"`
	From           json.RawMessage `json:"from"`
	Status         json.RawMessage `json:"status"`
	Visibility     visibilityShown `json:"visibility"`
	Comments       []*commentShown `json:"comments"`
	CommentCount   int             `json:"commentCount"`
	Location       json.RawMessage `json:"location"`
	TargetElement  json.RawMessage `json:"targetElement"`
	Context        json.RawMessage `json:"context"`
	AssignedTo     json.RawMessage `json:"assignedTo,omitempty"`
	Priority       json.RawMessage `json:"priority,omitempty"`
	Suggestion     json.RawMessage `json:"suggestion,omitempty"`
	Agent          json.RawMessage `json:"agent,omitempty"`
	Mentioned      []string        `json:"mentionedUserIds,omitempty"`
}

// commentShown is a comment as events show it.
type commentShown struct {
	CommentID     int64               `json:"commentId"`
	Type          string              `json:"type"`
	Status        string              `json:"status"`
	CommentText   string              `json:"commentText"`
	CommentHTML   string              `json:"commentHtml"`
	TextAvailable bool                `json:"isCommentTextAvailable"`
	ResolverUsed  bool                `json:"isCommentResolverUsed"`
	Context       json.RawMessage     `json:"context"`
	From          json.RawMessage     `json:"from"`
	CreatedAt     int64               `json:"createdAt"`
	LastUpdated   string              `json:"lastUpdated"`
	Contacts      []directory.Contact `json:"taggedUserContacts"`
	Agent         json.RawMessage     `json:"agent,omitempty"`
	SourceType    string              `json:"sourceType,omitempty"`
}

// Where annotations come from, and the type of every comment.
const (
	sourceInterface = "rest-api"
	sourceAgent     = "agent"
	commentType     = "text"
)

// queueEvents publishes the events of the changed comments to the endpoints of the
// workspace.
func queueEvents(ctx context.Context, tx *pg.Tx, b *pgx.Batch, c *change, who *audience) error {
	if err := readFolder(ctx, tx, c); err != nil {
		return err
	}
	fanout, err := delivery.FanOut(ctx, tx, c.workspaceID, eventsOf(c, who)...)
	if err != nil {
		return err
	}
	return fanout.Queue(&tx.SQLTx, b)
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

// eventsOf are the events to be published, in the order of the thread.
func eventsOf(c *change, who *audience) []delivery.Event {
	var events []delivery.Event
	for _, a := range c.annotations {
		for _, comment := range a.changed {
			if !comment.publish {
				continue
			}
			for _, name := range comment.events {
				events = append(events, eventOf(c, who.named[a], name, a, comment))
			}
		}
		for _, done := range a.acts {
			events = append(events, actEvent(c, who.named[a], a, done))
		}
	}
	return events
}

// eventOf is the event of that name about a comment, or about the annotation whose
// root it is.
func eventOf(c *change, users *named, name string, a *changedAnnotation, comment *changedComment) delivery.Event {
	data := &eventData{Annotation: showAnnotation(c, a, users.mentioned, comment), ActionUser: snapshotOrNull(comment.actor)}
	if name == envelope.AnnotationAssign {
		data.assignmentShown = &assignmentShown{Old: snapshotOrNull(a.assignment.from), New: snapshotOrNull(a.assignment.to)}
	} else {
		data.Target = showComment(comment)
	}
	return c.event(name, users, a, data)
}

// actEvent is the event of what was done with an annotation itself.
func actEvent(c *change, users *named, a *changedAnnotation, done act) delivery.Event {
	data := &eventData{ActionUser: snapshotOrNull(a.actor)}
	if done.event == envelope.AnnotationDelete {
		data.AnnotationID = a.id
	} else {
		data.Annotation = showAnnotation(c, a, users.mentioned, nil)
	}
	return c.event(done.event, users, a, data)
}

// event is an event with who must not be told of the annotation.
func (c *change) event(name string, users *named, a *changedAnnotation, data *eventData) delivery.Event {
	if a.visibility.Type != directory.VisiblePublic {
		data.Visibility = showVisibility(a.visibility)
		data.AccessDenied = &users.excluded
	}
	return delivery.Event{
		Event: name, At: c.now, APIKeyID: c.apiKeyID, OrganizationID: c.container.OrganizationID, DocumentID: c.container.DocumentID, Data: data,
	}
}

func showVisibility(v directory.Visibility) *visibilityShown {
	return &visibilityShown{v.Type, v.OrganizationID, v.UserIDs}
}

// showAnnotation shows an annotation in an event about one of its comments.
func showAnnotation(c *change, a *changedAnnotation, mentioned []string, target *changedComment) *annotationShown {
	shown := &annotationShown{
		AnnotationID: a.id, OrganizationID: c.container.OrganizationID, DocumentID: c.container.DocumentID, FolderID: c.folderID,
		Type: a.kind, CommentType: a.commentType, SourceType: cmp.Or(sourceOf(a.agent), sourceInterface), CreatedAt: a.createdMs, LastUpdated: a.updatedMs,
		From: a.from, Status: a.status, Visibility: *showVisibility(a.visibility), CommentCount: len(a.comments), Comments: []*commentShown{},
		Location: orJSON(a.location, jsonNull), TargetElement: orJSON(a.target, jsonNull), Context: orJSON(a.context, jsonObject),
		Priority: a.priority, Suggestion: a.suggestion, Agent: a.agent, Mentioned: mentioned,
	}
	if a.assigned != nil {
		shown.AssignedTo = snapshotOrNull(a.assigned)
	}
	for _, comment := range shownThread(a.comments, target) {
		shown.Comments = append(shown.Comments, showComment(comment))
	}
	return shown
}

// shownThread are the comments that an event shows: the root, the one it is about,
// and the newest others, shownComments in all.
func shownThread(thread []*changedComment, target *changedComment) []*changedComment {
	newest := len(thread) - (shownComments - 1)
	at := slices.Index(thread, target)
	if at > 0 && at < newest {
		newest++
	}
	var shown []*changedComment
	for i, c := range thread {
		if i == 0 || i == at || i >= newest {
			shown = append(shown, c)
		}
	}
	return shown
}

func showComment(comment *changedComment) *commentShown {
	agent := comment.agent.block()
	return &commentShown{
		CommentID: comment.id, Type: commentType, Status: comment.status, CommentText: comment.text, CommentHTML: comment.html,
		TextAvailable: comment.textAvailable, ResolverUsed: comment.resolverUsed, Context: orJSON(comment.context, jsonObject),
		From: comment.from.Snapshot(), CreatedAt: comment.createdMs, LastUpdated: envelope.Time(time.UnixMilli(comment.updatedMs)),
		Contacts: append([]directory.Contact{}, comment.contacts...), Agent: agent, SourceType: sourceOf(agent),
	}
}

func sourceOf(agent json.RawMessage) string {
	if agent != nil {
		return sourceAgent
	}
	return ""
}

// What stands in an event for JSON that is absent.
var (
	jsonNull   = json.RawMessage("null")
	jsonObject = json.RawMessage("{}")
)

func orJSON(text, otherwise json.RawMessage) json.RawMessage {
	if len(text) == 0 {
		return otherwise
	}
	return text
}
