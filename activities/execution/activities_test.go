package execution

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/interpreter"
	"github.com/redline-svc/redline/models/execution"
)

// rowsOf plays the rows of one execution.
type rowsOf struct {
	mu       sync.Mutex
	call     *execution.StepCall
	plan     contract.Plan
	beginErr error
	refusals int // how often an outcome is not stored
	finished []interpreter.Outcome
	offered  int
	marked   int
	runs     []string // who asked
}

func (r *rowsOf) Plan(_ context.Context, in contract.PlanInput) (contract.Plan, error) {
	r.runs = append(r.runs, in.RunID)
	return r.plan, r.beginErr
}

func (r *rowsOf) ReadPlan(context.Context, string, string) (contract.Plan, error) {
	return r.plan, nil
}

func (r *rowsOf) Begin(_ context.Context, in contract.CallInput) (*execution.StepCall, contract.Plan, error) {
	r.runs = append(r.runs, in.RunID)
	return r.call, r.plan, r.beginErr
}

func (r *rowsOf) Finish(ctx context.Context, in contract.CallInput, o interpreter.Outcome) (contract.Plan, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.runs = append(r.runs, in.RunID)
	if r.offered++; r.offered <= r.refusals {
		return contract.Plan{}, fault.Unavailable(errors.New("the database is away"))
	}
	r.finished = append(r.finished, o)
	return contract.Plan{Revision: 7, Status: "completed"}, ctx.Err()
}

func (r *rowsOf) Signal(context.Context, string, string) error { r.marked++; return nil }

// callerFunc makes the call of a step.
type callerFunc func(ctx context.Context, call *execution.StepCall) interpreter.Outcome

func (f callerFunc) Call(ctx context.Context, call *execution.StepCall, _ func() time.Time) interpreter.Outcome {
	return f(ctx, call)
}

func succeeds(context.Context, *execution.StepCall) interpreter.Outcome {
	return interpreter.Outcome{Kind: interpreter.Success, HTTPStatus: 200}
}

func callIn(t *testing.T, e *Activities) (contract.Plan, error) {
	t.Helper()
	return callOf(t, e, contract.CallInput{WorkspaceID: "ws", ExecutionID: "exec", StepID: "step"})
}

func callOf(t *testing.T, e *Activities, in contract.CallInput) (contract.Plan, error) {
	t.Helper()
	return ofARun(t, contract.ActivityCall, e.Call, in)
}

// planOf asks for a plan as a run does.
func planOf(t *testing.T, e *Activities) (contract.Plan, error) {
	t.Helper()
	return ofARun(t, contract.ActivityPlan, e.Plan, contract.PlanInput{WorkspaceID: "ws", ExecutionID: "exec"})
}

// testRun is the run to which the activities of the SDK's test environment belong.
const testRun = "default-test-run-id"

// ofARun carries an activity out as that of a run.
func ofARun(t *testing.T, name string, act, in any) (contract.Plan, error) {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivityWithOptions(act, activity.RegisterOptions{Name: name})
	result, err := env.ExecuteActivity(name, in)
	if err != nil {
		return contract.Plan{}, err
	}
	var plan contract.Plan
	return plan, result.Get(&plan)
}

func TestTheRowsKnowWhichRunAsks(t *testing.T) {
	r := &rowsOf{call: &execution.StepCall{LockedFor: 20 * time.Second}}
	e := New(r, callerFunc(succeeds), 0)
	_, err := planOf(t, e)
	require.NoError(t, err)
	_, err = callIn(t, e)
	require.NoError(t, err)
	require.Equal(t, []string{testRun, testRun, testRun}, r.runs, "of the plan, and of the begin and the end of the call")
}

func TestCallStoresItsOutcomeAndGivesThePlan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &rowsOf{call: &execution.StepCall{Number: 3, LockedFor: 20 * time.Second}}
		plan, err := callIn(t, New(r, callerFunc(succeeds), 100))
		require.NoError(t, err)
		require.Equal(t, int64(7), plan.Revision)
		require.Equal(t, 100, plan.HistoryLimit)
		require.Len(t, r.finished, 1)
		require.Zero(t, r.marked)
	})
}

