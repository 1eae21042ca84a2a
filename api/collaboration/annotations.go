package collaboration

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/cursor"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/annotation"
	"github.com/redline-svc/redline/models/annotation/view"
	"github.com/redline-svc/redline/models/directory"
)

type annotationStore interface {
	Add(ctx context.Context, workspaceID string, add annotation.Addition) ([]annotation.Added, error)
	Update(ctx context.Context, workspaceID string, update annotation.Update) (*annotation.Updated, error)
	Delete(ctx context.Context, workspaceID string, deletion annotation.Deletion) (entries []directory.Entry, more bool, err error)
	DeleteComments(ctx context.Context, workspaceID string, deletion annotation.CommentDeletion) ([]directory.Entry, error)
	AddComments(ctx context.Context, workspaceID string, reply annotation.Reply) ([]int64, error)
	MarkRead(ctx context.Context, workspaceID string, reading annotation.Reading) (changed int64, entries []directory.Entry, err error)
	EditComments(ctx context.Context, workspaceID string, edit annotation.Edit) ([]directory.Entry, error)
}

type annotationViews interface {
	Get(ctx context.Context, workspaceID string, f view.Filter, after *view.Position, size int) (*view.Page, error)
	Find(ctx context.Context, workspaceID string, s view.Search, after *view.Position, size int) (*view.Page, error)
	Comments(ctx context.Context, workspaceID string, f view.CommentFilter, after *view.CommentPosition, size int) (*view.CommentPage, error)
	Count(ctx context.Context, workspaceID string, f view.CountFilter) (documentIDs []string, counts map[string]view.Count, err error)
}

// Annotations are the operations on annotations of documents.
type Annotations struct {
	listing

	store    annotationStore
	views    annotationViews
	verifier *Verifier
}

// NewAnnotations makes the operations.
func NewAnnotations(store annotationStore, views annotationViews, verifier *Verifier, settings settingsReader, cursors *cursor.Codec) *Annotations {
	return &Annotations{listing{Settings: settings, Cursors: cursors}, store, views, verifier}
}

// AddAnnotations is the request of commentannotations/add.
type AddAnnotations struct {
	DocumentData
	CreateOrganization    bool             `json:"createOrganization,omitempty"`
	CreateDocument        bool             `json:"createDocument,omitempty"`
	VerifyUserPermissions bool             `json:"verifyUserPermissions,omitempty" example:"true" doc:"only authors who may write to the document add"`
	CommentAnnotations    []AnnotationData `json:"commentAnnotations" minItems:"1" maxItems:"100"`
}

// Validate checks what tags cannot say.
func (r *AddAnnotations) Validate() []fault.Issue {
	var issues []fault.Issue
	all := rpc.IssuesIn(&issues, "commentAnnotations")
	seen := map[string]bool{}
	for i := range r.CommentAnnotations {
		a, at := &r.CommentAnnotations[i], all.At(strconv.Itoa(i))
		if a.AnnotationID != "" && seen[a.AnnotationID] {
			at.At("annotationId").Add(shape.Duplicate, "is there twice in the request")
		}
		seen[a.AnnotationID] = true
		a.check(at)
	}
	if n := r.flagged(); n > maxFlagged {
		all.Add(shape.Count, fmt.Sprintf("have %d comments with triggerNotification, at most %d in one call", n, maxFlagged))
	}
	return issues
}

// maxFlagged is how many comments of one call may notify.
const maxFlagged = 1000

// flagged counts the comments that notify.
func (r *AddAnnotations) flagged() (n int) {
	for i := range r.CommentAnnotations {
		for _, c := range r.CommentAnnotations[i].thread() {
			if c.TriggerNotification {
				n++
			}
		}
	}
	return n
}

// AddedAnnotation says what was added.
type AddedAnnotation struct {
	Success      bool    `json:"success"`
	AnnotationID string  `json:"annotationId"`
	CommentIDs   []int64 `json:"commentIds" doc:"in the order of the thread"`
	Message      string  `json:"message" doc:"a short sentence, not part of the contract"`
	FindingID    string  `json:"findingId,omitempty" doc:"that of the root comment's agent"`
}

