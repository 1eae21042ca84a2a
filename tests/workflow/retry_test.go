package workflow

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// newestStep is the latest step of a node.
func newestStep(r *kit.Run, nodeID string) redline.Step {
	r.S.T.Helper()
	found := kit.Steps(r.View(), nodeID)
	require.NotEmpty(r.S.T, found)
	return found[len(found)-1]
}

// publishing asks two people, then calls a receiver that refuses the first time.
func publishing(env *kit.Env) string {
	env.T.Helper()
	kit.Fails(env, "/publish")
	return kit.Define(env, []redline.NodeInput{client.Mock("first"), client.Hook("publish", env.Receiver().URL("/publish"))}, client.Always("first", "publish"))
}

func TestRetry_1_TwoAtOnceMakeOneAttempt(t *testing.T) {
	env := kit.NewWorkspace(t)
	r := kit.Dispatch(env, publishing(env))
	r.Ends("failed")
	var made atomic.Int32
	kit.Concurrently(2, func(int) {
		_, err := client.Call[redline.Execution](env.Ctx, env.Keyed, client.RetryExecution, map[string]any{"executionId": r.ID})
		if unlessLate(env, err) {
			made.Add(1)
		}
	})
	require.EqualValues(t, 1, made.Load())
	view := r.Ends("completed")
	require.Equal(t, int64(2), view.Attempt)
	require.Len(t, env.Receiver().Requests("/publish"), 2)
	require.Len(t, r.Events("execution.retried"), 1)
}

// forgets has Temporal delete a closed run, as it does when the time of retention is over.
func forgets(o *kit.TemporalClient, of *commonpb.WorkflowExecution) {
	o.T.Helper()
	_, err := o.WorkflowService().DeleteWorkflowExecution(o.T.Context(), &workflowservice.DeleteWorkflowExecutionRequest{Namespace: o.Namespace, WorkflowExecution: of})
	require.NoError(o.T, err)
	kit.RequireEventually(o.T, "Temporal has forgotten the run", func() bool {
		_, err := o.DescribeWorkflowExecution(o.T.Context(), of.GetWorkflowId(), of.GetRunId())
		_, missing := errors.AsType[*serviceerror.NotFound](err)
		return missing
	})
}

// Temporal has forgotten the run of an execution that failed, and is away; the
// dispatch comes once more meanwhile.
func TestRetry_2_4_5_LongAfterAndWhileTemporalIsAway(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	env := isolated.NewWorkspace(isolated.StartProcess("serve"))
	definition := publishing(env)
	r := kit.Dispatch(env, definition, kit.Key("k"))
	r.Ends("failed")
	o := kit.TemporalClientFor(t, isolated.Namespace)
	of := o.Closes(r, enumspb.WORKFLOW_EXECUTION_STATUS_FAILED)
	forgets(o, of)

	isolated.Temporal.Down()
	view := r.Retry()
	require.Equal(t, []any{redline.ExecutionStatusPending, int64(2)}, []any{view.Status, view.Attempt})
	require.Nil(t, view.CompletedAt)
	require.Nil(t, view.FailureReason)
	require.Empty(t, view.TriggerContext)
	again := kit.Dispatch(env, definition, kit.Key("k"))
	require.True(t, again.Deduplicated)
	require.Equal(t, r.ID, again.ID)
	require.NoError(t, isolated.Temporal.Up())
	r.Ends("completed")
	require.Len(t, env.Receiver().Requests("/publish"), 2)
	require.Equal(t, of.GetWorkflowId(), o.Closes(r, enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED).GetWorkflowId())
}

