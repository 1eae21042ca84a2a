package workflow

import (
	"context"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/models/execution"
)

// DeleteExecutions names executions that have ended.
type DeleteExecutions struct {
	ExecutionIDs []string `json:"executionIds" minItems:"1" maxItems:"100" minLength:"1" maxLength:"200"`
}

// ExecutionsDeleted says what became of each execution.
type ExecutionsDeleted struct {
	Results rpc.Keyed[DeletedExecution] `json:"results"`
}

// DeletedExecution says what became of an execution.
type DeletedExecution struct {
	Success bool   `json:"success"`
	Message string `json:"message" doc:"a short sentence, not part of the contract"`
	Code    string `json:"code,omitempty" enum:"not-found,not-ended"`
}

// notDeleted are the sentences for the reasons.
var notDeleted = map[string]string{
	execution.CodeNotFound: "It does not exist.",
	execution.CodeNotEnded: "It has not ended; cancel it first.",
}

// Delete removes executions; their idempotency keys and the judgments made in them stay.
func (e *Executions) Delete(ctx context.Context, req *DeleteExecutions) (*ExecutionsDeleted, error) {
	refused, err := e.store.Delete(ctx, rpc.CallerFrom(ctx).WorkspaceID, req.ExecutionIDs)
	if err != nil {
		return nil, err
	}
	result, seen := &ExecutionsDeleted{}, map[string]bool{}
	for _, id := range req.ExecutionIDs {
		if seen[id] {
			continue
		}
		seen[id] = true
		became := DeletedExecution{Success: true, Message: "Execution deleted."}
		if code, is := refused[id]; is {
			became = DeletedExecution{Message: notDeleted[code], Code: code}
		}
		result.Results = append(result.Results, rpc.KeyedEntry[DeletedExecution]{Key: id, Value: became})
	}
	return result, nil
}
