package tests

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

	"github.com/redline-svc/redline/tests/client"
	"github.com/redline-svc/redline/tests/receiver"
)

const retryExecution = "workflow/executions/retry"

// retry is one that has to succeed.
func (r *run) retry(skip ...string) (view client.Execution) {
	r.s.t.Helper()
	r.s.call(retryExecution, map[string]any{"executionId": r.id, "actorId": "boss", "reason": "again", "skipStepIds": append([]string{}, skip...)}, &view)
	return view
}

// fails refuses the first call at a path of the receiver for good, and takes the others.
func (s *scene) fails(path string) {
	s.t.Helper()
	s.receiver().AnswerBy(path, func(n int, _ receiver.Request) receiver.Answer {
		return receiver.Status(map[bool]int{true: 400, false: 200}[n == 1])
	})
}

// newest is the latest step of a node.
func (r *run) newest(nodeID string) client.Step {
	r.s.t.Helper()
	found := steps(r.view(), nodeID)
	require.NotEmpty(r.s.t, found)
	return found[len(found)-1]
}

// publishing asks two people, then calls a receiver that refuses the first time.
func (s *scene) publishing() string {
	s.t.Helper()
	s.fails("/publish")
	return s.define([]client.Node{client.Mock("first"), client.Hook("publish", s.receiver().URL("/publish"))}, client.Always("first", "publish"))
}

func TestRetry_1_TwoAtOnceMakeOneAttempt(t *testing.T) {
	s := begin(t)
	r := s.dispatch(s.publishing())
	r.ends("failed")
	var made atomic.Int32
	together(2, func(int) {
		_, err := client.Call[client.Execution](s.ctx, s.keyed, retryExecution, map[string]any{"executionId": r.id})
		if s.unlessLate(err) {
			made.Add(1)
		}
	})
	require.EqualValues(t, 1, made.Load())
	view := r.ends("completed")
	require.Equal(t, 2, view.Attempt)
	require.Len(t, s.receiver().Requests("/publish"), 2)
	require.Len(t, r.events("execution.retried"), 1)
}

// forgets has the engine delete a closed run, as it does when the time of retention is over.
func (o *operator) forgets(of *commonpb.WorkflowExecution) {
	o.t.Helper()
	_, err := o.WorkflowService().DeleteWorkflowExecution(o.t.Context(), &workflowservice.DeleteWorkflowExecutionRequest{Namespace: o.namespace, WorkflowExecution: of})
	require.NoError(o.t, err)
	eventually(o.t, "the engine has forgotten the run", func() bool {
		_, err := o.DescribeWorkflowExecution(o.t.Context(), of.GetWorkflowId(), of.GetRunId())
		_, missing := errors.AsType[*serviceerror.NotFound](err)
		return missing
	})
}

// The engine has forgotten the run of an execution that failed, and is away; the
// dispatch comes once more meanwhile.
func TestRetry_2_4_5_LongAfterAndWhileTheEngineIsAway(t *testing.T) {
	l := newLab(t)
	s := l.begin(l.start("serve"))
	definition := s.publishing()
	r := s.dispatch(definition, key("k"))
	r.ends("failed")
	o := atTheEngine(t, l.Namespace)
	of := o.closes(r, enumspb.WORKFLOW_EXECUTION_STATUS_FAILED)
	o.forgets(of)

	l.Engine.Down()
	view := r.retry()
	require.Equal(t, []any{"pending", 2}, []any{view.Status, view.Attempt})
	require.Nil(t, view.CompletedAt)
	require.Nil(t, view.FailureReason)
	require.Empty(t, view.TriggerContext)
	again := s.dispatch(definition, key("k"))
	require.True(t, again.deduplicated)
	require.Equal(t, r.id, again.id)
	require.NoError(t, l.Engine.Up())
	r.ends("completed")
	require.Len(t, s.receiver().Requests("/publish"), 2)
	require.Equal(t, of.GetWorkflowId(), o.closes(r, enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED).GetWorkflowId())
}

