package workflow

import (
	"context"
	"encoding/json"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/interpreter"
	"github.com/redline-svc/redline/internal/shape"
)

// CancelStep names a step, who ends it, and optionally why.
type CancelStep struct {
	ExecutionID string `json:"executionId" minLength:"1" maxLength:"200"`
	StepID      string `json:"stepId" minLength:"1" maxLength:"200"`
	ActorID     string `json:"actorId" minLength:"1" maxLength:"256"`
	Reason      string `json:"reason,omitempty" maxLength:"500"`
}

// CancelStepResult names the step that is cancelled.
type CancelStepResult struct {
	Cancelled   bool   `json:"cancelled"`
	ExecutionID string `json:"executionId"`
	StepID      string `json:"stepId"`
}

// Cancel ends a step without any of its edges.
func (s *Steps) Cancel(ctx context.Context, req *CancelStep) (*CancelStepResult, error) {
	workspaceID, act := actOf(ctx, req.ExecutionID, req.ActorID, req.Reason)
	if err := s.store.CancelStep(ctx, workspaceID, act, req.StepID); err != nil {
		return nil, err
	}
	return &CancelStepResult{true, req.ExecutionID, req.StepID}, nil
}

// ResolveStep names a step and what somebody does to it instead of whom it waits for.
type ResolveStep struct {
	ExecutionID string       `json:"executionId" minLength:"1" maxLength:"200"`
	StepID      string       `json:"stepId" minLength:"1" maxLength:"200"`
	Action      string       `json:"action" enum:"force-approve,force-reject,reviewer-approve,reviewer-reject,force-complete,force-fail"`
	ActorID     string       `json:"actorId" minLength:"1" maxLength:"256" doc:"for the reviewer's actions one of the step's reviewers"`
	Output      shape.Object `json:"output,omitempty" maxBytes:"65536" example:"{\"url\":\"https://www.example.com/spring\"}" doc:"goes into the step's output when the action ends it"`
	Reason      string       `json:"reason,omitempty" maxLength:"2000"`
}

// ResolveResult repeats what was done.
type ResolveResult struct {
	Resolved    bool   `json:"resolved"`
	ExecutionID string `json:"executionId"`
	StepID      string `json:"stepId"`
	Action      string `json:"action"`
}

// Resolve ends a step by hand, or records a reviewer's act.
func (s *Steps) Resolve(ctx context.Context, req *ResolveStep) (*ResolveResult, error) {
	override := interpreter.Override{StepID: req.StepID, Action: interpreter.Action(req.Action), Output: json.RawMessage(req.Output)}
	workspaceID, act := actOf(ctx, req.ExecutionID, req.ActorID, req.Reason)
	if err := s.store.Override(ctx, workspaceID, act, override); err != nil {
		return nil, err
	}
	return &ResolveResult{true, req.ExecutionID, req.StepID, req.Action}, nil
}

// ReassignStep names a step, who gives way to whom, who says so, and optionally why.
type ReassignStep struct {
	ExecutionID    string `json:"executionId" minLength:"1" maxLength:"200"`
	StepID         string `json:"stepId" minLength:"1" maxLength:"200"`
	FromReviewerID string `json:"fromReviewerId" minLength:"1" maxLength:"200"`
	ToReviewerID   string `json:"toReviewerId" minLength:"1" maxLength:"200" format:"caller-id"`
	ActorID        string `json:"actorId" minLength:"1" maxLength:"256"`
	Reason         string `json:"reason,omitempty" maxLength:"500" example:"It is done in print."`
}

// ReassignResult has the reviewers of the step as they are now.
type ReassignResult struct {
	Reassigned  bool                  `json:"reassigned"`
	ExecutionID string                `json:"executionId"`
	StepID      string                `json:"stepId"`
	Reviewers   []definition.Reviewer `json:"reviewers"`
}

// Reassign puts a person in the place of a reviewer who has not decided.
func (s *Steps) Reassign(ctx context.Context, req *ReassignStep) (*ReassignResult, error) {
	workspaceID, act := actOf(ctx, req.ExecutionID, req.ActorID, req.Reason)
	reviewers, err := s.store.Reassign(ctx, workspaceID, act,
		interpreter.Reassignment{StepID: req.StepID, From: req.FromReviewerID, To: req.ToReviewerID})
	if err != nil {
		return nil, err
	}
	return &ReassignResult{true, req.ExecutionID, req.StepID, reviewers}, nil
}
