package workflow

import (
	"context"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/models/execution"
)

// ExecutionAct names an execution, and optionally who does something to it and why.
type ExecutionAct struct {
	ExecutionID string `json:"executionId" minLength:"1" maxLength:"200"`
	ActorID     string `json:"actorId,omitempty" maxLength:"256"`
	Reason      string `json:"reason,omitempty" maxLength:"500"`
}

func (r *ExecutionAct) by(apiKeyID string) execution.Act {
	return execution.Act{ExecutionID: r.ExecutionID, APIKeyID: apiKeyID, ActorID: r.ActorID, Reason: r.Reason}
}

// PauseResult says whether the execution is paused, and since when: epoch
// milliseconds, null when it is not.
type PauseResult struct {
	ExecutionID string `json:"executionId"`
	Paused      bool   `json:"paused"`
	PausedAt    *int64 `json:"pausedAt"`
}

// Pause keeps anything of an execution from starting.
func (e *Executions) Pause(ctx context.Context, req *ExecutionAct) (*PauseResult, error) {
	caller := rpc.CallerFrom(ctx)
	at, err := e.store.Pause(ctx, caller.WorkspaceID, req.by(caller.APIKeyID))
	if err != nil {
		return nil, err
	}
	return &PauseResult{ExecutionID: req.ExecutionID, Paused: true, PausedAt: &at}, nil
}

// Resume lets a paused execution go on.
func (e *Executions) Resume(ctx context.Context, req *ExecutionAct) (*PauseResult, error) {
	caller := rpc.CallerFrom(ctx)
	if err := e.store.Resume(ctx, caller.WorkspaceID, req.by(caller.APIKeyID)); err != nil {
		return nil, err
	}
	return &PauseResult{ExecutionID: req.ExecutionID}, nil
}
