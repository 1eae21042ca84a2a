package workflow

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// mostSteps is how many steps an execution may have.
const mostSteps = 2000

// wearing is a definition of as many nodes as there may be, one after the other, of which
// the last one sends the work back: it has more steps than an execution may have.
func wearing(env *kit.Env) string {
	const nodes, times = 100, 20
	list, edges := []redline.NodeInput{client.Mock("n0")}, []redline.EdgeInput{}
	for i := 1; i < nodes; i++ {
		next := client.Mock(fmt.Sprint("n", i))
		if i == nodes-1 {
			next = client.Human("review", "ann")
		}
		edges = append(edges, client.Always(list[i-1].NodeID, next.NodeID))
		list = append(list, next)
	}
	return kit.Define(env, list, append(edges, client.Back("review", "n0", times))...)
}

// wornOut is an execution that has all the steps that it may have, and failed for want of
// the next one.
func wornOut(env *kit.Env) *kit.Run {
	env.T.Helper()
	r := kit.Dispatch(env, wearing(env))
	var view redline.Execution
	for n := 1; n*100 <= mostSteps; n++ {
		kit.RequireEventually(env.T, "the next iteration", func() bool { view = r.View(); return view.StepCount == int64(n*100) })
		last := view.Steps[len(view.Steps)-1]
		require.Equal(env.T, []any{"review", int64(n)}, []any{last.NodeID, last.Metadata.Iteration})
		require.True(env.T, decidesStep(env, r, last, "ann", "reject").Recorded)
	}
	return r
}

func decidesStep(env *kit.Env, r *kit.Run, step redline.Step, who, word string) redline.DecideResult {
	env.T.Helper()
	answer, err := env.Workspace.Decide(env.Ctx, r.Decision(step.StepID, who, word))
	require.NoError(env.T, err)
	return answer
}

// An execution fails at the step that would be one too many. All that it has can be read,
// however large: the newest outputs at once, the others by the ids of their steps.
func TestSteps_TheLimitAndGet_5_AllOfThemCanBeRead(t *testing.T) {
	env := kit.NewWorkspace(t)
	r := wornOut(env)
	view := r.Ends("failed")
	require.Equal(t, "step-limit", view.FailureReason.Code)
	require.Equal(t, []int{mostSteps, mostSteps}, []int{int(view.StepCount), len(view.Steps)})
	require.Len(t, r.Events("loop.iteration-started"), 20)
	require.Equal(t, "execution.failed", r.Events()[len(r.Events())-1].Type)
	env.RefusedAs("FAILED_PRECONDITION", client.RetryExecution, map[string]any{"executionId": r.ID})

	const text = 64<<10 - len(`{"text":""}`)
	_, err := env.DB().Exec(env.Ctx, `UPDATE steps SET output = json_build_object('text', repeat('x', $3::integer)) WHERE workspace_id = $1 AND execution_id = $2`,
		env.Workspace.ID, r.ID, text)
	require.NoError(t, err)
	whole := sized(env, map[string]any{"executionId": r.ID})
	require.Len(t, whole, mostSteps)
	omitted := slices.IndexFunc(whole, func(step redline.Step) bool { return !step.OutputOmitted })
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
		for i, step := range sized(env, map[string]any{"executionId": r.ID, "stepIds": ids}) {
			require.Equal(t, ids[i], step.StepID)
			require.Len(t, outputOf(t, redline.Step{Output: step.Output})["text"], text)
		}
	}
}

// sized reads steps of an execution.
func sized(env *kit.Env, data map[string]any) []redline.Step {
	env.T.Helper()
	var view redline.Execution
	env.Call(client.GetExecution, data, &view)
	return view.Steps
}
