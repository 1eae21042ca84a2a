package workflow

import (
	"context"
	"encoding/json"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/interpreter/resolution"
	"github.com/redline-svc/redline/internal/shape"
)

// AgentResolution is what an agent, or somebody for it, says of its step.
type AgentResolution struct {
	ExecutionID string       `json:"executionId" minLength:"1" maxLength:"200"`
	StepID      string       `json:"stepId" minLength:"1" maxLength:"200"`
	ResponseID  string       `json:"responseId" minLength:"1" maxLength:"200" doc:"one that a blocking agent announced, else any: the key for repetition"`
	Resolution  string       `json:"resolution" enum:"resolved,rejected"`
	Output      shape.Object `json:"output,omitempty" maxBytes:"65536" doc:"added to the output of the step that it settles"`
	ActorID     string       `json:"actorId,omitempty" minLength:"1" maxLength:"256" example:"u_editor" doc:"default: the agent"`
	Reason      string       `json:"reason,omitempty" maxLength:"2000" example:"The score is high."`
}

// RecordResolution records a resolution of an agent's step. A token opens no other step than its
// own.
func (s *Steps) RecordResolution(ctx context.Context, req *AgentResolution) (*DecideResult, error) {
	caller, source := rpc.CallerFrom(ctx), resolution.FromOperator
	if caller.StepID != "" {
		if caller.StepID != req.StepID || caller.ExecutionID != req.ExecutionID {
			return nil, fault.Unauthenticated()
		}
		source = resolution.FromCallback
	}
	answer, err := s.store.Resolve(ctx, caller.WorkspaceID, req.ExecutionID, caller.APIKeyID, resolution.Resolution{
		StepID: req.StepID, ResponseID: req.ResponseID, Word: req.Resolution, Output: json.RawMessage(req.Output), ActorID: req.ActorID,
		Reason: req.Reason, Source: source,
	})
	if err != nil {
		return nil, err
	}
	return &DecideResult{answer.Recorded, answer.Status, answer.Resumes, answer.RejectionReason}, nil
}
