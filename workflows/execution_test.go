package workflows_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	sdkpb "go.temporal.io/api/sdk/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/workflows"
)

var input = contract.ExecutionInput{WorkspaceID: "ws_1", ExecutionID: "exec_1"}

// rows plays the rows of one execution: it gives the plan of the moment and
// notes what it was asked.
type rows struct {
	mu   sync.Mutex
	plan func(n int, in contract.PlanInput) (contract.Plan, error)
	call func(n int, in contract.CallInput) (contract.Plan, error)

	asked []time.Time
	calls []time.Time
	now   func() time.Time
}

func (r *rows) Plan(_ context.Context, in contract.PlanInput) (contract.Plan, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked = append(r.asked, r.now())
	return r.plan(len(r.asked), in)
}

func (r *rows) Call(_ context.Context, in contract.CallInput) (contract.Plan, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, r.now())
	return r.call(len(r.calls), in)
}

// newRun makes an environment in which the run of one execution meets rows.
func newRun(t *testing.T, r *rows) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	env.SetTestTimeout(time.Minute)
	env.RegisterWorkflowWithOptions(workflows.Execution, workflow.RegisterOptions{Name: contract.WorkflowExecution})
	env.RegisterActivityWithOptions(r.Plan, activity.RegisterOptions{Name: contract.ActivityPlan})
	env.RegisterActivityWithOptions(r.Call, activity.RegisterOptions{Name: contract.ActivityCall})
	r.now = env.Now
	return env
}

func run(env *testsuite.TestWorkflowEnvironment) error {
	env.ExecuteWorkflow(contract.WorkflowExecution, input)
	return env.GetWorkflowError()
}

func wait(id string, due *int64) contract.LiveStep {
	return contract.LiveStep{StepID: id, NodeID: id, Need: contract.NeedWait, DueIn: due}
}

func callStep(id string, try int, in int64) contract.LiveStep {
	return contract.LiveStep{StepID: id, NodeID: id, Need: contract.NeedCall, Try: try, StartIn: new(in)}
}

func running(revision int64, live ...contract.LiveStep) contract.Plan {
	return contract.Plan{Revision: revision, Status: "running", Live: live}
}

func ended(revision int64, status string) contract.Plan {
	return contract.Plan{Revision: revision, Status: status, Failure: map[string]string{"failed": "step-failed"}[status]}
}

func TestRunClosesAsItsExecutionEnded(t *testing.T) {
	for status, check := range map[string]func(*testing.T, error){
		"completed": func(t *testing.T, err error) { require.NoError(t, err) },
		"":          func(t *testing.T, err error) { require.NoError(t, err) },
		"failed": func(t *testing.T, err error) {
			var app *temporal.ApplicationError
			require.ErrorAs(t, err, &app)
			require.Equal(t, "step-failed", app.Type())
		},
		"cancelled": func(t *testing.T, err error) {
			require.True(t, temporal.IsCanceledError(errors.Unwrap(err)), "%v", err)
		},
	} {
		t.Run(status, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := &rows{plan: func(int, contract.PlanInput) (contract.Plan, error) { return ended(1, status), nil }}
				env := newRun(t, r)
				err := run(env)
				require.True(t, env.IsWorkflowCompleted())
				check(t, err)
				require.Len(t, r.asked, 1)
			})
		})
	}
}

func TestRunNamesItselfToTheRows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got contract.PlanInput
		r := &rows{plan: func(_ int, in contract.PlanInput) (contract.Plan, error) { got = in; return contract.Plan{}, nil }}
		env := newRun(t, r)
		require.NoError(t, run(env))
		require.Equal(t, "ws_1", got.WorkspaceID)
		require.Equal(t, "exec_1", got.ExecutionID)
		require.Equal(t, "default-test-workflow-id", got.WorkflowID)
		require.False(t, got.Cancelled)
	})
}

func TestASignalMakesARunAskAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &rows{plan: func(n int, _ contract.PlanInput) (contract.Plan, error) {
			if n == 1 {
				return running(1, wait("person", nil)), nil
			}
			return ended(2, "completed"), nil
		}}
		env := newRun(t, r)
		env.RegisterDelayedCallback(func() { env.SignalWorkflow(contract.SignalChanged, nil) }, time.Hour)
		require.NoError(t, run(env))
		require.Len(t, r.asked, 2)
		require.Equal(t, time.Hour, r.asked[1].Sub(r.asked[0]))
	})
}

