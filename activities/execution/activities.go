package execution

import (
	"context"
	"log/slog"
	"time"
	"unicode/utf8"

	"go.temporal.io/sdk/activity"

	"github.com/redline-svc/redline/activities"
	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/interpreter"
	"github.com/redline-svc/redline/models/execution"
)

const (
	// sendMargin is what must be left of the hold beyond the call's own limit
	// when it is sent, so that the next one never overlaps it.
	sendMargin = time.Second
	// maxDetails is how much of the text for Temporal's UI travels, in bytes, and
	// again of the names of those who are waited for: both are written into the
	// history at each plan.
	maxDetails = 8 << 10
)

// Rows is what the activities need of the rows
// (*execution.Executions).
type Rows interface {
	// Plan is what Temporal has to drive now.
	Plan(ctx context.Context, in contract.PlanInput) (contract.Plan, error)
	// ReadPlan is the plan as it stands, by a question that changes nothing.
	ReadPlan(ctx context.Context, workspaceID, executionID string) (contract.Plan, error)
	// Begin numbers a call and holds its step; without a call the plan
	// says what to do instead.
	Begin(ctx context.Context, in contract.CallInput) (*execution.StepCall, contract.Plan, error)
	// Finish records how a call ended. A run that began driving during the call is signalled
	// after it.
	Finish(ctx context.Context, in contract.CallInput, o interpreter.Outcome) (contract.Plan, error)
	// Signal queues a signal for the execution.
	Signal(ctx context.Context, workspaceID, executionID string) error
}

// StepCaller makes the call of a step and gives what became of it. It keeps to
// the step's own limit and never fails: every end is an outcome.
type StepCaller interface {
	// now is the time by Postgres.
	Call(ctx context.Context, call *execution.StepCall, now func() time.Time) interpreter.Outcome
}

// Activities are the activities of the Execution workflow.
type Activities struct {
	rows         Rows
	webhooks     StepCaller
	historyLimit int
	clock        activities.Clock
}

// New makes the activities. historyLimit is after how many events of
// its history a run continues as new (REDLINE_CONTINUE_AS_NEW_EVENTS).
func New(rows Rows, webhooks StepCaller, historyLimit int) *Activities {
	return &Activities{rows: rows, webhooks: webhooks, historyLimit: historyLimit, clock: activities.SystemClock()}
}

// Plan is the local activity by which a run asks what to drive.
func (e *Activities) Plan(ctx context.Context, in contract.PlanInput) (plan contract.Plan, err error) {
	defer e.orEnded(ctx, in.WorkspaceID, in.ExecutionID, &plan, &err)
	in.RunID = activity.GetInfo(ctx).WorkflowExecution.RunID
	plan, err = e.rows.Plan(ctx, in)
	return e.trim(plan), activities.Error(ctx, err)
}

// Call makes the call of one step, if the rows let it begin, and returns the plan
// that follows from its outcome.
func (e *Activities) Call(ctx context.Context, in contract.CallInput) (plan contract.Plan, err error) {
	defer e.orEnded(ctx, in.WorkspaceID, in.ExecutionID, &plan, &err)
	in.RunID = activity.GetInfo(ctx).WorkflowExecution.RunID
	return e.makeCall(ctx, in)
}

func (e *Activities) makeCall(ctx context.Context, in contract.CallInput) (contract.Plan, error) {
	asked := e.clock()
	call, plan, err := e.begin(ctx, in)
	if err != nil || call == nil {
		return e.trim(plan), activities.Error(ctx, err)
	}
	hold := activities.PostgresTime{Clock: e.clock, Begun: call.BegunAt, Asked: asked, Answered: e.clock()}
	if hold.Passed() > interpreter.LockMargin-sendMargin {
		return e.trim(plan), nil // too little of the hold is left: the next one begins when it ends
	}
	stop := activities.Heartbeat(ctx)
	defer stop()
	outcome := e.webhooks.Call(context.WithoutCancel(ctx), call, hold.Now)
	plan, err = e.finish(ctx, in, outcome, func() time.Duration { return call.LockedFor - hold.Passed() })
	return e.trim(plan), activities.Error(ctx, err)
}

// begin returns an error in a worker that is about to stop: another one takes over.
func (e *Activities) begin(ctx context.Context, in contract.CallInput) (*execution.StepCall, contract.Plan, error) {
	select {
	case <-activities.WorkerStop(ctx):
		return nil, contract.Plan{}, fault.Unavailable(context.Canceled)
	default:
	}
	own, cancel := context.WithTimeout(context.WithoutCancel(ctx), activities.StoreLimit)
	defer cancel()
	return e.rows.Begin(own, in)
}

// finish tries to store the outcome until it is stored or the hold has ended; then
// whoever asks next begins the call again.
func (e *Activities) finish(ctx context.Context, in contract.CallInput, outcome interpreter.Outcome, left func() time.Duration) (contract.Plan, error) {
	for pause := activities.RetryFirst; ; pause = min(2*pause, activities.RetryLongest) {
		plan, err := e.offer(ctx, in, outcome)
		if err == nil || pause > left() {
			return plan, err
		}
		slog.WarnContext(ctx, "an outcome could not be stored yet", "execution_id", in.ExecutionID, "step_id", in.StepID, "error", err)
		time.Sleep(pause)
	}
}

// offer stores the outcome once. When Temporal has given up this activity nobody
// takes its result. A run that drives the execution instead is known to the rows; in
// case that there is none yet, a signal starts it.
func (e *Activities) offer(ctx context.Context, in contract.CallInput, outcome interpreter.Outcome) (contract.Plan, error) {
	own, cancel := context.WithTimeout(context.WithoutCancel(ctx), activities.StoreLimit)
	defer cancel()
	plan, err := e.rows.Finish(own, in, outcome)
	if err == nil && ctx.Err() != nil {
		err = e.rows.Signal(own, in.WorkspaceID, in.ExecutionID)
	}
	return plan, err
}

// trim sets the run's history limit and keeps what is for people short.
func (e *Activities) trim(plan contract.Plan) contract.Plan {
	plan.HistoryLimit = e.historyLimit
	if len(plan.Details) > maxDetails {
		end := maxDetails
		for end > 0 && !utf8.RuneStart(plan.Details[end]) {
			end--
		}
		plan.Details = plan.Details[:end] + "…"
	}
	left := maxDetails
	for i := range plan.Live {
		left -= trimNames(&plan.Live[i].Shown, left)
	}
	return plan
}

// trimNames leaves as many names as fit into so many bytes, and returns how many
// they take.
func trimNames(shown *contract.Shown, most int) (taken int) {
	for i, name := range shown.WaitingFor {
		if taken+len(name) > most {
			shown.WaitingMore = len(shown.WaitingFor) - i
			shown.WaitingFor = shown.WaitingFor[:i]
			return most // no later name is shown where an earlier one is not
		}
		taken += len(name)
	}
	return taken
}
