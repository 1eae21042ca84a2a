package activities

import (
	"context"
	"log/slog"
	"time"
	"unicode/utf8"

	"go.temporal.io/sdk/activity"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/walk"
	"github.com/redline-svc/redline/models"
)

const (
	// storeLimit is how long one statement of an activity may take.
	storeLimit = 10 * time.Second
	// sendMargin is what must be left of the hold beyond the call's own limit
	// when it is sent, so that the next one never overlaps it.
	sendMargin = time.Second
	// offerFirst and offerLongest bound the pause before an outcome that could
	// not be stored is offered again.
	offerFirst   = 100 * time.Millisecond
	offerLongest = 2 * time.Second
	// heartbeatEvery is how often the engine hears that a call is alive.
	heartbeatEvery = 3 * time.Second
	// maxDetails is how much of the text for the engine's UI travels, in bytes:
	// it is written into the history at each plan.
	maxDetails = 8 << 10
)

// ExecutionRows is what the activities of executions need of the rows
// (*models.Executions).
type ExecutionRows interface {
	// Plan is what the engine has to drive now.
	Plan(ctx context.Context, in contract.PlanInput) (contract.Plan, error)
	// Begin numbers a call and holds its step; without a call the plan tells
	// what to do instead.
	Begin(ctx context.Context, workspaceID, executionID, stepID string) (*models.StepCall, contract.Plan, error)
	// Finish records how a call ended.
	Finish(ctx context.Context, workspaceID, executionID, stepID string, o walk.Outcome) (contract.Plan, error)
	// Owe marks the execution as owed a poke.
	Owe(ctx context.Context, workspaceID, executionID string) error
}

// StepCaller makes the call of a step and tells what became of it. It keeps to
// the step's own limit and never fails: every end is an outcome.
type StepCaller interface {
	// now tells the time by Postgres.
	Call(ctx context.Context, call *models.StepCall, now func() time.Time) walk.Outcome
}

// Executions are the activities of the Execution workflow.
type Executions struct {
	rows         ExecutionRows
	webhooks     StepCaller
	historyLimit int
	clock        clock
}

// NewExecutions makes the activities. historyLimit is after how many events of
// its history a run continues as new (REDLINE_CONTINUE_AS_NEW_EVENTS).
func NewExecutions(rows ExecutionRows, webhooks StepCaller, historyLimit int) *Executions {
	return &Executions{rows: rows, webhooks: webhooks, historyLimit: historyLimit, clock: ownClock()}
}

// Plan is the local activity by which a run asks what to drive.
func (e *Executions) Plan(ctx context.Context, in contract.PlanInput) (contract.Plan, error) {
	plan, err := e.rows.Plan(ctx, in)
	return e.trim(plan), engineError(ctx, err)
}

// Call makes the call of one step, if the rows let it begin, and gives the plan
// that follows from its outcome.
func (e *Executions) Call(ctx context.Context, in contract.CallInput) (contract.Plan, error) {
	asked := e.clock()
	call, plan, err := e.begin(ctx, in)
	if err != nil || call == nil {
		return e.trim(plan), engineError(ctx, err)
	}
	hold := reckoning{e.clock, call.BegunAt, asked}
	if hold.passed() > walk.HoldMargin-sendMargin {
		return e.trim(plan), nil // too little of the hold is left: the next one begins when it ends
	}
	stop := beat(ctx)
	defer stop()
	outcome := e.webhooks.Call(context.WithoutCancel(ctx), call, hold.now)
	plan, err = e.finish(ctx, in, outcome, func() time.Duration { return call.Hold - hold.passed() })
	return e.trim(plan), engineError(ctx, err)
}

// begin is not tried by a worker that is about to stop: another one shall.
func (e *Executions) begin(ctx context.Context, in contract.CallInput) (*models.StepCall, contract.Plan, error) {
	select {
	case <-activity.GetWorkerStopChannel(ctx):
		return nil, contract.Plan{}, fault.Away(context.Canceled)
	default:
	}
	own, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeLimit)
	defer cancel()
	return e.rows.Begin(own, in.WorkspaceID, in.ExecutionID, in.StepID)
}

// finish offers the outcome to the rows until they take it or nothing is left of
// the hold; then the call is begun again by whoever asks next.
func (e *Executions) finish(ctx context.Context, in contract.CallInput, outcome walk.Outcome, left func() time.Duration) (contract.Plan, error) {
	for pause := offerFirst; ; pause = min(2*pause, offerLongest) {
		plan, err := e.offer(ctx, in, outcome)
		if err == nil || pause > left() {
			return plan, err
		}
		slog.WarnContext(ctx, "an outcome could not be stored yet", "executionId", in.ExecutionID, "stepId", in.StepID, "error", err)
		time.Sleep(pause)
	}
}

// offer stores the outcome once. When the engine has given up this activity
// nobody takes its result, so the run that took its place is owed a poke.
func (e *Executions) offer(ctx context.Context, in contract.CallInput, outcome walk.Outcome) (contract.Plan, error) {
	own, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeLimit)
	defer cancel()
	plan, err := e.rows.Finish(own, in.WorkspaceID, in.ExecutionID, in.StepID, outcome)
	if err == nil && ctx.Err() != nil {
		err = e.rows.Owe(own, in.WorkspaceID, in.ExecutionID)
	}
	return plan, err
}

// trim sets the run's history limit and keeps the text for people short.
func (e *Executions) trim(plan contract.Plan) contract.Plan {
	plan.HistoryLimit = e.historyLimit
	if len(plan.Details) > maxDetails {
		cut := maxDetails
		for cut > 0 && !utf8.RuneStart(plan.Details[cut]) {
			cut--
		}
		plan.Details = plan.Details[:cut] + "…"
	}
	return plan
}

// beat tells the engine that the activity lives, until the returned function is
// called.
func beat(ctx context.Context) (stop func()) {
	ended := make(chan struct{})
	go func() {
		ticker := time.NewTicker(heartbeatEvery)
		defer ticker.Stop()
		for {
			activity.RecordHeartbeat(ctx)
			select {
			case <-ended:
				return
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
		}
	}()
	return func() { close(ended) }
}
