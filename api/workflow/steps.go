package workflow

import (
	"cmp"
	"context"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/cursor"
	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/interpreter"
	"github.com/redline-svc/redline/internal/interpreter/resolution"
	"github.com/redline-svc/redline/models/execution"
	"github.com/redline-svc/redline/models/execution/view"
)

type stepViews interface {
	ListSteps(ctx context.Context, workspaceID string, f view.StepFilter, after *view.StepPosition, size int) (*view.StepPage, error)
}

type stepStore interface {
	Resolve(ctx context.Context, workspaceID, executionID, apiKeyID string, r resolution.Resolution) (interpreter.Answer, error)
	Decide(ctx context.Context, workspaceID, executionID, apiKeyID string, d interpreter.Decision) (interpreter.Answer, error)
	CancelStep(ctx context.Context, workspaceID string, a execution.Act, stepID string) error
	Override(ctx context.Context, workspaceID string, a execution.Act, o interpreter.Override) error
	Reassign(ctx context.Context, workspaceID string, a execution.Act, r interpreter.Reassignment) ([]definition.Reviewer, error)
}

// Steps are the operations on the steps of executions.
type Steps struct {
	store   stepStore
	views   stepViews
	cursors *cursor.Codec
}

// NewSteps makes the operations.
func NewSteps(store stepStore, views stepViews, cursors *cursor.Codec) *Steps {
	return &Steps{store: store, views: views, cursors: cursors}
}

// ListSteps narrows the list; all fields are optional. With reviewerId it is
// the inbox of a person.
type ListSteps struct {
	ReviewerID     string `json:"reviewerId,omitempty" minLength:"1" maxLength:"200" doc:"open for this person: listed, not yet decided"`
	Status         string `json:"status,omitempty" enum:"pending,running,waiting,completed,failed,breached,cancelled,skipped" example:"waiting" doc:"default waiting"`
	NodeType       string `json:"nodeType,omitempty" enum:"human,agent,webhook,notification" example:"human"`
	ExecutionID    string `json:"executionId,omitempty" minLength:"1" maxLength:"200" example:"exec_1767225600000_a1b2c3d4"`
	DefinitionID   string `json:"definitionId,omitempty" minLength:"1" maxLength:"200" example:"editorial"`
	OrganizationID string `json:"organizationId,omitempty" minLength:"1" maxLength:"200" example:"acme"`
	DocumentID     string `json:"documentId,omitempty" minLength:"1" maxLength:"200" example:"spring"`
	PageSize       int    `json:"pageSize,omitempty" minimum:"1" maximum:"500" example:"50" doc:"default 50"`
	Cursor         string `json:"cursor,omitempty" maxLength:"4000" example:"8mNq2v5yBxE0hKjRlTnZpQ"`
}

// StepList is a page of steps, newest first.
type StepList = CursorPage[view.ListedStep]

const stepsCursor = "steps/list"

// List reads a page of steps.
func (s *Steps) List(ctx context.Context, req *ListSteps) (*StepList, error) {
	workspaceID := rpc.CallerFrom(ctx).WorkspaceID
	filter := view.StepFilter{
		ReviewerID: req.ReviewerID, Status: req.Status, NodeType: req.NodeType, ExecutionID: req.ExecutionID,
		DefinitionID: req.DefinitionID, OrganizationID: req.OrganizationID, DocumentID: req.DocumentID,
	}
	if filter.Status == "" {
		filter.Status = string(interpreter.StepWaiting)
	}
	pages := pagesOf(s.cursors, workspaceID, stepsCursor, filter)
	return pageOf(rpc.List(pages, req.Cursor, rpc.AsRead, func(after *view.StepPosition) (*view.StepPage, error) {
		return s.views.ListSteps(ctx, workspaceID, filter, after, cmp.Or(req.PageSize, pageSize))
	}))
}

// DecideStep is what a reviewer says of a waiting step.
type DecideStep struct {
	ExecutionID string `json:"executionId" minLength:"1" maxLength:"200"`
	StepID      string `json:"stepId" minLength:"1" maxLength:"200"`
	ReviewerID  string `json:"reviewerId" minLength:"1" maxLength:"200"`
	Decision    string `json:"decision" enum:"approve,reject"`
	Reason      string `json:"reason,omitempty" maxLength:"2000" example:"Well sourced."`
}

// DecideResult reports whether the decision was recorded, and what it led to.
type DecideResult struct {
	Recorded         bool   `json:"recorded"`
	AggregatorStatus string `json:"aggregatorStatus" enum:"pending,resolved,rejected,idempotent,unknown-responder,already-terminal"`
	ResumeScheduled  bool   `json:"resumeScheduled" doc:"true for the one decision that ends the step"`
	RejectionReason  string `json:"rejectionReason,omitempty"`
}

// Decide records a reviewer's decision.
func (s *Steps) Decide(ctx context.Context, req *DecideStep) (*DecideResult, error) {
	caller := rpc.CallerFrom(ctx)
	answer, err := s.store.Decide(ctx, caller.WorkspaceID, req.ExecutionID, caller.APIKeyID, interpreter.Decision{
		StepID: req.StepID, ReviewerID: req.ReviewerID, Word: req.Decision, Reason: req.Reason,
	})
	if err != nil {
		return nil, err
	}
	return &DecideResult{answer.Recorded, answer.Status, answer.Resumes, answer.RejectionReason}, nil
}
