package workflow

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/cursor"
	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/shape"
	annotations "github.com/redline-svc/redline/models/annotation/view"
	"github.com/redline-svc/redline/models/execution"
	"github.com/redline-svc/redline/models/execution/view"
)

type runStore interface {
	Dispatch(ctx context.Context, workspaceID string, d execution.Dispatch) (execution.Dispatched, error)
}

type runViews interface {
	AgentRun(ctx context.Context, workspaceID, executionID string) (*view.AgentRun, error)
	AgentRuns(ctx context.Context, workspaceID string, f view.RunFilter, after *view.Position, size int) (*view.RunPage, error)
	CountRuns(ctx context.Context, workspaceID string, agentIDs []string, status string) (map[string]int64, error)
	Figures(ctx context.Context, workspaceID, agentID string, from, before *time.Time) (map[string]view.AgentFigures, error)
}

type findingViews interface {
	CountFindings(ctx context.Context, workspaceID string, executionIDs []string) (map[string]annotations.Findings, error)
	Findings(ctx context.Context, workspaceID, executionID string) ([]annotations.Finding, error)
}

// AgentRuns are the operations on executions of one agent that runs alone.
type AgentRuns struct {
	store    runStore
	views    runViews
	findings findingViews
	cursors  *cursor.Codec
}

// NewAgentRuns makes the operations.
func NewAgentRuns(store runStore, views runViews, findings findingViews, cursors *cursor.Codec) *AgentRuns {
	return &AgentRuns{store: store, views: views, findings: findings, cursors: cursors}
}

// RunBy is for whom an agent runs.
type RunBy struct {
	UserID string  `json:"userId" minLength:"1" maxLength:"200" format:"caller-id"`
	Name   *string `json:"name,omitempty" maxLength:"200" example:"Ann"`
	Email  *string `json:"email,omitempty" maxLength:"320" example:"ann@example.com"`
}

// RanByView is for whom an agent ran, as it was sent.
type RanByView struct {
	UserID string  `json:"userId"`
	Name   *string `json:"name,omitempty"`
	Email  *string `json:"email,omitempty"`
}

// RunInput is what an agent is asked with: it is handed over as its options.
type RunInput struct {
	URL                  string       `json:"url" minLength:"1" maxLength:"2000" format:"http-url" doc:"the page that the agent looks at; the service does not"`
	UserContext          shape.Object `json:"userContext,omitempty" maxBytes:"65536" storable:"true" example:"{\"audience\":\"subscribers\"}"`
	RanBy                *RunBy       `json:"ranBy,omitempty"`
	CrossPageExecute     *bool        `json:"crossPageExecute,omitempty" example:"true"`
	MaxURLsToProcess     *int64       `json:"maxUrlsToProcess,omitempty" minimum:"1" maximum:"500"`
	DeviceType           string       `json:"deviceType,omitempty" enum:"mobile,desktop" example:"mobile" doc:"default desktop"`
	AnnotationVisibility string       `json:"annotationVisibility,omitempty" enum:"public,private" example:"public" doc:"default private"`
	AIConfig             shape.Object `json:"aiConfig,omitempty" maxBytes:"4096" storable:"true" example:"{\"model\":\"small\"}"`
}

// What an agent is asked for where the caller does not say.
const (
	desktop   = "desktop"
	isPrivate = "private"
)

// RunAgent is the request of execution/run.
type RunAgent struct {
	AgentRef
	RunInput
	OrganizationID string `json:"organizationId,omitempty" minLength:"1" maxLength:"200" format:"caller-id"`
	DocumentID     string `json:"documentId,omitempty" minLength:"1" maxLength:"200" format:"caller-id" doc:"with organizationId"`
	IdempotencyKey string `json:"idempotencyKey,omitempty" pattern:"^[A-Za-z0-9:_.-]{1,200}$" doc:"a known key answers with the first execution"`
}

// Validate wants organization and document, or neither.
func (r *RunAgent) Validate() []fault.Issue { return bothOrNeither(r.OrganizationID, r.DocumentID) }

func bothOrNeither(organizationID, documentID string) []fault.Issue {
	switch {
	case organizationID != "" && documentID == "":
		return []fault.Issue{{Code: shape.Required, Path: []string{"documentId"}, Message: "is required with organizationId"}}
	case organizationID == "" && documentID != "":
		return []fault.Issue{{Code: shape.Required, Path: []string{"organizationId"}, Message: "is required with documentId"}}
	default:
		return nil
	}
}

