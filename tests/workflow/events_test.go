package workflow

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

func TestGetEvents_1_APollerSeesEachOnceUnderConcurrentWrites(t *testing.T) {
	env := kit.NewWorkspace(t)
	reviewers := kit.Reviewers(50)
	r, step := kit.Asks(env, reviewers)
	followers := []*kit.Follower{r.Follow(), r.Follow(), r.Follow()}
	kit.Concurrently(len(reviewers), func(i int) {
		answer, err := env.Workspace.Decide(env.Ctx, r.Decision(step.StepID, reviewers[i], "approve"))
		kit.NoError(t, err)
		assert.True(t, answer.Recorded)
	})
	for _, f := range followers {
		seen := f.Settle()
		require.Equal(t, []string{
			"execution.dispatched", "step.awaiting-approval", "step.completed", "step.completed", "execution.completed",
		}, names(seen))
	}
	require.Len(t, history(r, "step.response-recorded"), len(reviewers))
}

// Each of many decisions at once makes external events of its own.
func TestGetEvents_1_WhileManyStepsEndAtOnce(t *testing.T) {
	env := kit.NewWorkspace(t)
	const steps = 30
	nodes, edges := []redline.NodeInput{client.Mock("end")}, []redline.EdgeInput{}
	for i := range steps {
		review := "review-" + strconv.Itoa(i)
		nodes, edges = append(nodes, client.Human(review, "ann")), append(edges, client.Both(review, "end")...)
	}
	r := kit.Dispatch(env, kit.Define(env, nodes, edges...))
	r.WaitsAt("review-0")
	waiting := r.View().Steps
	followers := []*kit.Follower{r.Follow(), r.Follow(), r.Follow()}
	kit.Concurrently(steps, func(i int) {
		_, err := env.Workspace.Decide(env.Ctx, r.Decision(waiting[i].StepID, "ann", "approve"))
		kit.NoError(t, err)
	})
	for _, f := range followers {
		require.Len(t, f.Settle(), 1+steps+steps+1+1, "accepted, asked, decided, the last step, the end")
	}
}

func TestGetEvents_2_InternalEventsDoNotEndThePages(t *testing.T) {
	env := kit.NewWorkspace(t)
	const steps, largestPage = 11, 500
	reviewers := kit.Reviewers(50)
	nodes, edges := []redline.NodeInput{client.Mock("end")}, []redline.EdgeInput{}
	for i := range steps {
		review := "review-" + strconv.Itoa(i)
		nodes, edges = append(nodes, client.Human(review, reviewers...)), append(edges, client.Both(review, "end")...)
	}
	r := kit.Dispatch(env, kit.Define(env, nodes, edges...))
	r.WaitsAt("review-0")
	view, ok := r.Glance()
	require.True(t, ok)
	waiting := view.Steps
	require.Len(t, waiting, steps)
	// All but one person decide everywhere: more internal events than a page has.
	last := len(reviewers) - 1
	kit.Concurrently(last, func(i int) {
		for _, step := range waiting {
			_, err := env.Workspace.Decide(env.Ctx, r.Decision(step.StepID, reviewers[i], "approve"))
			kit.NoError(t, err)
		}
	})
	require.Greater(t, len(history(r, "step.response-recorded")), largestPage)
	for _, step := range waiting {
		require.True(t, r.Decide(step.NodeID, reviewers[last], "approve").Recorded)
	}
	r.Ends("completed")

	for _, size := range []int{1, largestPage} {
		var seen []redline.Event
		since := int64(0)
		for more := true; more; {
			var page redline.EventList
			env.Call(client.GetEvents, map[string]any{"executionId": r.ID, "sinceSeq": since, "pageSize": size}, &page)
			require.LessOrEqual(t, len(page.Events), size)
			seen, since, more = append(seen, page.Events...), page.NextCursor, page.HasMore
		}
		require.Equal(t, r.Events(), seen)
		require.Equal(t, "execution.completed", seen[len(seen)-1].Type)
	}
}

