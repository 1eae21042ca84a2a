package workflow

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

func TestRecordAgentResolution_1_BeforeTheAgentsOwnAnswer(t *testing.T) {
	env := kit.NewWorkspace(t)
	gate := env.Receiver().Hold("/agent")
	defer gate.Release()
	anAgentAt(env, "/agent")
	r := kit.AsksAgent(env, client.Agent("check", "checker"))
	call := kit.CalledAgent(env, "/agent")
	early := resolveByAgent(env, r.Resolves("check", "r1", "resolved", map[string]any{"output": map[string]any{"early": true}}))
	require.Equal(t, redline.DecideResult{Recorded: true, AggregatorStatus: "pending"}, early)
	require.Equal(t, redline.DecideResultAggregatorStatusIdempotent, resolveByAgent(env, r.Resolves("check", "r1", "resolved")).AggregatorStatus)
	require.Equal(t, redline.StepStatusRunning, r.Step("check").Status)
	gate.Release()
	view := r.Ends("completed")
	require.Equal(t, true, outputOf(t, view.Steps[0])["early"])
	require.Len(t, r.Events("step.completed"), 1)
	require.Len(t, env.Receiver().Requests("/agent"), 1)
	require.Equal(t, call.StepID, view.Steps[0].StepID)
	require.Equal(t, redline.DecideResultAggregatorStatusIdempotent, resolveByAgent(env, r.Resolves("check", "r1", "resolved")).AggregatorStatus)
	require.Equal(t, redline.DecideResultAggregatorStatusAlreadyTerminal, resolveByAgent(env, r.Resolves("check", "r2", "resolved")).AggregatorStatus)
}

func TestRecordAgentResolution_2_AgainstTheEndOfItsTime(t *testing.T) {
	env := kit.NewWorkspace(t)
	env.Receiver().Answer("/agent", receiver.JSON(`{}`))
	anAgentAt(env, "/agent")
	definition := kit.Define(env, []redline.NodeInput{client.With(client.Agent("check", "checker"), "agentMaxRuntimeMs", 10_000)})
	late, inTime := kit.Dispatch(env, definition), kit.Dispatch(env, definition)
	inTime.WaitsAt("check")
	require.True(t, resolveByAgent(env, inTime.Resolves("check", "r1", "resolved")).Recorded)
	inTime.Ends("completed")
	view := late.Ends("failed")
	require.Equal(t, "agent-timeout", view.Steps[0].Error.Code)
	require.Equal(t, "failed", outputOf(t, view.Steps[0])["agentExecutionStatus"])
	env.RefusedAs("FAILED_PRECONDITION", client.RecordResolution, late.Resolves("check", "r1", "resolved"))
	require.Empty(t, late.Events("step.completed"))
}

func TestRecordAgentResolution_2_RacesTheEndOfItsTime(t *testing.T) {
	resolutionAgainstTheEndOfItsTime(t, some)
}

func resolutionAgainstTheEndOfItsTime(t *testing.T, n races) {
	t.Helper()
	env := kit.NewWorkspace(t)
	env.Receiver().Answer("/agent", receiver.JSON(`{}`))
	anAgentAt(env, "/agent")
	definition := kit.Define(env, []redline.NodeInput{client.Agent("review", "checker"), client.Mock("yes"), client.Mock("late")},
		client.Approve("review", "yes"), client.When("review", "late", `{"op":"eq","args":[{"var":"step.status"},"failed"]}`))
	var aim deadlineAim
	var recorded atomic.Int64
	resolves := func(r *kit.Run, step redline.Step) {
		answer, err := client.Call[redline.DecideResult](env.Ctx, env.Keyed, client.RecordResolution, r.Resolves(step.NodeID, "r1", "resolved"))
		taken := unlessLate(env, err) && assert.True(t, answer.Recorded)
		aim.learn(step.StepID, taken)
		if taken {
			recorded.Add(1)
		}
	}
	inTime, late := 0, 0
	for _, r := range n.contest(env, definition, timeOver(env, &aim), resolves) {
		view := r.Ends("completed")
		require.Len(t, view.Steps, 2, "one edge was taken")
		require.Len(t, r.Events("step.failed"), len(kit.Steps(view, "late")), "%s ended its step once", r.ID)
		inTime, late = inTime+len(kit.Steps(view, "yes")), late+len(kit.Steps(view, "late"))
	}
	require.Equal(t, []int{n.times, inTime}, []int{inTime + late, int(recorded.Load())}, "what was recorded counted")
	require.GreaterOrEqual(t, inTime, n.wins, "the race is one, aimed at %s", aim.after)
	require.GreaterOrEqual(t, late, n.wins, "the race is one, aimed at %s", aim.after)
}

// A blocking agent whose answer was lost took the step, as somebody resolved it before: its
// policy is settled by whatever responses come.
func TestRecordAgentResolution_1_OfABlockingAgentWhoseCallFails(t *testing.T) {
	env := kit.NewWorkspace(t)
	gate := env.Receiver().Hold("/agent")
	env.Receiver().Answer("/agent", receiver.Status(400))
	anAgentAt(env, "/agent")
	r := kit.AsksAgent(env, client.With(client.With(client.Agent("check", "checker"), "blocking", true), "resolutionPolicy", map[string]any{"kind": "minResolved", "minCount": 2}))
	kit.RequireReached(t, "the call", gate.Reached())
	require.Equal(t, redline.DecideResult{Recorded: true, AggregatorStatus: "pending"}, resolveByAgent(env, r.Resolves("check", "r1", "resolved")))
	gate.Release()
	r.WaitsAt("check")
	require.Equal(t, redline.DecideResultAggregatorStatusIdempotent, resolveByAgent(env, r.Resolves("check", "r1", "resolved")).AggregatorStatus)
	require.Equal(t, redline.DecideResult{Recorded: true, AggregatorStatus: "resolved", ResumeScheduled: true}, resolveByAgent(env, r.Resolves("check", "r2", "resolved")))
	r.Ends("completed")
	require.Len(t, env.Receiver().Requests("/agent"), 1)
}

// What was recorded while the call is under way was there before the deadline.
func TestRecordAgentResolution_1_BeforeADeadlineThatPassesDuringTheCall(t *testing.T) {
	env := kit.NewWorkspace(t)
	gate := env.Receiver().Hold("/agent")
	defer gate.Release()
	anAgentAt(env, "/agent")
	r := kit.AsksAgent(env, client.Within(client.Agent("check", "checker"), time.Second))
	kit.RequireReached(t, "the call", gate.Reached())
	resolveByAgent(env, r.Resolves("check", "r1", "resolved"))
	view := r.Ends("completed")
	require.Equal(t, redline.StepStatusCompleted, view.Steps[0].Status)
	require.Equal(t, "approve", outputOf(t, view.Steps[0])["decision"])
	require.Empty(t, r.Events("step.breached"))
}
