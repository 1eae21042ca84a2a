package workflow

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/protobuf/proto"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// temporalNamespace is where the shared stack's runs are.
const temporalNamespace = "svc"

// open waits for the open run of an execution.
func open(o *kit.TemporalClient, r *kit.Run) *commonpb.WorkflowExecution {
	o.T.Helper()
	return o.Find(r, "an open run of "+r.ID, isOpen).GetExecution()
}

func isOpen(info *workflowpb.WorkflowExecutionInfo) bool {
	return info.GetStatus() == enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING
}

// reset takes a run back to its first task, as the UI's reset does.
func reset(o *kit.TemporalClient, of *commonpb.WorkflowExecution) string {
	o.T.Helper()
	request := &workflowservice.ResetWorkflowExecutionRequest{
		Namespace: o.Namespace, WorkflowExecution: of, Reason: "a test", RequestId: kit.Unique("reset"),
		WorkflowTaskFinishEventId: firstTask(o, of),
	}
	answer, err := kit.UntilAnswered(o.T, func() (*workflowservice.ResetWorkflowExecutionResponse, error) {
		return o.ResetWorkflowExecution(o.T.Context(), request) // again with the same id it resets once
	})
	require.NoError(o.T, err)
	return answer.GetRunId()
}

// firstTask is the number of the event that ended the first task of a run.
func firstTask(o *kit.TemporalClient, of *commonpb.WorkflowExecution) int64 {
	o.T.Helper()
	events := o.GetWorkflowHistory(o.T.Context(), of.GetWorkflowId(), of.GetRunId(), false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		require.NoError(o.T, err)
		if event.GetEventType() == enumspb.EVENT_TYPE_WORKFLOW_TASK_COMPLETED {
			return event.GetEventId()
		}
	}
	require.FailNow(o.T, "the run has not done a task yet")
	return 0
}

func TestTemporal_ARunIsFoundAndReadByPeople(t *testing.T) {
	env := kit.NewWorkspace(t)
	o := kit.TemporalClientFor(t, temporalNamespace)
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.Human("review", "ann", "bob"), client.Mock("done")}, client.Both("review", "done")...), func(d *redline.DispatchRequest) { d.CorrelationID = new(kit.Unique("order")) })
	r.WaitsAt("review")
	view := r.Runs().View()
	for name, value := range map[string]string{
		"RedlineExecutionId": r.ID, "RedlineDefinitionId": view.DefinitionID, "RedlineWorkspaceId": env.Workspace.ID,
		"RedlineCorrelationId": view.CorrelationID,
	} {
		kit.RequireEventually(t, name+" finds the run", func() bool {
			return len(o.Search(name+" = '"+value+"' AND RedlineStatus = 'running'")) == 1
		})
	}
	info := o.Find(r, "the run", isOpen)
	require.True(t, strings.HasPrefix(info.GetExecution().GetWorkflowId(), "execution/"+env.Workspace.ID+"/"+view.DefinitionID+"/"))
	require.Equal(t, r.ID, kit.Text(t, info.GetMemo().GetFields()["executionId"]))
	require.Equal(t, "Test "+view.DefinitionID, kit.Text(t, info.GetMemo().GetFields()["definitionName"]))
	described, err := o.DescribeWorkflowExecution(t.Context(), info.GetExecution().GetWorkflowId(), "")
	require.NoError(t, err)
	require.Equal(t, "Test "+view.DefinitionID+" v1", kit.Text(t, described.GetExecutionConfig().GetUserMetadata().GetSummary()))

	waiting := waitingSince(view.Steps[0])
	require.Equal(t, "Test "+view.DefinitionID+" v1\n\nrunning\n\n"+waiting+", for ann, bob", o.Details(info.GetExecution()))
	answer, err := o.QueryWorkflow(t.Context(), info.GetExecution().GetWorkflowId(), "", "state")
	require.NoError(t, err)
	var state struct {
		Definition string `json:"definition"`
		Status     string `json:"status"`
		Live       []struct {
			NodeID     string   `json:"nodeId"`
			Need       string   `json:"need"`
			Status     string   `json:"status"`
			Since      int64    `json:"since"`
			WaitingFor []string `json:"waitingFor"`
		} `json:"live"`
	}
	require.NoError(t, answer.Get(&state))
	require.Equal(t, "Test "+view.DefinitionID+" v1", state.Definition)
	require.Equal(t, "running", state.Status)
	require.Len(t, state.Live, 1)
	require.Equal(t, "review", state.Live[0].NodeID)
	require.Equal(t, "waiting", state.Live[0].Status)
	require.Equal(t, *view.Steps[0].StartedAt, state.Live[0].Since)
	require.Equal(t, []string{"ann", "bob"}, state.Live[0].WaitingFor)

	r.Decide("review", "ann", "approve")
	kit.RequireEventually(t, "what changes nothing to drive is shown a little later", func() bool {
		return strings.HasSuffix(o.Details(info.GetExecution()), waiting+", for bob")
	})
	r.Decide("review", "bob", "approve")
	o.Closes(r, enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
	kit.RequireEventually(t, "the status is kept current", func() bool {
		return len(o.Search("RedlineExecutionId = '"+r.ID+"' AND RedlineStatus = 'completed'")) == 1
	})
}

