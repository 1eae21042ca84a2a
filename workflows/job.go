package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/redline-svc/redline/internal/contract"
)

const (
	// jobLimit is how long one try may work: far more than the seconds after which it
	// gives back what is left by itself.
	jobLimit = 30 * time.Minute
	// jobHeartbeat is after how long without a sign of life a try is given up.
	jobHeartbeat = 10 * time.Second
	// jobTries is after how many tries a run begins a new history.
	jobTries = 500
)

// Job works on one job until its row has ended. The row knows what to do and how far
// it is; a try that finds it ended does nothing.
func Job(ctx workflow.Context, in contract.JobInput) error {
	workflow.SetCurrentDetails(ctx, in.Kind)
	own := workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: jobLimit,
		HeartbeatTimeout:    jobHeartbeat,
		RetryPolicy:         &temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute},
	})
	for range jobTries {
		var result contract.JobResult
		if err := workflow.ExecuteActivity(own, contract.ActivityJob, in).Get(ctx, &result); err != nil || !result.More {
			return err
		}
	}
	return workflow.NewContinueAsNewError(ctx, contract.WorkflowJob, in)
}
