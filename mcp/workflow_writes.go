package mcp

import (
	"context"

	redline "github.com/redline-svc/redline/clients/go"
)

type dispatch struct {
	DefinitionID   string         `json:"definitionId" jsonschema:"an active definition; the resource redline://definitions lists them"`
	Input          map[string]any `json:"input,omitempty" jsonschema:"what the execution is about; the definition reads it as execution.input"`
	OrganizationID string         `json:"organizationId,omitempty" jsonschema:"required where the definition belongs to an organization"`
	DocumentID     string         `json:"documentId,omitempty" jsonschema:"required where the definition belongs to a document"`
	IdempotencyKey string         `json:"idempotencyKey,omitempty" jsonschema:"the same key starts one execution only, however often it is sent"`
}

type recordDecision struct {
	ExecutionID string `json:"executionId" jsonschema:"of the step in the inbox"`
	StepID      string `json:"stepId" jsonschema:"of the step in the inbox"`
	UserID      string `json:"userId,omitempty" jsonschema:"who decided; needed unless the server is for one person"`
	Decision    string `json:"decision" jsonschema:"approve or reject"`
	Reason      string `json:"reason,omitempty" jsonschema:"why, at most 2,000 characters; later suggestions are made of it"`
}

type resolveStep struct {
	ExecutionID string         `json:"executionId"`
	StepID      string         `json:"stepId" jsonschema:"a step of a node of type agent that waits"`
	ResponseID  string         `json:"responseId" jsonschema:"the one that the agent announced, else any of your own; repeated it changes nothing"`
	Resolution  string         `json:"resolution" jsonschema:"resolved or rejected"`
	Reason      string         `json:"reason,omitempty" jsonschema:"why, at most 2,000 characters"`
	Output      map[string]any `json:"output,omitempty" jsonschema:"added to the output of the step, which later steps read"`
}

// addWorkflowWrites adds the tools that start executions and drive them on.
func (s *server) addWorkflowWrites() {
	write(s, "dispatch", "Start an execution of a definition. Without an idempotencyKey of your own each call starts another one.", false, s.dispatch)
	write(s, "record_decision", "Record what a person decided about a waiting step. Only what that person said: a decision drives the execution on and cannot be taken back; "+
		"the first one counts. aggregatorStatus says what became of the step.", true, s.recordDecision)
	write(s, "record_agent_resolution", "Say what became of a step that an agent was asked to do.", true, s.resolveStep)
}

func (s *server) dispatch(ctx context.Context, in dispatch) (answer, error) {
	request := redline.DispatchRequest{
		DefinitionID: in.DefinitionID, OrganizationID: sent(in.OrganizationID), DocumentID: sent(in.DocumentID), IdempotencyKey: sent(in.IdempotencyKey),
	}
	if in.Input != nil {
		request.TriggerContext = &in.Input
	}
	started, err := s.o.Client.Executions.Dispatch(ctx, request)
	return answer{Result: started}, err
}

func (s *server) recordDecision(ctx context.Context, in recordDecision) (answer, error) {
	person, err := s.user(in.UserID)
	if err != nil {
		return answer{}, err
	}
	done, err := s.o.Client.Steps.RecordReviewerDecision(ctx, redline.DecideStepRequest{
		ExecutionID: in.ExecutionID, StepID: in.StepID, ReviewerID: person,
		Decision: redline.DecideStepRequestDecision(in.Decision), Reason: sent(in.Reason),
	})
	return answer{Result: done}, err
}

func (s *server) resolveStep(ctx context.Context, in resolveStep) (answer, error) {
	request := redline.AgentResolutionRequest{
		ExecutionID: in.ExecutionID, StepID: in.StepID, ResponseID: in.ResponseID,
		Resolution: redline.AgentResolutionRequestResolution(in.Resolution), Reason: sent(in.Reason), ActorID: sent(s.o.UserID),
	}
	if in.Output != nil {
		request.Output = &in.Output
	}
	done, err := s.o.Client.Steps.RecordAgentResolution(ctx, request)
	return answer{Result: done}, err
}
