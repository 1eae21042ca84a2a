package tests

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	sdkpb "go.temporal.io/api/sdk/v1"
	"go.temporal.io/api/serviceerror"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	engine "go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/proto"

	"github.com/redline-svc/redline/tests/client"
	"github.com/redline-svc/redline/tests/receiver"
	"github.com/redline-svc/redline/tests/stack"
)

// engineNamespace is where the shared stack's runs are.
const engineNamespace = "svc"

// operator is a person at the engine's UI.
type operator struct {
	t *testing.T
	engine.Client
	namespace string
	// workspaceID narrows what is asked about all runs; empty for all workspaces.
	workspaceID string
}

// atTheEngine opens the UI's own interface of a namespace.
func atTheEngine(t *testing.T, namespace string) *operator {
	t.Helper()
	return atTheEngineOf(t, shared, namespace)
}

// atTheEngineOf is atTheEngine of a stack of its own.
func atTheEngineOf(t *testing.T, parts *stack.Stack, namespace string) *operator {
	t.Helper()
	c, err := engine.Dial(engine.Options{
		HostPort: parts.Env["REDLINE_TEMPORAL_ADDR"], Namespace: namespace,
		ConnectionOptions: engine.ConnectionOptions{GetSystemInfoTimeout: patience},
	})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return &operator{t: t, Client: c, namespace: namespace}
}

// search lists the runs that a query finds, newest first.
func (o *operator) search(query string) []*workflowpb.WorkflowExecutionInfo {
	o.t.Helper()
	answer, err := o.ListWorkflow(o.t.Context(), &workflowservice.ListWorkflowExecutionsRequest{Namespace: o.namespace, Query: query})
	require.NoError(o.t, err)
	return answer.GetExecutions()
}

// find waits until the newest run of an execution fits.
func (o *operator) find(r *run, what string, fits func(*workflowpb.WorkflowExecutionInfo) bool) *workflowpb.WorkflowExecutionInfo {
	o.t.Helper()
	var found *workflowpb.WorkflowExecutionInfo
	eventually(o.t, what, func() bool {
		runs := o.search("RedlineExecutionId = '" + r.id + "'")
		if len(runs) == 0 {
			return false
		}
		found = runs[0]
		return fits(found)
	})
	return found
}

// open waits for the open run of an execution.
func (o *operator) open(r *run) *commonpb.WorkflowExecution {
	o.t.Helper()
	return o.find(r, "an open run of "+r.id, isOpen).GetExecution()
}

func isOpen(info *workflowpb.WorkflowExecutionInfo) bool {
	return info.GetStatus() == enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING
}

// closes waits until the newest run of an execution closed like this.
func (o *operator) closes(r *run, status enumspb.WorkflowExecutionStatus) *commonpb.WorkflowExecution {
	o.t.Helper()
	return o.find(r, r.id+" closes as "+status.String(), func(info *workflowpb.WorkflowExecutionInfo) bool {
		return info.GetStatus() == status
	}).GetExecution()
}

// reset takes a run back to its first task, as the UI's reset does.
func (o *operator) reset(of *commonpb.WorkflowExecution) string {
	o.t.Helper()
	answer, err := o.ResetWorkflowExecution(o.t.Context(), &workflowservice.ResetWorkflowExecutionRequest{
		Namespace: o.namespace, WorkflowExecution: of, Reason: "a story", RequestId: unique("reset"),
		WorkflowTaskFinishEventId: o.firstTask(of),
	})
	require.NoError(o.t, err)
	return answer.GetRunId()
}

// firstTask is the number of the event that ended the first task of a run.
func (o *operator) firstTask(of *commonpb.WorkflowExecution) int64 {
	o.t.Helper()
	events := o.GetWorkflowHistory(o.t.Context(), of.GetWorkflowId(), of.GetRunId(), false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		require.NoError(o.t, err)
		if event.GetEventType() == enumspb.EVENT_TYPE_WORKFLOW_TASK_COMPLETED {
			return event.GetEventId()
		}
	}
	require.FailNow(o.t, "the run has not done a task yet")
	return 0
}

func text(t *testing.T, payload *commonpb.Payload) string {
	t.Helper()
	var value string
	require.NoError(t, converter.GetDefaultDataConverter().FromPayload(payload, &value))
	return value
}

