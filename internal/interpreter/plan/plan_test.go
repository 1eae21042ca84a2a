package plan_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/interpreter"
	"github.com/redline-svc/redline/internal/interpreter/plan"
	"github.com/redline-svc/redline/internal/interpreter/resolution"
)

const minute = int64(60_000)

// noon is when the steps started, in epoch milliseconds.
var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC).UnixMilli()

// running is an execution with these live steps.
func running(steps ...*interpreter.Step) *interpreter.State {
	return &interpreter.State{Status: interpreter.Running, Revision: 7, Steps: steps}
}

// step is one that started at noon.
func step(nodeType string, status interpreter.StepStatus, change func(s *interpreter.Step)) *interpreter.Step {
	s := &interpreter.Step{ID: "step_n", NodeID: "n", NodeType: nodeType, Status: status, StartedAt: noon}
	if change != nil {
		change(s)
	}
	return s
}

func asks(people ...interpreter.Reviewer) func(s *interpreter.Step) {
	return func(s *interpreter.Step) { s.Reviewers = people }
}

func works(ids ...string) func(s *interpreter.Step) {
	return func(s *interpreter.Step) { s.Agent = &resolution.Work{AgentID: "checker", ResponseIDs: ids} }
}

func TestDetailsSayWhomAStepWaitsForAndSinceWhen(t *testing.T) {
	t.Parallel()
	const since = " since 2026-05-04T12:00:00Z"
	ann, bob, cy := interpreter.Reviewer{UserID: "ann"}, interpreter.Reviewer{UserID: "bob"}, interpreter.Reviewer{UserID: "cy", Decision: "approve"}
	for want, s := range map[string]*interpreter.Step{
		"n: waiting" + since + ", for ann, bob": step("human", interpreter.StepWaiting, asks(ann, cy, bob)),
		"n: waiting" + since + ", for ann, due 2026-05-04T12:05:00Z": step("human", interpreter.StepWaiting, func(s *interpreter.Step) {
			s.Reviewers, s.DueAt = []interpreter.Reviewer{ann}, noon+5*minute
		}),
		"n: running" + since + ", for the agent checker": step("agent", interpreter.StepRunning, works()),
		"n: waiting" + since + ", for the agent checker": step("agent", interpreter.StepWaiting, works("r1", "r2")),
		"n: running" + since + ", for the agent checker, failed tries: 1": step("agent", interpreter.StepRunning, func(s *interpreter.Step) {
			works()(s)
			s.Retries, s.Calls, s.NextTryAt = 1, 1, noon+minute
		}),
		"n: running" + since: step("webhook", interpreter.StepRunning, nil),
		"n: waiting" + since + ", for the callback of its receiver": step("webhook", interpreter.StepWaiting, nil),
		"n: running" + since + ", failed tries: 2": step("webhook", interpreter.StepRunning, func(s *interpreter.Step) {
			s.Retries, s.Calls, s.NextTryAt = 2, 2, noon+minute
		}),
		"n: running" + since + ", failed tries: 3": step("notification", interpreter.StepRunning, func(s *interpreter.Step) { s.Retries = 3 }),
		"n: pending": step("human", interpreter.StepPending, func(s *interpreter.Step) { s.Reviewers, s.StartedAt = []interpreter.Reviewer{ann}, 0 }),
	} {
		require.Equal(t, "running\n\n"+want, plan.Of(running(s), noon+minute).Details)
	}
}

func TestDetailsOfAnExecution(t *testing.T) {
	t.Parallel()
	paused := running(step("human", interpreter.StepWaiting, func(s *interpreter.Step) {
		s.Reviewers, s.DueAt = []interpreter.Reviewer{{UserID: "ann"}}, noon+5*minute
	}))
	paused.PausedAt = noon + minute
	done := step("human", interpreter.StepCompleted, asks(interpreter.Reviewer{UserID: "ann"}))
	failed := &interpreter.State{Status: interpreter.Failed, FailureCode: "step-failed", Steps: []*interpreter.Step{done}}
	for want, s := range map[string]*interpreter.State{
		"running, paused since 2026-05-04T12:01:00Z\n\nn: waiting since 2026-05-04T12:00:00Z, for ann": paused,
		"running":             running(done),
		"completed":           {Status: interpreter.Completed, Steps: []*interpreter.Step{done}},
		"cancelled":           {Status: interpreter.Cancelled},
		"failed: step-failed": failed,
	} {
		p := plan.Of(s, noon+minute)
		require.Equal(t, want, p.Details)
		require.Equal(t, []any{s.Revision, string(s.Status), s.FailureCode}, []any{p.Revision, p.Status, p.Failure})
		require.Empty(t, p.Live, "nothing of it is driven")
		require.Zero(t, plan.DriveDue(s))
	}
}

