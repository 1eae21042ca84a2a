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
	"github.com/redline-svc/redline/internal/pump"
	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/workflows"
)

const (
	// ingestionStages is how many stages may be under way at once in a worker: as many
	// as eight workspaces may have, so that a few of them with files that take minutes
	// keep nobody's from their turn. Nearly all of them wait, which costs little:
	// package ingestion limits how many work at the same time and shares that in turn.
	ingestionStages = 8 * knowledge.WorkingVersions
	// sweepIngestionsEvery is how often what is left over is removed.
	sweepIngestionsEvery = 10 * time.Second
	// kindIngestion marks the runs of versions in the engine.
	kindIngestion = "ingestion"
)

// IngestionActivities are the activities of the Ingestion workflow
// (*ingestion.Activities).
type IngestionActivities interface {
	Stage(ctx context.Context, in contract.StageInput) (contract.StageResult, error)
	// Sweep removes what is left over; it is no activity.
	Sweep(ctx context.Context) error
}

// Versions are the rows of sources in work (*knowledge.Knowledge).
type Versions interface {
	// ClaimVersions claims versions for which the engine is to be asked for a run, of
	// workspaces in turn, from the one behind after on; they are due again after half
	// a minute until they have ended.
	ClaimVersions(ctx context.Context, after string, limit int) (claimed []knowledge.VersionRef, last string, err error)
	// VersionBack makes one due at once.
	VersionBack(ctx context.Context, v knowledge.VersionRef) error
}

// sweepIngestions removes what ingestions left over, at once and until ctx ends. It runs
// beside the starts, which must not wait for an index that is slow.
func (w *Worker) sweepIngestions(ctx context.Context) {
	sweeps := pump.New(sweepIngestionsEvery)
	sweeps.Wake() // workers that die again and again sweep all the same
	sweeps.Run(ctx, func(ctx context.Context) bool {
		if err := w.o.IngestionActivities.Sweep(ctx); err != nil && ctx.Err() == nil {
			w.o.Log.WarnContext(ctx, "what ingestions left over could not be removed", "error", err)
		}
		return false
	})
}

func (w *Worker) registerIngestions(r registry) {
	r.RegisterWorkflowWithOptions(workflows.Ingestion, workflow.RegisterOptions{Name: contract.WorkflowIngestion})
	r.RegisterActivityWithOptions(w.o.IngestionActivities.Stage, activity.RegisterOptions{Name: contract.ActivityStage})
}

func (w *Worker) ingestions(e *engine, p *pollers) sdkworker.Worker {
	o := w.options(p)
	o.MaxConcurrentActivityExecutionSize = ingestionStages
	group := sdkworker.New(e.Client, contract.QueueIngestion, o)
	w.registerIngestions(group)
	return group
}

// startIngestion asks the engine for the run of a version. One that is open
// already goes on as it is.
func (e *engine) startIngestion(ctx context.Context, v knowledge.VersionRef) error {
	return e.startOnce(ctx, client.StartWorkflowOptions{
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

// ingestionSummary is the line above the run of a version. It holds no name of
// a file, which is a text of the caller's.
func ingestionSummary(v knowledge.VersionRef) string {
	return fmt.Sprintf("Version %d of source %s of workspace %s", v.Version, v.SourceID, v.WorkspaceID)
}
