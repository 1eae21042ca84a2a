package execution

import (
	"context"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/interpreter"
	"github.com/redline-svc/redline/models/internal/pg"
)

// Run is what Temporal is told of an execution, so that a run of it is started or signalled.
type Run struct {
	WorkspaceID, ExecutionID, WorkflowID string
	DefinitionID, DefinitionName         string
	DefinitionVersion                    int
	CorrelationID, Status                string
	// Started reports that a run has asked what to drive; Ended that the execution is final,
	// so a run has nothing to do but close.
	Started, Ended bool
}

// readRun leaves out the name of an agent that runs alone, which is no definition's.
const readRun = `
SELECT definition_id, CASE WHEN definition_id = '` + definition.AgentRun + `' THEN definition_id ELSE definition_name END, definition_version, key_space, idempotency_key, correlation_id, status,
       run_id IS NOT NULL
FROM executions WHERE workspace_id = $1 AND id = $2`

// RunOf is the run of an execution, nil for none that is there.
func (e *Executions) RunOf(ctx context.Context, workspaceID, executionID string) (*Run, error) {
	r := &Run{WorkspaceID: workspaceID, ExecutionID: executionID}
	var space, key string
	err := e.db.Pool.QueryRow(ctx, readRun, workspaceID, executionID).Scan(&r.DefinitionID, &r.DefinitionName, &r.DefinitionVersion,
		&space, &key, &r.CorrelationID, &r.Status, &r.Started)
	if pg.IsNoRow(err) {
		return nil, nil //nolint:nilnil // an execution that is gone has none
	}
	if err != nil {
		return nil, pg.Translate(err)
	}
	r.WorkflowID = workflowID(workspaceID, r.DefinitionID, space, key)
	r.Ended = interpreter.Status(r.Status).Final()
	return r, nil
}
