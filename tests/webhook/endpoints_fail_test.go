package webhook

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// operational narrows an endpoint to what tells of other endpoints.
var operational = map[string]any{"filterTypes": []string{"message.attempt.exhausted", "endpoint.disabled"}}

func TestEndpoints_WhatFailsForGoodIsReported(t *testing.T) {
	env, _ := kit.NewVariantWorkspace(t, kit.FastWebhooks)
	kit.Hooked(env)
	env.Receiver().Answer("/told", receiver.Answer{Status: 500, Body: "out of order"})
	e := kit.EndpointAt(env, "/told", kit.OnlyCompleted)
	kit.EndpointAt(env, "/watch", operational)
	kit.Dispatch(env, kit.Instant(env)).Ends("completed")
	m := kit.Heard(env, "/watch", 1)[0]
	assert.Equal(t, []string{"message.attempt.exhausted", "exhausted", "webhook"}, []string{m.Event, m.ActionType, m.Source})
	attempts := kit.Attempted(env, kit.Of(e.ID), 3)
	require.Len(t, attempts, 3)
	assert.Nil(t, attempts[0].NextAttemptAt)
	assert.Equal(t, "out of order", *attempts[0].ResponseBody)
	assert.JSONEq(t, fmt.Sprintf(`{"messageId":%q,"endpointId":%q,"event":"execution.completed","attempts":3,"class":"http-5xx","httpStatus":500}`,
		attempts[0].MessageID, e.ID), withoutMetadata(t, m.Data))
	kit.Settled(env)
	require.Len(t, env.Receiver().Requests("/told"), 3, "not who it speaks of, and no further attempt")
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
	env := kit.Hooked(kit.NewWorkspace(t))
	env.Receiver().Answer("/told", receiver.Status(410))
	e := kit.EndpointAt(env, "/told", kit.OnlyCompleted)
	kit.EndpointAt(env, "/watch", operational)
	kit.Dispatch(env, kit.Instant(env)).Ends("completed")
	messages := kit.Heard(env, "/watch", 2)
	assert.ElementsMatch(t, []string{"message.attempt.exhausted", "endpoint.disabled"}, kit.EventsOf(messages))
	for _, m := range messages {
		if m.Event == "endpoint.disabled" {
			var data struct{ EndpointID, URL, Reason, FailingSince, LastAttemptAt string }
			require.NoError(t, json.Unmarshal(m.Data, &data))
			assert.Equal(t, []string{e.ID, e.URL, "gone", data.LastAttemptAt}, []string{data.EndpointID, data.URL, data.Reason, data.FailingSince})
		}
	}
	for _, one := range kit.Endpoints(env, map[string]any{}).Endpoints {
		assert.Equal(t, one.ID == e.ID, one.Disabled)
	}
	assert.Equal(t, "gone", kit.Attempts(env, kit.Of(e.ID)).Attempts[0].Class)
	kit.Change(env, e.ID, map[string]any{"disabled": false})
	stillServed(env, "/told")
	require.Len(t, env.Receiver().Requests("/told"), 2)
}

// Endpoints that hang do not delay a healthy one: it is told everything while
// they still hold what they got.
func TestEndpoints_HangingOnesDelayNobody(t *testing.T) {
	const hanging, executions = 6, 20
	env := kit.Hooked(kit.NewWorkspace(t))
	gates := map[string]*receiver.Gate{}
	for i := range hanging {
		path := fmt.Sprintf("/hang/%d", i)
		gates[path] = env.Receiver().Hold(path)
		kit.EndpointAt(env, path)
	}
	kit.PileUp(env, 1)
	for path, gate := range gates {
		kit.RequireReached(t, path+" hangs", gate.Reached())
	}
	kit.EndpointAt(env, "/healthy")
	kit.PileUp(env, executions)
	kit.ArrivedAll(env, "/healthy", executions*kit.EventsEach)
	for path := range gates {
		assert.Less(t, len(env.Receiver().Requests(path)), executions*kit.EventsEach, "they have their window and no more")
	}
}