func TestCallThatMayNotBeginIsNotMade(t *testing.T) {
	r := &rowsOf{plan: contract.Plan{Revision: 4, Status: "running"}}
	made := false
	plan, err := callIn(t, New(r, callerFunc(func(ctx context.Context, c *execution.StepCall) interpreter.Outcome {
		made = true
		return succeeds(ctx, c)
	}), 0))
	require.NoError(t, err)
	require.Equal(t, int64(4), plan.Revision)
	require.False(t, made)
	require.Empty(t, r.finished)
}

func TestOutcomeIsOfferedUntilItIsStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &rowsOf{call: &execution.StepCall{LockedFor: 20 * time.Second}, refusals: 3}
		plan, err := callIn(t, New(r, callerFunc(succeeds), 0))
		require.NoError(t, err)
		require.Equal(t, int64(7), plan.Revision)
		require.Equal(t, 4, r.offered)
		require.Len(t, r.finished, 1)
	})
}

func TestOutcomeIsOfferedOnlyWhileTheHoldLasts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &rowsOf{call: &execution.StepCall{LockedFor: 500 * time.Millisecond}, refusals: 1000}
		_, err := callIn(t, New(r, callerFunc(succeeds), 0))
		var app *temporal.ApplicationError
		require.ErrorAs(t, err, &app)
		require.Equal(t, string(fault.StatusUnavailable), app.Type())
		require.False(t, app.NonRetryable())
		require.NotContains(t, err.Error(), "database", "causes are for our log")
		require.Less(t, r.offered, 5)
	})
}

func TestOutcomeIsStoredThoughTemporalGaveTheCallUp(t *testing.T) {
	r := &rowsOf{}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	plan, err := New(r, nil, 0).finish(gone, contract.CallInput{}, interpreter.Outcome{Kind: interpreter.Success}, func() time.Duration { return time.Minute })
	require.NoError(t, err)
	require.Equal(t, int64(7), plan.Revision)
	require.Equal(t, 1, r.marked, "the run that took its place has to hear of it")
}

func TestErrorsOfTheRowsKeepTheirStatus(t *testing.T) {
	for _, c := range []struct {
		err   error
		final bool
	}{{fault.Unavailable(nil), false}, {errors.New("anything"), false}, {fault.NotFound("execution"), true}} {
		r := &rowsOf{beginErr: c.err}
		_, err := planOf(t, New(r, nil, 0))
		var app *temporal.ApplicationError
		require.ErrorAs(t, err, &app)
		require.Equal(t, c.final, app.NonRetryable())
	}
}

func TestTextForPeopleIsKeptShort(t *testing.T) {
	e := New(&rowsOf{plan: contract.Plan{Details: strings.Repeat("ä", maxDetails)}}, nil, 0)
	plan, err := planOf(t, e)
	require.NoError(t, err)
	require.LessOrEqual(t, len(plan.Details), maxDetails+len("…"))
	require.True(t, strings.HasSuffix(plan.Details, "ä…"))
}

func TestNamesOfThoseWhoAreWaitedForAreKeptShort(t *testing.T) {
	long := strings.Repeat("u", maxDetails/2)
	live := []contract.LiveStep{
		{Shown: contract.Shown{WaitingFor: []string{"ann", long}}},
		{Shown: contract.Shown{WaitingFor: []string{"bob", long, "cat"}}},
		{Shown: contract.Shown{WaitingFor: []string{"eve"}}},
	}
	plan := New(nil, nil, 0).trim(contract.Plan{Live: live})
	require.Equal(t, []string{"ann", long}, plan.Live[0].WaitingFor)
	require.Zero(t, plan.Live[0].WaitingMore)
	require.Equal(t, []string{"bob"}, plan.Live[1].WaitingFor)
	require.Equal(t, 2, plan.Live[1].WaitingMore)
	require.Empty(t, plan.Live[2].WaitingFor)
	require.Equal(t, 1, plan.Live[2].WaitingMore)
}