func TestGetEvents_3_BeyondTheEnd(t *testing.T) {
	env := kit.NewWorkspace(t)
	r := kit.Dispatch(env, kit.Instant(env))
	r.Ends("completed")
	page, err := env.Workspace.Events(env.Ctx, r.ID, 1_000_000, false)
	require.NoError(t, err)
	require.Empty(t, page.Events)
	require.False(t, page.HasMore)
	require.EqualValues(t, 1_000_000, page.NextCursor)
	env.RefusedAs("NOT_FOUND", client.GetEvents, map[string]any{"executionId": "exec_1_aaaaaaaa"})
	for name, data := range map[string]map[string]any{
		"no id": {}, "page of none": {"executionId": r.ID, "pageSize": 0}, "page of 501": {"executionId": r.ID, "pageSize": 501},
		"negative": {"executionId": r.ID, "sinceSeq": -1}, "as text": {"executionId": r.ID, "includeInternal": "true"},
	} {
		assert.Equal(t, redline.ProblemStatusInvalidArgument, env.Refused(client.GetEvents, data).Status, name)
	}
}

func TestGetEvents_4_WhatIsReadIsWhatIsDelivered(t *testing.T) {
	env := kit.NewWorkspace(t)
	r := kit.Dispatch(env, kit.SignOff(env), kit.WithReceiver(env, "/events"))
	r.WaitsAt("review")
	r.Decide("review", "ann", "reject", "Zoë says \"no\" </script>")
	r.Ends("completed")
	events := r.Events()
	requests := kit.BySeq(t, env.Arrived("/events", receiver.Count(len(events))))
	for i, request := range requests {
		require.NoError(t, receiver.Verify(request, kit.Secret))
		body, err := request.Read()
		require.NoError(t, err)
		require.Equal(t, events[i].EventID, body.EventID, "in the order of seq")
		require.Equal(t, events[i].Type, body.Event)
		require.Equal(t, events[i].Seq, body.Seq)
		require.Equal(t, events[i].StepID, body.StepID)
		require.JSONEq(t, kit.OrNull(json.RawMessage(events[i].Data)), kit.OrNull(body.Data))
		at, err := time.Parse("2006-01-02T15:04:05.000Z", body.Timestamp)
		require.NoError(t, err)
		require.Equal(t, events[i].Timestamp, at.UnixMilli())
	}
}

func TestEventsInTheirOrder(t *testing.T) {
	env := kit.NewWorkspace(t)
	definition := kit.Define(env,
		[]redline.NodeInput{client.Mock("draft"), client.Mock("check"), client.Human("review", "ann"), client.Hook("publish", env.Receiver().URL("/publish")), client.Mock("tell")},
		client.Always("draft", "check"), client.Always("check", "review"), client.Approve("review", "publish"), client.Reject("review", "tell"))
	r := kit.Dispatch(env, definition)
	r.WaitsAt("review")
	r.Decide("review", "ann", "approve")
	r.Ends("completed")

	var reported []string
	for _, event := range history(r) {
		node := "-"
		if event.StepID != nil {
			node = nodeOf(r.View(), *event.StepID)
		}
		reported = append(reported, node+" "+event.Type)
	}
	require.Equal(t, []string{
		"- execution.dispatched",
		"draft step.scheduled", "draft step.started", "draft step.completed",
		"check step.scheduled", "check step.started", "check step.completed",
		"review step.scheduled", "review step.started", "review step.awaiting-approval",
		"review step.response-recorded", "review step.resumed", "review step.completed",
		"publish step.scheduled", "publish step.started", "publish step.completed",
		"- execution.completed",
	}, reported)
	for i, event := range history(r) {
		require.EqualValues(t, i+1, event.Seq, "internal events use numbers too")
		require.Regexp(t, `^evt_`, event.EventID)
		require.Equal(t, r.CorrelationID, event.CorrelationID)
	}
}

func nodeOf(view redline.Execution, stepID string) string {
	for _, step := range view.Steps {
		if step.StepID == stepID {
			return step.NodeID
		}
	}
	return stepID
}

