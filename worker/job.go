package worker

import (
	"context"
	"errors"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	sdkworker "go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/models/job"
	"github.com/redline-svc/redline/models/queue"
	"github.com/redline-svc/redline/workflows"
)

// jobsInFlight is how many jobs a worker works on at once: those of eight workspaces.
// They work in Postgres, so many more would only make each slower.
var jobsInFlight = 8 * queue.Jobs.Rule().PerGroup

// JobActivities are the activities of the Job workflow (*job.Activities).
type JobActivities interface {
	Work(ctx context.Context, in contract.JobInput) (contract.JobResult, error)
}

// Jobs are the rows of jobs (*job.Jobs).
type Jobs interface {
	// Open returns which job an id is of; nil when it has ended or is gone.
	Open(ctx context.Context, id string) (*job.Ref, error)
}

func (w *Worker) registerJobs(r registry) {
	r.RegisterWorkflowWithOptions(workflows.Job, workflow.RegisterOptions{Name: contract.WorkflowJob})
	r.RegisterActivityWithOptions(w.o.JobActivities.Work, activity.RegisterOptions{Name: contract.ActivityJob})
}

func (w *Worker) jobRuns(e *connection, p *pollers) sdkworker.Worker {
	o := w.options(p)
	o.MaxConcurrentActivityExecutionSize = jobsInFlight
	group := sdkworker.New(e.Client, contract.QueueJobs, o)
	w.registerJobs(group)
	return group
}

// startJobs is the handler of jobs. It asks Temporal for the run of one; a run that is open
// goes on as it is. Its end is what removes the job from the queue.
func (w *Worker) startJobs(e *connection) handler {
	return func(ctx context.Context, c queue.Claimed) (done bool, err error) {
		j, err := w.o.Jobs.Open(ctx, c.Key)
		if err != nil || j == nil {
			return err == nil, err
		}
		in := contract.JobInput{WorkspaceID: j.WorkspaceID, ID: j.ID, Kind: j.Kind}
		return false, e.startOnce(ctx, client.StartWorkflowOptions{
			ID:            in.WorkflowID(),
			TaskQueue:     contract.QueueJobs,
			StaticSummary: "Job " + j.ID + " of workspace " + j.WorkspaceID,
			TypedSearchAttributes: temporal.NewSearchAttributes(
				keyword(contract.SearchKind, j.Kind),
				keyword(contract.SearchWorkspaceID, j.WorkspaceID),
				keyword(contract.SearchObjectID, j.ID),
			),
		}, contract.WorkflowJob, in)
	}
}

// startOnce asks Temporal for a run of rows that say what to do, unless one is open:
// that one goes on as it is.
func (e *connection) startOnce(ctx context.Context, o client.StartWorkflowOptions, workflow string, in any) error {
	ctx, cancel := context.WithTimeout(ctx, sendLimit)
	defer cancel()
	o.WorkflowTaskTimeout = taskTimeout
	o.WorkflowIDReusePolicy = enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE
	o.EnableEagerStart = true
	o.WorkflowExecutionErrorWhenAlreadyStarted = true
	_, err := e.ExecuteWorkflow(ctx, o, workflow, in)
	if _, open := errors.AsType[*serviceerror.WorkflowExecutionAlreadyStarted](err); open {
		return nil
	}
	return err
}
