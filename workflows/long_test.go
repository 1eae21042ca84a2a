package workflows_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/workflows"
)

// Events that Temporal writes for what a run does: a task of the workflow, which it
// writes each time it goes on; an activity; and one for any other thing.
const (
	eventsOfTask     = 3
	eventsOfActivity = 3
	// slack is what may come on top of the limit: what was under way when it was reached,
	// and the end of the run.
	slack = 50
)

// longLife is an execution whose runs follow one another, with the rows that it finds.
type longLife struct {
	t       *testing.T
	steps   int // webhooks, one after the other, and a person after them
	gap     time.Duration
	signals int
	every   time.Duration

	begun, now      time.Time
	done, signalled int
	calls           int
	lengths         []int
}

// plan is what the rows say at the moment: the next call, then a person with a deadline.
func (l *longLife) plan() contract.Plan {
	revision := int64(l.done + l.signalled + 1)
	switch {
	case l.done < l.steps:
		return running(revision, callStep("hook", l.done, l.gap.Milliseconds()))
	case l.signalled < l.signals:
		return running(revision, wait("person", new((30*24*time.Hour).Milliseconds())))
	default:
		return ended(revision, "completed")
	}
}

// run lets one run live, and reports whether it continues as new.
func (l *longLife) run() bool {
	r := &rows{
		plan: func(int, contract.PlanInput) (contract.Plan, error) { return l.plan(), nil },
		call: func(int, contract.CallInput) (contract.Plan, error) {
			l.calls++
			l.done++
			return l.plan(), nil
		},
	}
	env := newRun(l.t, r)
	env.SetStartTime(l.now)
	length := counted(env)
	for i := l.signalled; i < l.signals; i++ {
		env.RegisterDelayedCallback(func() {
			r.mu.Lock()
			l.signalled++
			r.mu.Unlock()
			length(1 + eventsOfTask)
			env.SignalWorkflow(contract.SignalChanged, nil)
		}, l.begun.Add(time.Duration(i+1)*l.every).Sub(l.now))
	}
	err := run(env)
	l.now = env.Now()
	l.lengths = append(l.lengths, length(0))
	if _, again := errors.AsType[*workflow.ContinueAsNewError](err); again {
		return true
	}
	require.NoError(l.t, err)
	return false
}

// counted keeps the length of a run's history as Temporal would count it: the first
// task, and all that the run does. It returns how to add to it.
func counted(env *testsuite.TestWorkflowEnvironment) func(events int) int {
	length := 0
	add := func(events int) int {
		length += events
		env.SetCurrentHistoryLength(length)
		return length
	}
	add(1 + eventsOfTask)
	env.SetOnActivityStartedListener(func(*activity.Info, context.Context, converter.EncodedValues) { add(eventsOfActivity + eventsOfTask) })
	env.SetOnLocalActivityStartedListener(func(*activity.Info, context.Context, []any) { add(1) })
	env.SetOnTimerScheduledListener(func(string, time.Duration) { add(1) })
	env.SetOnTimerFiredListener(func(string) { add(1 + eventsOfTask) })
	env.SetOnTimerCanceledListener(func(string) { add(1) })
	return add
}

// Two thousand calls and five hundred signals in five days: no history is longer than it may
// be, and no call is made twice or left out by a run that takes over.
func TestALongLifeStaysInShortHistories(t *testing.T) {
	begun := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	l := &longLife{t: t, steps: 2_000, gap: 200 * time.Second, signals: 500, every: 15 * time.Minute, begun: begun, now: begun}
	for l.run() {
		require.Less(t, len(l.lengths), 20, "it does not end")
	}
	require.Equal(t, l.steps, l.calls)
	require.Equal(t, l.signals, l.signalled)
	require.Greater(t, l.now.Sub(begun), 5*24*time.Hour)
	require.Greater(t, len(l.lengths), 3)
	for _, length := range l.lengths {
		require.LessOrEqual(t, length, workflows.HistoryLimit+slack)
	}
}

// fills drives three steps: the history grows in the call of `quick`, after which `later`
// wants to be called, while the call of `slow` is under way. It returns the calls that ended
// and how the run did. The plans set the limit of the length that is given.
func fills(t *testing.T, limit int, grow func(env *testsuite.TestWorkflowEnvironment)) (ended []string, end error) {
	t.Helper()
	limited := func(plan contract.Plan) contract.Plan {
		plan.HistoryLimit = limit
		return plan
	}
	r := &rows{plan: func(int, contract.PlanInput) (contract.Plan, error) {
		return limited(running(1, callStep("quick", 0, 0), callStep("slow", 0, 0), callStep("later", 0, 3_000))), nil
	}}
	env := newRun(t, r)
	var mu sync.Mutex
	env.RegisterActivityWithOptions(func(_ context.Context, in contract.CallInput) (contract.Plan, error) {
		if in.StepID == "slow" {
			time.Sleep(10 * time.Second)
		}
		mu.Lock()
		defer mu.Unlock()
		ended = append(ended, in.StepID)
		switch {
		case in.StepID == "quick":
			grow(env)
			return limited(running(2, callStep("slow", 0, 0), callStep("later", 0, 0))), nil
		case in.StepID == "later":
			return limited(running(3, callStep("slow", 0, 0))), nil
		case len(ended) == 2:
			return limited(running(3, callStep("later", 0, 0))), nil
		default:
			return contract.Plan{Revision: 4, Status: "completed"}, nil
		}
	}, activity.RegisterOptions{Name: contract.ActivityCall, DisableAlreadyRegisteredCheck: true})
	end = run(env)
	return ended, end
}

func TestLongHistoryContinuesAsNewWhenNothingIsUnderWay(t *testing.T) {
	for name, c := range map[string]struct {
		limit int
		grow  func(env *testsuite.TestWorkflowEnvironment)
	}{
		"4,000 events":      {0, func(env *testsuite.TestWorkflowEnvironment) { env.SetCurrentHistoryLength(4_000) }},
		"4 MiB":             {0, func(env *testsuite.TestWorkflowEnvironment) { env.SetCurrentHistorySize(4 << 20) }},
		"Temporal wants it": {0, func(env *testsuite.TestWorkflowEnvironment) { env.SetContinueAsNewSuggested(true) }},
		"limit of the plan": {100, func(env *testsuite.TestWorkflowEnvironment) { env.SetCurrentHistoryLength(100) }},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ended, err := fills(t, c.limit, c.grow)
				var again *workflow.ContinueAsNewError
				require.ErrorAs(t, err, &again)
				require.Equal(t, contract.WorkflowExecution, again.WorkflowType.Name)
				require.Equal(t, []string{"quick", "slow"}, ended, "what is under way ends, and nothing begins any more")
			})
		})
	}
}

func TestHistoryBelowItsLimitsGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended, err := fills(t, 0, func(env *testsuite.TestWorkflowEnvironment) {
			env.SetCurrentHistoryLength(3_999)
			env.SetCurrentHistorySize(4<<20 - 1)
		})
		require.NoError(t, err)
		require.Equal(t, []string{"quick", "later", "slow"}, ended)
	})
}
