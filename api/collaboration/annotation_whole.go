package collaboration

import (
	"cmp"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/annotation/view"
)

// WholeAnnotation is an annotation as the newer interface reads it.
type WholeAnnotation struct {
	AnnotationID          string          `json:"annotationId"`
	OrganizationID        string          `json:"organizationId"`
	DocumentID            string          `json:"documentId"`
	FolderID              *string         `json:"folderId" nullable:"true"`
	Type                  string          `json:"type" enum:"comment,suggestion"`
	CommentType           string          `json:"commentType" enum:"manual,chart,suggestion"`
	SourceType            string          `json:"sourceType" enum:"rest-api,agent"`
	CreatedAt             int64           `json:"createdAt"`
	LastUpdated           int64           `json:"lastUpdated"`
	From                  shape.Object    `json:"from" doc:"the author of the root comment, as known then"`
	Status                shape.Object    `json:"status"`
	Visibility            WhoSees         `json:"visibility"`
	Comments              []*WholeComment `json:"comments" doc:"in the order of the thread"`
	CommentCount          int64           `json:"commentCount"`
	Location              shape.Object    `json:"location" nullable:"true"`
	TargetElement         shape.Object    `json:"targetElement" nullable:"true"`
	Context               shape.Object    `json:"context" doc:"empty when there is none"`
	AssignedTo            shape.Object    `json:"assignedTo,omitempty"`
	Priority              shape.Object    `json:"priority,omitempty"`
	ResolvedByUserID      string          `json:"resolvedByUserId,omitempty"`
	StatusUpdatedByUserID string          `json:"statusUpdatedByUserId,omitempty"`
	Suggestion            shape.Object    `json:"suggestion,omitempty" doc:"with type suggestion"`
	Agent                 shape.Object    `json:"agent,omitempty" doc:"agentId, agentName, agentType, agentSource, executionId, url, reason as far as they are there"`
	MentionedUserIDs      []string        `json:"mentionedUserIds,omitempty" doc:"whom the comments tag, in the order of the first tags"`
	PositionView
	Metadata *AnnotationMetadata `json:"metadata,omitempty" doc:"with includeMetadata"`
}

// AnnotationMetadata is what an annotation is in.
type AnnotationMetadata struct {
	OrganizationID string  `json:"organizationId"`
	DocumentID     string  `json:"documentId"`
	DocumentName   string  `json:"documentName"`
	FolderID       *string `json:"folderId" nullable:"true"`
}

// WhoSees says who may see an annotation.
type WhoSees struct {
	Type           string   `json:"type" enum:"public,organizationPrivate,restricted"`
	OrganizationID string   `json:"organizationId,omitempty"`
	UserIDs        []string `json:"userIds,omitempty"`
}

// interfaceSource is where an annotation of a person comes from.
const interfaceSource = "rest-api"

// show shows an annotation with what is asked for besides.
func (r *FindAnnotations) show(a *view.View) *WholeAnnotation {
	whole := viewWholeAnnotation(a)
	if whole != nil && !r.IncludePageInfo {
		whole.PageInfo = nil
	}
	if whole != nil && r.IncludeMetadata {
		whole.Metadata = &AnnotationMetadata{whole.OrganizationID, whole.DocumentID, a.Rest.DocumentName, whole.FolderID}
	}
	return whole
}

func viewWholeAnnotation(a *view.View) *WholeAnnotation {
	if a == nil {
		return nil
	}
	r := a.Rest
	whole := &WholeAnnotation{
		AnnotationID: a.AnnotationID, OrganizationID: r.OrganizationID, DocumentID: r.DocumentID, Type: r.Kind, CommentType: r.CommentType,
		SourceType: interfaceSource, CreatedAt: a.CreatedAt.UnixMilli(), LastUpdated: a.LastUpdated.UnixMilli(), From: shape.Object(a.From),
		Status: shape.Object(a.Status), Visibility: WhoSees(r.Visibility), CommentCount: r.CommentCount, Location: shape.Object(r.Location),
		TargetElement: shape.Object(r.Target), Context: shape.Object(cmp.Or(string(r.Context), `{}`)), AssignedTo: shape.Object(r.Assigned),
		Priority: shape.Object(r.Priority), ResolvedByUserID: r.ResolvedBy, StatusUpdatedByUserID: r.StatusUpdatedBy,
		Suggestion: shape.Object(r.Suggestion), Agent: shape.Object(r.Agent), MentionedUserIDs: r.Mentioned,
		PositionView: keptFields[PositionView](r.Kept),
	}
	if r.FolderID != "" {
		whole.FolderID = &r.FolderID
	}
	if whole.Agent != nil {
		whole.SourceType = agentSource
	}
	comments := make([]*view.CommentView, len(a.Comments))
	for i := range a.Comments {
		comments[i] = &a.Comments[i]
	}
	whole.Comments = rpc.Each(comments, viewWholeComment)
	return whole
}