// Add adds annotations to a document, all or none.
func (a *Annotations) Add(ctx context.Context, req *AddAnnotations) (*rpc.Success[rpc.Keyed[AddedAnnotation]], error) {
	caller := rpc.CallerFrom(ctx)
	add := annotation.Addition{APIKeyID: caller.APIKeyID, Container: directory.Container{
		OrganizationID: req.OrganizationID, DocumentID: req.DocumentID,
		CreateOrganization: req.CreateOrganization, CreateDocument: req.CreateDocument,
	}}
	if req.VerifyUserPermissions {
		var err error
		if add.Verify, err = a.verifier.verify(ctx, add.Container, req.authors()); err != nil {
			return nil, err
		}
	}
	for i := range req.CommentAnnotations {
		add.Annotations = append(add.Annotations, req.CommentAnnotations[i].annotation())
	}
	added, err := a.store.Add(ctx, caller.WorkspaceID, add)
	if err != nil {
		return nil, err
	}
	show := func(a annotation.Added) rpc.KeyedEntry[AddedAnnotation] {
		return rpc.KeyedEntry[AddedAnnotation]{Key: a.ID, Value: AddedAnnotation{true, a.ID, a.CommentIDs, "Annotation added.", a.FindingID}}
	}
	return rpc.Succeed("Annotations added.", rpc.Keyed[AddedAnnotation](rpc.Each(added, show))), nil
}

// authors are those of all comments, with the index of the annotation.
func (r *AddAnnotations) authors() (all []author) {
	for i := range r.CommentAnnotations {
		for _, c := range r.CommentAnnotations[i].thread() {
			all = append(all, author{c.From.UserID, i})
		}
	}
	return all
}

// GetAnnotations is the request of the older commentannotations/get.
type GetAnnotations struct {
	DocumentData
	LocationIDs   []string `json:"locationIds,omitempty" maxItems:"30" minLength:"1" maxLength:"200" format:"caller-id" example:"page-2,page-3"`
	AnnotationIDs []string `json:"annotationIds,omitempty" maxItems:"30" minLength:"1" maxLength:"200" format:"caller-id"`
	UserIDs       []string `json:"userIds,omitempty" maxItems:"30" minLength:"1" maxLength:"200" format:"caller-id" example:"u_ann,u_eve" doc:"authors of the annotations"`
	PageData
}

const annotationsList = "v1/commentannotations/get"

// Get reads annotations of a document, latest change first; with annotationIds
// one slot for each. An author sees every annotation of their own, so userIds
// hides nothing more.
func (a *Annotations) Get(ctx context.Context, req *GetAnnotations) (*rpc.Success[rpc.Slots[AnnotationView]], error) {
	workspaceID := rpc.CallerFrom(ctx).WorkspaceID
	filter := view.Filter{
		OrganizationID: req.OrganizationID, DocumentID: req.DocumentID, LocationIDs: req.LocationIDs, Authors: req.UserIDs, IDs: req.AnnotationIDs,
	}
	pages := a.pages(workspaceID, annotationsList, filter)
	found, next, err := rpc.List(pages, req.PageToken, viewAnnotation, func(after *view.Position) (*view.Page, error) {
		return a.views.Get(ctx, workspaceID, filter, after, cmp.Or(req.PageSize, pageSize))
	})
	return rpc.Found("Annotations found.", rpc.Slots[AnnotationView](found), next, err)
}

// GetComments is the request of the older comments/get.
type GetComments struct {
	DocumentData
	AnnotationID string   `json:"annotationId" minLength:"1" maxLength:"200" format:"caller-id"`
	UserIDs      []string `json:"userIds,omitempty" maxItems:"30" minLength:"1" maxLength:"200" format:"caller-id" example:"u_ann,u_eve" doc:"authors; nothing of an annotation that none of them may see"`
	CommentIDs   []int64  `json:"commentIds,omitempty" maxItems:"1000" example:"[1,2]"`
	PageData
}

const (
	commentsList      = "v1/commentannotations/comments/get"
	wholeCommentsList = "v2/commentannotations/comments/get"
)

// GetWholeComments is the request of the newer comments/get.
type GetWholeComments struct {
	GetComments
	ViewerUserID string `json:"viewerUserId,omitempty" minLength:"1" maxLength:"200" format:"caller-id" doc:"who reads; nothing that they may not see, whoever else is named"`
}

// Comments reads a thread, oldest first; with commentIds one slot for each. The
// data is null where there is no such annotation to be seen.
func (a *Annotations) Comments(ctx context.Context, req *GetComments) (*CommentList[ThreadComment], error) {
	return readComments(ctx, a, commentsList, req, req.filter(), viewComment)
}

// WholeComments reads a thread as Comments does, with all that is known of the comments.
func (a *Annotations) WholeComments(ctx context.Context, req *GetWholeComments) (*CommentList[WholeComment], error) {
	filter := req.filter()
	filter.Viewer, filter.Whole = req.ViewerUserID, true
	return readComments(ctx, a, wholeCommentsList, &req.GetComments, filter, viewWholeComment)
}