func TestRetry_3_OldStepsStayAndNumbersGoOn(t *testing.T) {
	s := begin(t)
	s.fails("/call")
	gate := s.receiver().HoldFirst("/call")
	r := s.dispatch(s.define(
		[]client.Node{client.Hook("call", s.receiver().URL("/call")), client.Human("review", "ann", "bob"), client.Mock("end")},
		client.Both("review", "end")...), s.withReceiver("/events"))
	r.waitsAt("review")
	reached(t, "the call", gate.Reached())
	r.decide("review", "ann", "approve", "fine")
	gate.Release()
	failed := r.ends("failed")
	before := r.events()
	require.Equal(t, "cancelled", r.step("review").Status)

	view := r.retry()
	require.Equal(t, failed.StepCount+2, view.StepCount)
	for i, old := range failed.Steps {
		require.Equal(t, old, view.Steps[i], "old steps stay as they were")
	}
	eventually(t, "review waits again", func() bool { return r.newest("review").Status == "waiting" })
	newest := r.newest("review")
	require.Equal(t, 2, newest.Metadata.Attempt)
	require.Empty(t, s.inboxOf(r, "ann"), "what ann decided is kept")
	require.Len(t, s.inboxOf(r, "bob"), 1)
	answer, err := s.workspace.Decide(s.ctx, r.decision(newest.StepID, "bob", "approve"))
	require.NoError(t, err)
	require.Equal(t, "resolved", answer.AggregatorStatus)
	r.ends("completed")
	require.Equal(t, 2, s.judgments(nil).Total, "one of each decision")

	after := r.events()
	require.Equal(t, before, after[:len(before)])
	require.Equal(t, "execution.retried", after[len(before)].Type)
	require.Greater(t, after[len(before)].Seq, before[len(before)-1].Seq)
	require.JSONEq(t, `{"actorId":"boss","reason":"again","attempt":2,"skippedStepIds":[],"stepIds":["`+r.newest("call").StepID+`","`+newest.StepID+`"]}`,
		string(after[len(before)].Data))
	s.arrived("/events", receiver.Count(len(after)))
	requests := s.receiver().Requests("/call")
	require.Equal(t, r.newest("call").StepID, requests[len(requests)-1].Header.Get("x-svc-event-id"))
}

// inboxOf is what of an execution is open for a person.
func (s *scene) inboxOf(r *run, reviewer string) []client.Step {
	s.t.Helper()
	return everyPage[client.Step](s, "workflow/steps/list", map[string]any{"reviewerId": reviewer, "executionId": r.id})
}

func TestRetrySkipsWhatIsNamed(t *testing.T) {
	s := begin(t)
	s.receiver().Answer("/call", receiver.Status(400))
	failing := `{"op":"eq","args":[{"var":"step.status"},"skipped"]}`
	r := s.dispatch(s.define([]client.Node{client.Mock("first"), client.Hook("call", s.receiver().URL("/call")), client.Hook("next", s.receiver().URL("/next"))},
		client.Always("first", "call"), client.When("call", "next", failing)))
	view := r.ends("failed")
	first, call := steps(view, "first")[0].StepID, steps(view, "call")[0].StepID
	failure := s.refusedAs("INVALID_ARGUMENT", retryExecution, map[string]any{"executionId": r.id, "skipStepIds": []string{call, first}})
	require.Len(t, failure.Issues, 1)
	require.Equal(t, []string{"skipStepIds", "1"}, failure.Issues[0].Path)
	view = r.retry(call)
	require.Equal(t, "skipped", steps(view, "call")[1].Status)
	require.Len(t, steps(r.ends("completed"), "next"), 1)
	require.Len(t, s.receiver().Requests("/call"), 1)
}

