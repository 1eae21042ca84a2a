package tests

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"

	"github.com/redline-svc/redline/tests/receiver"
)

// operational narrows an endpoint to what tells of other endpoints.
var operational = map[string]any{"filterTypes": []string{"message.attempt.exhausted", "endpoint.disabled"}}

// onlyCompleted narrows an endpoint to one message per execution.
var onlyCompleted = map[string]any{"filterTypes": []string{"execution.completed"}}

func TestEndpoints_WhatFailsForGoodIsReported(t *testing.T) {
	s, _ := beginAt(t, fastWebhooks)
	s.hooked()
	s.receiver().Answer("/told", receiver.Answer{Status: 500, Body: "out of order"})
	e := s.endpointAt("/told", onlyCompleted)
	s.endpointAt("/watch", operational)
	s.dispatch(s.instant()).ends("completed")
	m := s.heard("/watch", 1)[0]
	assert.Equal(t, []string{"message.attempt.exhausted", "exhausted", "webhook"}, []string{m.Event, m.ActionType, m.Source})
	attempts := s.attempted(of(e.ID), 3)
	require.Len(t, attempts, 3)
	assert.Nil(t, attempts[0].NextAttemptAt)
	assert.Equal(t, "out of order", *attempts[0].ResponseBody)
	assert.JSONEq(t, fmt.Sprintf(`{"messageId":%q,"endpointId":%q,"event":"execution.completed","attempts":3,"class":"http-5xx","httpStatus":500}`,
		attempts[0].MessageID, e.ID), withoutMetadata(t, m.Data))
	s.settled()
	require.Len(t, s.receiver().Requests("/told"), 3, "not who it speaks of, and no further attempt")
}

// withoutMetadata leaves out what every message has.
func withoutMetadata(t *testing.T, data json.RawMessage) string {
	t.Helper()
	var members map[string]any
	require.NoError(t, json.Unmarshal(data, &members))
	delete(members, "metadata")
	rest, err := json.Marshal(members)
	require.NoError(t, err)
	return string(rest)
}

func TestEndpoints_GoneDisables(t *testing.T) {
	s := begin(t).hooked()
	s.receiver().Answer("/told", receiver.Status(410))
	e := s.endpointAt("/told", onlyCompleted)
	s.endpointAt("/watch", operational)
	s.dispatch(s.instant()).ends("completed")
	messages := s.heard("/watch", 2)
	assert.ElementsMatch(t, []string{"message.attempt.exhausted", "endpoint.disabled"}, eventsOf(messages))
	for _, m := range messages {
		if m.Event == "endpoint.disabled" {
			var data struct{ EndpointID, URL, Reason, FailingSince, LastAttemptAt string }
			require.NoError(t, json.Unmarshal(m.Data, &data))
			assert.Equal(t, []string{e.ID, e.URL, "gone", data.LastAttemptAt}, []string{data.EndpointID, data.URL, data.Reason, data.FailingSince})
		}
	}
	for _, one := range s.endpoints(map[string]any{}).Endpoints {
		assert.Equal(t, one.ID == e.ID, one.Disabled)
	}
	assert.Equal(t, "gone", s.attempts(of(e.ID)).Attempts[0].Class)
	s.change(e.ID, map[string]any{"disabled": false})
	s.stillServed("/told")
	require.Len(t, s.receiver().Requests("/told"), 2)
}

// Endpoints that hang do not delay a healthy one: it is told everything while
// they still hold what they got.
func TestEndpoints_HangingOnesDelayNobody(t *testing.T) {
	const hanging, executions = 6, 20
	s := begin(t).hooked()
	gates := map[string]*receiver.Gate{}
	for i := range hanging {
		path := fmt.Sprintf("/hang/%d", i)
		gates[path] = s.receiver().Hold(path)
		s.endpointAt(path)
	}
	s.pileUp(1)
	for path, gate := range gates {
		reached(t, path+" hangs", gate.Reached())
	}
	s.endpointAt("/healthy")
	s.pileUp(executions)
	s.arrivedAll("/healthy", executions*eventsEach)
	for path := range gates {
		assert.Less(t, len(s.receiver().Requests(path)), executions*eventsEach, "they have their window and no more")
	}
}

