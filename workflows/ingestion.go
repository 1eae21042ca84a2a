package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/redline-svc/redline/internal/contract"
)

const (
	// stageLimit is how long one try of a stage may take: the embedding of the
	// largest file by the slowest processor.
	stageLimit = 2 * time.Hour
	// stageHeartbeat is after how long without a sign of life a try is given up.
	stageHeartbeat = 10 * time.Second
	// stageFirstWait and stageLongestWait bound the pause between two tries.
	stageFirstWait   = time.Second
	stageLongestWait = time.Minute
)

// Ingestion brings one version of a source in, stage by stage. The rows know
// which stages are finished. A stage is tried until it succeeds or ends the version;
// since when it has failed one try leaves to the next in its heartbeats.
func Ingestion(ctx workflow.Context, in contract.IngestionInput) error {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: stageLimit,
		HeartbeatTimeout:    stageHeartbeat,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval:    stageFirstWait,
			BackoffCoefficient: 2,
			MaximumInterval:    stageLongestWait,
		},
	})
	for _, stage := range contract.IngestionStages {
		workflow.SetCurrentDetails(ctx, stage)
		var result contract.StageResult
		err := workflow.ExecuteActivity(ctx, contract.ActivityStage, contract.StageInput{IngestionInput: in, Stage: stage}).Get(ctx, &result)
		if err != nil || result.Ended {
			return err
		}
	}
	return nil
}