// StartedRun names the execution that answers to the key.
type StartedRun struct {
	ExecutionID string `json:"executionId"`
}

// Run starts an execution of one agent. What it finds it says by commentannotations/add, with the executionId.
func (a *AgentRuns) Run(ctx context.Context, req *RunAgent) (*rpc.Success[StartedRun], error) {
	caller := rpc.CallerFrom(ctx)
	input := req.RunInput
	input.DeviceType, input.AnnotationVisibility = cmp.Or(input.DeviceType, desktop), cmp.Or(input.AnnotationVisibility, isPrivate)
	asked, err := json.Marshal(input)
	if err != nil {
		return nil, fault.Internal(err)
	}
	done, err := a.store.Dispatch(ctx, caller.WorkspaceID, execution.Dispatch{
		APIKeyID: caller.APIKeyID, DefinitionID: definition.AgentRun, AgentID: req.AgentID, KeySpace: contract.KeysOfCallers, Key: req.IdempotencyKey,
		TriggerContext: asked, OrganizationID: req.OrganizationID, DocumentID: req.DocumentID,
	})
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Agent started.", StartedRun{done.ExecutionID}), nil
}

// RunPlace is the document that a run is about.
type RunPlace struct {
	OrganizationID *string `json:"organizationId"`
	DocumentID     *string `json:"documentId"`
}

// RunConfig is how an agent was asked to look at its page.
type RunConfig struct {
	SeedURL              string `json:"seedUrl"`
	CrossPageExecute     *bool  `json:"crossPageExecute"`
	MaxURLsToProcess     *int64 `json:"maxUrlsToProcess"`
	DeviceType           string `json:"deviceType" enum:"mobile,desktop"`
	AnnotationVisibility string `json:"annotationVisibility" enum:"public,private"`
}

// RunSummary counts the annotations in which the agent says what it found.
type RunSummary struct {
	TotalFindings  int64            `json:"totalFindings"`
	SeverityCounts map[string]int64 `json:"severityCounts" doc:"by the severity of the finding"`
}

// AgentRunView is an execution of one agent. Times are epoch milliseconds; what is not set is null.
type AgentRunView struct {
	ID             string     `json:"id"`
	AgentID        string     `json:"agentId"`
	AgentName      string     `json:"agentName" doc:"at the start"`
	AgentVersion   *int       `json:"agentVersion" doc:"of its behaviour; null before the first call"`
	Metadata       RunPlace   `json:"metadata"`
	Config         RunConfig  `json:"config"`
	Status         string     `json:"status" enum:"running,passed,failed,error,skipped" doc:"passed and failed: ended, by what the agent decided; error: the execution failed; skipped: cancelled"`
	StartedAt      int64      `json:"startedAt"`
	CompletedAt    *int64     `json:"completedAt"`
	DurationMs     *int64     `json:"durationMs"`
	RanBy          *RanByView `json:"ranBy"`
	ResultsSummary RunSummary `json:"resultsSummary"`
}

func viewRun(r view.AgentRun, found annotations.Findings) AgentRunView {
	var asked RunInput
	_ = json.Unmarshal(r.Asked, &asked) // it was written from one
	v := AgentRunView{
		ID: r.ID, AgentID: r.AgentID, AgentName: r.AgentName, AgentVersion: r.AgentVersion, Metadata: RunPlace{r.OrganizationID, r.DocumentID},
		Config: RunConfig{asked.URL, asked.CrossPageExecute, asked.MaxURLsToProcess, asked.DeviceType, asked.AnnotationVisibility},
		Status: r.Status, StartedAt: r.StartedAt.UnixMilli(), ResultsSummary: RunSummary{found.Total, found.BySeverity},
	}
	if v.ResultsSummary.SeverityCounts == nil {
		v.ResultsSummary.SeverityCounts = map[string]int64{}
	}
	if asked.RanBy != nil {
		v.RanBy = new(RanByView(*asked.RanBy))
	}
	if r.EndedAt != nil {
		v.CompletedAt = new(r.EndedAt.UnixMilli())
		v.DurationMs = new(*v.CompletedAt - v.StartedAt)
	}
	return v
}

// views shows runs with what was found in them.
func (a *AgentRuns) viewsOf(ctx context.Context, runs []view.AgentRun) ([]AgentRunView, error) {
	ids := rpc.Each(runs, func(r view.AgentRun) string { return r.ID })
	found, err := a.findings.CountFindings(ctx, rpc.CallerFrom(ctx).WorkspaceID, ids)
	if err != nil {
		return nil, err
	}
	return rpc.Each(runs, func(r view.AgentRun) AgentRunView { return viewRun(r, found[r.ID]) }), nil
}