func TestEndpoints_ARateLimitIsKept(t *testing.T) {
	const rate, executions = 5, 5
	s := begin(t).hooked()
	e := s.endpointAt("/told", map[string]any{"rateLimit": rate})
	s.pileUp(executions)
	s.arrivedAll("/told", executions*eventsEach)
	keepRate(t, s.attempted(of(e.ID), executions*eventsEach), rate)
}

// keepRate proves that no more than so many attempts, given newest first, began in
// any second.
func keepRate(t *testing.T, attempts []attemptView, rate int) {
	t.Helper()
	for i := rate; i < len(attempts); i++ {
		apart := instant(t, attempts[i-rate].StartedAt).Sub(instant(t, attempts[i].StartedAt))
		assert.GreaterOrEqual(t, apart, time.Second, "attempt %d from the last", i)
	}
}

// An endpoint that keeps failing is drawn from on a queue of its own; a success
// brings it back.
func TestEndpoints_TheSlowLaneHasAQueue(t *testing.T) {
	l := newLab(t)
	s := l.begin(l.start("serve", tirelessly)).hooked()
	s.receiver().Answer("/told", receiver.Status(500))
	e := s.endpointAt("/told")
	s.pileUp(4)
	s.arrived("/told", receiver.Count(2*4*eventsEach))
	o := atTheEngine(t, l.Namespace)
	run := "webhook/" + e.ID
	eventually(t, "the run asks for an activity in the slow lane", func() bool { return o.queues(run)["redline-deliveries-slow"] > 0 })
	require.Equal(t, []string{"delivery"}, o.kindsOf(run))
	s.receiver().Answer("/told", receiver.Status(200))
	s.arrivedAll("/told", 4*eventsEach)
	eventually(t, "all are told", func() bool {
		reported := map[string]bool{}
		for _, a := range s.attempts(map[string]any{"endpointId": e.ID, "status": "succeeded", "limit": 250}).Attempts {
			reported[a.MessageID] = true
		}
		return len(reported) == 4*eventsEach
	})
}

// queues counts the activities that the newest run asked for, by their queue.
func (o *operator) queues(workflowID string) map[string]int {
	o.t.Helper()
	found := map[string]int{}
	for _, info := range o.search("WorkflowId = '" + workflowID + "'") {
		events := o.GetWorkflowHistory(o.t.Context(), workflowID, info.GetExecution().GetRunId(), false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
		for events.HasNext() {
			event, err := events.Next()
			require.NoError(o.t, err)
			if asked := event.GetActivityTaskScheduledEventAttributes(); asked != nil {
				found[asked.GetTaskQueue().GetName()]++
			}
		}
	}
	return found
}

// kindsOf are the kinds of the runs of a workflow id, each once.
func (o *operator) kindsOf(workflowID string) []string {
	o.t.Helper()
	seen := map[string]bool{}
	var kinds []string
	for _, info := range o.search("WorkflowId = '" + workflowID + "'") {
		kind := ""
		require.NoError(o.t, json.Unmarshal(info.GetSearchAttributes().GetIndexedFields()["RedlineKind"].GetData(), &kind))
		if !seen[kind] {
			seen[kind] = true
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// An endpoint that is too busy is left alone for a minute, unless it says that it
// need not be.
func TestEndpoints_WhatIsThrottledWaitsAsLongAsItIsAskedTo(t *testing.T) {
	s := begin(t).hooked()
	silent, soon := receiver.Status(429), receiver.Answer{Status: 429, Header: map[string]string{"retry-after": "0"}}
	s.receiver().Answer("/silent", silent)
	s.receiver().Answer("/soon", soon)
	waits := map[string]func(pause time.Duration) bool{
		s.endpointAt("/silent", onlyCompleted).ID: func(pause time.Duration) bool { return pause >= 59*time.Second },
		s.endpointAt("/soon", onlyCompleted).ID:   func(pause time.Duration) bool { return pause < 30*time.Second },
	}
	s.dispatch(s.instant()).ends("completed")
	for endpointID, right := range waits {
		attempts := s.attempted(of(endpointID), 1)
		first := attempts[len(attempts)-1]
		require.NotNil(t, first.NextAttemptAt)
		began, err := time.Parse(time.RFC3339, first.StartedAt)
		require.NoError(t, err)
		next, err := time.Parse(time.RFC3339, *first.NextAttemptAt)
		require.NoError(t, err)
		pause := next.Sub(began)
		require.True(t, right(pause), "%s: %s", first.URL, pause)
	}
}