// summary is the line that the UI shows above the newest run that a query finds.
func summary(o *kit.TemporalClient, query string) string {
	o.T.Helper()
	var runs []*workflowpb.WorkflowExecutionInfo
	kit.RequireEventually(o.T, "a run is found", func() bool { runs = o.Search(query); return len(runs) > 0 })
	of := runs[0].GetExecution()
	described, err := o.DescribeWorkflowExecution(o.T.Context(), of.GetWorkflowId(), of.GetRunId())
	require.NoError(o.T, err)
	return kit.Text(o.T, described.GetExecutionConfig().GetUserMetadata().GetSummary())
}

func TestTemporal_RunsSayWhatIsSentWhereAndWhichSourceIsBroughtIn(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	o := kit.TemporalClientFor(t, temporalNamespace)
	endpoint := kit.EndpointAt(env, "/a-secret-path")
	kit.Dispatch(env, kit.Instant(env), kit.WithReceiver(env, "/a-secret-path/of-its-own"))
	kit.MailBy(env, map[string]any{"fromEmail": "desk@tests.example.com"})
	kit.Mention(env, "bob", kit.Mailbox())
	source := kit.Ingest(env, "A text of the caller, which nobody reads in Temporal.")
	of := "of workspace " + env.Workspace.ID
	require.Equal(t, "Webhooks to endpoint "+endpoint.ID+" "+of, summary(o, "RedlineObjectId = '"+endpoint.ID+"'"))
	require.Equal(t, "Webhooks to the addresses given with executions "+of,
		summary(o, "RedlineKind = 'delivery' AND RedlineObjectId != '"+endpoint.ID+"' AND RedlineWorkspaceId = '"+env.Workspace.ID+"'"))
	require.Equal(t, "Mails "+of, summary(o, "RedlineKind = 'email' AND RedlineWorkspaceId = '"+env.Workspace.ID+"'"))
	require.Equal(t, "Version 1 of source "+source+" "+of, summary(o, "RedlineObjectId = '"+source+"'"))
}

