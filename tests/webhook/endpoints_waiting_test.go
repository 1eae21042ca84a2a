package webhook

import (
	"slices"
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

// failing is an endpoint whose first message has failed once and waits for its
// next try, as long as the endpoint asked for.
func failing(env *kit.Env, path string) (redline.Endpoint, redline.EndpointAttempt) {
	env.T.Helper()
	env.Receiver().Answer(path, receiver.Answer{Status: 503, Header: map[string]string{"retry-after": "10"}})
	e := kit.EndpointAt(env, path, map[string]any{"filterTypes": []string{"execution.completed"}})
	kit.Dispatch(env, kit.Instant(env)).Ends("completed")
	a := kit.Attempted(env, kit.Of(e.ID), 1)[0]
	require.Equal(env.T, []any{redline.EndpointAttemptStatusFailed, "throttled", redline.EndpointAttemptTriggerSchedule, int64(1)}, []any{a.Status, a.Class, a.Trigger, a.Attempt})
	require.NotNil(env.T, a.NextAttemptAt)
	return e, a
}

// overdue waits until an attempt that was planned would have begun.
func overdue(env *kit.Env, at string) {
	env.T.Helper()
	planned, err := time.Parse(time.RFC3339, at)
	require.NoError(env.T, err)
	kit.RequireEventually(env.T, "the time of the attempt has passed", func() bool { return time.Now().After(planned) })
}

// stillServed proves that an endpoint is served: the end of an execution is
// reported at it.
func stillServed(env *kit.Env, path string) {
	env.T.Helper()
	env.Receiver().Answer(path, receiver.Status(200))
	r := kit.Dispatch(env, kit.Instant(env))
	r.Ends("completed")
	env.Arrived(path, func(found []receiver.Request) bool {
		return slices.ContainsFunc(found, func(request receiver.Request) bool { return strings.Contains(string(request.Body), r.ID) })
	})
}

func TestEndpointsUpdate_2_TheNextTryGoesToTheNewAddress(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	e, a := failing(env, "/old")
	kit.Change(env, e.ID, map[string]any{"url": env.Receiver().URL("/new")})
	request := env.Arrived("/new", receiver.Count(1))[0]
	require.Equal(t, a.MessageID, request.Header.Get("webhook-id"))
	require.NoError(t, receiver.VerifyMessage(request, kit.SecretOf(env, e.ID)))
	second := kit.Attempted(env, kit.Of(e.ID), 2)[0]
	assert.Equal(t, []any{redline.EndpointAttemptStatusSucceeded, int64(2), a.MessageID}, []any{second.Status, second.Attempt, second.MessageID})
	assert.Contains(t, second.URL, "/new")
	assert.Contains(t, a.URL, "/old", "an attempt keeps the address it went to")
	require.Len(t, env.Receiver().Requests("/old"), 1)
}

func TestEndpointsUpdate_DisablingEndsWhatWaits(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	e, a := failing(env, "/told")
	kit.Change(env, e.ID, map[string]any{"disabled": true})
	kit.Dispatch(env, kit.Instant(env)).Ends("completed")
	kit.Change(env, e.ID, map[string]any{"disabled": false})
	overdue(env, *a.NextAttemptAt)
	stillServed(env, "/told")
	for _, request := range env.Receiver().Requests("/told")[1:] {
		require.NotEqual(t, a.MessageID, request.Header.Get("webhook-id"), "what waited has ended")
	}
	require.Len(t, env.Receiver().Requests("/told"), 2, "and what came meanwhile is not told")
}

func TestEndpointsUpdate_6_AnAttemptUnderWayEndsAndNoOtherStarts(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	gate := env.Receiver().Hold("/told")
	env.Receiver().Answer("/told", receiver.Status(500))
	e := kit.EndpointAt(env, "/told", map[string]any{"filterTypes": []string{"execution.completed"}})
	kit.Dispatch(env, kit.Instant(env)).Ends("completed")
	kit.RequireReached(t, "the attempt", gate.Reached())
	kit.Change(env, e.ID, map[string]any{"disabled": true})
	gate.Release()
	a := kit.Attempted(env, kit.Of(e.ID), 1)[0]
	assert.Equal(t, []any{redline.EndpointAttemptStatusFailed, "http-5xx"}, []any{a.Status, a.Class})
	require.NotNil(t, a.NextAttemptAt, "it did not know that it was the last")
	kit.Change(env, e.ID, map[string]any{"disabled": false})
	overdue(env, *a.NextAttemptAt)
	stillServed(env, "/told")
	require.Len(t, env.Receiver().Requests("/told"), 2)
}

func TestEndpointsDelete_NothingIsSentAfterwards(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	kit.EndpointAt(env, "/other", map[string]any{"filterTypes": []string{"execution.completed"}})
	e, a := failing(env, "/told")
	env.Call(client.DeleteEndpoint, kit.Of(e.ID), nil)
	overdue(env, *a.NextAttemptAt)
	stillServed(env, "/other")
	kit.Settled(env)
	require.Len(t, env.Receiver().Requests("/told"), 1)
	listed := kit.Attempts(env, map[string]any{"messageId": a.MessageID}).Attempts
	var kept []string
	for _, attempt := range listed {
		kept = append(kept, attempt.EndpointID)
	}
	assert.Contains(t, kept, e.ID, "past attempts stay listed by message")
}

func TestWebhookSettings_4_NothingOfTheGapIsDelivered(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	e, a := failing(env, "/told")
	env.Call(client.SetHooks, map[string]any{"isEnabled": false}, nil)
	gap := kit.Dispatch(env, kit.Instant(env))
	gap.Ends("completed")
	kit.Hooked(env)
	require.False(t, kit.Endpoints(env, map[string]any{}).Endpoints[0].Disabled, "endpoints stay")
	secret := kit.SecretOf(env, e.ID)
	overdue(env, *a.NextAttemptAt)
	stillServed(env, "/told")
	requests := env.Receiver().Requests("/told")
	require.Len(t, requests, 2)
	require.NoError(t, receiver.VerifyMessage(requests[1], secret))
	assert.NotContains(t, string(requests[1].Body), gap.ID)
	assert.NotEqual(t, a.MessageID, requests[1].Header.Get("webhook-id"))
}

func TestAttempts_ListIsNarrowedAndWalked(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	env.Receiver().AnswerBy("/told", kit.Unavailable(3))
	e := kit.EndpointAt(env, "/told", map[string]any{"uid": "desk-1"})
	var messages []string
	for range 3 {
		messages = append(messages, kit.Try(env, e.ID, "webhook.test"))
		kit.Attempted(env, kit.Of(e.ID), len(messages))
	}
	all := kit.Attempts(env, kit.Of("desk-1")).Attempts
	require.Len(t, all, 3)
	for i, a := range all {
		require.Equal(t, messages[2-i], a.MessageID, "newest first")
	}
	ids := func(data map[string]any) []string {
		found := []string{}
		for _, a := range kit.Attempts(env, data).Attempts {
			found = append(found, a.MessageID)
		}
		return found
	}
	with := func(name string, value any) map[string]any {
		return map[string]any{"endpointId": e.ID, name: value}
	}
	assert.Equal(t, messages[2:], ids(with("status", "succeeded")))
	assert.Equal(t, []string{messages[1], messages[0]}, ids(with("class", "throttled")))
	assert.Equal(t, messages[1:2], ids(with("messageId", messages[1])))
	assert.Equal(t, messages[:1], ids(with("before", all[1].StartedAt)))
	assert.Equal(t, messages[2:], ids(map[string]any{"messageId": messages[2]}))
	assert.Empty(t, ids(map[string]any{"messageId": "msg_none"}))
	assert.Empty(t, ids(kit.Of("ep_none")))
	assert.Len(t, ids(with("after", 0)), 3, "a time may be epoch milliseconds")

	first := kit.Attempts(env, map[string]any{"endpointId": e.ID, "limit": 2})
	require.True(t, len(first.Attempts) == 2 && !first.Done && first.PrevIterator == nil)
	second := kit.Attempts(env, map[string]any{"endpointId": e.ID, "limit": 2, "iterator": *first.Iterator})
	require.True(t, len(second.Attempts) == 1 && second.Done && second.Iterator == nil)
	require.Equal(t, first.Attempts, kit.Attempts(env, map[string]any{"endpointId": e.ID, "limit": 2, "iterator": *second.PrevIterator}).Attempts)
	for bound, when := range map[string]string{"after": "2020-01-01T00:00:00+23:59", "before": "9999-12-31T23:59:59Z"} {
		page := kit.Attempts(env, map[string]any{"endpointId": e.ID, "limit": 2, bound: when})
		require.Len(t, page.Attempts, 2)
		page = kit.Attempts(env, map[string]any{"endpointId": e.ID, "limit": 2, bound: when, "iterator": *page.Iterator})
		require.Equal(t, second.Attempts, page.Attempts, "a token is made of times of any zone and any year")
	}
	require.Empty(t, ids(with("before", "0001-01-01T00:00:00Z")), "the first moment of the first year is a time, too")
	for _, faulty := range []map[string]any{
		{},
		{"status": "pending"},
		{"after": "yesterday"},
		{"before": 1.5},
		{"limit": 0},
		{"iterator": *first.Iterator, "class": "ok"},
		{"messageId": ""},
		{"after": "2020-01-01T00:00:00+24:00"},
		{"after": "0000-01-01T00:00:00+01:00"},
		{"before": "9999-12-31T23:59:59-01:00"},
		{"before": 253402300800000},
	} {
		if len(faulty) > 0 && faulty["messageId"] == nil {
			faulty["endpointId"] = e.ID
		}
		env.RefusedAs("INVALID_ARGUMENT", client.GetAttempts, faulty)
	}
}

func TestAttempts_1and3_ARefusalShowsNothingOfTheDial(t *testing.T) {
	env, _ := kit.NewVariantWorkspace(t, kit.TurnedPrivate)
	e := kit.EndpointAt(kit.Hooked(env), "/told?token=mine")
	messageID := kit.Try(env, e.ID, "webhook.test")
	a := kit.Attempted(env, kit.Of(e.ID), 1)[0]
	assert.Equal(t, []any{redline.EndpointAttemptStatusFailed, "refused-by-policy", messageID, e.URL}, []any{a.Status, a.Class, a.MessageID, a.URL})
	assert.True(t, a.HTTPStatus == nil && a.ResponseBody == nil && a.NextAttemptAt == nil)
	assert.NotContains(t, string(kit.MustRaw(env, client.GetAttempts, kit.Of(e.ID))), "127.0.0.1")
	require.Empty(t, env.Receiver().Requests(""))
}
