package memory

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/embed"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/judgment"
	"github.com/redline-svc/redline/internal/shape"
	judgments "github.com/redline-svc/redline/models/judgment"
	"github.com/redline-svc/redline/models/vector"
)

// The scopes of a search: what it looks at.
const (
	scopeDocument     = "document"
	scopeOrganization = "organization"
	scopeKey          = "apiKey"
)

// sameForAll is the similarity of what was not found by meaning.
const sameForAll = 1.0

// SearchJudgments asks for judgments: those of a thread, else the newest of some days,
// else those nearest in meaning to the query.
type SearchJudgments struct {
	Query          string          `json:"query" minLength:"1" maxLength:"8000" notBlank:"true"`
	EmbeddingType  string          `json:"embeddingType,omitempty" enum:"review,content" example:"review" doc:"default review: what was decided and why"`
	Scope          string          `json:"scope,omitempty" enum:"document,organization,apiKey" doc:"default the narrowest of the ids given"`
	OrganizationID string          `json:"organizationId,omitempty" minLength:"1" maxLength:"200" notBlank:"true" format:"caller-id"`
	DocumentID     string          `json:"documentId,omitempty" minLength:"1" maxLength:"200" notBlank:"true" format:"caller-id" example:"spring" doc:"needs organizationId"`
	Limit          int             `json:"limit,omitempty" minimum:"1" maximum:"50" example:"20" doc:"default 10"`
	Filters        JudgmentFilters `json:"filters,omitempty"`
	RecencyDays    int             `json:"recencyDays,omitempty" minimum:"1" maximum:"365" doc:"the newest of so many days; dateRange has no effect then"`
}

// JudgmentFilters narrow a search; all are optional.
type JudgmentFilters struct {
	Decision           string     `json:"decision,omitempty" minLength:"1" maxLength:"64" notBlank:"true" doc:"any spelling of the decision"`
	JudgeType          string     `json:"judgeType,omitempty" enum:"human,agent" example:"human"`
	ContentType        string     `json:"contentType,omitempty" minLength:"1" maxLength:"64" notBlank:"true" example:"article"`
	ReviewerID         string     `json:"reviewerId,omitempty" minLength:"1" maxLength:"200" notBlank:"true" format:"caller-id" example:"u_editor"`
	AnnotationID       string     `json:"annotationId,omitempty" minLength:"1" maxLength:"200" notBlank:"true" format:"caller-id" example:"a1" doc:"needs organizationId; the thread, oldest first"`
	DateRange          *DateRange `json:"dateRange,omitempty"`
	ExcludeDocumentIDs []string   `json:"excludeDocumentIds,omitempty" minItems:"1" maxItems:"20" minLength:"1" maxLength:"200" notBlank:"true" format:"caller-id" example:"summer"`
}

// Validate wants the ids that the scope and the filters need.
func (r *SearchJudgments) Validate() []fault.Issue {
	var issues []fault.Issue
	at := rpc.IssuesIn(&issues)
	scope, thread := r.scope(), r.Filters.AnnotationID != ""
	if r.OrganizationID == "" && (scope != scopeKey || r.DocumentID != "" || thread) {
		at.At("organizationId").Add(shape.Required, "is required with documentId, annotationId and the scopes document and organization")
	}
	if scope == scopeDocument && r.DocumentID == "" && !thread {
		at.At("documentId").Add(shape.Required, "is required with the scope document")
	}
	r.Filters.DateRange.check(at.At("filters", "dateRange"))
	return issues
}

// scope is what the search looks at.
func (r *SearchJudgments) scope() string {
	switch {
	case r.Scope != "":
		return r.Scope
	case r.DocumentID != "":
		return scopeDocument
	case r.OrganizationID != "":
		return scopeOrganization
	default:
		return scopeKey
	}
}

// filter is what the judgments must have. A thread is one of an organization whatever
// the scope, and of any time in recent days the range has no effect.
func (r *SearchJudgments) filter() judgments.Filter {
	f := r.Filters.recent(r.RecencyDays)
	if r.scope() != scopeKey || f.AnnotationID != "" {
		f.OrganizationID = r.OrganizationID
	}
	if r.scope() == scopeDocument {
		f.DocumentID = r.DocumentID
	}
	return f
}

// recent is what they want of judgments of so many days, 0 for any time; a thread is
// one of any time.
func (f *JudgmentFilters) recent(days int) judgments.Filter {
	of := f.filter()
	if days > 0 && of.AnnotationID == "" {
		of.RecentDays, of.From, of.Until = days, nil, nil
	}
	return of
}

