package collaboration

import (
	"context"
	"encoding/json"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/internal/thread"
	"github.com/redline-svc/redline/models/annotation"
	"github.com/redline-svc/redline/models/directory"
)

// AddComments is the request of comments/add.
type AddComments struct {
	DocumentData
	AnnotationID string `json:"annotationId" minLength:"1" maxLength:"200" format:"caller-id"`
	ThreadSent
	VerifyUserPermissions bool `json:"verifyUserPermissions,omitempty" example:"true" doc:"only authors who may write to the document add"`
	CreateOrganization    bool `json:"createOrganization,omitempty" example:"true" doc:"has no effect"`
	CreateDocument        bool `json:"createDocument,omitempty" example:"true" doc:"has no effect"`
}

// Validate checks what tags cannot say.
func (r *AddComments) Validate() []fault.Issue {
	var issues []fault.Issue
	r.ThreadSent.check(rpc.IssuesIn(&issues))
	return issues
}

// AddComments adds comments to the end of a thread, all or none, and returns their ids.
func (a *Annotations) AddComments(ctx context.Context, req *AddComments) (*rpc.Success[[]int64], error) {
	caller := rpc.CallerFrom(ctx)
	reply := annotation.Reply{Container: req.container(), APIKeyID: caller.APIKeyID, AnnotationID: req.AnnotationID, Comments: commentsOf(req.thread())}
	if req.VerifyUserPermissions {
		var err error
		if reply.Verify, err = a.verifier.verify(ctx, reply.Container, req.authors()); err != nil {
			return nil, err
		}
	}
	ids, err := a.store.AddComments(ctx, caller.WorkspaceID, reply)
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Comments added.", ids), nil
}

// authors are those of the comments, with their indexes.
func (r *AddComments) authors() []author {
	all := make([]author, len(r.thread()))
	for i, c := range r.thread() {
		all[i] = author{c.From.UserID, i}
	}
	return all
}

// UpdateComments is the request of comments/update.
type UpdateComments struct {
	DocumentData
	AnnotationID        string         `json:"annotationId" minLength:"1" maxLength:"200" format:"caller-id"`
	CommentIDs          []int64        `json:"commentIds,omitempty" selector:"true" maxItems:"100"`
	UserIDs             []string       `json:"userIds,omitempty" selector:"true" maxItems:"30" minLength:"1" maxLength:"200" format:"caller-id" example:"u_ann,u_eve" doc:"authors of the comments"`
	AllComments         bool           `json:"allComments,omitempty" example:"true" doc:"the whole thread, instead of commentIds and userIds"`
	UpdatedData         ChangedComment `json:"updatedData" doc:"what is not sent stays"`
	ActionUser          *UserData      `json:"actionUser,omitempty" doc:"who changes them"`
	TriggerNotification bool           `json:"triggerNotification,omitempty" doc:"tell users whom the comments tag now by a notification and a mail"`
	TriggerActivities   bool           `json:"triggerActivities,omitempty" example:"true" doc:"keep a record of it"`
}

// updatedData is where the new fields stand in the request.
const updatedData = "updatedData"

// ChangedComment is a comment as sent to comments/update; null clears.
type ChangedComment struct {
	CommentText            *string       `json:"commentText,omitempty" nullable:"true" maxBytes:"65536" doc:"without commentHtml that is emptied"`
	CommentHTML            *string       `json:"commentHtml,omitempty" nullable:"true" maxBytes:"131072" example:"<p>Which month?</p>" doc:"kept as sent; without commentText the text is made of it"`
	Context                shape.Object  `json:"context,omitempty" maxBytes:"32768" storable:"true" example:"{\"page\":\"pricing\"}"`
	From                   *UserData     `json:"from,omitempty" notNull:"true" doc:"the author"`
	TaggedUserContacts     []ContactData `json:"taggedUserContacts,omitempty" nullable:"true" maxItems:"100"`
	IsCommentTextAvailable *bool         `json:"isCommentTextAvailable,omitempty" nullable:"true" example:"true" doc:"null: whether there is text"`
	IsCommentResolverUsed  *bool         `json:"isCommentResolverUsed,omitempty" nullable:"true" example:"false"`
	CreatedAt              *int64        `json:"createdAt,omitempty" notNull:"true" minimum:"0" maximum:"253402300799999" example:"1767225600000" doc:"epoch ms; the thread keeps its order"`
	LastUpdated            *int64        `json:"lastUpdated,omitempty" notNull:"true" minimum:"0" maximum:"253402300799999" example:"1767225600000" doc:"default now"`
	WorkData

	Cleared shape.Nulls `json:"-"`
}

// Validate checks what tags cannot say. Whether contacts are of users who are tagged is
// seen where the comments are.
func (r *UpdateComments) Validate() []fault.Issue {
	issues := r.selection()
	c, at := &r.UpdatedData, rpc.IssuesIn(&issues, updatedData)
	if c.From != nil {
		at.Append(c.From.issues(at.At("from").Path()...)...)
	}
	if r.ActionUser != nil {
		at.Append(r.ActionUser.issues("actionUser")...)
	}
	c.WorkData.check(at)
	checkContextAndTags(at, c.Context, thread.Tags(rpc.TextOf(c.CommentText), rpc.TextOf(c.CommentHTML)))
	checkContacts(at.At("taggedUserContacts"), c.TaggedUserContacts, func(string) bool { return true })
	return issues
}

