package tests

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
	"github.com/redline-svc/redline/tests/receiver"
)

func TestRecordAgentResolution_1_BeforeTheAgentsOwnAnswer(t *testing.T) {
	s := begin(t)
	gate := s.receiver().Hold("/agent")
	defer gate.Release()
	s.anAgentAt("/agent")
	r := s.asksAgent(client.Agent("check", "checker"))
	call := s.calledAgent("/agent")
	early := s.resolve(r.resolves("check", "r1", "resolved", map[string]any{"output": map[string]any{"early": true}}))
	require.Equal(t, client.Decided{Recorded: true, AggregatorStatus: "pending"}, early)
	require.Equal(t, "idempotent", s.resolve(r.resolves("check", "r1", "resolved")).AggregatorStatus)
	require.Equal(t, "running", r.step("check").Status)
	gate.Release()
	view := r.ends("completed")
	require.Equal(t, true, outputOf(t, view.Steps[0])["early"])
	require.Len(t, r.events("step.completed"), 1)
	require.Len(t, s.receiver().Requests("/agent"), 1)
	require.Equal(t, call.StepID, view.Steps[0].StepID)
	require.Equal(t, "idempotent", s.resolve(r.resolves("check", "r1", "resolved")).AggregatorStatus)
	require.Equal(t, "already-terminal", s.resolve(r.resolves("check", "r2", "resolved")).AggregatorStatus)
}

func TestRecordAgentResolution_2_AgainstTheEndOfItsTime(t *testing.T) {
	s := begin(t)
	s.receiver().Answer("/agent", receiver.JSON(`{}`))
	s.anAgentAt("/agent")
	definition := s.define([]client.Node{client.Agent("check", "checker").With("agentMaxRuntimeMs", 10_000)})
	late, inTime := s.dispatch(definition), s.dispatch(definition)
	inTime.waitsAt("check")
	require.True(t, s.resolve(inTime.resolves("check", "r1", "resolved")).Recorded)
	inTime.ends("completed")
	view := late.ends("failed")
	require.Equal(t, "agent-timeout", view.Steps[0].Error.Code)
	require.Equal(t, "failed", outputOf(t, view.Steps[0])["agentExecutionStatus"])
	s.refusedAs("FAILED_PRECONDITION", recordResolution, late.resolves("check", "r1", "resolved"))
	require.Empty(t, late.events("step.completed"))
}

func TestRecordAgentResolution_2_RacesTheEndOfItsTime(t *testing.T) {
	s := begin(t)
	s.receiver().Answer("/agent", receiver.JSON(`{}`))
	s.anAgentAt("/agent")
	definition := s.define([]client.Node{client.Agent("review", "checker"), client.Mock("yes"), client.Mock("late")},
		client.Approve("review", "yes"), client.When("review", "late", `{"op":"eq","args":[{"var":"step.status"},"failed"]}`))
	var aim deadlineAim
	var recorded atomic.Int64
	resolves := func(r *run, step client.Step) {
		answer, err := client.Call[client.Decided](s.ctx, s.keyed, recordResolution, r.resolves(step.NodeID, "r1", "resolved"))
		taken := s.unlessLate(err) && assert.True(t, answer.Recorded)
		aim.learn(step.StepID, taken)
		if taken {
			recorded.Add(1)
		}
	}
	inTime, late := 0, 0
	for _, r := range s.contest(definition, s.timeOver(&aim), resolves) {
		view := r.ends("completed")
		require.Len(t, view.Steps, 2, "one edge was taken")
		require.Len(t, r.events("step.failed"), len(steps(view, "late")), "%s ended its step once", r.id)
		inTime, late = inTime+len(steps(view, "yes")), late+len(steps(view, "late"))
	}
	require.Equal(t, []int{races, inTime}, []int{inTime + late, int(recorded.Load())}, "what was recorded counted")
	require.Greater(t, inTime, races/20, "the race is one, aimed at %s", aim.after)
	require.Greater(t, late, races/20, "the race is one, aimed at %s", aim.after)
}

// A blocking agent whose answer was lost took the step, as somebody resolved it before: its
// policy is settled by whatever responses come.
func TestRecordAgentResolution_1_OfABlockingAgentWhoseCallFails(t *testing.T) {
	s := begin(t)
	gate := s.receiver().Hold("/agent")
	s.receiver().Answer("/agent", receiver.Status(400))
	s.anAgentAt("/agent")
	r := s.asksAgent(client.Agent("check", "checker").With("blocking", true).With("resolutionPolicy", map[string]any{"kind": "minResolved", "minCount": 2}))
	reached(t, "the call", gate.Reached())
	require.Equal(t, client.Decided{Recorded: true, AggregatorStatus: "pending"}, s.resolve(r.resolves("check", "r1", "resolved")))
	gate.Release()
	r.waitsAt("check")
	require.Equal(t, "idempotent", s.resolve(r.resolves("check", "r1", "resolved")).AggregatorStatus)
	require.Equal(t, client.Decided{Recorded: true, AggregatorStatus: "resolved", ResumeScheduled: true}, s.resolve(r.resolves("check", "r2", "resolved")))
	r.ends("completed")
	require.Len(t, s.receiver().Requests("/agent"), 1)
}

// What was recorded while the call is under way was there before the deadline.
func TestRecordAgentResolution_1_BeforeADeadlineThatPassesDuringTheCall(t *testing.T) {
	s := begin(t)
	gate := s.receiver().Hold("/agent")
	defer gate.Release()
	s.anAgentAt("/agent")
	r := s.asksAgent(client.Agent("check", "checker").Within(time.Second))
	reached(t, "the call", gate.Reached())
	s.resolve(r.resolves("check", "r1", "resolved"))
	view := r.ends("completed")
	require.Equal(t, "completed", view.Steps[0].Status)
	require.Equal(t, "approve", outputOf(t, view.Steps[0])["decision"])
	require.Empty(t, r.events("step.breached"))
}
