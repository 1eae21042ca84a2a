package collaboration

import (
	"cmp"
	"context"
	"slices"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/annotation"
	"github.com/redline-svc/redline/models/annotation/view"
)

const wholeAnnotationsList = "v2/commentannotations/get"

// FindAnnotations is the request of the newer commentannotations/get.
type FindAnnotations struct {
	OrganizationID    string   `json:"organizationId" minLength:"1" maxLength:"200" format:"caller-id"`
	DocumentID        string   `json:"documentId,omitempty" minLength:"1" maxLength:"200" format:"caller-id" example:"spring" doc:"default all documents"`
	DocumentIDs       []string `json:"documentIds,omitempty" maxItems:"30" minLength:"1" maxLength:"200" format:"caller-id"`
	FolderID          string   `json:"folderId,omitempty" minLength:"1" maxLength:"200" format:"caller-id" doc:"the documents in it and below"`
	LocationIDs       []string `json:"locationIds,omitempty" maxItems:"30" minLength:"1" maxLength:"200" format:"caller-id" example:"page-2,page-3"`
	AnnotationIDs     []string `json:"annotationIds,omitempty" maxItems:"30" minLength:"1" maxLength:"200" format:"caller-id" example:"a1,a2" doc:"one entry for each, null where there is none"`
	UserIDs           []string `json:"userIds,omitempty" maxItems:"30" minLength:"1" maxLength:"200" format:"caller-id" example:"u_ann,u_eve" doc:"authors of the annotations"`
	MentionedUserIDs  []string `json:"mentionedUserIds,omitempty" maxItems:"30" minLength:"1" maxLength:"200" format:"caller-id" example:"u_bob" doc:"whom a comment tags"`
	StatusIDs         []string `json:"statusIds,omitempty" maxItems:"100" minLength:"1" maxLength:"200"`
	StatusID          string   `json:"statusId,omitempty" minLength:"1" maxLength:"200" example:"OPEN" doc:"beside statusIds one of them"`
	ResolvedBy        string   `json:"resolvedBy,omitempty" minLength:"1" maxLength:"200" format:"caller-id" example:"u_ann"`
	Type              string   `json:"type,omitempty" enum:"comment,suggestion" example:"suggestion"`
	UpdatedAfter      *int64   `json:"updatedAfter,omitempty" minimum:"0" maximum:"253402300799999" example:"1767225600000" doc:"epoch ms; that time itself is not among them"`
	UpdatedBefore     *int64   `json:"updatedBefore,omitempty" minimum:"0" maximum:"253402300799999" example:"1767312000000"`
	CreatedAfter      *int64   `json:"createdAfter,omitempty" minimum:"0" maximum:"253402300799999" example:"1767225600000"`
	CreatedBefore     *int64   `json:"createdBefore,omitempty" minimum:"0" maximum:"253402300799999" example:"1767312000000"`
	ViewerUserID      string   `json:"viewerUserId,omitempty" minLength:"1" maxLength:"200" format:"caller-id" doc:"who reads; nothing that they may not see, whoever else is named"`
	GroupByDocumentID bool     `json:"groupByDocumentId,omitempty" doc:"an object of lists, by documentId"`
	Order             string   `json:"order,omitempty" enum:"desc,asc" doc:"by lastUpdated; default desc"`
	AgentID           string   `json:"agentId,omitempty" minLength:"1" maxLength:"200" example:"copy-checker" doc:"at most one of the filters by agents, and agentSuggestions beside this one"`
	ExecutionID       string   `json:"executionId,omitempty" minLength:"1" maxLength:"200" example:"exec_1767225600000_a1b2c3d4"`
	AgentType         string   `json:"agentType,omitempty" enum:"built-in,custom,external" example:"custom"`
	AgentSource       string   `json:"agentSource,omitempty" enum:"svc,external" example:"svc"`
	AgentSuggestions  bool     `json:"agentSuggestions,omitempty" example:"true" doc:"suggestions of agents that are pending"`
	AgentComments     bool     `json:"agentComments,omitempty" example:"true" doc:"everything by agents"`
	IncludePageInfo   bool     `json:"includePageInfo,omitempty" example:"true" doc:"with what callers say of the page"`
	IncludeMetadata   bool     `json:"includeMetadata,omitempty" example:"true" doc:"with what they are in"`
	PageData
}

