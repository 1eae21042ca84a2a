package workflow

import (
	"context"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/models/execution"
	"github.com/redline-svc/redline/models/execution/view"
)

// ExecutionAct names an execution, and optionally who does something to it and why.
type ExecutionAct struct {
	ExecutionID string `json:"executionId" minLength:"1" maxLength:"200"`
	ActorID     string `json:"actorId,omitempty" maxLength:"256"`
	Reason      string `json:"reason,omitempty" maxLength:"500" example:"It is done in print."`
}

// actOf is what somebody does to an execution, and the workspace of the caller.
func actOf(ctx context.Context, executionID, actorID, reason string) (workspaceID string, act execution.Act) {
	caller := rpc.CallerFrom(ctx)
	return caller.WorkspaceID, execution.Act{ExecutionID: executionID, APIKeyID: caller.APIKeyID, ActorID: actorID, Reason: reason}
}

// RetryExecution names a failed execution, which of the steps that would be restarted
// are skipped instead, and optionally who tries it again and why.
type RetryExecution struct {
	ExecutionID string   `json:"executionId" minLength:"1" maxLength:"200"`
	SkipStepIDs []string `json:"skipStepIds,omitempty" maxItems:"100" minLength:"1" maxLength:"200" example:"step_ai-check_i1_a1_0123456789ab"`
	ActorID     string   `json:"actorId,omitempty" maxLength:"256"`
	Reason      string   `json:"reason,omitempty" maxLength:"500"`
}

// Retry tries a failed execution again, and returns it as it is then.
func (e *Executions) Retry(ctx context.Context, req *RetryExecution) (*view.ExecutionView, error) {
	workspaceID, act := actOf(ctx, req.ExecutionID, req.ActorID, req.Reason)
	if err := e.store.Retry(ctx, workspaceID, act, req.SkipStepIDs); err != nil {
		return nil, err
	}
	found, err := e.views.Get(ctx, workspaceID, req.ExecutionID, view.Wanted{})
	if err != nil {
		return nil, err
	}
	found.TriggerContext = nil // as in a list: it is read by get
	return found, nil
}

// PauseResult reports whether the execution is paused, and since when: epoch
// milliseconds, null when it is not.
type PauseResult struct {
	ExecutionID string `json:"executionId"`
	Paused      bool   `json:"paused"`
	PausedAt    *int64 `json:"pausedAt"`
}

// Pause keeps anything of an execution from starting.
func (e *Executions) Pause(ctx context.Context, req *ExecutionAct) (*PauseResult, error) {
	workspaceID, act := actOf(ctx, req.ExecutionID, req.ActorID, req.Reason)
	at, err := e.store.Pause(ctx, workspaceID, act)
	if err != nil {
		return nil, err
	}
	return &PauseResult{ExecutionID: req.ExecutionID, Paused: true, PausedAt: &at}, nil
}

// Resume lets a paused execution go on.
func (e *Executions) Resume(ctx context.Context, req *ExecutionAct) (*PauseResult, error) {
	workspaceID, act := actOf(ctx, req.ExecutionID, req.ActorID, req.Reason)
	if err := e.store.Resume(ctx, workspaceID, act); err != nil {
		return nil, err
	}
	return &PauseResult{ExecutionID: req.ExecutionID}, nil
}
