package annotation

import (
	"encoding/json"

	"github.com/redline-svc/redline/models/directory"
)

// eventData is the data of an event of an annotation. What an event does
// not have is left out.
type eventData struct {
	Annotation *shownAnnotation `json:"commentAnnotation,omitempty"`
	// AnnotationID is there where the annotation is not any more.
	AnnotationID string          `json:"annotationId,omitempty"`
	Target       *shownComment   `json:"targetComment,omitempty"`
	ActionUser   json.RawMessage `json:"actionUser"`
	*shownAssignment
	*shownStatus
	*shownPriority
	// Changes are the fields that an update changed.
	Changes json.RawMessage `json:"changes,omitempty"`
	// Visibility and AccessDenied are there where not everybody sees the annotation.
	Visibility   *shownVisibility `json:"visibility,omitempty"`
	AccessDenied *[]string        `json:"accessDeniedUsers,omitempty"`
}

// Said is how many bytes the comments say (envelope.Heavy).
func (d *eventData) Said() (n int) {
	_ = d.with(func(c *shownComment) *shownComment {
		n += len(c.CommentText) + len(c.CommentHTML)
		return c
	})
	return n
}

// Silent is the data with comments that say nothing.
func (d *eventData) Silent() any {
	return d.with(func(c *shownComment) *shownComment {
		silent := *c
		silent.CommentText, silent.CommentHTML, silent.Context = "", "", jsonEmpty
		return &silent
	})
}

// Alone is the data with no comment but the one that the event is about.
func (d *eventData) Alone() any {
	return d.with(func(c *shownComment) *shownComment {
		if d.Target == nil || c.CommentID != d.Target.CommentID {
			return nil
		}
		return c
	})
}

// with is the data with each comment as it is shown, nil for not at all.
func (d *eventData) with(show func(*shownComment) *shownComment) *eventData {
	other := *d
	if d.Target != nil {
		other.Target = show(d.Target)
	}
	if d.Annotation == nil {
		return &other
	}
	annotation := *d.Annotation
	annotation.Comments = []*shownComment{}
	for _, c := range d.Annotation.Comments {
		if shown := show(c); shown != nil {
			annotation.Comments = append(annotation.Comments, shown)
		}
	}
	other.Annotation = &annotation
	return &other
}

// shownAssignment is what an event of another assignee has besides.
type shownAssignment struct {
	Old json.RawMessage `json:"oldAssignedTo"`
	New json.RawMessage `json:"newAssignedTo"`
}

// shownStatus is what an event of another status has besides.
type shownStatus struct {
	Old json.RawMessage `json:"oldStatus"`
	New json.RawMessage `json:"newStatus"`
}

// shownPriority is what an event of another priority has besides.
type shownPriority struct {
	Old json.RawMessage `json:"oldPriority"`
	New json.RawMessage `json:"newPriority"`
}

// shownVisibility is who may see an annotation.
type shownVisibility struct {
	Type           string   `json:"type"`
	OrganizationID string   `json:"organizationId,omitempty"`
	UserIDs        []string `json:"userIds,omitempty"`
}

// shownAnnotation is an annotation as events show it, with some of its thread.
type shownAnnotation struct {
	AnnotationID    string          `json:"annotationId"`
	OrganizationID  string          `json:"organizationId"`
	DocumentID      string          `json:"documentId"`
	FolderID        *string         `json:"folderId"`
	Type            string          `json:"type"`
	CommentType     string          `json:"commentType"`
	SourceType      string          `json:"sourceType"`
	CreatedAt       int64           `json:"createdAt"`
	LastUpdated     int64           `json:"lastUpdated"`
	From            json.RawMessage `json:"from"`
	Status          json.RawMessage `json:"status"`
	Visibility      shownVisibility `json:"visibility"`
	Comments        []*shownComment `json:"comments"`
	CommentCount    int             `json:"commentCount"`
	Location        json.RawMessage `json:"location"`
	TargetElement   json.RawMessage `json:"targetElement"`
	Context         json.RawMessage `json:"context"`
	AssignedTo      json.RawMessage `json:"assignedTo,omitempty"`
	Priority        json.RawMessage `json:"priority,omitempty"`
	ResolvedBy      string          `json:"resolvedByUserId,omitempty"`
	StatusUpdatedBy string          `json:"statusUpdatedByUserId,omitempty"`
	Suggestion      json.RawMessage `json:"suggestion,omitempty"`
	Agent           json.RawMessage `json:"agent,omitempty"`
	Mentioned       []string        `json:"mentionedUserIds,omitempty"`

	shownPlace
}

// shownPlace is what callers say of where an annotation is shown, as events show it.
type shownPlace struct {
	Actions          json.RawMessage `json:"actions,omitempty"`
	IsPageAnnotation json.RawMessage `json:"isPageAnnotation,omitempty"`
	PositionX        json.RawMessage `json:"positionX,omitempty"`
	PositionY        json.RawMessage `json:"positionY,omitempty"`
	ScreenWidth      json.RawMessage `json:"screenWidth,omitempty"`
	ScreenHeight     json.RawMessage `json:"screenHeight,omitempty"`
	ScrollHeight     json.RawMessage `json:"screenScrollHeight,omitempty"`
	ScrollTop        json.RawMessage `json:"screenScrollTop,omitempty"`
}

// shownWork is what callers say of files, progress and buttons of a comment, as events show it.
type shownWork struct {
	Attachments json.RawMessage `json:"attachments,omitempty"`
	Progress    json.RawMessage `json:"progress,omitempty"`
	Actions     json.RawMessage `json:"actions,omitempty"`
}

// kept reads what is kept of an annotation or a comment.
func kept[T any](stored json.RawMessage) (shown T) {
	_ = json.Unmarshal(orJSON(stored, jsonEmpty), &shown) // it was written as an object
	return shown
}

// shownComment is a comment as events show it.
type shownComment struct {
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

	shownWork
}

// Where annotations come from, and the type of every comment.
const (
	sourceInterface  = "rest-api"
	sourceAgent      = "agent"
	shownCommentType = "text"
)

// sourceOf reports that an agent wrote something, empty for a person.
func sourceOf(agent json.RawMessage) string {
	if agent != nil {
		return sourceAgent
	}
	return ""
}

// What stands in an event for JSON that is absent.
var (
	jsonNull  = json.RawMessage("null")
	jsonEmpty = json.RawMessage("{}")
)

// orJSON is JSON, or what stands for it where it is absent.
func orJSON(text, otherwise json.RawMessage) json.RawMessage {
	if len(text) == 0 {
		return otherwise
	}
	return text
}
