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
	"github.com/redline-svc/redline/models/execution"
	"github.com/redline-svc/redline/models/queue"
)

const (
	// taskTimeout is after how long Temporal gives a workflow task of a dead
	// worker to another one.
	taskTimeout = 5 * time.Second
	// sendLimit is how long one start or signal may take, well within the lock of its row.
	sendLimit = 10 * time.Second
	// summaryLimit is the longest static summary that Temporal takes, as JSON
	// in bytes (its default is 400 for the whole payload).
	summaryLimit = 380
)

// Executions are the rows of executions that the worker drives
// (*execution.Executions).
type Executions interface {
	// RunOf is what Temporal is told of an execution; nil when it is gone.
	RunOf(ctx context.Context, workspaceID, executionID string) (*execution.Run, error)
	// Overdue queues a signal for an execution that nobody drives, and reports whether it is one.
	Overdue(ctx context.Context, workspaceID, executionID string) (bool, error)
	// GrantCallSlots gives free slots to waiting calls.
	GrantCallSlots(ctx context.Context) error
}

// startExecutions is the handler of executions. Once Temporal has taken the start or the signal
// the row is done: the run asks what to drive.
func (w *Worker) startExecutions(start func(ctx context.Context, r execution.Run) error) handler {
	return func(ctx context.Context, c queue.Claimed) (done bool, err error) {
		ctx, cancel := context.WithTimeout(ctx, sendLimit)
		defer cancel()
		r, err := w.o.Executions.RunOf(ctx, c.WorkspaceID, c.Key)
		if err == nil && r != nil {
			err = start(ctx, *r)
		}
		return err == nil, err
	}
}

// findOverdue is the handler of executions that nobody drives. It has a signal queued, and
// the row put off.
func (w *Worker) findOverdue(ctx context.Context, c queue.Claimed) (done bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, rowsLimit)
	defer cancel()
	overdue, err := w.o.Executions.Overdue(ctx, c.WorkspaceID, c.Key)
	if overdue {
		w.foundOverdue(ctx, kindExecution, 1, "workspace_id", c.WorkspaceID, "execution_id", c.Key)
	}
	return err == nil, err
}

// start asks Temporal for the run of an execution, or signals the one there is.
func (e *connection) start(ctx context.Context, r execution.Run) error {
	switch {
	case r.Ended:
		return e.signalOpen(ctx, r.WorkflowID)
	case r.Started:
		return e.signal(ctx, r)
	}
	o := executionOptions(r)
	o.EnableEagerStart = true
	o.WorkflowExecutionErrorWhenAlreadyStarted = true
	_, err := e.ExecuteWorkflow(ctx, o, contract.WorkflowExecution, executionInput(r))
	if _, already := errors.AsType[*serviceerror.WorkflowExecutionAlreadyStarted](err); already {
		// The open run may have asked for its plan already and be closing.
		return e.signal(ctx, r)
	}
	return err
}

// signal signals the run of an execution, starting it when there is none.
func (e *connection) signal(ctx context.Context, r execution.Run) error {
	_, err := e.SignalWithStartWorkflow(ctx, r.WorkflowID, contract.SignalChanged, nil, executionOptions(r),
		contract.WorkflowExecution, executionInput(r))
	return err
}

// signalOpen signals a run if there is one; without one there is nothing to do.
func (e *connection) signalOpen(ctx context.Context, workflowID string) error {
	err := e.SignalWorkflow(ctx, workflowID, "", contract.SignalChanged, nil)
	if _, missing := errors.AsType[*serviceerror.NotFound](err); missing {
		return nil
	}
	return err
}

func executionInput(r execution.Run) contract.ExecutionInput {
	return contract.ExecutionInput{WorkspaceID: r.WorkspaceID, ExecutionID: r.ExecutionID}
}

// executionOptions are what makes a run findable and readable in Temporal.
func executionOptions(r execution.Run) client.StartWorkflowOptions {
	return client.StartWorkflowOptions{
		ID:                    r.WorkflowID,
		TaskQueue:             contract.QueueExecutions,
		WorkflowTaskTimeout:   taskTimeout,
		WorkflowIDReusePolicy: enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		StaticSummary:         summary(r.DefinitionName, r.DefinitionVersion),
		Memo: map[string]any{
			contract.MemoExecutionID:       r.ExecutionID,
			contract.MemoDefinitionName:    r.DefinitionName,
			contract.MemoDefinitionVersion: r.DefinitionVersion,
		},
		TypedSearchAttributes: temporal.NewSearchAttributes(
			keyword(contract.SearchExecutionID, r.ExecutionID),
			keyword(contract.SearchDefinitionID, r.DefinitionID),
			keyword(contract.SearchWorkspaceID, r.WorkspaceID),
			keyword(contract.SearchCorrelationID, r.CorrelationID),
			keyword(contract.SearchStatus, r.Status),
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
