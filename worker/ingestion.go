package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	sdkworker "go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/models"
	"github.com/redline-svc/redline/workflows"
)

const (
	// ingestionStages is how many stages may be under way at once in a worker: twice
	// as many as one workspace may have. Most of them wait for the model, in turns
	// of a text; how many work besides is limited where they do.
	ingestionStages = 128
	// claimedVersions is how many versions one look claims.
	claimedVersions = 32
	// sweepIngestionsEvery is how often what is left over is removed.
	sweepIngestionsEvery = 20 * time.Second
	// kindIngestion marks the runs of versions in the engine.
	kindIngestion = "ingestion"
)

// Versions are the rows of sources in work (*models.Knowledge).
type Versions interface {
	// ClaimVersions takes versions for which a run is to be asked; they come
	// again after half a minute until they have ended.
	ClaimVersions(ctx context.Context, limit int) ([]models.OwedVersion, error)
	// VersionBack makes one due at once.
	VersionBack(ctx context.Context, v models.OwedVersion) error
}

// IngestionActivities are the activities of the Ingestion workflow
// (*activities.Ingestion).
type IngestionActivities interface {
	Stage(ctx context.Context, in contract.StageInput) (contract.StageResult, error)
	// Sweep removes what is left over; it is no activity.
	Sweep(ctx context.Context) error
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

// startVersion asks the engine for the run of a version.
type startVersion func(ctx context.Context, v models.OwedVersion) error

// intake turns versions in work into runs.
type intake struct {
	rows  Versions
	work  IngestionActivities
	log   *slog.Logger
	nudge chan struct{}
	// every is how often it looks without having been nudged.
	every time.Duration
}

func newIntake(rows Versions, work IngestionActivities, log *slog.Logger) *intake {
	return &intake{rows: rows, work: work, log: log, nudge: make(chan struct{}, 1), every: pollEvery}
}

// rouse tells that versions may be owed a run. It never blocks.
func (t *intake) rouse() {
	select {
	case t.nudge <- struct{}{}:
	default: // it is going to look anyway
	}
}

// run asks for runs whenever it is nudged, and now and then whatever is due,
// until ctx ends.
func (t *intake) run(ctx context.Context, start startVersion) {
	poll := time.NewTicker(t.every)
	defer poll.Stop()
	for ctx.Err() == nil {
		if t.startSome(ctx, start) {
			continue
		}
		select {
		case <-ctx.Done():
		case <-t.nudge:
		case <-poll.C:
		}
	}
}

// sweep removes what ingestions left over, until ctx ends. It runs beside the
// starts, which must not wait for an index that is slow.
func (t *intake) sweep(ctx context.Context) {
	for pause(ctx, sweepIngestionsEvery) {
		t.warn(ctx, "what ingestions left over could not be removed", t.work.Sweep(ctx))
	}
}

// startSome claims versions and asks for their runs. When the engine takes none
// the rest is given back. It tells whether there may be more.
func (t *intake) startSome(ctx context.Context, start startVersion) (more bool) {
	own, cancel := context.WithTimeout(ctx, rowsLimit)
	defer cancel()
	owed, err := t.rows.ClaimVersions(own, claimedVersions)
	t.warn(ctx, "versions could not be claimed", err)
	for i, v := range owed {
		if err := start(ctx, v); err != nil {
			t.warn(ctx, "the run of a version could not be started", err)
			t.giveBack(ctx, owed[i:])
			return false
		}
	}
	return len(owed) == claimedVersions
}

func (t *intake) giveBack(ctx context.Context, owed []models.OwedVersion) {
	own, cancel := context.WithTimeout(context.WithoutCancel(ctx), rowsLimit)
	defer cancel()
	for _, v := range owed {
		t.warn(ctx, "a version could not be given back", t.rows.VersionBack(own, v))
	}
}

func (t *intake) warn(ctx context.Context, text string, err error) {
	if err != nil && ctx.Err() == nil {
		t.log.WarnContext(ctx, text, "error", err)
	}
}

// bringIn asks the engine for the run of a version. One that is open already
// goes on as it is.
func (e *engine) bringIn(ctx context.Context, v models.OwedVersion) error {
	ctx, cancel := context.WithTimeout(ctx, sendLimit)
	defer cancel()
	_, err := e.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID:                    contract.IngestionWorkflowID(v.SourceID, v.Version),
		TaskQueue:             contract.QueueIngestion,
		WorkflowTaskTimeout:   taskTimeout,
		WorkflowIDReusePolicy: enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		StaticSummary:         ingestionSummary(v),
		EnableEagerStart:      true,

		WorkflowExecutionErrorWhenAlreadyStarted: true,
		TypedSearchAttributes: temporal.NewSearchAttributes(
			keyword(contract.SearchKind, kindIngestion),
			keyword(contract.SearchWorkspaceID, v.WorkspaceID),
			keyword(contract.SearchObjectID, v.SourceID),
		),
	}, contract.WorkflowIngestion, contract.IngestionInput{WorkspaceID: v.WorkspaceID, SourceID: v.SourceID, Version: v.Version})
	if _, open := errors.AsType[*serviceerror.WorkflowExecutionAlreadyStarted](err); open {
		return nil
	}
	return err
}

// ingestionSummary is the line above the run of a version. It holds no name of
// a file, which is a text of the caller's.
func ingestionSummary(v models.OwedVersion) string {
	return fmt.Sprintf("Version %d of source %s of workspace %s", v.Version, v.SourceID, v.WorkspaceID)
}
