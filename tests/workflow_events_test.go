package tests

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
	"github.com/redline-svc/redline/tests/receiver"
)

func TestGetEvents_1_APollerSeesEachOnceUnderConcurrentWrites(t *testing.T) {
	s := begin(t)
	reviewers := people(50)
	r, step := s.asks(reviewers)
	followers := []*follower{r.follow(), r.follow(), r.follow()}
	together(len(reviewers), func(i int) {
		answer, err := s.workspace.Decide(s.ctx, r.decision(step.StepID, reviewers[i], "approve"))
		fine(t, err)
		assert.True(t, answer.Recorded)
	})
	for _, f := range followers {
		seen := f.settle()
		require.Equal(t, []string{
			"execution.dispatched", "step.awaiting-approval", "step.completed", "step.completed", "execution.completed",
		}, names(seen))
	}
	require.Len(t, r.history("step.response-recorded"), len(reviewers))
}

// Each of many decisions at once makes external events of its own.
func TestGetEvents_1_WhileManyStepsEndAtOnce(t *testing.T) {
	s := begin(t)
	const steps = 30
	nodes, edges := []client.Node{client.Mock("end")}, []client.Edge{}
	for i := range steps {
		review := "review-" + strconv.Itoa(i)
		nodes, edges = append(nodes, client.Human(review, "ann")), append(edges, client.Both(review, "end")...)
	}
	r := s.dispatch(s.define(nodes, edges...))
	r.waitsAt("review-0")
	waiting := r.view().Steps
	followers := []*follower{r.follow(), r.follow(), r.follow()}
	together(steps, func(i int) {
		_, err := s.workspace.Decide(s.ctx, r.decision(waiting[i].StepID, "ann", "approve"))
		fine(t, err)
	})
	for _, f := range followers {
		require.Len(t, f.settle(), 1+steps+steps+1+1, "accepted, asked, decided, the last step, the end")
	}
}

func TestGetEvents_2_InternalEventsDoNotEndThePages(t *testing.T) {
	s := begin(t)
	const steps, largestPage = 11, 500
	reviewers := people(50)
	nodes, edges := []client.Node{client.Mock("end")}, []client.Edge{}
	for i := range steps {
		review := "review-" + strconv.Itoa(i)
		nodes, edges = append(nodes, client.Human(review, reviewers...)), append(edges, client.Both(review, "end")...)
	}
	r := s.dispatch(s.define(nodes, edges...))
	r.waitsAt("review-0")
	view, ok := r.glance()
	require.True(t, ok)
	waiting := view.Steps
	require.Len(t, waiting, steps)
	// All but one person decide everywhere: more internal events than a page has.
	last := len(reviewers) - 1
	together(last, func(i int) {
		for _, step := range waiting {
			_, err := s.workspace.Decide(s.ctx, r.decision(step.StepID, reviewers[i], "approve"))
			fine(t, err)
		}
	})
	require.Greater(t, len(r.history("step.response-recorded")), largestPage)
	for _, step := range waiting {
		require.True(t, r.decide(step.NodeID, reviewers[last], "approve").Recorded)
	}
	r.ends("completed")

	for _, size := range []int{1, largestPage} {
		var seen []client.Event
		since := int64(0)
		for more := true; more; {
			var page client.EventPage
			s.call("workflow/executions/getEvents", map[string]any{"executionId": r.id, "sinceSeq": since, "pageSize": size}, &page)
			require.LessOrEqual(t, len(page.Events), size)
			seen, since, more = append(seen, page.Events...), page.NextCursor, page.HasMore
		}
		require.Equal(t, r.events(), seen)
		require.Equal(t, "execution.completed", seen[len(seen)-1].Type)
	}
}

func TestGetEvents_3_BeyondTheEnd(t *testing.T) {
	s := begin(t)
	r := s.dispatch(s.instant())
	r.ends("completed")
	page, err := s.workspace.Events(s.ctx, r.id, 1_000_000, false)
	require.NoError(t, err)
	require.Empty(t, page.Events)
	require.False(t, page.HasMore)
	require.EqualValues(t, 1_000_000, page.NextCursor)
	s.refusedAs("NOT_FOUND", "workflow/executions/getEvents", map[string]any{"executionId": "exec_1_aaaaaaaa"})
	for name, data := range map[string]map[string]any{
		"no id": {}, "page of none": {"executionId": r.id, "pageSize": 0}, "page of 501": {"executionId": r.id, "pageSize": 501},
		"negative": {"executionId": r.id, "sinceSeq": -1}, "as text": {"executionId": r.id, "includeInternal": "true"},
	} {
		assert.Equal(t, "INVALID_ARGUMENT", s.refused("workflow/executions/getEvents", data).Status, name)
	}
}

func TestGetEvents_4_WhatIsReadIsWhatIsDelivered(t *testing.T) {
	s := begin(t)
	r := s.dispatch(s.signOff(), s.withReceiver("/events"))
	r.waitsAt("review")
	r.decide("review", "ann", "reject", "Zoë says \"no\" </script>")
	r.ends("completed")
	events := r.events()
	requests := bySeq(t, s.arrived("/events", receiver.Count(len(events))))
	for i, request := range requests {
		require.NoError(t, receiver.Verify(request, secret))
		body, err := request.Read()
		require.NoError(t, err)
		require.Equal(t, events[i].EventID, body.EventID, "in the order of seq")
		require.Equal(t, events[i].Type, body.Event)
		require.Equal(t, events[i].Seq, body.Seq)
		require.Equal(t, events[i].StepID, body.StepID)
		require.JSONEq(t, orNull(events[i].Data), orNull(body.Data))
		at, err := time.Parse("2006-01-02T15:04:05.000Z", body.Timestamp)
		require.NoError(t, err)
		require.Equal(t, events[i].Timestamp, at.UnixMilli())
	}
}