func TestDetailsLeaveOutWhatIsTooMuch(t *testing.T) {
	t.Parallel()
	for n, last := range map[int]string{20: "n19: running", 21: "and 1 more", 30: "and 10 more"} {
		var steps []*interpreter.Step
		for i := range n {
			steps = append(steps, &interpreter.Step{NodeID: fmt.Sprintf("n%d", i), NodeType: "webhook", Status: interpreter.StepRunning})
		}
		lines := strings.Split(plan.Of(running(steps...), noon).Details, "\n\n")
		require.Equal(t, []string{"n19: running", last}, []string{lines[20], lines[len(lines)-1]})
		require.Len(t, lines, min(n, 21)+1)
	}
}

func TestWhatIsDrivenOfAStep(t *testing.T) {
	t.Parallel()
	people := asks(interpreter.Reviewer{UserID: "ann"}, interpreter.Reviewer{UserID: "bob", Decision: "approve"})
	for name, c := range map[string]struct {
		step       *interpreter.Step
		need       contract.Need
		start, due *int64 // from a minute after noon
		driveDue   int64
		waitingFor []string
	}{
		"people":           {step("human", interpreter.StepWaiting, people), contract.NeedWait, nil, nil, 0, []string{"ann"}},
		"people in time":   {step("human", interpreter.StepWaiting, func(s *interpreter.Step) { s.DueAt = noon + 5*minute }), contract.NeedWait, nil, new(4 * minute), noon + 5*minute, nil},
		"people too late":  {step("human", interpreter.StepWaiting, func(s *interpreter.Step) { s.DueAt = noon }), contract.NeedWait, nil, new(int64(0)), noon, nil},
		"an agent":         {step("agent", interpreter.StepWaiting, func(s *interpreter.Step) { works()(s); s.TimeoutAt = noon + 2*minute }), contract.NeedWait, nil, new(minute), noon + 2*minute, nil},
		"a callback":       {step("webhook", interpreter.StepWaiting, nil), contract.NeedWait, nil, nil, 0, nil},
		"a call":           {step("webhook", interpreter.StepRunning, func(s *interpreter.Step) { s.NextTryAt = noon }), contract.NeedCall, new(int64(0)), nil, noon, nil},
		"a later try":      {step("notification", interpreter.StepRunning, func(s *interpreter.Step) { s.NextTryAt = noon + 3*minute }), contract.NeedCall, new(2 * minute), nil, noon + 3*minute, nil},
		"a call under way": {step("webhook", interpreter.StepRunning, func(s *interpreter.Step) { s.NextTryAt, s.LockedUntil = noon, noon+2*minute }), contract.NeedCall, new(minute), nil, noon + 2*minute, nil},
		"a call in line":   {step("webhook", interpreter.StepRunning, func(s *interpreter.Step) { s.NextTryAt, s.QueuedAt = noon, noon }), contract.NeedCall, nil, nil, 0, nil},
		"a try after its deadline": {step("webhook", interpreter.StepRunning, func(s *interpreter.Step) {
			s.NextTryAt, s.DueAt = noon+3*minute, noon+2*minute
		}), contract.NeedCall, new(2 * minute), new(minute), noon + 2*minute, nil},
	} {
		s := running(c.step, step("human", interpreter.StepCancelled, nil))
		p := plan.Of(s, noon+minute)
		require.Equal(t, []contract.LiveStep{{
			StepID: "step_n", NodeID: "n", Need: c.need, StartIn: c.start, DueIn: c.due,
			Shown: contract.Shown{Status: string(c.step.Status), Since: noon, DueAt: c.step.DueAt, WaitingFor: c.waitingFor},
		}}, p.Live, name)
		require.Equal(t, c.driveDue, plan.DriveDue(s), name)
	}
}
