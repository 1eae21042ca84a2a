package tests

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

// mostSteps is how many steps an execution may have.
const mostSteps = 2000

// wearing is a definition of as many nodes as there may be, one after the other, of which
// the last one sends the work back: it has more steps than an execution may have.
func (s *scene) wearing() string {
	const nodes, times = 100, 20
	list, edges := []client.Node{client.Mock("n0")}, []client.Edge{}
	for i := 1; i < nodes; i++ {
		next := client.Mock(fmt.Sprint("n", i))
		if i == nodes-1 {
			next = client.Human("review", "ann")
		}
		edges = append(edges, client.Always(list[i-1].NodeID, next.NodeID))
		list = append(list, next)
	}
	return s.define(list, append(edges, client.Back("review", "n0", times))...)
}

// wornOut is an execution that has all the steps that it may have, and failed for want of
// the next one.
func (s *scene) wornOut() *run {
	s.t.Helper()
	r := s.dispatch(s.wearing())
	var view client.Execution
	for n := 1; n*100 <= mostSteps; n++ {
		eventually(s.t, "the next iteration", func() bool { view = r.view(); return view.StepCount == n*100 })
		last := view.Steps[len(view.Steps)-1]
		require.Equal(s.t, []any{"review", n}, []any{last.NodeID, last.Metadata.Iteration})
		require.True(s.t, s.decidesStep(r, last, "ann", "reject").Recorded)
	}
	return r
}

func (s *scene) decidesStep(r *run, step client.Step, who, word string) client.Decided {
	s.t.Helper()
	answer, err := s.workspace.Decide(s.ctx, r.decision(step.StepID, who, word))
	require.NoError(s.t, err)
	return answer
}

// An execution fails at the step that would be one too many. All that it has can be read,
// however large: the newest outputs at once, the others by the ids of their steps.
func TestSteps_TheLimitAndGet_5_AllOfThemCanBeRead(t *testing.T) {
	s := begin(t)
	r := s.wornOut()
	view := r.ends("failed")
	require.Equal(t, "step-limit", view.FailureReason.Code)
	require.Equal(t, []int{mostSteps, mostSteps}, []int{view.StepCount, len(view.Steps)})
	require.Len(t, r.events("loop.iteration-started"), 20)
	require.Equal(t, "execution.failed", r.events()[len(r.events())-1].Type)
	s.refusedAs("FAILED_PRECONDITION", retryExecution, map[string]any{"executionId": r.id})

	const text = 64<<10 - len(`{"text":""}`)
	_, err := s.rows().Exec(s.ctx, `UPDATE steps SET output = json_build_object('text', repeat('x', $3::integer)) WHERE workspace_id = $1 AND execution_id = $2`,
		s.workspace.ID, r.id, text)
	require.NoError(t, err)
	whole := s.sized(map[string]any{"executionId": r.id})
	require.Len(t, whole, mostSteps)
	omitted := slices.IndexFunc(whole, func(step sizedStep) bool { return !step.OutputOmitted })
	require.Greater(t, omitted, mostSteps/2, "an answer has 8 MiB of outputs")
	for i, step := range whole {
		require.Equal(t, i < omitted, step.OutputOmitted, "the oldest are left out")
		if step.OutputOmitted {
			require.JSONEq(t, `{}`, string(step.Output))
		}
	}
	for some := range slices.Chunk(whole[:omitted], 100) {
		ids := make([]string, len(some))
		for i := range some {
			ids[i] = some[i].StepID
		}
		for i, step := range s.sized(map[string]any{"executionId": r.id, "stepIds": ids}) {
			require.Equal(t, ids[i], step.StepID)
			require.Len(t, outputOf(t, client.Step{Output: step.Output})["text"], text)
		}
	}
}

// sizedStep is what counts of a step where its size does.
type sizedStep struct {
	StepID        string
	Output        json.RawMessage
	OutputOmitted bool
}

// sized reads steps of an execution.
func (s *scene) sized(data map[string]any) []sizedStep {
	s.t.Helper()
	var view struct{ Steps []sizedStep }
	s.call("workflow/executions/get", data, &view)
	return view.Steps
}
