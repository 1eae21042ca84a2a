package collaboration

import (
	"context"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/directory"
)

// CountDocuments is the request of documents/count/get.
type CountDocuments struct {
	OrganizationID    string           `json:"organizationId" minLength:"1" maxLength:"200" format:"caller-id"`
	FolderID          string           `json:"folderId,omitempty" minLength:"1" maxLength:"200" format:"caller-id" example:"seasons" doc:"what is directly in it; root is what is in no folder"`
	ExcludeFolderDocs bool             `json:"excludeFolderDocs,omitempty" example:"true" doc:"only what is in no folder; not with folderId or filters"`
	Filters           []DocumentFilter `json:"filters,omitempty" maxItems:"10" closed:"true" doc:"all have to hold"`
}

// Validate checks what tags cannot say.
func (r *CountDocuments) Validate() []fault.Issue {
	var issues []fault.Issue
	if r.ExcludeFolderDocs && (r.FolderID != "" || len(r.Filters) > 0) {
		rpc.IssuesIn(&issues, "excludeFolderDocs").Add(shape.Conflict, "excludes folderId and filters")
	}
	checkFilters(rpc.IssuesIn(&issues, "filters"), r.Filters)
	return issues
}

// DocumentCount is how many documents there are.
type DocumentCount struct {
	Count          int64 `json:"count"`
	FiltersApplied bool  `json:"filtersApplied,omitempty" doc:"with filters"`
}

// Count counts documents.
func (d *Documents) Count(ctx context.Context, req *CountDocuments) (*rpc.Success[DocumentCount], error) {
	filter := directory.DocumentFilter{OrganizationID: req.OrganizationID, FolderID: req.FolderID, Conditions: conditionsOf(req.Filters)}
	if req.ExcludeFolderDocs {
		filter.FolderID = directory.TopFolder
	}
	n, err := d.store.Count(ctx, rpc.CallerFrom(ctx).WorkspaceID, filter)
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Documents counted.", DocumentCount{n, len(req.Filters) > 0}), nil
}