func orNull(data json.RawMessage) string {
	if len(data) == 0 {
		return "null"
	}
	return string(data)
}

func TestEventsInTheirOrder(t *testing.T) {
	s := begin(t)
	definition := s.define(
		[]client.Node{client.Mock("draft"), client.Mock("check"), client.Human("review", "ann"), client.Hook("publish", s.receiver().URL("/publish")), client.Mock("tell")},
		client.Always("draft", "check"), client.Always("check", "review"), client.Approve("review", "publish"), client.Reject("review", "tell"))
	r := s.dispatch(definition)
	r.waitsAt("review")
	r.decide("review", "ann", "approve")
	r.ends("completed")

	var reported []string
	for _, event := range r.history() {
		node := "-"
		if event.StepID != nil {
			node = nodeOf(r.view(), *event.StepID)
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
	for i, event := range r.history() {
		require.EqualValues(t, i+1, event.Seq, "internal events use numbers too")
		require.Regexp(t, `^evt_`, event.EventID)
		require.Equal(t, r.correlationID, event.CorrelationID)
	}
}

func nodeOf(view client.Execution, stepID string) string {
	for _, step := range view.Steps {
		if step.StepID == stepID {
			return step.NodeID
		}
	}
	return stepID
}

func TestEventsAndTheirData(t *testing.T) {
	s := begin(t)
	s.receiver().Answer("/publish", receiver.JSON(`{"decision":"approve"}`))
	definition := s.define(
		[]client.Node{client.Panel("review", []string{"ann"}, []string{"bob"}), client.Hook("publish", s.receiver().URL("/publish")), client.Mock("tell")},
		client.Approve("review", "publish"), client.Reject("review", "tell"))
	r := s.dispatch(definition)
	step := r.waitsAt("review")
	r.decide("review", "ann", "approve", "fine")
	r.ends("completed")

	require.JSONEq(t, `{"waitingForReviewers":["ann","bob"],"mandatoryCount":1,"resumeKey":"`+step.StepID+`"}`,
		string(r.events("step.awaiting-approval")[0].Data))
	completed := r.events("step.completed")
	require.JSONEq(t, `{"aggregatorStatus":"resolved","nodeType":"human","decision":"approve"}`, string(completed[0].Data))
	require.JSONEq(t, `{"httpStatus":200,"decision":"approve"}`, string(completed[1].Data))
	require.JSONEq(t, `{"reviewerId":"ann","decision":"approve","reason":"fine"}`, string(r.history("step.response-recorded")[0].Data))
	require.Equal(t, "null", orNull(r.events("execution.completed")[0].Data))

	synthetic := s.dispatch(s.instant())
	synthetic.ends("completed")
	require.JSONEq(t, `{"agentId":"__mock__","synthetic":true,"decision":"approve"}`, string(synthetic.events("step.completed")[0].Data))
	require.JSONEq(t, `{"agentId":"__mock__","synthetic":true,"agentExecutionId":null,"agentExecutionStatus":"completed","resolution":"resolved",
		"resolvedUrl":null,"agentDurationMs":0,"decision":"approve","approved":true}`, string(synthetic.view().Steps[0].Output))
}

func TestReceiverBodiesAndHeaders(t *testing.T) {
	s := begin(t)
	definition := s.signOff()
	r := s.dispatch(definition, s.withReceiver("/events"), func(d *client.Dispatch) { d.CorrelationID = "corr-1" })
	step := r.waitsAt("review")
	requests := bySeq(t, s.arrived("/events", receiver.Count(2)))
	first := requests[0]
	require.Equal(t, "POST", first.Method)
	require.True(t, strings.HasPrefix(first.Header.Get("content-type"), "application/json"))
	require.Equal(t, "0", first.Header.Get("x-svc-attempt"))
	require.NoError(t, receiver.Verify(first, secret))

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
	require.Equal(t, r.id, second.ExecutionID)
	require.Equal(t, definition, second.DefinitionID)
	require.Equal(t, "corr-1", second.CorrelationID)
	require.NotContains(t, string(first.Body)+string(requests[1].Body), secret)
}

func TestReceiverOfTheDefinition(t *testing.T) {
	s := begin(t)
	encoded := "whsec_" + "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LTEyMzQ="
	id := unique("definition")
	s.create(client.Definition{DefinitionID: id, Name: "Tells", Nodes: []client.Node{client.Mock("only")}, WebhookConfig: map[string]any{
		"url": s.receiver().URL("/definition"), "secret": encoded, "eventTypes": []string{"execution.completed"},
	}})
	filtered := s.dispatch(id)
	filtered.ends("completed")
	s.arrived("/definition", receiver.Count(1))
	replaced := s.dispatch(id, s.withReceiver("/dispatch"))
	replaced.ends("completed")

	all := s.arrived("/dispatch", receiver.Count(3))
	require.Len(t, all, 3, "the pair of the dispatch replaces receiver and filter")
	marker := s.dispatch(id)
	marker.ends("completed")
	got := s.arrived("/definition", receiver.Count(2))
	require.Len(t, got, 2)
	for i, expected := range []*run{filtered, marker} {
		body, err := got[i].Read()
		require.NoError(t, err)
		require.Equal(t, "execution.completed", body.Event)
		require.Equal(t, expected.id, body.ExecutionID)
		require.NoError(t, receiver.Verify(got[i], encoded), "a secret in the standard's form is decoded")
	}
}