func TestCallLeadsToTheNextOneByItsOwnResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &rows{
			plan: func(int, contract.PlanInput) (contract.Plan, error) { return running(1, callStep("a", 0, 0)), nil },
			call: func(n int, in contract.CallInput) (contract.Plan, error) {
				if n == 1 {
					return running(2, callStep("b", 0, 0)), nil
				}
				return ended(3, "completed"), nil
			},
		}
		env := newRun(t, r)
		require.NoError(t, run(env))
		require.Len(t, r.asked, 1, "results of calls are plans, nothing else has to be asked")
		require.Len(t, r.calls, 2)
	})
}

func TestFailedTryWaitsForItsNextOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		delays := []int64{2_000, 8_000, 32_000, 128_000}
		r := &rows{plan: func(int, contract.PlanInput) (contract.Plan, error) { return running(1, callStep("a", 0, 0)), nil }}
		r.call = func(n int, _ contract.CallInput) (contract.Plan, error) {
			if n > len(delays) {
				return ended(int64(n+1), "failed"), nil
			}
			return running(int64(n+1), callStep("a", n, delays[n-1])), nil
		}
		env := newRun(t, r)
		require.Error(t, run(env))
		require.Len(t, r.calls, 5)
		for i, d := range delays {
			require.GreaterOrEqual(t, r.calls[i+1].Sub(r.calls[i]), time.Duration(d)*time.Millisecond)
			require.Less(t, r.calls[i+1].Sub(r.calls[i]), time.Duration(d+300)*time.Millisecond)
		}
		require.Len(t, r.asked, 1)
	})
}

func TestHeldCallBeginsWhenTheHoldEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &rows{
			plan: func(int, contract.PlanInput) (contract.Plan, error) { return running(1, callStep("a", 1, 20_000)), nil },
			call: func(int, contract.CallInput) (contract.Plan, error) { return ended(2, "completed"), nil },
		}
		env := newRun(t, r)
		require.NoError(t, run(env))
		require.Len(t, r.calls, 1)
		require.GreaterOrEqual(t, r.calls[0].Sub(r.asked[0]), 20*time.Second)
	})
}

func TestCallThatWaitsForASlotIsLeftToItsSignal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		queued := callStep("a", 0, 0)
		queued.StartIn = nil
		r := &rows{
			plan: func(n int, _ contract.PlanInput) (contract.Plan, error) {
				if n == 1 {
					return running(1, queued), nil
				}
				return running(2, callStep("a", 0, 0)), nil
			},
			call: func(int, contract.CallInput) (contract.Plan, error) { return ended(3, "completed"), nil },
		}
		env := newRun(t, r)
		env.RegisterDelayedCallback(func() { env.SignalWorkflow(contract.SignalChanged, nil) }, time.Hour)
		require.NoError(t, run(env))
		require.Len(t, r.asked, 2)
		require.Len(t, r.calls, 1)
	})
}

func TestCallThatCannotBeginDoesNotSpin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &rows{plan: func(int, contract.PlanInput) (contract.Plan, error) { return running(1, callStep("a", 0, 0)), nil }}
		r.call = func(int, contract.CallInput) (contract.Plan, error) { return running(1, callStep("a", 0, 0)), nil }
		env := newRun(t, r)
		env.RegisterDelayedCallback(func() {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.plan = func(int, contract.PlanInput) (contract.Plan, error) { return ended(2, "completed"), nil }
		}, 10*time.Minute)
		require.NoError(t, run(env))
		for i := 1; i < len(r.calls); i++ {
			require.GreaterOrEqual(t, r.calls[i].Sub(r.calls[i-1]), time.Second)
		}
		require.Less(t, len(r.calls), 25)
		require.Less(t, len(r.asked), 40)
	})
}

func TestOverdueStepIsNotAskedAboutMoreThanOnceASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &rows{plan: func(n int, _ contract.PlanInput) (contract.Plan, error) {
			if n <= 5 {
				return running(1, wait("person", new(int64(0)))), nil
			}
			return ended(2, "completed"), nil
		}}
		env := newRun(t, r)
		require.NoError(t, run(env))
		for i := 2; i < len(r.asked); i++ {
			require.GreaterOrEqual(t, r.asked[i].Sub(r.asked[i-1]), time.Second)
		}
	})
}

