package collaboration

import (
	"encoding/json"

	"github.com/danielgtaylor/huma/v2"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/annotation/view"
)

// AnnotationView is an annotation as the older interface reads it. Times are
// ISO-8601, color is that of the status.
type AnnotationView struct {
	AnnotationID string       `json:"annotationId"`
	Comments     []ThreadItem `json:"comments" doc:"in the order of the thread"`
	From         AuthorView   `json:"from"`
	Color        string       `json:"color"`
	CreatedAt    string       `json:"createdAt" format:"date-time"`
	LastUpdated  string       `json:"lastUpdated" format:"date-time"`
	Status       StatusView   `json:"status"`
}

// StatusView is the part of a status that the older interface reads.
type StatusView struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Color string `json:"color"`
	Type  string `json:"type" enum:"default,ongoing,terminal"`
}

// AuthorView is who wrote something, as known then; empty where not known.
type AuthorView struct {
	UserID string `json:"userId"`
	Name   string `json:"name"`
	Email  string `json:"email"`
}

// ThreadItem is a comment inside an annotation.
type ThreadItem struct {
	CommentID   int64      `json:"commentId"`
	CommentText string     `json:"commentText"`
	CommentHTML string     `json:"commentHtml"`
	From        AuthorView `json:"from"`
	LastUpdated string     `json:"lastUpdated" format:"date-time"`
	Type        string     `json:"type" enum:"text"`
}

// ThreadComment is a comment read by itself.
type ThreadComment struct {
	ThreadItem
	Status string `json:"status" enum:"added,updated"`
}

// WholeComment is a comment as the newer interface reads it.
type WholeComment struct {
	CommentID              int64          `json:"commentId"`
	Type                   string         `json:"type" enum:"text"`
	Status                 string         `json:"status" enum:"added,updated"`
	CommentText            string         `json:"commentText"`
	CommentHTML            string         `json:"commentHtml"`
	IsCommentTextAvailable bool           `json:"isCommentTextAvailable"`
	IsCommentResolverUsed  bool           `json:"isCommentResolverUsed"`
	Context                shape.Object   `json:"context" doc:"empty when there is none"`
	From                   shape.Object   `json:"from" doc:"the author, as known then"`
	CreatedAt              int64          `json:"createdAt"`
	LastUpdated            string         `json:"lastUpdated" format:"date-time"`
	TaggedUserContacts     []shape.Object `json:"taggedUserContacts" doc:"userId, and contact with userId, name and email as far as they are known"`
	Agent                  shape.Object   `json:"agent,omitempty"`
	SourceType             string         `json:"sourceType,omitempty" enum:"agent"`
	WorkView
}

// ThreadData is a thread, or null.
type ThreadData[T any] rpc.Slots[T]

// Schema documents the array and the null.
func (ThreadData[T]) Schema(registry huma.Registry) *huma.Schema {
	return &huma.Schema{AnyOf: []*huma.Schema{rpc.Slots[T]{}.Schema(registry), {Type: "null"}}}
}

// CommentList is a page of a thread; its data is null where there is no such
// annotation to be seen, and so is an entry for a comment that is not there.
type CommentList[T any] struct {
	Status        string        `json:"status" enum:"success"`
	Message       string        `json:"message" doc:"a short sentence, not part of the contract"`
	Data          ThreadData[T] `json:"data"`
	NextPageToken string        `json:"nextPageToken,omitempty"`
}

// textType is the only type of comments.
const textType = "text"

// agentSource is where a comment of an agent comes from.
const agentSource = "agent"

func viewAnnotation(a *view.View) *AnnotationView {
	if a == nil {
		return nil
	}
	view := &AnnotationView{
		AnnotationID: a.AnnotationID, From: viewAuthor(a.From), CreatedAt: rpc.FormatTime(a.CreatedAt), LastUpdated: rpc.FormatTime(a.LastUpdated),
		Comments: make([]ThreadItem, len(a.Comments)),
	}
	var status StatusData
	_ = json.Unmarshal(a.Status, &status) // it was written from such a struct
	view.Status = StatusView{ID: status.ID, Name: status.Name, Color: status.Color, Type: status.Type}
	view.Color = status.Color
	for i := range a.Comments {
		view.Comments[i] = viewThreadItem(&a.Comments[i])
	}
	return view
}

func viewThreadItem(c *view.CommentView) ThreadItem {
	return ThreadItem{
		CommentID: c.CommentID, CommentText: c.Text, CommentHTML: c.HTML, From: viewAuthor(c.From),
		LastUpdated: rpc.FormatTime(c.LastUpdated), Type: textType,
	}
}

func viewComment(c *view.CommentView) *ThreadComment {
	if c == nil {
		return nil
	}
	return &ThreadComment{viewThreadItem(c), c.Status}
}

func viewWholeComment(c *view.CommentView) *WholeComment {
	if c == nil {
		return nil
	}
	whole := &WholeComment{
		CommentID: c.CommentID, Type: textType, Status: c.Status, CommentText: c.Text, CommentHTML: c.HTML,
		IsCommentTextAvailable: c.Rest.TextAvailable, IsCommentResolverUsed: c.Rest.ResolverUsed, Context: shape.Object(`{}`),
		From: shape.Object(c.From), CreatedAt: c.Rest.CreatedMs, LastUpdated: rpc.FormatTime(c.LastUpdated), TaggedUserContacts: []shape.Object{},
		Agent: shape.Object(c.Rest.Agent), WorkView: keptFields[WorkView](c.Rest.Kept),
	}
	if c.Rest.Context != nil {
		whole.Context = shape.Object(c.Rest.Context)
	}
	if c.Rest.Contacts != nil {
		_ = json.Unmarshal(c.Rest.Contacts, &whole.TaggedUserContacts) // they were written from such a list
	}
	if whole.Agent != nil {
		whole.SourceType = agentSource
	}
	return whole
}

// viewAuthor reads the known keys of a snapshot, exactly by their names.
func viewAuthor(snapshot json.RawMessage) AuthorView {
	var keys map[string]json.RawMessage
	_ = json.Unmarshal(snapshot, &keys) // it was written as an object
	var a AuthorView
	for name, into := range map[string]*string{"userId": &a.UserID, "name": &a.Name, "email": &a.Email} {
		_ = json.Unmarshal(keys[name], into) // what is not there stays empty
	}
	return a
}