func TestRetry_3_OldStepsStayAndNumbersGoOn(t *testing.T) {
	env := kit.NewWorkspace(t)
	kit.Fails(env, "/call")
	gate := env.Receiver().HoldFirst("/call")
	r := kit.Dispatch(env, kit.Define(env,
		[]redline.NodeInput{client.Hook("call", env.Receiver().URL("/call")), client.Human("review", "ann", "bob"), client.Mock("end")},
		client.Both("review", "end")...), kit.WithReceiver(env, "/events"))
	r.WaitsAt("review")
	kit.RequireReached(t, "the call", gate.Reached())
	r.Decide("review", "ann", "approve", "fine")
	gate.Release()
	failed := r.Ends("failed")
	before := r.Events()
	require.Equal(t, redline.StepStatusCancelled, r.Step("review").Status)

	view := r.Retry()
	require.Equal(t, failed.StepCount+2, view.StepCount)
	for i, old := range failed.Steps {
		require.Equal(t, old, view.Steps[i], "old steps stay as they were")
	}
	kit.RequireEventually(t, "review waits again", func() bool { return newestStep(r, "review").Status == "waiting" })
	newest := newestStep(r, "review")
	require.Equal(t, int64(2), newest.Metadata.Attempt)
	require.Empty(t, inboxOf(env, r, "ann"), "what ann decided is kept")
	require.Len(t, inboxOf(env, r, "bob"), 1)
	answer, err := env.Workspace.Decide(env.Ctx, r.Decision(newest.StepID, "bob", "approve"))
	require.NoError(t, err)
	require.Equal(t, redline.DecideResultAggregatorStatusResolved, answer.AggregatorStatus)
	r.Ends("completed")
	require.Equal(t, int64(2), kit.Judgments(env, nil).Total, "one of each decision")

	after := r.Events()
	require.Equal(t, before, after[:len(before)])
	require.Equal(t, "execution.retried", after[len(before)].Type)
	require.Greater(t, after[len(before)].Seq, before[len(before)-1].Seq)
	require.JSONEq(t, `{"actorId":"boss","reason":"again","attempt":2,"skippedStepIds":[],"stepIds":["`+newestStep(r, "call").StepID+`","`+newest.StepID+`"]}`,
		string(after[len(before)].Data))
	env.Arrived("/events", receiver.Count(len(after)))
	requests := env.Receiver().Requests("/call")
	require.Equal(t, newestStep(r, "call").StepID, requests[len(requests)-1].Header.Get("x-svc-event-id"))
}

// inboxOf is what of an execution is open for a person.
func inboxOf(env *kit.Env, r *kit.Run, reviewer string) []redline.ListedStep {
	env.T.Helper()
	return kit.EveryPage[redline.ListedStep](env, client.ListSteps, map[string]any{"reviewerId": reviewer, "executionId": r.ID})
}

func TestRetrySkipsWhatIsNamed(t *testing.T) {
	env := kit.NewWorkspace(t)
	env.Receiver().Answer("/call", receiver.Status(400))
	failing := `{"op":"eq","args":[{"var":"step.status"},"skipped"]}`
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.Mock("first"), client.Hook("call", env.Receiver().URL("/call")), client.Hook("next", env.Receiver().URL("/next"))},
		client.Always("first", "call"), client.When("call", "next", failing)))
	view := r.Ends("failed")
	first, call := kit.Steps(view, "first")[0].StepID, kit.Steps(view, "call")[0].StepID
	failure := env.RefusedAs("INVALID_ARGUMENT", client.RetryExecution, map[string]any{"executionId": r.ID, "skipStepIds": []string{call, first}})
	require.Len(t, failure.Issues, 1)
	require.Equal(t, []string{"skipStepIds", "1"}, failure.Issues[0].Path)
	view = r.Retry(call)
	require.Equal(t, redline.StepStatusSkipped, kit.Steps(view, "call")[1].Status)
	require.Len(t, kit.Steps(r.Ends("completed"), "next"), 1)
	require.Len(t, env.Receiver().Requests("/call"), 1)
}

