package workflow

import (
	"maps"
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

// redeliver asks for it and returns how many are scheduled.
func redeliver(r *kit.Run, more map[string]any) int {
	r.S.T.Helper()
	data := map[string]any{"executionId": r.ID}
	maps.Copy(data, more)
	var answer redline.RedeliverResult
	r.S.Call(client.Redeliver, data, &answer)
	require.Equal(r.S.T, r.ID, answer.ExecutionID)
	return int(answer.Scheduled)
}

// sentTimes waits until the event has been sent n times.
func sentTimes(env *kit.Env, path, eventID string, n int) []receiver.Request {
	env.T.Helper()
	kit.RequireEventually(env.T, eventID+" is sent "+strconv.Itoa(n)+" times", func() bool { return len(requestsOf(env, path, eventID)) >= n })
	return requestsOf(env, path, eventID)
}

func TestRedeliver_1_ADeliveredEventIsSentAgain(t *testing.T) {
	env := kit.NewWorkspace(t)
	r := kit.Dispatch(env, kit.Instant(env), kit.WithReceiver(env, "/events"))
	r.Ends("completed")
	first := firstOf(r.Delivered())
	before := requestsOf(env, "/events", first.EventID)[0]
	at, err := strconv.ParseInt(before.Header.Get("webhook-timestamp"), 10, 64)
	require.NoError(t, err)
	kit.RequireEventually(t, "the next second", func() bool { return time.Now().Unix() > at })
	require.Equal(t, 1, redeliver(r, map[string]any{"eventIds": []string{first.EventID}}))
	again := sentTimes(env, "/events", first.EventID, 2)[1]
	require.NoError(t, receiver.Verify(again, kit.Secret))
	assert.Equal(t, string(before.Body), string(again.Body))
	assert.Equal(t, "1", again.Header.Get("x-svc-attempt"))
	assert.NotEqual(t, before.Header.Get("webhook-timestamp"), again.Header.Get("webhook-timestamp"))
	assert.NotEqual(t, before.Header.Get("webhook-signature"), again.Header.Get("webhook-signature"))
	assert.Equal(t, before.Header.Get("x-svc-signature"), again.Header.Get("x-svc-signature"))
	r.Delivered()
}

func TestRedeliver_2_TwoAtOnceAreOneRound(t *testing.T) {
	env := kit.NewWorkspace(t)
	r := kit.Dispatch(env, kit.Instant(env), kit.WithReceiver(env, "/events"))
	r.Ends("completed")
	all := r.Delivered()
	gate := env.Receiver().Hold("/events")
	ids := make([]string, len(all))
	for i, d := range all {
		ids[i] = d.EventID
	}
	scheduled := make([]int, 8)
	kit.Concurrently(8, func(i int) { scheduled[i] = redeliver(r, map[string]any{"eventIds": ids}) })
	for _, n := range scheduled {
		assert.Equal(t, len(all), n)
	}
	kit.RequireReached(t, "the new round", gate.Reached())
	gate.Release()
	for _, d := range r.Delivered() {
		assert.Len(t, d.Attempts, 2, "one new round each")
		assert.Len(t, requestsOf(env, "/events", d.EventID), 2)
	}
}

func TestRedeliver_3_ARestartGoesOnInTheSchedule(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	env := isolated.NewWorkspace(isolated.StartProcess("api"))
	worker := isolated.StartProcess("worker")
	env.Receiver().Answer("/events", receiver.Status(500))
	r := kit.Dispatch(env, kit.Instant(env), kit.WithReceiver(env, "/events"))
	r.Delivery("execution.completed", "two attempts have failed", tried(2))
	worker.Kill()
	waiting := firstOf(r.Deliveries(""))
	made := len(waiting.Attempts)
	require.GreaterOrEqual(t, made, 2)
	require.NotNil(t, waiting.NextAttemptAt, "the next one waits")
	env.Receiver().Answer("/events", receiver.Status(200))
	isolated.Restart(worker)
	done := firstOf(r.Delivered())
	require.Len(t, done.Attempts, made+1, "at the right attempt")
	assert.EqualValues(t, made, done.Attempts[made].Attempt)
	assert.GreaterOrEqual(t, done.Attempts[made].At, *waiting.NextAttemptAt, "and not before its time")
	isolated.AtRest()
}

func TestRedeliver_4_ANameThatTurnedPrivateIsRefused(t *testing.T) {
	env, _ := kit.NewVariantWorkspace(t, kit.TurnedPrivate)
	r := kit.Dispatch(env, kit.Instant(env), kit.WithReceiver(env, "/events"))
	refused := r.Delivery("execution.completed", "refused", kit.Has("refused"))
	require.Len(t, refused.Attempts, 1, "it is not tried again")
	assert.Equal(t, "refused-by-policy", *refused.Attempts[0].Error)
	assert.Nil(t, refused.Attempts[0].HTTPStatus)
	assert.Nil(t, refused.NextAttemptAt)
	require.Empty(t, env.Receiver().Requests("/events"), "no byte was sent")
	text := string(kit.MustRaw(env, client.GetDeliveries, map[string]any{"executionId": r.ID}))
	assert.NotContains(t, text, "127.0.0.1", "a tenant sees no address")
}

func TestRedeliver_WhatIsRefused(t *testing.T) {
	env := kit.NewWorkspace(t)
	r := kit.Dispatch(env, kit.Instant(env), kit.WithReceiver(env, "/events"))
	r.Ends("completed")
	r.Delivered()
	for _, data := range []map[string]any{
		{"webhookUrl": env.Receiver().URL("/x")},
		{"webhookSecret": "a-secret-of-the-receiver"},
		{"eventIds": []string{}},
		{"webhookUrl": env.Receiver().URL("/x"), "webhookSecret": "too short"},
		{"status": "dead"},
	} {
		data["executionId"] = r.ID
		env.RefusedAs("INVALID_ARGUMENT", client.Redeliver, data)
	}
	for _, address := range []string{
		"http://receiver.test/x", "https://127.0.0.1/x", "https://localhost/x", "https://LOCALHOST./x", "https://metadata.google.internal/",
		"https://a.internal/", "https://[::ffff:10.0.0.1]/", "https://169.254.169.254/", "https://user@example.com/", "https://2130706433/",
		"https://0x7f.1/", "https://１２７.0.0.1/", "https://100.64.0.1/", "https://[fd00::1]/", "https://example.com:22/",
	} {
		failure := env.RefusedAs("INVALID_ARGUMENT", client.Redeliver,
			map[string]any{"executionId": r.ID, "webhookUrl": address, "webhookSecret": kit.Secret})
		require.Len(t, failure.Issues, 1, address)
		assert.Equal(t, "address-refused", failure.Issues[0].Code, address)
	}
	internal := history(r, "step.scheduled")
	require.NotEmpty(t, internal)
	for _, id := range []string{internal[0].EventID, "evt_unknown"} {
		env.RefusedAs("NOT_FOUND", client.Redeliver, map[string]any{"executionId": r.ID, "eventIds": []string{id}})
	}
	quiet := kit.Dispatch(env, kit.Instant(env))
	failure := env.RefusedAs("FAILED_PRECONDITION", client.Redeliver, map[string]any{"executionId": quiet.ID})
	assert.Equal(t, redline.ErrorDetailsReasonNoReceiver, failure.Reason)
	assert.Empty(t, quiet.Deliveries(""))
	assert.Zero(t, redeliver(r, nil), "nothing is dead or refused")
}

func TestRedeliver_ANewReceiverTakesWhatWaits(t *testing.T) {
	env := kit.NewWorkspace(t)
	env.Receiver().Answer("/old", receiver.Status(500))
	r := kit.Dispatch(env, kit.SignOff(env), kit.WithReceiver(env, "/old"))
	r.WaitsAt("review")
	r.Delivery("execution.dispatched", "an attempt has failed", tried(1))
	fresh, err := receiver.Start(env.Trusted)
	require.NoError(t, err)
	t.Cleanup(fresh.Close)
	const other = "another-secret-of-the-receiver"
	require.Zero(t, redeliver(r, map[string]any{"webhookUrl": fresh.URL("/new"), "webhookSecret": other}))
	r.Decide("review", "ann", "approve")
	r.Ends("completed")
	all := r.Delivered()
	require.Len(t, all, len(r.Events()))
	for _, request := range fresh.Requests("/new") {
		require.NoError(t, receiver.Verify(request, other))
	}
	assert.Len(t, fresh.Requests("/new"), len(all), "each event once at the new receiver")
}

// An attempt under way ends at the old receiver, and a webhook node signs with the
// new secret's key from its next try.
func TestRedeliver_ANewSecretCountsFromTheNextTry(t *testing.T) {
	env := kit.NewWorkspace(t)
	const other = "another-secret-of-the-receiver"
	gates := []*receiver.Gate{env.Receiver().Hold("/node"), env.Receiver().Hold("/old")}
	env.Receiver().AnswerBy("/node", kit.Unavailable(2))
	env.Receiver().Answer("/old", receiver.Status(500))
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.With(client.Hook("call", env.Receiver().URL("/node")), "authMode", "hmac")}), kit.WithReceiver(env, "/old"))
	for _, gate := range gates {
		kit.RequireReached(t, "a request under way", gate.Reached())
	}
	redeliver(r, map[string]any{"webhookUrl": env.Receiver().URL("/new"), "webhookSecret": other})
	for _, gate := range gates {
		gate.Release()
	}
	r.Ends("completed")
	r.Delivered()
	calls := env.Receiver().Requests("/node")
	require.Len(t, calls, 2)
	require.NoError(t, receiver.Verify(calls[0], nodeKey(t, kit.Secret, "call")))
	require.NoError(t, receiver.Verify(calls[1], nodeKey(t, other, "call")))
	for _, request := range env.Receiver().Requests("/old") {
		require.NoError(t, receiver.Verify(request, kit.Secret))
	}
	for _, request := range env.Receiver().Requests("/new") {
		require.NoError(t, receiver.Verify(request, other))
	}
	for _, event := range r.Events() {
		require.NotEmpty(t, requestsOf(env, "/new", event.EventID), "what the old one did not take goes to the new one")
	}
}