// selection wants comments, authors, or all: the whole thread is meant only by its own word.
func (r *UpdateComments) selection() []fault.Issue {
	switch narrowed := len(r.CommentIDs)+len(r.UserIDs) > 0; {
	case narrowed && r.AllComments:
		return []fault.Issue{{Code: shape.Conflict, Path: []string{"allComments"}, Message: "excludes commentIds and userIds"}}
	case !narrowed && !r.AllComments:
		return []fault.Issue{{Code: shape.Required, Path: []string{"commentIds"}, Message: "commentIds, userIds or allComments is required"}}
	default:
		return nil
	}
}

// fields returns what is sent, and what it clears, as the store takes it.
func (c *ChangedComment) fields() annotation.EditedFields {
	f := annotation.EditedFields{
		Words: c.words(), From: c.From.whole(),
		Contacts: contactsOf(c.TaggedUserContacts), SetContacts: c.TaggedUserContacts != nil || c.Cleared.Null("taggedUserContacts"),
		TextAvailable: c.IsCommentTextAvailable, FollowText: c.Cleared.Null("isCommentTextAvailable"), ResolverUsed: c.IsCommentResolverUsed,
		CreatedMs: c.CreatedAt, UpdatedMs: c.LastUpdated, Kept: c.WorkData.sent(c.Cleared),
	}
	if c.Context != nil || c.Cleared.Null("context") {
		context := json.RawMessage(c.Context)
		f.Context = &context
	}
	if c.Cleared.Null("isCommentResolverUsed") {
		f.ResolverUsed = new(bool)
	}
	return f
}

// words are the text and the HTML of which at least one is sent: the other one follows,
// the text from the HTML, the HTML empty. One that is cleared is sent as empty.
func (c *ChangedComment) words() *annotation.Words {
	text, markup := c.CommentText != nil || c.Cleared.Null("commentText"), c.CommentHTML != nil || c.Cleared.Null("commentHtml")
	if !text && !markup {
		return nil
	}
	w := &annotation.Words{Text: rpc.TextOf(c.CommentText), HTML: rpc.TextOf(c.CommentHTML)}
	w.Tags = thread.Tags(w.Text, w.HTML)
	if !text {
		w.Text = thread.Text(w.HTML)
	}
	return w
}

// DeleteComments is the request of comments/delete.
type DeleteComments struct {
	DocumentData
	AnnotationID      string    `json:"annotationId" minLength:"1" maxLength:"200" format:"caller-id"`
	CommentIDs        []int64   `json:"commentIds,omitempty" selector:"true" maxItems:"1000" doc:"without userIds all of them when absent"`
	UserIDs           []string  `json:"userIds,omitempty" selector:"true" maxItems:"30" minLength:"1" maxLength:"200" format:"caller-id" example:"u_ann,u_eve" doc:"authors of the comments"`
	ActionUser        *UserData `json:"actionUser,omitempty" doc:"who deletes them"`
	TriggerActivities bool      `json:"triggerActivities,omitempty" example:"true" doc:"keep a record of it"`
}

// Validate checks what tags cannot say.
func (r *DeleteComments) Validate() []fault.Issue { return r.ActionUser.issuesAt("actionUser") }

// DeleteComments deletes comments of an annotation, and the annotation with the last one.
func (a *Annotations) DeleteComments(ctx context.Context, req *DeleteComments) (*rpc.Success[rpc.Keyed[Item]], error) {
	caller := rpc.CallerFrom(ctx)
	entries, err := a.store.DeleteComments(ctx, caller.WorkspaceID, annotation.CommentDeletion{
		Container: req.container(), APIKeyID: caller.APIKeyID, AnnotationID: req.AnnotationID,
		Which: annotation.CommentSelection{IDs: once(req.CommentIDs), Authors: req.UserIDs},
		Actor: req.ActionUser.whole(), Record: req.TriggerActivities,
	})
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Comments deleted.", commentSentences.items(entries, "Comment deleted.")), nil
}

// UpdateComments changes comments of an annotation.
func (a *Annotations) UpdateComments(ctx context.Context, req *UpdateComments) (*rpc.Success[rpc.Keyed[Item]], error) {
	caller := rpc.CallerFrom(ctx)
	edit := annotation.Edit{
		Container: directory.Container{OrganizationID: req.OrganizationID, DocumentID: req.DocumentID}, APIKeyID: caller.APIKeyID,
		AnnotationID: req.AnnotationID, Which: annotation.CommentSelection{IDs: once(req.CommentIDs), Authors: req.UserIDs},
		Fields: req.UpdatedData.fields(), Within: updatedData,
		Actor: req.ActionUser.whole(), Notify: req.TriggerNotification, Record: req.TriggerActivities,
	}
	entries, err := a.store.EditComments(ctx, caller.WorkspaceID, edit)
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Comments updated.", commentSentences.items(entries, "Comment updated.")), nil
}

var commentSentences = sentences{directory.CodeNotFound: "The annotation has no such comment."}
