package worker

import (
	"context"
	"fmt"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	sdkworker "go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/poll"
	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/queue"
	"github.com/redline-svc/redline/workflows"
)

// ingestionStages is how many stages may be under way at once in a worker: as many
// as eight workspaces may have, so that a few of them with files that take minutes
// keep nobody's from their turn. Nearly all of them wait, which costs little:
// package ingestion limits how many work at the same time and shares that in turn.
var ingestionStages = 8 * queue.Versions.Rule().PerGroup

const (
	// removeLeftoversEvery is how often what is left over is removed.
	removeLeftoversEvery = 10 * time.Second
	// kindIngestion marks the runs of versions in Temporal.
	kindIngestion = "ingestion"
)

// IngestionActivities are the activities of the Ingestion workflow
// (*ingestion.Activities).
type IngestionActivities interface {
	Stage(ctx context.Context, in contract.StageInput) (contract.StageResult, error)
	// RemoveLeftovers removes what is left over; it is no activity.
	RemoveLeftovers(ctx context.Context) error
}

// Versions are the rows of versions of sources (*knowledge.Knowledge).
type Versions interface {
	// InWork reports whether a version has not ended yet, and keeps it locked in the queue.
	InWork(ctx context.Context, v knowledge.VersionRef) (bool, error)
}

// removeLeftovers removes what ingestions left over, at once and until ctx ends. It runs
// beside the starts, which must not wait for an index that is slow.
func (w *Worker) removeLeftovers(ctx context.Context) {
	looks := poll.New(removeLeftoversEvery)
	looks.Notify() // workers that die again and again remove all the same
	looks.Run(ctx, func(ctx context.Context) bool {
		if err := w.o.IngestionActivities.RemoveLeftovers(ctx); err != nil && ctx.Err() == nil {
			w.o.Log.WarnContext(ctx, "what ingestions left over could not be removed", "error", err)
		}
		return false
	})
}

func (w *Worker) registerIngestions(r registry) {
	r.RegisterWorkflowWithOptions(workflows.Ingestion, workflow.RegisterOptions{Name: contract.WorkflowIngestion})
	r.RegisterActivityWithOptions(w.o.IngestionActivities.Stage, activity.RegisterOptions{Name: contract.ActivityStage})
}

func (w *Worker) ingestions(e *connection, p *pollers) sdkworker.Worker {
	o := w.options(p)
	o.MaxConcurrentActivityExecutionSize = ingestionStages
	group := sdkworker.New(e.Client, contract.QueueIngestion, o)
	w.registerIngestions(group)
	return group
}

// startIngestions is the handler of versions. It asks Temporal for the run of one; a run that is
// open goes on as it is. The version's end is what removes it from the queue.
func (w *Worker) startIngestions(e *connection) handler {
	return func(ctx context.Context, c queue.Claimed) (done bool, err error) {
		sourceID, version := knowledge.VersionOf(c.Key)
		v := knowledge.VersionRef{WorkspaceID: c.WorkspaceID, SourceID: sourceID, Version: version}
		if inWork, err := w.o.Versions.InWork(ctx, v); err != nil || !inWork {
			return err == nil, err
		}
		return false, e.startOnce(ctx, client.StartWorkflowOptions{
			ID:            contract.IngestionWorkflowID(v.SourceID, v.Version),
			TaskQueue:     contract.QueueIngestion,
			StaticSummary: ingestionSummary(v),
			TypedSearchAttributes: temporal.NewSearchAttributes(
				keyword(contract.SearchKind, kindIngestion),
				keyword(contract.SearchWorkspaceID, v.WorkspaceID),
				keyword(contract.SearchObjectID, v.SourceID),
			),
		}, contract.WorkflowIngestion, contract.IngestionInput{WorkspaceID: v.WorkspaceID, SourceID: v.SourceID, Version: v.Version})
	}
}

// ingestionSummary is the line above the run of a version. It holds no name of
// a file, which is a text of the caller's.
func ingestionSummary(v knowledge.VersionRef) string {
	return fmt.Sprintf("Version %d of source %s of workspace %s", v.Version, v.SourceID, v.WorkspaceID)
}