func TestTemporal_HistoriesHoldNoContents(t *testing.T) {
	env := kit.NewWorkspace(t)
	o := kit.TemporalClientFor(t, temporalNamespace)
	env.Receiver().Answer("/hook", receiver.JSON(`{"answer":"a-text-of-the-receiver"}`))
	definition := kit.Define(env, []redline.NodeInput{client.Hook("call", env.Receiver().URL("/hook")), client.Human("review", "ann"), client.Mock("done")},
		append(client.Both("review", "done"), client.Always("call", "review"))...)
	r := kit.Dispatch(env, definition, kit.Input(map[string]any{"title": "a-text-of-the-caller", "webhookAuth": map[string]string{"call": "a-secret-of-the-caller"}}))
	r.WaitsAt("review")
	r.Decide("review", "ann", "approve", "a-reason-of-ann")
	of := o.Closes(r, enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
	events := o.GetWorkflowHistory(t.Context(), of.GetWorkflowId(), of.GetRunId(), false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	var whole strings.Builder
	for events.HasNext() {
		event, err := events.Next()
		require.NoError(t, err)
		if event.GetEventType() == enumspb.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED {
			require.Equal(t, "call", kit.Text(t, event.GetUserMetadata().GetSummary()), "an activity is named by its node")
		}
		written, err := proto.Marshal(event) // payloads stand in it as they are
		require.NoError(t, err)
		whole.Write(written)
	}
	require.Contains(t, whole.String(), r.ID)
	for _, content := range []string{"a-text-of", "a-secret-of", "a-reason-of"} {
		require.NotContains(t, whole.String(), content)
	}
}

func TestTemporal_ARunClosesAsItsExecutionEnded(t *testing.T) {
	env := kit.NewWorkspace(t)
	o := kit.TemporalClientFor(t, temporalNamespace)
	env.Receiver().Answer("/no", receiver.Status(400))
	failed := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.Hook("call", env.Receiver().URL("/no"))}))
	failed.Ends("failed")
	of := o.Closes(failed, enumspb.WORKFLOW_EXECUTION_STATUS_FAILED)
	err := o.GetWorkflow(t.Context(), of.GetWorkflowId(), of.GetRunId()).Get(t.Context(), nil)
	require.ErrorContains(t, err, "type: step-failed")

	cancelled := kit.Dispatch(env, kit.SignOff(env))
	cancelled.WaitsAt("review")
	open(o, cancelled)
	require.True(t, cancelled.Cancel())
	o.Closes(cancelled, enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED)
}

func TestTemporal_CancelledThereIsCancelledHere(t *testing.T) {
	env := kit.NewWorkspace(t)
	o := kit.TemporalClientFor(t, temporalNamespace)
	r := kit.Dispatch(env, kit.SignOff(env))
	r.WaitsAt("review")
	of := open(o, r)
	require.NoError(t, o.CancelWorkflow(t.Context(), of.GetWorkflowId(), of.GetRunId()))
	view := r.Ends("cancelled")
	require.Equal(t, redline.StepStatusCancelled, kit.Steps(view, "review")[0].Status)
	last := r.Events("execution.cancelled")
	require.Len(t, last, 1)
	require.JSONEq(t, `{"actorId":"system:engine"}`, string(last[0].Data))
	o.Closes(r, enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED)
}

func TestTemporal_TerminatedThereGoesOnAtTheNextSignal(t *testing.T) {
	env := kit.NewWorkspace(t)
	o := kit.TemporalClientFor(t, temporalNamespace)
	r := kit.Dispatch(env, kit.Pipeline(env))
	r.WaitsAt("review")
	of := open(o, r)
	require.NoError(t, o.TerminateWorkflow(t.Context(), of.GetWorkflowId(), of.GetRunId(), "a test"))
	o.Closes(r, enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED)
	require.Equal(t, redline.ExecutionStatusRunning, r.View().Status, "terminating a run ends nothing")
	r.Decide("review", "ann", "approve")
	r.Ends("completed")
	next := o.Closes(r, enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
	require.NotEqual(t, of.GetRunId(), next.GetRunId())
	kit.CalledOnce(env, "/before", 1)
	kit.CalledOnce(env, "/after", 1)
}

func TestTemporal_TerminatedThereGoesOnAtWhenItIsOverdue(t *testing.T) {
	env := kit.NewWorkspace(t)
	o := kit.TemporalClientFor(t, temporalNamespace)
	farOff := receiver.Answer{Status: 503, Header: map[string]string{"retry-after": "20"}}
	env.Receiver().AnswerBy("/shaky", func(n int, _ receiver.Request) receiver.Answer {
		return []receiver.Answer{receiver.Status(503), farOff, receiver.Status(200)}[min(n, 3)-1]
	})
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.Hook("call", env.Receiver().URL("/shaky"))}))
	kit.RequireEventually(t, "two tries have failed", func() bool { return len(history(r, "step.retried")) == 2 })
	of := open(o, r)
	const overdue = `redline_overdue_found_total{kind="execution"}`
	before := kit.Scrape(t, kit.Shared.Ops())[overdue]
	require.NoError(t, o.TerminateWorkflow(t.Context(), of.GetWorkflowId(), of.GetRunId(), "a test"))
	kit.RequireWithin(t, 3*time.Minute, "what nobody drives is found overdue", func() bool { return r.View().Status == "completed" })
	kit.CalledOnce(env, "/shaky", 3)
	require.Greater(t, kit.Scrape(t, kit.Shared.Ops())[overdue], before, "and counts it")
}