// A step that fails as it starts ends the execution before its neighbour has begun. The
// neighbour is there all the same, and a retry starts it with its input.
func TestRetryStartsTheNeighboursOfWhatFailedAtOnce(t *testing.T) {
	env := kit.NewWorkspace(t)
	pageless := redline.NodeInput{NodeID: "look", Type: "agent", Config: map[string]any{"agentId": "checker", "urlPath": "nowhere"}}
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.Mock("first"), pageless, client.Human("review", "ann"), client.Hook("publish", env.Receiver().URL("/publish"))},
		client.Always("first", "look"), client.Always("first", "review"), client.Approve("review", "publish"), client.Reject("review", "publish")))
	view := r.Ends("failed")
	require.Len(t, kit.Steps(view, "review"), 1)
	review := kit.Steps(view, "review")[0]
	require.Equal(t, redline.StepStatusCancelled, review.Status)
	require.Nil(t, review.StartedAt)
	require.Equal(t, "execution.failed", r.Events()[len(r.Events())-1].Type)
	r.Retry(kit.Steps(view, "look")[0].StepID)
	again := r.WaitsAt("review")
	require.Equal(t, int64(2), again.Metadata.Attempt)
	var handedOn bool
	require.NoError(t, env.DB().QueryRow(env.Ctx, `SELECT input::text LIKE '%"decision":"approve"%' FROM steps WHERE execution_id = $1 AND id = $2`,
		r.ID, again.StepID).Scan(&handedOn))
	require.True(t, handedOn, "its input is what the first step left")
	require.True(t, decidesStep(env, r, again, "ann", "approve").Recorded)
	require.Len(t, kit.Steps(r.Ends("completed"), "publish"), 1)
}

// The rows say that there were many attempts before.
func TestRetry_TheLimitOfAttempts(t *testing.T) {
	const most = 50
	env := kit.NewWorkspace(t)
	env.Receiver().Answer("/call", receiver.Status(400))
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.Hook("call", env.Receiver().URL("/call"))}))
	r.Ends("failed")
	_, err := env.DB().Exec(env.Ctx, `UPDATE executions SET attempt = $3 WHERE workspace_id = $1 AND id = $2`, env.Workspace.ID, r.ID, most-1)
	require.NoError(t, err)
	require.Equal(t, int64(most), r.Retry().Attempt)
	before := r.Ends("failed")
	require.Equal(t, int64(most), before.Attempt)
	env.RefusedAs("FAILED_PRECONDITION", client.RetryExecution, map[string]any{"executionId": r.ID})
	require.Equal(t, before, r.View())
	require.Len(t, r.Events("execution.retried"), 1)
	require.Len(t, env.Receiver().Requests("/call"), 2)
}

func TestRetryShapeAndState(t *testing.T) {
	env := kit.NewWorkspace(t)
	definition := publishing(env)
	r := kit.Dispatch(env, definition)
	r.Ends("failed")
	for name, data := range map[string]map[string]any{
		"no id": {}, "reason above 500": {"executionId": r.ID, "reason": strings.Repeat("ü", 501)},
		"too many": {"executionId": r.ID, "skipStepIds": make([]string, 101)}, "surplus": {"executionId": r.ID, "steps": 1},
	} {
		assert.Equal(t, redline.ProblemStatusInvalidArgument, env.Refused(client.RetryExecution, data).Status, name)
	}
	env.RefusedAs("NOT_FOUND", client.RetryExecution, map[string]any{"executionId": "nothing"})
	env.Call(client.DeleteDefinition, map[string]any{"definitionId": definition}, nil)
	env.RefusedAs("FAILED_PRECONDITION", client.RetryExecution, map[string]any{"executionId": r.ID})
	env.Call(client.DeleteDefinition, map[string]any{"definitionId": definition, "purge": true}, nil)
	env.RefusedAs("FAILED_PRECONDITION", client.RetryExecution, map[string]any{"executionId": r.ID})
	require.Equal(t, redline.ExecutionStatusFailed, r.View().Status)

	well := kit.Dispatch(env, kit.Instant(env))
	well.Ends("completed")
	env.RefusedAs("FAILED_PRECONDITION", client.RetryExecution, map[string]any{"executionId": well.ID})
}