// A step that fails as it starts ends the execution before its neighbour has begun. The
// neighbour is there all the same, and a retry starts it with its input.
func TestRetryStartsTheNeighboursOfWhatFailedAtOnce(t *testing.T) {
	s := begin(t)
	pageless := client.Node{NodeID: "look", Type: "agent", Config: map[string]any{"agentId": "checker", "urlPath": "nowhere"}}
	r := s.dispatch(s.define([]client.Node{client.Mock("first"), pageless, client.Human("review", "ann"), client.Hook("publish", s.receiver().URL("/publish"))},
		client.Always("first", "look"), client.Always("first", "review"), client.Approve("review", "publish"), client.Reject("review", "publish")))
	view := r.ends("failed")
	require.Len(t, steps(view, "review"), 1)
	review := steps(view, "review")[0]
	require.Equal(t, "cancelled", review.Status)
	require.Nil(t, review.StartedAt)
	require.Equal(t, "execution.failed", r.events()[len(r.events())-1].Type)
	r.retry(steps(view, "look")[0].StepID)
	again := r.waitsAt("review")
	require.Equal(t, 2, again.Metadata.Attempt)
	var handedOn bool
	require.NoError(t, s.rows().QueryRow(s.ctx, `SELECT input::text LIKE '%"decision":"approve"%' FROM steps WHERE execution_id = $1 AND id = $2`,
		r.id, again.StepID).Scan(&handedOn))
	require.True(t, handedOn, "its input is what the first step left")
	require.True(t, s.decidesStep(r, again, "ann", "approve").Recorded)
	require.Len(t, steps(r.ends("completed"), "publish"), 1)
}

// The rows say that there were many attempts before.
func TestRetry_TheLimitOfAttempts(t *testing.T) {
	const most = 50
	s := begin(t)
	s.receiver().Answer("/call", receiver.Status(400))
	r := s.dispatch(s.define([]client.Node{client.Hook("call", s.receiver().URL("/call"))}))
	r.ends("failed")
	_, err := s.rows().Exec(s.ctx, `UPDATE executions SET attempt = $3 WHERE workspace_id = $1 AND id = $2`, s.workspace.ID, r.id, most-1)
	require.NoError(t, err)
	require.Equal(t, most, r.retry().Attempt)
	before := r.ends("failed")
	require.Equal(t, most, before.Attempt)
	s.refusedAs("FAILED_PRECONDITION", retryExecution, map[string]any{"executionId": r.id})
	require.Equal(t, before, r.view())
	require.Len(t, r.events("execution.retried"), 1)
	require.Len(t, s.receiver().Requests("/call"), 2)
}

func TestRetryShapeAndState(t *testing.T) {
	s := begin(t)
	definition := s.publishing()
	r := s.dispatch(definition)
	r.ends("failed")
	for name, data := range map[string]map[string]any{
		"no id": {}, "reason above 500": {"executionId": r.id, "reason": strings.Repeat("ü", 501)},
		"too many": {"executionId": r.id, "skipStepIds": make([]string, 101)}, "surplus": {"executionId": r.id, "steps": 1},
	} {
		assert.Equal(t, "INVALID_ARGUMENT", s.refused(retryExecution, data).Status, name)
	}
	s.refusedAs("NOT_FOUND", retryExecution, map[string]any{"executionId": "nothing"})
	s.call("workflow/definitions/delete", map[string]any{"definitionId": definition}, nil)
	s.refusedAs("FAILED_PRECONDITION", retryExecution, map[string]any{"executionId": r.id})
	s.call("workflow/definitions/delete", map[string]any{"definitionId": definition, "purge": true}, nil)
	s.refusedAs("FAILED_PRECONDITION", retryExecution, map[string]any{"executionId": r.id})
	require.Equal(t, "failed", r.view().Status)

	well := s.dispatch(s.instant())
	well.ends("completed")
	s.refusedAs("FAILED_PRECONDITION", retryExecution, map[string]any{"executionId": well.id})
}
