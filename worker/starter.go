package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/telemetry"
	"github.com/redline-svc/redline/models/execution"
)

const (
	// taskTimeout is after how long Temporal gives a workflow task of a dead
	// worker to another one.
	taskTimeout = 5 * time.Second
	// sendLimit is how long one start or poke may take, well within the 15 s
	// for which it is claimed.
	sendLimit = 10 * time.Second
	// summaryLimit is the longest static summary that Temporal takes, as JSON
	// in bytes (its default is 400 for the whole payload).
	summaryLimit = 380
)

// start asks Temporal for the run of an execution, or pokes the one there is.
func (e *engine) start(ctx context.Context, p execution.Poke) error {
	ctx, cancel := context.WithTimeout(telemetry.WithTraceParent(ctx, p.TraceParent), sendLimit)
	defer cancel()
	switch {
	case p.Ended:
		return e.signalOpen(ctx, p.WorkflowID)
	case p.Started:
		return e.poke(ctx, p)
	}
	o := executionOptions(p)
	o.EnableEagerStart = true
	o.WorkflowExecutionErrorWhenAlreadyStarted = true
	_, err := e.ExecuteWorkflow(ctx, o, contract.WorkflowExecution, executionInput(p))
	if _, already := errors.AsType[*serviceerror.WorkflowExecutionAlreadyStarted](err); already {
		// The open run may have asked for its plan already and be closing.
		return e.poke(ctx, p)
	}
	return err
}

// poke wakes the run of an execution, starting it when there is none.
func (e *engine) poke(ctx context.Context, p execution.Poke) error {
	_, err := e.SignalWithStartWorkflow(ctx, p.WorkflowID, contract.SignalPoke, nil, executionOptions(p),
		contract.WorkflowExecution, executionInput(p))
	return err
}

// signalOpen pokes a run if there is one; without one there is nothing to do.
func (e *engine) signalOpen(ctx context.Context, workflowID string) error {
	err := e.SignalWorkflow(ctx, workflowID, "", contract.SignalPoke, nil)
	if _, missing := errors.AsType[*serviceerror.NotFound](err); missing {
		return nil
	}
	return err
}

func executionInput(p execution.Poke) contract.ExecutionInput {
	return contract.ExecutionInput{WorkspaceID: p.WorkspaceID, ExecutionID: p.ExecutionID}
}

// executionOptions are what makes a run findable and readable in Temporal.
func executionOptions(p execution.Poke) client.StartWorkflowOptions {
	return client.StartWorkflowOptions{
		ID:                    p.WorkflowID,
		TaskQueue:             contract.QueueExecutions,
		WorkflowTaskTimeout:   taskTimeout,
		WorkflowIDReusePolicy: enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		StaticSummary:         summary(p.DefinitionName, p.DefinitionVersion),
		Memo: map[string]any{
			contract.MemoExecutionID:       p.ExecutionID,
			contract.MemoDefinitionName:    p.DefinitionName,
			contract.MemoDefinitionVersion: p.DefinitionVersion,
		},
		TypedSearchAttributes: temporal.NewSearchAttributes(
			keyword(contract.SearchExecutionID, p.ExecutionID),
			keyword(contract.SearchDefinitionID, p.DefinitionID),
			keyword(contract.SearchWorkspaceID, p.WorkspaceID),
			keyword(contract.SearchCorrelationID, p.CorrelationID),
			keyword(contract.SearchStatus, p.Status),
		),
	}
}

func keyword(name, value string) temporal.SearchAttributeUpdate {
	return temporal.NewSearchAttributeKeyKeyword(name).ValueSet(value)
}

// summary is the line above a run: the definition's name and version, the name
// shortened where Temporal would refuse it.
func summary(name string, version int) string {
	for {
		text := fmt.Sprintf("%s v%d", name, version)
		encoded, err := json.Marshal(text)
		if err != nil || len(encoded) <= summaryLimit || name == "" {
			return text
		}
		_, last := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-last]
	}
}
