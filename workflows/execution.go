package workflows

import (
	"fmt"
	"time"

	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/redline-svc/redline/internal/contract"
)

// HistoryLimit and HistoryBytes are after how much history a run continues as
// new; the number of events may be set lower by the plan.
const (
	HistoryLimit = 4000
	HistoryBytes = 4 << 20
)

// execution is the state of one run: the last plan and what is driven for it.
type execution struct {
	in contract.ExecutionInput
	// definition is what is carried out, by name and version.
	definition string
	// root is cancelled when somebody cancels the run in Temporal; ctx is not,
	// because a cancellation is an answer for the rows and not an end.
	root, ctx workflow.Context
	signals   workflow.ReceiveChannel

	plan  contract.Plan
	steps []*driven
	calls []call
	alarm alarm
	// reported says that the rows know of the cancellation in Temporal.
	reported bool
	// waited says that this run has come to rest once.
	waited bool
}

// Execution drives one execution until its rows have ended it.
func Execution(ctx workflow.Context, in contract.ExecutionInput) error {
	undisturbed, _ := workflow.NewDisconnectedContext(ctx)
	e := &execution{
		in: in, definition: definitionOf(ctx), root: ctx, ctx: undisturbed,
		signals: workflow.GetSignalChannel(ctx, contract.SignalChanged),
	}
	if err := workflow.SetQueryHandler(ctx, contract.QueryState, e.state); err != nil {
		return err
	}
	return e.run()
}

// run asks, drives and waits until there is nothing left to drive, or too much
// history to go on with.
func (e *execution) run() error {
	if err := e.ask(); err != nil {
		return err
	}
	for {
		mustAsk := e.signals.Len() > 0 || e.cancelled()
		switch {
		case mustAsk:
		case e.plan.Ended():
			return e.end()
		case e.full() && len(e.calls) == 0:
			// memo and search attributes go on; Temporal drops the static summary,
			// so the details name the definition
			return workflow.NewContinueAsNewError(e.ctx, contract.WorkflowExecution, e.in)
		default:
			mustAsk = e.rest()
		}
		if !mustAsk {
			continue
		}
		if err := e.ask(); err != nil {
			return err
		}
	}
}

// rest starts what may start, waits until something happens and reports whether the
// plan has to be asked for.
func (e *execution) rest() (mustAsk bool) {
	if !e.full() {
		e.startCalls()
	}
	e.setAlarm()
	e.waited = true
	_ = workflow.Await(e.ctx, e.stirred) // fails only when ctx is cancelled, which nobody can do
	lost := e.takeResults()
	return lost || e.cancelled() || e.signals.Len() > 0 || e.overdue()
}

// stirred reports whether something happened that the run waits for.
func (e *execution) stirred() bool {
	if e.cancelled() || e.signals.Len() > 0 || e.alarm.rung() {
		return true
	}
	for _, c := range e.calls {
		if c.result.IsReady() {
			return true
		}
	}
	return false
}

// cancelled reports whether somebody cancelled the run in Temporal and the rows do
// not know yet.
func (e *execution) cancelled() bool { return !e.reported && e.root.Err() != nil }

// ask reads the plan. What was signalled before is answered by it, so those signals
// are taken first.
func (e *execution) ask() error {
	for e.signals.ReceiveAsync(nil) {
	}
	in := contract.PlanInput{
		WorkspaceID: e.in.WorkspaceID,
		ExecutionID: e.in.ExecutionID,
		WorkflowID:  workflow.GetInfo(e.ctx).WorkflowExecution.ID,
		Cancelled:   e.cancelled(),
	}
	e.reported = e.reported || in.Cancelled
	e.markAsked()
	var plan contract.Plan
	if err := local(e.ctx, contract.ActivityPlan, in, &plan); err != nil {
		return err
	}
	if plan.Revision >= e.plan.Revision || plan.Status == "" {
		return e.follow(plan)
	}
	return nil
}

// follow takes a plan over and shows it to people.
func (e *execution) follow(plan contract.Plan) error {
	e.plan = plan
	e.compare()
	workflow.SetCurrentDetails(e.ctx, e.details())
	status := temporal.NewSearchAttributeKeyKeyword(contract.SearchStatus)
	shown, _ := workflow.GetTypedSearchAttributes(e.ctx).GetKeyword(status)
	if plan.Status == "" || plan.Status == shown {
		return nil
	}
	return workflow.UpsertTypedSearchAttributes(e.ctx, status.ValueSet(plan.Status))
}

// details is the text for people: what is carried out, and how it stands.
func (e *execution) details() string {
	if e.definition == "" {
		return e.plan.Details
	}
	return e.definition + "\n\n" + e.plan.Details
}

// definitionOf is the name and the version that the memo of a run holds, empty
// without a memo. It stays over continue-as-new, which the static summary does not.
func definitionOf(ctx workflow.Context) string {
	fields := workflow.GetInfo(ctx).Memo.GetFields()
	var name string
	var version int
	decode := converter.GetDefaultDataConverter().FromPayload
	if len(fields) == 0 || decode(fields[contract.MemoDefinitionName], &name) != nil || decode(fields[contract.MemoDefinitionVersion], &version) != nil {
		return ""
	}
	return fmt.Sprintf("%s v%d", name, version)
}

// end closes the run as its execution ended. Without a row there was nothing to
// do.
func (e *execution) end() error {
	switch e.plan.Status {
	case "failed":
		return temporal.NewNonRetryableApplicationError("the execution failed: "+e.plan.Failure, e.plan.Failure, nil)
	case "cancelled":
		return temporal.NewCanceledError()
	default:
		return nil
	}
}

// full reports whether the history is so long that the run should continue as new. A
// run that has not rested yet goes on: with a low limit it would otherwise do
// nothing but continue as new.
func (e *execution) full() bool {
	info := workflow.GetInfo(e.ctx)
	limit := HistoryLimit
	if e.plan.HistoryLimit > 0 {
		limit = e.plan.HistoryLimit
	}
	return e.waited && (info.GetCurrentHistoryLength() >= limit ||
		info.GetCurrentHistorySize() >= HistoryBytes || info.GetContinueAsNewSuggested())
}

// state answers the query.
func (e *execution) state() (contract.ExecutionState, error) {
	state := contract.ExecutionState{Definition: e.definition, Plan: e.plan, UnderWay: make([]string, len(e.calls))}
	for i, c := range e.calls {
		state.UnderWay[i] = c.stepID
	}
	return state, nil
}

// alarm is the one timer of a run, set to the earliest moment at which a step
// wants to be started or looked at.
type alarm struct {
	at     time.Time
	timer  workflow.Future
	cancel workflow.CancelFunc
}

// alarmSlack is how far from the moment the alarm may ring: each plan gives
// slightly other moments for the same due time, and a timer is not set again for
// that. One that rings too early is followed by one for the rest.
const alarmSlack = 250 * time.Millisecond

func (a *alarm) rung() bool { return a.timer != nil && a.timer.IsReady() }

// setAlarm sets the timer to the earliest moment, or none.
func (e *execution) setAlarm() {
	at := e.nextMoment()
	a := &e.alarm
	if a.timer != nil && !a.timer.IsReady() {
		if !at.IsZero() && a.at.Sub(at).Abs() <= alarmSlack {
			return
		}
		a.cancel()
	}
	*a = alarm{}
	if at.IsZero() {
		return
	}
	var ctx workflow.Context
	ctx, a.cancel = workflow.WithCancel(e.ctx)
	a.at, a.timer = at, workflow.NewTimer(ctx, max(at.Sub(workflow.Now(e.ctx)), time.Millisecond))
}