// details is the text that the UI shows for a run.
func (o *operator) details(of *commonpb.WorkflowExecution) string {
	o.t.Helper()
	var answer converter.EncodedValue
	eventually(o.t, "the engine answers a query, late when it is busy", func() bool {
		var err error
		answer, err = o.QueryWorkflow(o.t.Context(), of.GetWorkflowId(), of.GetRunId(), "__temporal_workflow_metadata")
		return err == nil
	})
	var metadata sdkpb.WorkflowMetadata
	require.NoError(o.t, answer.Get(&metadata))
	return metadata.GetCurrentDetails()
}

func TestEngine_ARunIsFoundAndReadByPeople(t *testing.T) {
	s := begin(t)
	o := atTheEngine(t, engineNamespace)
	r := s.dispatch(s.define([]client.Node{client.Human("review", "ann", "bob"), client.Mock("done")}, client.Both("review", "done")...), func(d *client.Dispatch) { d.CorrelationID = unique("order") })
	r.waitsAt("review")
	view := r.runs().view()
	for name, value := range map[string]string{
		"RedlineExecutionId": r.id, "RedlineDefinitionId": view.DefinitionID, "RedlineWorkspaceId": s.workspace.ID,
		"RedlineCorrelationId": view.CorrelationID,
	} {
		eventually(t, name+" finds the run", func() bool {
			return len(o.search(name+" = '"+value+"' AND RedlineStatus = 'running'")) == 1
		})
	}
	info := o.find(r, "the run", isOpen)
	require.True(t, strings.HasPrefix(info.GetExecution().GetWorkflowId(), "execution/"+s.workspace.ID+"/"+view.DefinitionID+"/"))
	require.Equal(t, r.id, text(t, info.GetMemo().GetFields()["executionId"]))
	require.Equal(t, "Story "+view.DefinitionID, text(t, info.GetMemo().GetFields()["definitionName"]))
	described, err := o.DescribeWorkflowExecution(t.Context(), info.GetExecution().GetWorkflowId(), "")
	require.NoError(t, err)
	require.Equal(t, "Story "+view.DefinitionID+" v1", text(t, described.GetExecutionConfig().GetUserMetadata().GetSummary()))

	waiting := waitingSince(view.Steps[0])
	require.Equal(t, "Story "+view.DefinitionID+" v1\n\nrunning\n\n"+waiting+", for ann, bob", o.details(info.GetExecution()))
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
	require.Equal(t, "Story "+view.DefinitionID+" v1", state.Definition)
	require.Equal(t, "running", state.Status)
	require.Len(t, state.Live, 1)
	require.Equal(t, "review", state.Live[0].NodeID)
	require.Equal(t, "waiting", state.Live[0].Status)
	require.Equal(t, *view.Steps[0].StartedAt, state.Live[0].Since)
	require.Equal(t, []string{"ann", "bob"}, state.Live[0].WaitingFor)

	r.decide("review", "ann", "approve")
	eventually(t, "what changes nothing to drive is shown a little later", func() bool {
		return strings.HasSuffix(o.details(info.GetExecution()), waiting+", for bob")
	})
	r.decide("review", "bob", "approve")
	o.closes(r, enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
	eventually(t, "the status is kept current", func() bool {
		return len(o.search("RedlineExecutionId = '"+r.id+"' AND RedlineStatus = 'completed'")) == 1
	})
}

// summary is the line that the UI shows above the newest run that a query finds.
func (o *operator) summary(query string) string {
	o.t.Helper()
	var runs []*workflowpb.WorkflowExecutionInfo
	eventually(o.t, "a run is found", func() bool { runs = o.search(query); return len(runs) > 0 })
	of := runs[0].GetExecution()
	described, err := o.DescribeWorkflowExecution(o.t.Context(), of.GetWorkflowId(), of.GetRunId())
	require.NoError(o.t, err)
	return text(o.t, described.GetExecutionConfig().GetUserMetadata().GetSummary())
}

func TestEngine_RunsSayWhatIsSentWhereAndWhichSourceIsBroughtIn(t *testing.T) {
	s := begin(t).hooked()
	o := atTheEngine(t, engineNamespace)
	endpoint := s.endpointAt("/a-secret-path")
	s.dispatch(s.instant(), s.withReceiver("/a-secret-path/of-its-own"))
	s.mailBy(map[string]any{"fromEmail": "desk@stories.example.com"})
	s.mention("bob", mailbox())
	source := s.ingest("A text of the caller, which nobody reads in the engine.")
	of := "of workspace " + s.workspace.ID
	require.Equal(t, "Webhooks to endpoint "+endpoint.ID+" "+of, o.summary("RedlineObjectId = '"+endpoint.ID+"'"))
	require.Equal(t, "Webhooks to the addresses given with executions "+of,
		o.summary("RedlineKind = 'delivery' AND RedlineObjectId != '"+endpoint.ID+"' AND RedlineWorkspaceId = '"+s.workspace.ID+"'"))
	require.Equal(t, "Mails "+of, o.summary("RedlineKind = 'email' AND RedlineWorkspaceId = '"+s.workspace.ID+"'"))
	require.Equal(t, "Version 1 of source "+source+" "+of, o.summary("RedlineObjectId = '"+source+"'"))
}

func TestEngine_HistoriesHoldNoContents(t *testing.T) {
	s := begin(t)
	o := atTheEngine(t, engineNamespace)
	s.receiver().Answer("/hook", receiver.JSON(`{"answer":"a-text-of-the-receiver"}`))
	definition := s.define([]client.Node{client.Hook("call", s.receiver().URL("/hook")), client.Human("review", "ann"), client.Mock("done")},
		append(client.Both("review", "done"), client.Always("call", "review"))...)
	r := s.dispatch(definition, input(map[string]any{"title": "a-text-of-the-caller", "webhookAuth": map[string]string{"call": "a-secret-of-the-caller"}}))
	r.waitsAt("review")
	r.decide("review", "ann", "approve", "a-reason-of-ann")
	of := o.closes(r, enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
	events := o.GetWorkflowHistory(t.Context(), of.GetWorkflowId(), of.GetRunId(), false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	var whole strings.Builder
	for events.HasNext() {
		event, err := events.Next()
		require.NoError(t, err)
		if event.GetEventType() == enumspb.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED {
			require.Equal(t, "call", text(t, event.GetUserMetadata().GetSummary()), "an activity is named by its node")
		}
		written, err := proto.Marshal(event) // payloads stand in it as they are
		require.NoError(t, err)
		whole.Write(written)
	}
	require.Contains(t, whole.String(), r.id)
	for _, content := range []string{"a-text-of", "a-secret-of", "a-reason-of"} {
		require.NotContains(t, whole.String(), content)
	}
}

func TestEngine_ARunClosesAsItsExecutionEnded(t *testing.T) {
	s := begin(t)
	o := atTheEngine(t, engineNamespace)
	s.receiver().Answer("/no", receiver.Status(400))
	failed := s.dispatch(s.define([]client.Node{client.Hook("call", s.receiver().URL("/no"))}))
	failed.ends("failed")
	of := o.closes(failed, enumspb.WORKFLOW_EXECUTION_STATUS_FAILED)
	err := o.GetWorkflow(t.Context(), of.GetWorkflowId(), of.GetRunId()).Get(t.Context(), nil)
	require.ErrorContains(t, err, "type: step-failed")

	cancelled := s.dispatch(s.signOff())
	cancelled.waitsAt("review")
	o.open(cancelled)
	require.True(t, cancelled.cancel())
	o.closes(cancelled, enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED)
}

func TestEngine_CancelledThereIsCancelledHere(t *testing.T) {
	s := begin(t)
	o := atTheEngine(t, engineNamespace)
	r := s.dispatch(s.signOff())
	r.waitsAt("review")
	of := o.open(r)
	require.NoError(t, o.CancelWorkflow(t.Context(), of.GetWorkflowId(), of.GetRunId()))
	view := r.ends("cancelled")
	require.Equal(t, "cancelled", steps(view, "review")[0].Status)
	last := r.events("execution.cancelled")
	require.Len(t, last, 1)
	require.JSONEq(t, `{"actorId":"system:engine"}`, string(last[0].Data))
	o.closes(r, enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED)
}

func TestEngine_TerminatedThereGoesOnAtTheNextPoke(t *testing.T) {
	s := begin(t)
	o := atTheEngine(t, engineNamespace)
	r := s.dispatch(s.pipeline())
	r.waitsAt("review")
	of := o.open(r)
	require.NoError(t, o.TerminateWorkflow(t.Context(), of.GetWorkflowId(), of.GetRunId(), "a story"))
	o.closes(r, enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED)
	require.Equal(t, "running", r.view().Status, "terminating a run ends nothing")
	r.decide("review", "ann", "approve")
	r.ends("completed")
	next := o.closes(r, enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
	require.NotEqual(t, of.GetRunId(), next.GetRunId())
	s.once("/before", 1)
	s.once("/after", 1)
}

func TestEngine_TerminatedThereGoesOnAtTheNextSweep(t *testing.T) {
	s := begin(t)
	o := atTheEngine(t, engineNamespace)
	farOff := receiver.Answer{Status: 503, Header: map[string]string{"retry-after": "20"}}
	s.receiver().AnswerBy("/shaky", func(n int, _ receiver.Request) receiver.Answer {
		return []receiver.Answer{receiver.Status(503), farOff, receiver.Status(200)}[min(n, 3)-1]
	})
	r := s.dispatch(s.define([]client.Node{client.Hook("call", s.receiver().URL("/shaky"))}))
	eventually(t, "two tries have failed", func() bool { return len(r.history("step.retried")) == 2 })
	of := o.open(r)
	const swept = `redline_sweeper_restarts_total{kind="execution"}`
	before := scrape(t, shared.Ops())[swept]
	require.NoError(t, o.TerminateWorkflow(t.Context(), of.GetWorkflowId(), of.GetRunId(), "a story"))
	within(t, 3*time.Minute, "the sweep drives what nobody does", func() bool { return r.view().Status == "completed" })
	s.once("/shaky", 3)
	require.Greater(t, scrape(t, shared.Ops())[swept], before, "and counts it")
}

func TestEngine_ResetThereRepeatsNothing(t *testing.T) {
	s := begin(t)
	o := atTheEngine(t, engineNamespace)
	r := s.dispatch(s.pipeline())
	r.waitsAt("review")
	first := o.open(r)
	again := o.reset(first)
	eventually(t, "the new run asks for its plan", func() bool {
		answer, err := o.QueryWorkflow(t.Context(), first.GetWorkflowId(), again, "state")
		var state struct {
			Status string `json:"status"`
		}
		return err == nil && answer.Get(&state) == nil && state.Status == "running"
	})
	r.decide("review", "ann", "approve")
	r.ends("completed")
	require.Equal(t, again, o.closes(r, enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED).GetRunId())
	s.once("/before", 1)
	s.once("/after", 1)
}

func TestEngine_ResetThereMakesNoCallBesideALivingOne(t *testing.T) {
	s := begin(t)
	o := atTheEngine(t, engineNamespace)
	gate := s.receiver().Hold("/before")
	// the hold of the call outlasts the patience of the story: only a poke wakes the new run
	definition := s.define([]client.Node{
		client.Hook("before", s.receiver().URL("/before")).With("timeoutMs", 60_000), client.Hook("after", s.receiver().URL("/after")),
	}, client.Always("before", "after"))
	r := s.dispatch(definition)
	reached(t, "the call", gate.Reached())
	first := o.open(r)
	again := o.reset(first)
	o.leavesACallAlone(first.GetWorkflowId(), again)
	gate.Release()
	r.ends("completed")
	s.once("/before", 1)
	s.once("/after", 1)
}

func TestEngine_StartedTwiceDoesNothingTwice(t *testing.T) {
	s := begin(t)
	o := atTheEngine(t, engineNamespace)
	r := s.dispatch(s.pipeline())
	r.waitsAt("review")
	of := o.open(r)
	_, err := o.start(r, of.GetWorkflowId())
	var already *serviceerror.WorkflowExecutionAlreadyStarted
	require.ErrorAs(t, err, &already, "the same id cannot run twice")

	stranger, err := o.start(r, "execution/"+s.workspace.ID+"/"+unique("stranger"))
	require.NoError(t, err)
	require.NoError(t, stranger.Get(t.Context(), nil), "a run under another id ends at once")
	require.Equal(t, "running", r.view().Status)

	r.decide("review", "ann", "approve")
	r.ends("completed")
	o.closes(r, enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
	late, err := o.start(r, of.GetWorkflowId())
	require.NoError(t, err)
	require.NoError(t, late.Get(t.Context(), nil), "there is nothing left to do")
	s.once("/before", 1)
	s.once("/after", 1)
	require.Len(t, r.events("execution.completed"), 1)
}
