package workflow

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/cursor"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/guard"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/execution"
	"github.com/redline-svc/redline/models/execution/view"
)

type executionViews interface {
	Get(ctx context.Context, workspaceID, executionID string, wanted view.Wanted) (*view.ExecutionView, error)
	List(ctx context.Context, workspaceID string, f view.Filter, after *view.Position, size int) (*view.Page, error)
	Events(ctx context.Context, workspaceID, executionID string, since int64, size int, internal bool) (*view.EventPage, error)
}

type executionStore interface {
	Dispatch(ctx context.Context, workspaceID string, d execution.Dispatch) (execution.Dispatched, error)
	Cancel(ctx context.Context, workspaceID, executionID, apiKeyID, actor, reason string) (bool, error)
	Pause(ctx context.Context, workspaceID string, a execution.Act) (pausedAt int64, err error)
	Resume(ctx context.Context, workspaceID string, a execution.Act) error
	Retry(ctx context.Context, workspaceID string, a execution.Act, skipStepIDs []string) error
	Delete(ctx context.Context, workspaceID string, executionIDs []string) (refused map[string]string, err error)
}

// Executions are the operations on executions. None of them needs Temporal:
// each is answered from its commit.
type Executions struct {
	store     executionStore
	views     executionViews
	addresses rpc.AddressChecker
	cursors   *cursor.Codec
}

// NewExecutions makes the operations.
func NewExecutions(store executionStore, views executionViews, addresses rpc.AddressChecker, cursors *cursor.Codec) *Executions {
	return &Executions{store: store, views: views, addresses: addresses, cursors: cursors}
}

// DispatchRequest starts an execution of a definition.
type DispatchRequest struct {
	DefinitionID   string       `json:"definitionId" minLength:"1" maxLength:"200" doc:"an active definition"`
	IdempotencyKey string       `json:"idempotencyKey,omitempty" pattern:"^[A-Za-z0-9:_.-]{1,200}$" doc:"a known key answers with the first execution"`
	CorrelationID  string       `json:"correlationId,omitempty" pattern:"^[A-Za-z0-9:_.-]{1,200}$" example:"spring-1" doc:"made by the service when absent"`
	TriggerContext shape.Object `json:"triggerContext,omitempty" maxBytes:"262144" doc:"free-form; predicates read it as execution.input"`
	OrganizationID string       `json:"organizationId,omitempty" minLength:"1" maxLength:"200" format:"caller-id" example:"acme"`
	DocumentID     string       `json:"documentId,omitempty" minLength:"1" maxLength:"200" format:"caller-id" example:"spring"`
	FolderID       string       `json:"folderId,omitempty" minLength:"1" maxLength:"200" format:"caller-id" example:"seasons"`
	WebhookURL     string       `json:"webhookUrl,omitempty" minLength:"1" maxLength:"2000" example:"https://hooks.example.com/redline" doc:"https; receives this execution's events"`
	WebhookSecret  string       `json:"webhookSecret,omitempty" minLength:"16" maxLength:"512" example:"a secret of the receiver" doc:"signs them"`
}

// Validate wants both halves of the receiver or neither.
func (r *DispatchRequest) Validate() []fault.Issue {
	return receiverPair(r.WebhookURL, r.WebhookSecret)
}

// receiverPair is the rule that a receiver is an address and a secret.
func receiverPair(url, secret string) []fault.Issue {
	switch {
	case url != "" && secret == "":
		return []fault.Issue{{Code: shape.Required, Path: []string{"webhookSecret"}, Message: "is required with webhookUrl"}}
	case url == "" && secret != "":
		return []fault.Issue{{Code: shape.Required, Path: []string{"webhookUrl"}, Message: "is required with webhookSecret"}}
	default:
		return nil
	}
}

// DispatchResult says which execution answers to the key.
type DispatchResult struct {
	ExecutionID   string `json:"executionId"`
	CorrelationID string `json:"correlationId"`
	Deduplicated  bool   `json:"deduplicated" doc:"true when the key was known"`
}

// Dispatch starts an execution, once for each key.
func (e *Executions) Dispatch(ctx context.Context, req *DispatchRequest) (*DispatchResult, error) {
	caller := rpc.CallerFrom(ctx)
	d := execution.Dispatch{
		APIKeyID: caller.APIKeyID, DefinitionID: req.DefinitionID, KeySpace: contract.KeysOfCallers, Key: req.IdempotencyKey, CorrelationID: req.CorrelationID,
		TriggerContext: json.RawMessage(req.TriggerContext), OrganizationID: req.OrganizationID, DocumentID: req.DocumentID, FolderID: req.FolderID,
	}
	if req.WebhookURL != "" {
		d.Receiver = &execution.Receiver{URL: req.WebhookURL, Origin: guard.Origin(req.WebhookURL, guard.Receiver), Secret: req.WebhookSecret}
	}
	done, err := e.store.Dispatch(ctx, caller.WorkspaceID, d)
	if err != nil {
		return nil, err
	}
	return &DispatchResult{done.ExecutionID, done.CorrelationID, done.Deduplicated}, nil
}

// Check refuses a receiver that may not be called.
func (e *Executions) Check(ctx context.Context, req *DispatchRequest) error {
	return rpc.CheckAddress(ctx, e.addresses, req.WebhookURL, guard.Receiver, "webhookUrl")
}