// GetAgentRun is the request of execution/get.
type GetAgentRun struct {
	ExecutionID    string `json:"executionId" minLength:"1" maxLength:"200"`
	IncludeResults bool   `json:"includeResults,omitempty" doc:"what the agent found, at most 100"`
}

// FindingView is an annotation in which an agent says what it found.
type FindingView struct {
	AnnotationID string       `json:"annotationId"`
	DocumentID   string       `json:"documentId"`
	URL          *string      `json:"url"`
	Reason       shape.Object `json:"reason"`
}

// OneAgentRun is the data of execution/get.
type OneAgentRun struct {
	Execution AgentRunView   `json:"execution"`
	Results   *[]FindingView `json:"results,omitempty" doc:"with includeResults"`
}

// Get reads an execution of one agent.
func (a *AgentRuns) Get(ctx context.Context, req *GetAgentRun) (*rpc.Success[OneAgentRun], error) {
	workspaceID := rpc.CallerFrom(ctx).WorkspaceID
	run, err := a.views.AgentRun(ctx, workspaceID, req.ExecutionID)
	if err != nil {
		return nil, err
	}
	shown, err := a.viewsOf(ctx, []view.AgentRun{*run})
	if err != nil {
		return nil, err
	}
	data := OneAgentRun{Execution: shown[0]}
	if req.IncludeResults {
		found, err := a.findings.Findings(ctx, workspaceID, req.ExecutionID)
		if err != nil {
			return nil, err
		}
		results := rpc.Each(found, func(f annotations.Finding) FindingView {
			return FindingView{f.AnnotationID, f.DocumentID, f.URL, shape.Object(f.Reason)}
		})
		data.Results = &results
	}
	return rpc.Succeed("Execution found.", data), nil
}

// ListAgentRuns is the request of execution/list.
type ListAgentRuns struct {
	AgentID        string `json:"agentId,omitempty" minLength:"1" maxLength:"200" example:"copy-checker"`
	OrganizationID string `json:"organizationId,omitempty" minLength:"1" maxLength:"200" format:"caller-id"`
	DocumentID     string `json:"documentId,omitempty" minLength:"1" maxLength:"200" format:"caller-id" doc:"with organizationId"`
	PageSize       int    `json:"pageSize,omitempty" minimum:"1" maximum:"100" example:"50" doc:"default 20"`
	PageToken      string `json:"pageToken,omitempty" maxLength:"4000" example:"8mNq2v5yBxE0hKjRlTnZpQ"`
}

// Validate wants an agent, or a document with its organization.
func (r *ListAgentRuns) Validate() []fault.Issue {
	if r.AgentID == "" && r.OrganizationID == "" && r.DocumentID == "" {
		return []fault.Issue{{Code: shape.Required, Path: []string{"agentId"}, Message: "agentId, or organizationId with documentId, is required"}}
	}
	return bothOrNeither(r.OrganizationID, r.DocumentID)
}

// AgentRunList is a page of executions, newest first.
type AgentRunList struct {
	Executions    []AgentRunView `json:"executions"`
	NextPageToken string         `json:"nextPageToken,omitempty" doc:"absent on the last page"`
}

const (
	agentRunsList = "agents/execution/list"
	runPageSize   = 20
)

// List reads a page of executions of agents that ran alone.
func (a *AgentRuns) List(ctx context.Context, req *ListAgentRuns) (*rpc.Success[AgentRunList], error) {
	workspaceID := rpc.CallerFrom(ctx).WorkspaceID
	filter := view.RunFilter{AgentID: req.AgentID, OrganizationID: req.OrganizationID, DocumentID: req.DocumentID}
	pages := rpc.Pages{Codec: a.cursors, Field: "pageToken", WorkspaceID: workspaceID, List: agentRunsList, Filters: filter}
	found, next, err := rpc.List(pages, req.PageToken, rpc.AsRead, func(after *view.Position) (*view.RunPage, error) {
		return a.views.AgentRuns(ctx, workspaceID, filter, after, cmp.Or(req.PageSize, runPageSize))
	})
	if err != nil {
		return nil, err
	}
	shown, err := a.viewsOf(ctx, found)
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Executions found.", AgentRunList{shown, rpc.TextOf(next)}), nil
}