func TestHigherRevisionWins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &rows{
			plan: func(n int, _ contract.PlanInput) (contract.Plan, error) {
				if n == 1 {
					return running(1, callStep("slow", 0, 0), callStep("quick", 0, 0)), nil
				}
				return running(9, wait("person", nil)), nil
			},
		}
		r.call = func(_ int, in contract.CallInput) (contract.Plan, error) {
			if in.StepID == "quick" {
				return running(5, callStep("slow", 1, 60_000)), nil
			}
			return running(3, callStep("slow", 1, 60_000), callStep("quick", 1, 60_000)), nil
		}
		env := newRun(t, r)
		env.RegisterDelayedCallback(func() { env.SignalWorkflow(contract.SignalChanged, nil) }, time.Second)
		env.RegisterDelayedCallback(func() {
			state := queryState(t, env)
			require.Equal(t, int64(9), state.Revision)
			require.Empty(t, state.UnderWay)
			r.mu.Lock()
			r.plan = func(int, contract.PlanInput) (contract.Plan, error) { return ended(10, "completed"), nil }
			r.mu.Unlock()
			env.SignalWorkflow(contract.SignalChanged, nil)
		}, 10*time.Minute)
		require.NoError(t, run(env))
		require.Len(t, r.calls, 2, "no call of a plan that has been overtaken")
	})
}

func queryState(t *testing.T, env *testsuite.TestWorkflowEnvironment) contract.ExecutionState {
	t.Helper()
	answer, err := env.QueryWorkflow(contract.QueryState)
	require.NoError(t, err)
	var state contract.ExecutionState
	require.NoError(t, answer.Get(&state))
	return state
}

func TestCallUnderWayIsNotCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var cancelled bool
		asked := make(chan struct{})
		once := sync.OnceFunc(func() { close(asked) })
		r := &rows{plan: func(n int, in contract.PlanInput) (contract.Plan, error) {
			if in.Cancelled {
				once()
				return running(2, callStep("a", 1, 60_000)), nil
			}
			return running(1, callStep("a", 0, 0)), nil
		}}
		env := newRun(t, r)
		env.RegisterActivityWithOptions(func(ctx context.Context, _ contract.CallInput) (contract.Plan, error) {
			<-asked // the run was cancelled while this is under way
			cancelled = ctx.Err() != nil
			return ended(3, "completed"), nil
		}, activity.RegisterOptions{Name: contract.ActivityCall, DisableAlreadyRegisteredCheck: true})
		env.RegisterDelayedCallback(env.CancelWorkflow, 0)
		require.NoError(t, run(env))
		require.False(t, cancelled)
	})
}

func TestRowsAwayDoNotFailTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &rows{plan: func(n int, _ contract.PlanInput) (contract.Plan, error) {
			if n < 40 {
				return contract.Plan{}, errors.New("the database is away")
			}
			return ended(1, "completed"), nil
		}}
		env := newRun(t, r)
		require.NoError(t, run(env))
		require.Len(t, r.asked, 40)
		for i := 1; i < len(r.asked); i++ {
			require.LessOrEqual(t, r.asked[i].Sub(r.asked[i-1]), 21*time.Second)
		}
	})
}

// currentDetails is the text that people are shown of a run.
func currentDetails(t *testing.T, env *testsuite.TestWorkflowEnvironment) string {
	t.Helper()
	var shown sdkpb.WorkflowMetadata
	value, err := env.QueryWorkflow("__temporal_workflow_metadata")
	require.NoError(t, err)
	require.NoError(t, value.Get(&shown))
	return shown.GetCurrentDetails()
}

func TestStatusAndDetailsAreShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &rows{plan: func(n int, _ contract.PlanInput) (contract.Plan, error) {
			if n == 1 {
				plan := running(1, wait("person", nil))
				plan.Details = "person: waiting, for u_1"
				return plan, nil
			}
			return ended(2, "completed"), nil
		}}
		env := newRun(t, r)
		require.NoError(t, env.SetMemoOnStart(map[string]any{"definitionName": "Sign-off", "definitionVersion": 3}))
		var shown []string
		key := temporal.NewSearchAttributeKeyKeyword(contract.SearchStatus)
		for _, status := range []string{"running", "completed"} {
			env.OnUpsertTypedSearchAttributes(temporal.NewSearchAttributes(key.ValueSet(status))).
				Run(func(mock.Arguments) { shown = append(shown, status) }).Return(nil).Once()
		}
		env.RegisterDelayedCallback(func() {
			state := queryState(t, env)
			require.Equal(t, "running", state.Status)
			require.Equal(t, "Sign-off v3", state.Definition)
			require.Equal(t, "person: waiting, for u_1", state.Details)
			require.Equal(t, "Sign-off v3\n\nperson: waiting, for u_1", currentDetails(t, env))
			require.Len(t, state.Live, 1)
			env.SignalWorkflow(contract.SignalChanged, nil)
		}, time.Minute)
		require.NoError(t, run(env))
		require.Equal(t, "[running completed]", fmt.Sprint(shown))
	})
}