func TestRedeliver_AReceiverNamedLaterGetsOnlyWhatIsAsked(t *testing.T) {
	env := kit.NewWorkspace(t)
	r := kit.Dispatch(env, kit.SignOff(env))
	r.WaitsAt("review")
	dispatched := r.Events("execution.dispatched")
	require.Equal(t, 1, redeliver(r, map[string]any{
		"eventIds": []string{dispatched[0].EventID}, "webhookUrl": env.Receiver().URL("/late"), "webhookSecret": kit.Secret,
	}))
	env.Arrived("/late", receiver.Count(1))
	require.True(t, r.Cancel())
	sentTimes(env, "/late", r.Events("execution.cancelled")[0].EventID, 1)
	for _, request := range env.Receiver().Requests("/late") {
		body, err := request.Read()
		require.NoError(t, err)
		assert.False(t, strings.HasPrefix(body.Event, "step.awaiting"), "it was before the receiver's time")
	}
}

// Old rows and new ones, two workers beside each other: each event arrives,
// and none twice while both live.
func TestDeliveries_6_TwoWorkersShareTheWork(t *testing.T) {
	env, _ := kit.NewVariantWorkspace(t, kit.TwoProcesses)
	definition := kit.Instant(env)
	var runs []*kit.Run
	for range 20 {
		runs = append(runs, kit.Dispatch(env, definition, kit.WithReceiver(env, "/events")))
	}
	for _, r := range runs {
		r.Ends("completed")
		for _, d := range r.Delivered() {
			assert.Len(t, d.Attempts, 1)
			assert.Len(t, requestsOf(env, "/events", d.EventID), 1)
		}
	}
}

func TestDeliveries_4_RowsAwayDuringAnAttempt(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	env := isolated.NewWorkspace(isolated.StartProcess("serve"))
	r := kit.Dispatch(env, kit.Instant(env), kit.WithReceiver(env, "/events"))
	r.Ends("completed")
	first := firstOf(r.Delivered())
	made, gate := len(env.Receiver().Requests("/events")), env.Receiver().Hold("/events")
	require.Equal(t, 1, redeliver(r, map[string]any{"eventIds": []string{first.EventID}}))
	kit.RequireReached(t, "an attempt", gate.Reached())
	isolated.Rows.Cut()
	gate.Release()
	answered(env, "/events", made+1)
	require.NoError(t, isolated.Rows.Mend())
	again := firstOf(r.Delivered())
	assert.Len(t, again.Attempts, len(first.Attempts)+1, "the outcome was offered until it was stored")
}