func TestEndpoints_ARateLimitIsKept(t *testing.T) {
	const rate, executions = 5, 5
	env := kit.Hooked(kit.NewWorkspace(t))
	e := kit.EndpointAt(env, "/told", map[string]any{"rateLimit": rate})
	kit.PileUp(env, executions)
	kit.ArrivedAll(env, "/told", executions*kit.EventsEach)
	keepRate(t, kit.Attempted(env, kit.Of(e.ID), executions*kit.EventsEach), rate)
}

// keepRate proves that no more than so many attempts, given newest first, began in
// any second.
func keepRate(t *testing.T, attempts []redline.EndpointAttempt, rate int) {
	t.Helper()
	for i := rate; i < len(attempts); i++ {
		apart := instant(t, attempts[i-rate].StartedAt).Sub(instant(t, attempts[i].StartedAt))
		assert.GreaterOrEqual(t, apart, time.Second, "attempt %d from the last", i)
	}
}

// An endpoint that keeps failing is tried gently, which people read in its run; a success
// brings it back.
func TestEndpoints_WhatKeepsFailingIsThrottled(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	process := isolated.StartProcess("serve", kit.Tirelessly)
	env := kit.Hooked(isolated.NewWorkspace(process))
	env.Receiver().Answer("/told", receiver.Status(500))
	e := kit.EndpointAt(env, "/told")
	kit.PileUp(env, 4)
	env.Arrived("/told", receiver.Count(2*4*kit.EventsEach))
	o := kit.TemporalClientFor(t, isolated.Namespace)
	run := "webhook/" + e.ID
	kit.RequireEventually(t, "the run shows that it fails", func() bool {
		details := o.Details(&commonpb.WorkflowExecution{WorkflowId: run})
		return strings.Contains(details, "last class: http-5xx") && strings.Contains(details, "failing since: ")
	})
	kit.RequireEventually(t, "it is counted", func() bool {
		return kit.Scrape(t, process.Ops)["redline_webhook_throttled_origins"] == 1
	})
	require.Equal(t, []string{"delivery"}, kindsOf(o, run))
	env.Receiver().Answer("/told", receiver.Status(200))
	kit.ArrivedAll(env, "/told", 4*kit.EventsEach)
	kit.RequireEventually(t, "all are told", func() bool {
		reported := map[string]bool{}
		for _, a := range kit.Attempts(env, map[string]any{"endpointId": e.ID, "status": "succeeded", "limit": 250}).Attempts {
			reported[a.MessageID] = true
		}
		return len(reported) == 4*kit.EventsEach
	})
}

// kindsOf are the kinds of the runs of a workflow id, each once.
func kindsOf(o *kit.TemporalClient, workflowID string) []string {
	o.T.Helper()
	seen := map[string]bool{}
	var kinds []string
	for _, info := range o.Search("WorkflowId = '" + workflowID + "'") {
		kind := ""
		require.NoError(o.T, json.Unmarshal(info.GetSearchAttributes().GetIndexedFields()["RedlineKind"].GetData(), &kind))
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
	env := kit.Hooked(kit.NewWorkspace(t))
	silent, soon := receiver.Status(429), receiver.Answer{Status: 429, Header: map[string]string{"retry-after": "0"}}
	env.Receiver().Answer("/silent", silent)
	env.Receiver().Answer("/soon", soon)
	waits := map[string]func(pause time.Duration) bool{
		kit.EndpointAt(env, "/silent", kit.OnlyCompleted).ID: func(pause time.Duration) bool { return pause >= 59*time.Second },
		kit.EndpointAt(env, "/soon", kit.OnlyCompleted).ID:   func(pause time.Duration) bool { return pause < 30*time.Second },
	}
	kit.Dispatch(env, kit.Instant(env)).Ends("completed")
	for endpointID, right := range waits {
		attempts := kit.Attempted(env, kit.Of(endpointID), 1)
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
