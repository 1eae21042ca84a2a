package annotation

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/redline-svc/redline/internal/envelope"

	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/directory"
)

// shownComments is how many comments of a thread an event shows.
const shownComments = 20

// eventData is the data of an event of an annotation. What an event does
// not have is left out.
type eventData struct {
	Annotation *annotationShown `json:"commentAnnotation"`
	Target     *commentShown    `json:"targetComment,omitempty"`
	ActionUser json.RawMessage  `json:"actionUser"`
	*assignment
	// Visibility and AccessDenied are there where not everybody sees the annotation.
	Visibility   *visibilityShown `json:"visibility,omitempty"`
	AccessDenied *[]string        `json:"accessDeniedUsers,omitempty"`
}

// assignment is what an event of another assignee has besides.
type assignment struct {
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

// Where annotations come from, and the words of a comment that was just added.
const (
	sourceInterface = "rest-api"
	sourceAgent     = "agent"
	commentIsText   = "text"
	commentIsNew    = "added"
)

// events are what endpoints are told of the flagged comments: of each
// annotation first that it was added and assigned, if its root is flagged, then
// of its comments.
func (a *change) events(may *directory.Audience) []delivery.Event {
	var told []delivery.Event
	for _, r := range a.rows {
		if !r.flagged() {
			continue
		}
		for i := range r.comments {
			c := &r.comments[i]
			if !c.Notify {
				continue
			}
			if i == 0 {
				told = append(told, a.event(envelope.AnnotationAdd, r, c, may))
				if r.Assigned != nil {
					told = append(told, a.assigning(r, may))
				}
			}
			told = append(told, a.event(envelope.CommentAdd, r, c, may))
		}
	}
	return told
}

func (a *change) event(event string, r *annotationRow, c *commentRow, may *directory.Audience) delivery.Event {
	data := &eventData{Annotation: a.shown(r, c), Target: a.shownComment(c), ActionUser: json.RawMessage(a.snapshot(c.From))}
	if r.Visibility.Type != directory.VisiblePublic {
		data.Visibility = r.shownVisibility()
		denied := slices.DeleteFunc(r.concerned(), func(user string) bool { return may.Sees(r.Visibility, r.author, user) })
		denied = append([]string{}, denied...) // a list, also where nobody is on it
		data.AccessDenied = &denied
	}
	return delivery.Event{
		Event: event, At: a.now, APIKeyID: a.APIKeyID, OrganizationID: a.Container.OrganizationID, DocumentID: a.Container.DocumentID, Data: data,
	}
}

func (a *change) assigning(r *annotationRow, may *directory.Audience) delivery.Event {
	told := a.event(envelope.AnnotationAssign, r, &r.comments[0], may)
	if data, ok := told.Data.(*eventData); ok {
		data.Target = nil
		data.assignment = &assignment{Old: null, New: json.RawMessage(a.snapshot(*r.Assigned))}
	}
	return told
}

var null = json.RawMessage("null")

func (r *annotationRow) shownVisibility() *visibilityShown {
	return &visibilityShown{r.Visibility.Type, r.Visibility.OrganizationID, r.Visibility.UserIDs}
}

func (a *change) shown(r *annotationRow, target *commentRow) *annotationShown {
	root := &r.comments[0]
	shown := &annotationShown{
		AnnotationID: r.id, OrganizationID: a.Container.OrganizationID, DocumentID: a.Container.DocumentID, FolderID: a.folderID,
		Type: r.Kind, CommentType: r.CommentType, SourceType: cmp.Or(sourceOf(root), sourceInterface), CreatedAt: r.createdMs, LastUpdated: r.updatedMs,
		From: json.RawMessage(a.snapshot(root.From)), Status: r.Status, Visibility: *r.shownVisibility(), CommentCount: len(r.comments),
		Location: orJSON(r.Location, null), TargetElement: orJSON(r.Target, null), Context: orJSON(r.Context, json.RawMessage("{}")),
		Priority: r.Priority, Suggestion: r.Suggestion, Agent: root.Agent.block(), Mentioned: r.mentioned(),
	}
	if r.Assigned != nil {
		shown.AssignedTo = json.RawMessage(a.snapshot(*r.Assigned))
	}
	for i := range r.comments {
		if c := &r.comments[i]; r.shows(i, target) {
			shown.Comments = append(shown.Comments, a.shownComment(c))
		}
	}
	return shown
}

// shows tells whether an event shows a comment: the root, the one it is about,
// and the newest ones as far as there is room.
func (r *annotationRow) shows(i int, target *commentRow) bool {
	room := shownComments - 1
	newest := len(r.comments) - room
	if at := int(target.seq) - 1; at > 0 && at < newest {
		newest++
	}
	return i == 0 || int64(i)+1 == target.seq || i >= newest
}

// mentioned are the users whom the thread tags.
func (r *annotationRow) mentioned() []string {
	var users []string
	for i := range r.comments {
		for _, user := range r.comments[i].Tags {
			if !slices.Contains(users, user) {
				users = append(users, user)
			}
		}
	}
	return users
}

func sourceOf(c *commentRow) string {
	if c.Agent != nil {
		return sourceAgent
	}
	return ""
}

func (a *change) shownComment(c *commentRow) *commentShown {
	return &commentShown{
		CommentID: c.id, Type: commentIsText, Status: commentIsNew, CommentText: c.Text, CommentHTML: c.HTML,
		TextAvailable: c.TextAvailable, ResolverUsed: c.ResolverUsed, Context: orJSON(c.Context, json.RawMessage("{}")),
		From: json.RawMessage(a.snapshot(c.From)), CreatedAt: c.createdMs, LastUpdated: envelope.Time(time.UnixMilli(c.updatedMs)),
		Contacts: append([]directory.Contact{}, c.contacts...), Agent: c.Agent.block(), SourceType: sourceOf(c),
	}
}

func orJSON(text, otherwise json.RawMessage) json.RawMessage {
	if len(text) == 0 {
		return otherwise
	}
	return text
}