func (f *JudgmentFilters) filter() judgments.Filter {
	of := judgments.Filter{
		JudgeType: f.JudgeType, ContentType: f.ContentType, ReviewerID: f.ReviewerID, AnnotationID: f.AnnotationID,
		WithoutDocuments: f.ExcludeDocumentIDs,
	}
	if f.Decision != "" {
		of.Decision = judgment.Word(f.Decision)
	}
	of.From, of.Until = f.DateRange.bounds()
	return of
}

// FoundJudgment is a judgment that was found. CreatedAt is epoch milliseconds; Scope is
// what was looked at.
type FoundJudgment struct {
	RecordID   string          `json:"recordId"`
	Reasoning  string          `json:"reasoning"`
	Decision   string          `json:"decision" doc:"approve, reject, resolve, in_progress, comment, or the caller's word"`
	Confidence float64         `json:"confidence" minimum:"0" maximum:"1"`
	ActionUser FoundActor      `json:"actionUser"`
	CreatedAt  int64           `json:"createdAt"`
	Similarity float64         `json:"similarity" minimum:"0" maximum:"1" doc:"1 where the query had no effect"`
	Scope      string          `json:"scope" enum:"document,organization,apiKey"`
	Agent      json.RawMessage `json:"agent" doc:"null when not decided by an agent"`
}

// FoundActor is who judged, as known at that time.
type FoundActor struct {
	Name string `json:"name"`
}

// JudgmentsFound are the judgments in the order of their path. TotalInScope counts all
// that have what was asked for, whatever the limit.
type JudgmentsFound struct {
	Results         []FoundJudgment `json:"results"`
	TotalInScope    int64           `json:"totalInScope"`
	SearchLatencyMs int64           `json:"searchLatencyMs" doc:"the time of the service itself"`
}

// Search finds judgments. A thread and what is recent are rows alone; they need neither
// the embedder nor the index.
func (j *Judgments) Search(ctx context.Context, req *SearchJudgments) (*JudgmentsFound, error) {
	began := time.Now()
	find := j.nearest
	if req.RecencyDays > 0 || req.Filters.AnnotationID != "" {
		find = j.newest
	}
	found, err := find(ctx, req, cmp.Or(req.Limit, defaultHits))
	if err != nil {
		return nil, err
	}
	found.SearchLatencyMs = time.Since(began).Milliseconds()
	return found, nil
}

// newest reads the newest judgments, a thread's from its oldest on.
func (j *Judgments) newest(ctx context.Context, req *SearchJudgments, limit int) (*JudgmentsFound, error) {
	page, err := j.store.Query(ctx, rpc.CallerFrom(ctx).WorkspaceID, req.filter(), nil, limit)
	if err != nil {
		return nil, err
	}
	scope := req.scope()
	show := func(j judgments.View) FoundJudgment {
		return FoundJudgment{
			RecordID: j.RecordID, Reasoning: j.Reasoning, Decision: j.Decision, Confidence: j.Confidence,
			ActionUser: FoundActor{j.ActionUser.Name}, CreatedAt: j.CreatedAt, Similarity: sameForAll, Scope: scope, Agent: j.Agent,
		}
	}
	return &JudgmentsFound{Results: rpc.Each(page.Items, show), TotalInScope: page.Total}, nil
}

// nearest finds judgments by meaning; none while nothing has been indexed.
func (j *Judgments) nearest(ctx context.Context, req *SearchJudgments, limit int) (*JudgmentsFound, error) {
	workspaceID, filter, scope := rpc.CallerFrom(ctx).WorkspaceID, req.filter(), req.scope()
	var found *JudgmentsFound
	err := j.questions.with(ctx, req.Query, func(q *question) error {
		nearby, err := near(ctx, j.store, j.index, workspaceID, judgments.Near{
			Filter: filter, Vector: q.matter, Model: q.model, Among: []string{cmp.Or(req.EmbeddingType, vector.Review)}, Limit: limit, Counted: true,
		})
		if err != nil {
			return err
		}
		found = &JudgmentsFound{TotalInScope: nearby.Total, Results: rpc.Each(nearby.Hits, func(h judgments.Hit) FoundJudgment {
			return FoundJudgment{
				RecordID: h.RecordID, Reasoning: h.Reasoning, Decision: h.Decision, Confidence: h.Confidence,
				ActionUser: FoundActor{h.UserName}, CreatedAt: h.CreatedAt, Similarity: h.Similarity, Scope: scope, Agent: h.Agent,
			}
		})}
		return nil
	}, embed.Matter)
	if err != nil || found != nil {
		return found, err
	}
	counted, err := j.store.Query(ctx, workspaceID, filter, nil, 1)
	if err != nil {
		return nil, err
	}
	return &JudgmentsFound{Results: []FoundJudgment{}, TotalInScope: counted.Total}, nil
}