func (r *GetComments) filter() view.CommentFilter {
	return view.CommentFilter{
		OrganizationID: r.OrganizationID, DocumentID: r.DocumentID, AnnotationID: r.AnnotationID, Users: r.UserIDs, IDs: r.CommentIDs,
	}
}

// readComments reads a page of a thread and shows each comment.
func readComments[T any](ctx context.Context, a *Annotations, name string, req *GetComments, filter view.CommentFilter, show func(*view.CommentView) *T) (*CommentList[T], error) {
	workspaceID := rpc.CallerFrom(ctx).WorkspaceID
	pages := a.advancedPages(ctx, workspaceID, name, filter)
	list := &CommentList[T]{Status: "success", Message: "Comments found."}
	there := true
	found, next, err := rpc.List(pages, req.PageToken, show, func(after *view.CommentPosition) (*view.CommentPage, error) {
		page, err := a.views.Comments(ctx, workspaceID, filter, after, cmp.Or(req.PageSize, pageSize))
		if there = page != nil; !there {
			page = &view.CommentPage{}
		}
		return page, err
	})
	if there {
		list.Data, list.NextPageToken = found, rpc.TextOf(next)
	}
	return list, err
}

// CountAnnotations is the request of count/get.
type CountAnnotations struct {
	OrganizationID string   `json:"organizationId" minLength:"1" maxLength:"200" format:"caller-id"`
	DocumentIDs    []string `json:"documentIds" minItems:"1" maxItems:"30" minLength:"1" maxLength:"200" format:"caller-id"`
	UserID         string   `json:"userId" minLength:"1" maxLength:"200" format:"caller-id" doc:"who asks"`
	StatusIDs      []string `json:"statusIds,omitempty" maxItems:"100" minLength:"1" maxLength:"200" example:"OPEN,DONE"`
}

// CountView is how many annotations the user may see, and has not read.
type CountView struct {
	Total  int64 `json:"total"`
	Unread int64 `json:"unread"`
}

// Count counts the annotations of documents for a user.
func (a *Annotations) Count(ctx context.Context, req *CountAnnotations) (*rpc.Success[rpc.Keyed[CountView]], error) {
	if err := a.allowed(ctx); err != nil {
		return nil, err
	}
	documents, counts, err := a.views.Count(ctx, rpc.CallerFrom(ctx).WorkspaceID, view.CountFilter{
		OrganizationID: req.OrganizationID, DocumentIDs: req.DocumentIDs, UserID: req.UserID, StatusIDs: req.StatusIDs,
	})
	if err != nil {
		return nil, err
	}
	show := func(documentID string) rpc.KeyedEntry[CountView] {
		return rpc.KeyedEntry[CountView]{Key: documentID, Value: CountView(counts[documentID])}
	}
	return rpc.Succeed("Annotations counted.", rpc.Keyed[CountView](rpc.Each(documents, show))), nil
}

// ReadAnnotations is the request of commentannotations/read.
type ReadAnnotations struct {
	DocumentData
	UserID        string   `json:"userId" minLength:"1" maxLength:"200" format:"caller-id" doc:"who has read them"`
	AnnotationIDs []string `json:"annotationIds,omitempty" selector:"true" maxItems:"1000" minLength:"1" maxLength:"200" format:"caller-id" doc:"default all that the user may see"`
	Read          *bool    `json:"read,omitempty" example:"false" doc:"default true; false: not any more"`
}

// ReadResult says what is marked.
type ReadResult struct {
	Status  string          `json:"status" enum:"success"`
	Message string          `json:"message" doc:"a short sentence, not part of the contract"`
	Updated int64           `json:"updated" doc:"how many annotations have another mark now"`
	Data    rpc.Keyed[Item] `json:"data" doc:"by the annotationIds that were sent"`
}

// Read marks annotations as read by a user, or takes the marks back.
func (a *Annotations) Read(ctx context.Context, req *ReadAnnotations) (*ReadResult, error) {
	updated, entries, err := a.store.MarkRead(ctx, rpc.CallerFrom(ctx).WorkspaceID, annotation.Reading{
		Container: directory.Container{OrganizationID: req.OrganizationID, DocumentID: req.DocumentID},
		UserID:    req.UserID, AnnotationIDs: once(req.AnnotationIDs), Unread: req.Read != nil && !*req.Read,
	})
	if err != nil {
		return nil, err
	}
	return &ReadResult{"success", "Annotations marked.", updated, seenSentences.items(entries, "Annotation marked.")}, nil
}

var seenSentences = sentences{directory.CodeNotFound: "The document has no such annotation that the user may see."}
