package memory

import (
	"cmp"
	"context"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/cursor"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/judgment"
	"github.com/redline-svc/redline/internal/shape"
	judgments "github.com/redline-svc/redline/models/judgment"
)

type judgmentStore interface {
	nearbyStore
	Query(ctx context.Context, workspaceID string, f judgments.Filter, after *judgments.Position, size int) (*judgments.Page, error)
	Record(ctx context.Context, workspaceID string, records []judgments.Record) ([]judgments.Recorded, error)
	Delete(ctx context.Context, workspaceID string, recordIDs []string) ([]string, error)
	Profile(ctx context.Context, workspaceID, userID string) (*judgments.Profile, error)
}

// Judgments are the operations on recorded acts of review.
type Judgments struct {
	store     judgmentStore
	index     judgments.VectorIndex
	questions Questions
	cursors   *cursor.Codec
}

// NewJudgments makes the operations.
func NewJudgments(store judgmentStore, index judgments.VectorIndex, questions Questions, cursors *cursor.Codec) *Judgments {
	return &Judgments{store, index, questions, cursors}
}

// QueryJudgments narrows the list; all fields are optional.
type QueryJudgments struct {
	OrganizationID string `json:"organizationId,omitempty" minLength:"1" maxLength:"200" notBlank:"true" format:"caller-id" example:"acme"`
	DocumentID     string `json:"documentId,omitempty" minLength:"1" maxLength:"200" notBlank:"true" format:"caller-id" example:"spring" doc:"needs organizationId"`
	Decision       string `json:"decision,omitempty" minLength:"1" maxLength:"64" notBlank:"true" doc:"any spelling of the decision"`
	JudgeType      string `json:"judgeType,omitempty" enum:"human,agent" example:"human"`
	ContentType    string `json:"contentType,omitempty" minLength:"1" maxLength:"64" notBlank:"true" example:"article"`
	ReviewerID     string `json:"reviewerId,omitempty" minLength:"1" maxLength:"200" notBlank:"true" format:"caller-id" example:"u_editor"`
	AnnotationID   string `json:"annotationId,omitempty" minLength:"1" maxLength:"200" notBlank:"true" format:"caller-id" example:"a1" doc:"needs organizationId; oldest first"`
	Limit          int    `json:"limit,omitempty" minimum:"1" maximum:"100" doc:"default 20"`
	Cursor         string `json:"cursor,omitempty" maxLength:"4000" example:"8mNq2v5yBxE0hKjRlTnZpQ"`
}

// Validate wants the organization of a document or an annotation.
func (r *QueryJudgments) Validate() []fault.Issue {
	if r.OrganizationID == "" && (r.DocumentID != "" || r.AnnotationID != "") {
		return []fault.Issue{{Code: shape.Required, Path: []string{"organizationId"}, Message: "is required with documentId and annotationId"}}
	}
	return nil
}

// JudgmentList is a page of judgments. Total counts all matches, not the page;
// NextCursor is null on the last page.
type JudgmentList struct {
	Results    []JudgmentView `json:"results"`
	Total      int64          `json:"total"`
	NextCursor *string        `json:"nextCursor"`
	HasMore    bool           `json:"hasMore"`
}

const (
	judgmentsCursor     = "judgments/query"
	defaultJudgmentPage = 20
)

// Query lists judgments by what is known about them.
func (j *Judgments) Query(ctx context.Context, req *QueryJudgments) (*JudgmentList, error) {
	workspaceID := rpc.CallerFrom(ctx).WorkspaceID
	filter := judgments.Filter{
		OrganizationID: req.OrganizationID, DocumentID: req.DocumentID, JudgeType: req.JudgeType, ContentType: req.ContentType,
		ReviewerID: req.ReviewerID, AnnotationID: req.AnnotationID,
	}
	if req.Decision != "" {
		filter.Decision = judgment.Word(req.Decision)
	}
	pages := rpc.Pages{Codec: j.cursors, Field: "cursor", WorkspaceID: workspaceID, List: judgmentsCursor, Filters: filter}
	list := &JudgmentList{}
	var err error
	list.Results, list.NextCursor, err = rpc.List(pages, req.Cursor, viewJudgment, func(after *judgments.Position) (*judgments.Page, error) {
		page, err := j.store.Query(ctx, workspaceID, filter, after, cmp.Or(req.Limit, defaultJudgmentPage))
		if err == nil {
			list.Total = page.Total
		}
		return page, err
	})
	list.HasMore = list.NextCursor != nil
	return list, err
}