func TestEventsAndTheirData(t *testing.T) {
	env := kit.NewWorkspace(t)
	env.Receiver().Answer("/publish", receiver.JSON(`{"decision":"approve"}`))
	definition := kit.Define(env,
		[]redline.NodeInput{client.Panel("review", []string{"ann"}, []string{"bob"}), client.Hook("publish", env.Receiver().URL("/publish")), client.Mock("tell")},
		client.Approve("review", "publish"), client.Reject("review", "tell"))
	r := kit.Dispatch(env, definition)
	step := r.WaitsAt("review")
	r.Decide("review", "ann", "approve", "fine")
	r.Ends("completed")

	require.JSONEq(t, `{"waitingForReviewers":["ann","bob"],"mandatoryCount":1,"resumeKey":"`+step.StepID+`"}`,
		string(r.Events("step.awaiting-approval")[0].Data))
	completed := r.Events("step.completed")
	require.JSONEq(t, `{"aggregatorStatus":"resolved","nodeType":"human","decision":"approve"}`, string(completed[0].Data))
	require.JSONEq(t, `{"httpStatus":200,"decision":"approve"}`, string(completed[1].Data))
	require.JSONEq(t, `{"reviewerId":"ann","decision":"approve","reason":"fine"}`, string(history(r, "step.response-recorded")[0].Data))
	require.Equal(t, "null", kit.OrNull(json.RawMessage(r.Events("execution.completed")[0].Data)))

	synthetic := kit.Dispatch(env, kit.Instant(env))
	synthetic.Ends("completed")
	require.JSONEq(t, `{"agentId":"__mock__","synthetic":true,"decision":"approve"}`, string(synthetic.Events("step.completed")[0].Data))
	require.JSONEq(t, `{"agentId":"__mock__","synthetic":true,"agentExecutionId":null,"agentExecutionStatus":"completed","resolution":"resolved",
		"resolvedUrl":null,"agentDurationMs":0,"decision":"approve","approved":true}`, string(synthetic.View().Steps[0].Output))
}

func TestReceiverBodiesAndHeaders(t *testing.T) {
	env := kit.NewWorkspace(t)
	definition := kit.SignOff(env)
	r := kit.Dispatch(env, definition, kit.WithReceiver(env, "/events"), func(d *redline.DispatchRequest) { d.CorrelationID = new("corr-1") })
	step := r.WaitsAt("review")
	requests := kit.BySeq(t, env.Arrived("/events", receiver.Count(2)))
	first := requests[0]
	require.Equal(t, "POST", first.Method)
	require.True(t, strings.HasPrefix(first.Header.Get("content-type"), "application/json"))
	require.Equal(t, "0", first.Header.Get("x-svc-attempt"))
	require.NoError(t, receiver.Verify(first, kit.Secret))

	var body map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(first.Body, &body))
	var fields []string
	for name := range body {
		fields = append(fields, name)
	}
	require.ElementsMatch(t, []string{
		"event", "eventId", "executionId", "definitionId", "definitionVersion", "stepId", "status", "seq", "timestamp", "correlationId", "data",
	}, fields)
	require.Equal(t, "null", string(body["stepId"]))
	second, err := requests[1].Read()
	require.NoError(t, err)
	require.Equal(t, step.StepID, *second.StepID)
	require.Equal(t, "waiting", *second.Status, "a step event has the step's status")
	require.Equal(t, r.ID, second.ExecutionID)
	require.Equal(t, definition, second.DefinitionID)
	require.Equal(t, "corr-1", second.CorrelationID)
	require.NotContains(t, string(first.Body)+string(requests[1].Body), kit.Secret)
}

func TestReceiverOfTheDefinition(t *testing.T) {
	env := kit.NewWorkspace(t)
	encoded := "whsec_" + "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LTEyMzQ="
	id := kit.Unique("definition")
	kit.Create(env, redline.DefinitionRequest{DefinitionID: id, Name: "Tells", Nodes: []redline.NodeInput{client.Mock("only")}, WebhookConfig: &redline.WebhookConfigInput{
		URL: env.Receiver().URL("/definition"), Secret: encoded, EventTypes: []string{"execution.completed"},
	}})
	filtered := kit.Dispatch(env, id)
	filtered.Ends("completed")
	env.Arrived("/definition", receiver.Count(1))
	replaced := kit.Dispatch(env, id, kit.WithReceiver(env, "/dispatch"))
	replaced.Ends("completed")

	all := env.Arrived("/dispatch", receiver.Count(3))
	require.Len(t, all, 3, "the pair of the dispatch replaces receiver and filter")
	marker := kit.Dispatch(env, id)
	marker.Ends("completed")
	got := env.Arrived("/definition", receiver.Count(2))
	require.Len(t, got, 2)
	for i, expected := range []*kit.Run{filtered, marker} {
		body, err := got[i].Read()
		require.NoError(t, err)
		require.Equal(t, "execution.completed", body.Event)
		require.Equal(t, expected.ID, body.ExecutionID)
		require.NoError(t, receiver.Verify(got[i], encoded), "a secret in the standard's form is decoded")
	}
}
