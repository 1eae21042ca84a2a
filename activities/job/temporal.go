package job

import (
	"context"
	"errors"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/activity"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/deletion"
	"github.com/redline-svc/redline/models/job"
)

// Temporal is the server, as the activity that is under way reaches it.
type Temporal struct{}

// endedAtOnce is how many runs one look ends.
const endedAtOnce = 100

// DeleteSchedule deletes a schedule, if it is there.
func (Temporal) DeleteSchedule(ctx context.Context, workspaceID string, s deletion.ScheduleRef) error {
	in := contract.ScheduledInput{WorkspaceID: workspaceID, DefinitionID: s.DefinitionID, TriggerID: s.TriggerID}
	return unlessMissing(activity.GetClient(ctx).ScheduleClient().GetHandle(ctx, in.ScheduleID()).Delete(ctx))
}

// EndOpen terminates some of the open runs of a workspace but one, and returns how many.
func (Temporal) EndOpen(ctx context.Context, workspaceID, but string) (ended int, err error) {
	connected := activity.GetClient(ctx)
	found, err := connected.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{
		Query:    contract.SearchWorkspaceID + ` = "` + workspaceID + `" AND ExecutionStatus = "Running" AND WorkflowId != "` + but + `"`,
		PageSize: endedAtOnce,
	})
	if err != nil {
		return 0, fault.Unavailable(err)
	}
	for _, run := range found.GetExecutions() {
		of := run.GetExecution()
		if err := unlessMissing(connected.TerminateWorkflow(ctx, of.GetWorkflowId(), of.GetRunId(), "the workspace was deleted")); err != nil {
			return ended, err
		}
		ended++
	}
	return ended, nil
}

// Forget deletes the runs of an execution with their histories, open ones too. One that began a moment ago may be missing in the
// list: the newest is deleted by its name.
func (Temporal) Forget(ctx context.Context, executionID, workflowID string) error {
	if err := deleteRun(ctx, &commonpb.WorkflowExecution{WorkflowId: workflowID}); err != nil {
		return err
	}
	for request := (&workflowservice.ListWorkflowExecutionsRequest{Query: contract.SearchExecutionID + ` = "` + executionID + `"`}); ; {
		found, err := activity.GetClient(ctx).ListWorkflow(ctx, request)
		if err != nil {
			return fault.Unavailable(err)
		}
		for _, run := range found.GetExecutions() {
			if err := deleteRun(ctx, run.GetExecution()); err != nil {
				return err
			}
		}
		if request.NextPageToken = found.GetNextPageToken(); len(request.GetNextPageToken()) == 0 {
			return nil
		}
	}
}

// deleteRun deletes a run with its history; an open one is terminated first.
func deleteRun(ctx context.Context, of *commonpb.WorkflowExecution) error {
	_, err := activity.GetClient(ctx).WorkflowService().DeleteWorkflowExecution(ctx, &workflowservice.DeleteWorkflowExecutionRequest{
		Namespace: activity.GetInfo(ctx).Namespace, WorkflowExecution: of,
	})
	return unlessMissing(err)
}

func unlessMissing(err error) error {
	if _, missing := errors.AsType[*serviceerror.NotFound](err); missing || err == nil {
		return nil
	}
	return fault.Unavailable(err)
}

// workflowID is the id of the run of a job.
func workflowID(j *job.Job) string {
	return contract.JobInput{WorkspaceID: j.WorkspaceID, ID: j.ID, Kind: j.Kind}.WorkflowID()
}
