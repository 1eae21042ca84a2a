package mcp

import (
	"context"
	"fmt"

	redline "github.com/redline-svc/redline/clients/go"
)

type listExecutions struct {
	DefinitionID  string `json:"definitionId,omitempty" jsonschema:"only of this definition"`
	Status        string `json:"status,omitempty" jsonschema:"pending, running, completed, failed or cancelled"`
	CorrelationID string `json:"correlationId,omitempty" jsonschema:"only with this correlation id"`
	PageSize      int64  `json:"pageSize,omitempty" jsonschema:"1 to 100, usually 20"`
	Cursor        string `json:"cursor,omitempty" jsonschema:"next of the page before"`
}

type getExecution struct {
	ExecutionID string   `json:"executionId"`
	StepIDs     []string `json:"stepIds,omitempty" jsonschema:"only these steps, with their whole outputs; at most 100"`
}

type inbox struct {
	UserID   string `json:"userId,omitempty" jsonschema:"whose inbox; needed unless the server is for one person"`
	PageSize int64  `json:"pageSize,omitempty" jsonschema:"1 to 100, usually 20"`
	Cursor   string `json:"cursor,omitempty" jsonschema:"next of the page before"`
}

// shownExecution is an execution without its steps.
type shownExecution struct {
	ExecutionID   string                  `json:"executionId"`
	DefinitionID  string                  `json:"definitionId"`
	Status        redline.ExecutionStatus `json:"status"`
	StartedAt     int64                   `json:"startedAt"`
	CompletedAt   *int64                  `json:"completedAt,omitempty"`
	PausedAt      *int64                  `json:"pausedAt,omitempty"`
	CorrelationID string                  `json:"correlationId"`
	FailureReason *redline.Reason         `json:"failureReason,omitempty"`
	StepCount     int64                   `json:"stepCount"`
}

// addWorkflow adds the tools that read executions and steps.
func (s *server) addWorkflow() {
	tool(s, "list_executions", "List executions, newest first, without their steps.", s.listExecutions)
	tool(s, "get_execution", "Read one execution with what it was dispatched with and the state of each step. "+
		"A step that is waiting is asked of the people in metadata.reviewers. For whole outputs name stepIds.", s.getExecution)
	tool(s, "inbox", "List the steps that wait for a person's decision, with executionId and stepId for record_decision; dueAt is the deadline.", s.inbox)
}

func (s *server) listExecutions(ctx context.Context, in listExecutions) (answer, error) {
	return paged(atMost(in.PageSize, 20, 100), func(n int64) (page[shownExecution], error) {
		found, err := s.o.Client.Executions.List(ctx, redline.ListExecutionsRequest{
			DefinitionID: sent(in.DefinitionID), Status: sent(redline.ListExecutionsRequestStatus(in.Status)),
			CorrelationID: sent(in.CorrelationID), PageSize: &n, Cursor: sent(in.Cursor),
		})
		shown := page[shownExecution]{items: make([]shownExecution, len(found.Items))}
		if found.HasMore {
			shown.next = found.NextCursor
		}
		for i := range found.Items {
			shown.items[i] = showExecution(&found.Items[i])
		}
		return shown, err
	})
}

func showExecution(of *redline.Execution) shownExecution {
	return shownExecution{
		of.ExecutionID, of.DefinitionID, of.Status, of.StartedAt, of.CompletedAt, of.PausedAt, of.CorrelationID, of.FailureReason, of.StepCount,
	}
}

func (s *server) getExecution(ctx context.Context, in getExecution) (answer, error) {
	request := redline.GetExecutionRequest{ExecutionID: in.ExecutionID}
	if len(in.StepIDs) > 0 {
		request.StepIds = in.StepIDs
	}
	found, err := s.o.Client.Executions.Get(ctx, request)
	if err != nil {
		return answer{}, err
	}
	return fitted(&found, len(in.StepIDs) > 0).cut(), nil
}

// fitted is an execution, where it is too large without outputs of steps, unless these were
// asked for, and with its latest steps alone.
func fitted(of *redline.Execution, outputs bool) answer {
	a := answer{Result: of}
	if size(of) > maxBytes && !outputs {
		for i := range of.Steps {
			of.Steps[i].Output = nil
		}
		a.add("outputs of steps are left out: name stepIds to read them")
	}
	all := len(of.Steps)
	for size(of) > maxBytes && len(of.Steps) > 1 {
		of.Steps = of.Steps[(len(of.Steps)+1)/2:]
	}
	if left := all - len(of.Steps); left > 0 {
		a.add(fmt.Sprintf("the first %d of these steps are left out", left))
	}
	return a
}

func (s *server) inbox(ctx context.Context, in inbox) (answer, error) {
	person, err := s.user(in.UserID)
	if err != nil {
		return answer{}, err
	}
	return paged(atMost(in.PageSize, 20, 100), func(n int64) (page[redline.ListedStep], error) {
		found, err := s.o.Client.Steps.List(ctx, redline.ListStepsRequest{ReviewerID: &person, PageSize: &n, Cursor: sent(in.Cursor)})
		return page[redline.ListedStep]{found.Items, orNone(found.NextCursor)}, err
	})
}

func orNone(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