func TestTemporal_ResetThereRepeatsNothing(t *testing.T) {
	env := kit.NewWorkspace(t)
	o := kit.TemporalClientFor(t, temporalNamespace)
	r := kit.Dispatch(env, kit.Pipeline(env))
	r.WaitsAt("review")
	first := open(o, r)
	again := reset(o, first)
	kit.RequireEventually(t, "the new run asks for its plan", func() bool {
		answer, err := o.QueryWorkflow(t.Context(), first.GetWorkflowId(), again, "state")
		var state struct {
			Status string `json:"status"`
		}
		return err == nil && answer.Get(&state) == nil && state.Status == "running"
	})
	r.Decide("review", "ann", "approve")
	r.Ends("completed")
	require.Equal(t, again, o.Closes(r, enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED).GetRunId())
	kit.CalledOnce(env, "/before", 1)
	kit.CalledOnce(env, "/after", 1)
}

func TestTemporal_ResetThereMakesNoCallBesideALivingOne(t *testing.T) {
	env := kit.NewWorkspace(t)
	o := kit.TemporalClientFor(t, temporalNamespace)
	gate := env.Receiver().Hold("/before")
	// the hold of the call outlasts the patience of the test: only a signal reaches the new run
	definition := kit.Define(env, []redline.NodeInput{
		client.With(client.Hook("before", env.Receiver().URL("/before")), "timeoutMs", 60_000), client.Hook("after", env.Receiver().URL("/after")),
	}, client.Always("before", "after"))
	r := kit.Dispatch(env, definition)
	kit.RequireReached(t, "the call", gate.Reached())
	first := open(o, r)
	again := reset(o, first)
	leavesACallAlone(o, first.GetWorkflowId(), again)
	gate.Release()
	r.Ends("completed")
	kit.CalledOnce(env, "/before", 1)
	kit.CalledOnce(env, "/after", 1)
}

func TestTemporal_StartedTwiceDoesNothingTwice(t *testing.T) {
	env := kit.NewWorkspace(t)
	o := kit.TemporalClientFor(t, temporalNamespace)
	r := kit.Dispatch(env, kit.Pipeline(env))
	r.WaitsAt("review")
	of := open(o, r)
	_, err := start(o, r, of.GetWorkflowId())
	var already *serviceerror.WorkflowExecutionAlreadyStarted
	require.ErrorAs(t, err, &already, "the same id cannot run twice")

	stranger, err := start(o, r, "execution/"+env.Workspace.ID+"/"+kit.Unique("stranger"))
	require.NoError(t, err)
	require.NoError(t, stranger.Get(t.Context(), nil), "a run under another id ends at once")
	require.Equal(t, redline.ExecutionStatusRunning, r.View().Status)

	r.Decide("review", "ann", "approve")
	r.Ends("completed")
	o.Closes(r, enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
	late, err := start(o, r, of.GetWorkflowId())
	require.NoError(t, err)
	require.NoError(t, late.Get(t.Context(), nil), "there is nothing left to do")
	kit.CalledOnce(env, "/before", 1)
	kit.CalledOnce(env, "/after", 1)
	require.Len(t, r.Events("execution.completed"), 1)
}