// ListExecutions narrows the list; all fields are optional.
type ListExecutions struct {
	DefinitionID   string `json:"definitionId,omitempty" minLength:"1" maxLength:"200"`
	Status         string `json:"status,omitempty" enum:"pending,running,completed,failed,cancelled"`
	CorrelationID  string `json:"correlationId,omitempty" minLength:"1" maxLength:"200" example:"spring-1"`
	IdempotencyKey string `json:"idempotencyKey,omitempty" minLength:"1" maxLength:"512" example:"spring-1" doc:"one key may have started an execution of each definition"`
	StartedAfter   *int64 `json:"startedAfter,omitempty" minimum:"0" maximum:"9007199254740991" example:"1767225600000" doc:"epoch ms, inclusive"`
	StartedBefore  *int64 `json:"startedBefore,omitempty" minimum:"0" maximum:"9007199254740991" example:"1767312000000" doc:"epoch ms, exclusive"`
	PageSize       int    `json:"pageSize,omitempty" minimum:"1" maximum:"500" doc:"default 50"`
	Cursor         string `json:"cursor,omitempty" maxLength:"4000" example:"8mNq2v5yBxE0hKjRlTnZpQ"`
}

// Validate wants a window of time that can hold something.
func (r *ListExecutions) Validate() []fault.Issue {
	if r.StartedAfter != nil && r.StartedBefore != nil && *r.StartedAfter >= *r.StartedBefore {
		return []fault.Issue{{Code: shape.Conflict, Path: []string{"startedAfter"}, Message: "must be before startedBefore"}}
	}
	return nil
}

// ExecutionList is a page of executions, newest first. NextCursor is empty on
// the last page.
type ExecutionList struct {
	Items      []view.ExecutionView `json:"items"`
	NextCursor string               `json:"nextCursor"`
	HasMore    bool                 `json:"hasMore"`
}

const executionsCursor = "executions/list"

// List reads a page of executions.
func (e *Executions) List(ctx context.Context, req *ListExecutions) (*ExecutionList, error) {
	workspaceID := rpc.CallerFrom(ctx).WorkspaceID
	filter := view.Filter{
		DefinitionID: req.DefinitionID, Status: req.Status, CorrelationID: req.CorrelationID, IdempotencyKey: req.IdempotencyKey,
		StartedAfter: req.StartedAfter, StartedBefore: req.StartedBefore,
	}
	pages := pagesOf(e.cursors, workspaceID, executionsCursor, filter)
	items, next, err := rpc.List(pages, req.Cursor, rpc.AsRead, func(after *view.Position) (*view.Page, error) {
		return e.views.List(ctx, workspaceID, filter, after, cmp.Or(req.PageSize, pageSize))
	})
	return &ExecutionList{Items: items, NextCursor: rpc.TextOf(next), HasMore: next != nil}, err
}

// GetExecution names one execution, and optionally only some of its steps.
type GetExecution struct {
	ExecutionID string   `json:"executionId" minLength:"1" maxLength:"200"`
	StepIDs     []string `json:"stepIds,omitempty" minItems:"1" maxItems:"100" minLength:"1" maxLength:"200" example:"step_sign-off_i1_a1_0123456789ab"`

	IncludeInput bool `json:"includeInput,omitempty" example:"true" doc:"each step with what it began with"`
}

// Get reads an execution with its steps and their outputs, and where asked their inputs.
func (e *Executions) Get(ctx context.Context, req *GetExecution) (*view.ExecutionView, error) {
	return e.views.Get(ctx, rpc.CallerFrom(ctx).WorkspaceID, req.ExecutionID, view.Wanted{StepIDs: req.StepIDs, Input: req.IncludeInput})
}

// CancelExecution names the execution, and optionally who cancels it and why.
type CancelExecution struct {
	ExecutionID string `json:"executionId" minLength:"1" maxLength:"200"`
	Reason      string `json:"reason,omitempty" maxLength:"500"`
	ActorID     string `json:"actorId,omitempty" maxLength:"256"`
}

// CancelResult reports whether the execution is cancelled now or was before.
type CancelResult struct {
	Cancelled   bool   `json:"cancelled"`
	ExecutionID string `json:"executionId"`
}

// Cancel ends an execution at once.
func (e *Executions) Cancel(ctx context.Context, req *CancelExecution) (*CancelResult, error) {
	caller := rpc.CallerFrom(ctx)
	cancelled, err := e.store.Cancel(ctx, caller.WorkspaceID, req.ExecutionID, caller.APIKeyID, req.ActorID, req.Reason)
	if err != nil {
		return nil, err
	}
	return &CancelResult{cancelled, req.ExecutionID}, nil
}

// GetEvents asks for the events above a number.
type GetEvents struct {
	ExecutionID     string `json:"executionId" minLength:"1" maxLength:"200"`
	SinceSeq        int64  `json:"sinceSeq,omitempty" minimum:"0" maximum:"9007199254740991"`
	PageSize        int    `json:"pageSize,omitempty" minimum:"1" maximum:"500" example:"50" doc:"default 100"`
	IncludeInternal bool   `json:"includeInternal,omitempty" example:"true"`
}

// EventList is a page of events, oldest first. NextCursor is the sinceSeq of
// the next call, always.
type EventList struct {
	ExecutionID string           `json:"executionId"`
	Events      []view.EventView `json:"events"`
	NextCursor  int64            `json:"nextCursor"`
	HasMore     bool             `json:"hasMore"`
}

// Events reads the events of an execution.
func (e *Executions) Events(ctx context.Context, req *GetEvents) (*EventList, error) {
	page, err := e.views.Events(ctx, rpc.CallerFrom(ctx).WorkspaceID, req.ExecutionID, req.SinceSeq,
		cmp.Or(req.PageSize, eventPageSize), req.IncludeInternal)
	if err != nil {
		return nil, err
	}
	list := &EventList{req.ExecutionID, page.Items, req.SinceSeq, page.Next != nil}
	if last := len(page.Items) - 1; last >= 0 {
		list.NextCursor = page.Items[last].Seq
	}
	return list, nil
}
