package collaboration

import (
	"context"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/annotation"
	"github.com/redline-svc/redline/models/directory"
)

// SelectorData says which annotations of a document are meant: those that keep to all that
// is sent, or all.
type SelectorData struct {
	AnnotationIDs  []string `json:"annotationIds,omitempty" selector:"true" maxItems:"100" minLength:"1" maxLength:"200" format:"caller-id"`
	LocationIDs    []string `json:"locationIds,omitempty" selector:"true" maxItems:"30" minLength:"1" maxLength:"200" format:"caller-id" example:"page-2,page-3"`
	UserIDs        []string `json:"userIds,omitempty" selector:"true" maxItems:"30" minLength:"1" maxLength:"200" format:"caller-id" example:"u_ann,u_eve" doc:"authors of the annotations"`
	AllAnnotations bool     `json:"allAnnotations,omitempty" example:"true" doc:"instead of all other selectors"`
}

func (d SelectorData) selection() annotation.Selection {
	return annotation.Selection{IDs: once(d.AnnotationIDs), Locations: d.LocationIDs, Authors: d.UserIDs}
}

// issues wants either something that narrows or all.
func (d SelectorData) issues(narrowed bool) []fault.Issue {
	switch narrowed = narrowed || len(d.AnnotationIDs)+len(d.LocationIDs)+len(d.UserIDs) > 0; {
	case narrowed && d.AllAnnotations:
		return []fault.Issue{{Code: shape.Conflict, Path: []string{"allAnnotations"}, Message: "excludes the other selectors"}}
	case !narrowed && !d.AllAnnotations:
		return []fault.Issue{{Code: shape.Required, Path: []string{"annotationIds"}, Message: "a selector or allAnnotations is required"}}
	default:
		return nil
	}
}

// DeleteAnnotations is the request of commentannotations/delete.
type DeleteAnnotations struct {
	DocumentData
	SelectorData
	AgentID           string    `json:"agentId,omitempty" selector:"true" minLength:"1" maxLength:"200" example:"copy-checker" doc:"those of this agent"`
	ExecutionID       string    `json:"executionId,omitempty" selector:"true" minLength:"1" maxLength:"200" example:"exec_1767225600000_a1b2c3d4" doc:"those of this run of an agent"`
	AgentURLs         []string  `json:"agentUrls,omitempty" selector:"true" maxItems:"30" minLength:"1" maxLength:"2000" example:"https://www.example.com/spring" doc:"those whose agent has one of these as its url"`
	AgentSuggestions  bool      `json:"agentSuggestions,omitempty" selector:"true" example:"true" doc:"suggestions of agents that are pending"`
	ActionUser        *UserData `json:"actionUser,omitempty" doc:"who deletes them"`
	TriggerActivities bool      `json:"triggerActivities,omitempty" example:"true" doc:"keep a record of it"`
}

// Validate checks what tags cannot say.
func (r *DeleteAnnotations) Validate() []fault.Issue {
	narrowed := r.AgentID+r.ExecutionID != "" || len(r.AgentURLs) > 0 || r.AgentSuggestions
	return append(r.SelectorData.issues(narrowed), r.ActionUser.issuesAt("actionUser")...)
}

// DeletedAnnotations says what became of each annotation, and whether there are more.
type DeletedAnnotations struct {
	Status  string          `json:"status" enum:"success"`
	Message string          `json:"message" doc:"a short sentence, not part of the contract"`
	Data    rpc.Keyed[Item] `json:"data"`
	HasMore bool            `json:"hasMore" doc:"the call took as many as it may: make it again"`
}

// Delete deletes annotations of a document with all that belongs to them.
func (a *Annotations) Delete(ctx context.Context, req *DeleteAnnotations) (*DeletedAnnotations, error) {
	caller := rpc.CallerFrom(ctx)
	which := req.selection()
	which.AgentID, which.ExecutionID = req.AgentID, req.ExecutionID
	which.AgentURLs, which.Suggested = req.AgentURLs, req.AgentSuggestions
	entries, more, err := a.store.Delete(ctx, caller.WorkspaceID, annotation.Deletion{
		Container: req.container(), APIKeyID: caller.APIKeyID, Which: which, Actor: req.ActionUser.whole(), Record: req.TriggerActivities,
	})
	if err != nil {
		return nil, err
	}
	return &DeletedAnnotations{"success", "Annotations deleted.", deletionSentences.items(entries, "Annotation deleted."), more}, nil
}

var deletionSentences = sentences{directory.CodeNotFound: "The document has no such annotation."}