// Validate checks what tags cannot say.
func (r *FindAnnotations) Validate() []fault.Issue {
	var issues []fault.Issue
	at := rpc.IssuesIn(&issues)
	if r.DocumentID != "" && len(r.DocumentIDs) > 0 {
		at.At("documentIds").Add(shape.Conflict, "excludes documentId")
	}
	first := ""
	for _, filter := range []struct {
		name string
		used bool
	}{
		{"agentId", r.AgentID != ""},
		{"executionId", r.ExecutionID != ""},
		{"agentType", r.AgentType != ""},
		{"agentSource", r.AgentSource != ""},
		{"agentSuggestions", r.AgentSuggestions},
		{"agentComments", r.AgentComments},
	} {
		suggestedBy := first == "agentId" && filter.name == "agentSuggestions"
		if filter.used && first != "" && !suggestedBy {
			at.At(filter.name).Add(shape.Conflict, "excludes "+first)
		}
		if filter.used {
			first = cmp.Or(first, filter.name)
		}
	}
	return issues
}

// search is what the store is asked for.
func (r *FindAnnotations) search() view.Search {
	s := view.Search{
		OrganizationID: r.OrganizationID, DocumentIDs: r.DocumentIDs, FolderID: r.FolderID, LocationIDs: r.LocationIDs, IDs: r.AnnotationIDs,
		Authors: r.UserIDs, Mentioned: r.MentionedUserIDs, StatusIDs: r.StatusIDs, ResolvedBy: r.ResolvedBy, Kind: r.Type,
		UpdatedAfter: r.UpdatedAfter, UpdatedBefore: r.UpdatedBefore, CreatedAfter: r.CreatedAfter, CreatedBefore: r.CreatedBefore,
		Viewer: r.ViewerUserID, AgentID: r.AgentID, ExecutionID: r.ExecutionID, Suggested: r.AgentSuggestions, Oldest: r.Order == "asc",
	}
	if r.DocumentID != "" {
		s.DocumentIDs = []string{r.DocumentID}
	}
	if r.StatusID != "" {
		s.StatusIDs = r.oneStatus()
	}
	switch {
	case r.AgentType != "":
		s.AgentTypes = []string{r.AgentType}
	case r.AgentSource != "" || r.AgentComments:
		s.AgentTypes = annotation.AgentTypes(r.AgentSource)
	default:
	}
	return s
}

// noStatus is one that no annotation has.
const noStatus = ""

// oneStatus narrows to statusId, which has to be one of statusIds where these are sent.
func (r *FindAnnotations) oneStatus() []string {
	if len(r.StatusIDs) > 0 && !slices.Contains(r.StatusIDs, r.StatusID) {
		return []string{noStatus}
	}
	return []string{r.StatusID}
}

// Find reads annotations of an organization with all that is known of them, by the time of
// their latest change; with annotationIds one slot for each. An author sees every
// annotation of their own, so userIds hides nothing more.
func (a *Annotations) Find(ctx context.Context, req *FindAnnotations) (*rpc.Success[rpc.Grouped[WholeAnnotation]], error) {
	workspaceID, search := rpc.CallerFrom(ctx).WorkspaceID, req.search()
	pages := a.advancedPages(ctx, workspaceID, wholeAnnotationsList, search)
	found, next, err := rpc.List(pages, req.PageToken, req.show, func(after *view.Position) (*view.Page, error) {
		return a.views.Find(ctx, workspaceID, search, after, cmp.Or(req.PageSize, pageSize))
	})
	result := rpc.Grouped[WholeAnnotation]{Items: found}
	if req.GroupByDocumentID {
		result = rpc.GroupBy(found, func(a *WholeAnnotation) string { return a.DocumentID })
	}
	return rpc.Found("Annotations found.", result, next, err)
}
