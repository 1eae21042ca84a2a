package tests

import (
	"maps"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
	"github.com/redline-svc/redline/tests/receiver"
)

// redeliver asks for it and gives how many are scheduled.
func (r *run) redeliver(more map[string]any) int {
	r.s.t.Helper()
	data := map[string]any{"executionId": r.id}
	maps.Copy(data, more)
	var answer struct {
		Scheduled   int    `json:"scheduled"`
		ExecutionID string `json:"executionId"`
	}
	r.s.call("workflow/executions/redeliver", data, &answer)
	require.Equal(r.s.t, r.id, answer.ExecutionID)
	return answer.Scheduled
}

// sentTimes waits until the event has been sent n times.
func (s *scene) sentTimes(path, eventID string, n int) []receiver.Request {
	s.t.Helper()
	eventually(s.t, eventID+" is sent "+strconv.Itoa(n)+" times", func() bool { return len(requestsOf(s, path, eventID)) >= n })
	return requestsOf(s, path, eventID)
}

func TestRedeliver_1_ADeliveredEventIsSentAgain(t *testing.T) {
	s := begin(t)
	r := s.dispatch(s.instant(), s.withReceiver("/events"))
	r.ends("completed")
	first := firstOf(r.delivered())
	before := requestsOf(s, "/events", first.EventID)[0]
	at, err := strconv.ParseInt(before.Header.Get("webhook-timestamp"), 10, 64)
	require.NoError(t, err)
	eventually(t, "the next second", func() bool { return time.Now().Unix() > at })
	require.Equal(t, 1, r.redeliver(map[string]any{"eventIds": []string{first.EventID}}))
	again := s.sentTimes("/events", first.EventID, 2)[1]
	require.NoError(t, receiver.Verify(again, secret))
	assert.Equal(t, string(before.Body), string(again.Body))
	assert.Equal(t, "1", again.Header.Get("x-svc-attempt"))
	assert.NotEqual(t, before.Header.Get("webhook-timestamp"), again.Header.Get("webhook-timestamp"))
	assert.NotEqual(t, before.Header.Get("webhook-signature"), again.Header.Get("webhook-signature"))
	assert.Equal(t, before.Header.Get("x-svc-signature"), again.Header.Get("x-svc-signature"))
	r.delivered()
}

func TestRedeliver_2_TwoAtOnceAreOneRound(t *testing.T) {
	s := begin(t)
	r := s.dispatch(s.instant(), s.withReceiver("/events"))
	r.ends("completed")
	all := r.delivered()
	gate := s.receiver().Hold("/events")
	ids := make([]string, len(all))
	for i, d := range all {
		ids[i] = d.EventID
	}
	scheduled := make([]int, 8)
	together(8, func(i int) { scheduled[i] = r.redeliver(map[string]any{"eventIds": ids}) })
	for _, n := range scheduled {
		assert.Equal(t, len(all), n)
	}
	reached(t, "the new round", gate.Reached())
	gate.Release()
	for _, d := range r.delivered() {
		assert.Len(t, d.Attempts, 2, "one new round each")
		assert.Len(t, requestsOf(s, "/events", d.EventID), 2)
	}
}

func TestRedeliver_3_ARestartGoesOnInTheSchedule(t *testing.T) {
	l := newLab(t)
	s := l.begin(l.start("api"))
	worker := l.start("worker")
	s.receiver().Answer("/events", receiver.Status(500))
	r := s.dispatch(s.instant(), s.withReceiver("/events"))
	r.delivery("execution.completed", "two attempts have failed", tried(2))
	worker.Kill()
	waiting := firstOf(r.deliveries(""))
	made := len(waiting.Attempts)
	require.GreaterOrEqual(t, made, 2)
	require.NotNil(t, waiting.NextAttemptAt, "the next one waits")
	s.receiver().Answer("/events", receiver.Status(200))
	l.again(worker)
	done := firstOf(r.delivered())
	require.Len(t, done.Attempts, made+1, "at the right attempt")
	assert.Equal(t, made, done.Attempts[made].Attempt)
	assert.GreaterOrEqual(t, done.Attempts[made].At, *waiting.NextAttemptAt, "and not before its time")
	l.atRest()
}

func TestRedeliver_4_ANameThatTurnedPrivateIsRefused(t *testing.T) {
	s, _ := beginAt(t, turnedPrivate)
	r := s.dispatch(s.instant(), s.withReceiver("/events"))
	refused := r.delivery("execution.completed", "refused", has("refused"))
	require.Len(t, refused.Attempts, 1, "it is not tried again")
	assert.Equal(t, "refused-by-policy", *refused.Attempts[0].Error)
	assert.Nil(t, refused.Attempts[0].HTTPStatus)
	assert.Nil(t, refused.NextAttemptAt)
	require.Empty(t, s.receiver().Requests("/events"), "no byte was sent")
	text := string(mustRaw(s, "workflow/executions/getDeliveries", map[string]any{"executionId": r.id}))
	assert.NotContains(t, text, "127.0.0.1", "a tenant sees no address")
}

func mustRaw(s *scene, operation string, data any) []byte {
	s.t.Helper()
	var raw jsonText
	s.call(operation, data, &raw)
	return raw
}

// jsonText keeps a result as it came.
type jsonText []byte

// UnmarshalJSON keeps the bytes.
func (j *jsonText) UnmarshalJSON(data []byte) error {
	*j = append((*j)[:0], data...)
	return nil
}

func TestRedeliver_WhatIsRefused(t *testing.T) {
	s := begin(t)
	r := s.dispatch(s.instant(), s.withReceiver("/events"))
	r.ends("completed")
	r.delivered()
	for _, data := range []map[string]any{
		{"webhookUrl": s.receiver().URL("/x")},
		{"webhookSecret": "a-secret-of-the-receiver"},
		{"eventIds": []string{}},
		{"webhookUrl": s.receiver().URL("/x"), "webhookSecret": "too short"},
		{"status": "dead"},
	} {
		data["executionId"] = r.id
		s.refusedAs("INVALID_ARGUMENT", "workflow/executions/redeliver", data)
	}
	for _, address := range []string{
		"http://receiver.test/x", "https://127.0.0.1/x", "https://localhost/x", "https://LOCALHOST./x", "https://metadata.google.internal/",
		"https://a.internal/", "https://[::ffff:10.0.0.1]/", "https://169.254.169.254/", "https://user@example.com/", "https://2130706433/",
		"https://0x7f.1/", "https://１２７.0.0.1/", "https://100.64.0.1/", "https://[fd00::1]/", "https://example.com:22/",
	} {
		failure := s.refusedAs("INVALID_ARGUMENT", "workflow/executions/redeliver",
			map[string]any{"executionId": r.id, "webhookUrl": address, "webhookSecret": secret})
		require.Len(t, failure.Issues, 1, address)
		assert.Equal(t, "address-refused", failure.Issues[0].Code, address)
	}
	internal := r.history("step.scheduled")
	require.NotEmpty(t, internal)
	for _, id := range []string{internal[0].EventID, "evt_unknown"} {
		s.refusedAs("NOT_FOUND", "workflow/executions/redeliver", map[string]any{"executionId": r.id, "eventIds": []string{id}})
	}
	quiet := s.dispatch(s.instant())
	failure := s.refusedAs("FAILED_PRECONDITION", "workflow/executions/redeliver", map[string]any{"executionId": quiet.id})
	assert.Equal(t, "no-receiver", failure.Reason)
	assert.Empty(t, quiet.deliveries(""))
	assert.Zero(t, r.redeliver(nil), "nothing is dead or refused")
}

func TestRedeliver_ANewReceiverTakesWhatWaits(t *testing.T) {
	s := begin(t)
	s.receiver().Answer("/old", receiver.Status(500))
	r := s.dispatch(s.signOff(), s.withReceiver("/old"))
	r.waitsAt("review")
	r.delivery("execution.dispatched", "an attempt has failed", tried(1))
	fresh, err := receiver.Start(s.trusted)
	require.NoError(t, err)
	t.Cleanup(fresh.Close)
	const other = "another-secret-of-the-receiver"
	require.Zero(t, r.redeliver(map[string]any{"webhookUrl": fresh.URL("/new"), "webhookSecret": other}))
	r.decide("review", "ann", "approve")
	r.ends("completed")
	all := r.delivered()
	require.Len(t, all, len(r.events()))
	for _, request := range fresh.Requests("/new") {
		require.NoError(t, receiver.Verify(request, other))
	}
	assert.Len(t, fresh.Requests("/new"), len(all), "each event once at the new receiver")
}

// An attempt under way ends at the old receiver, and a webhook node signs with the
// new secret's key from its next try.
func TestRedeliver_ANewSecretCountsFromTheNextTry(t *testing.T) {
	s := begin(t)
	const other = "another-secret-of-the-receiver"
	gates := []*receiver.Gate{s.receiver().Hold("/node"), s.receiver().Hold("/old")}
	s.receiver().AnswerBy("/node", unavailable(2))
	s.receiver().Answer("/old", receiver.Status(500))
	r := s.dispatch(s.define([]client.Node{client.Hook("call", s.receiver().URL("/node")).With("authMode", "hmac")}), s.withReceiver("/old"))
	for _, gate := range gates {
		reached(t, "a request under way", gate.Reached())
	}
	r.redeliver(map[string]any{"webhookUrl": s.receiver().URL("/new"), "webhookSecret": other})
	for _, gate := range gates {
		gate.Release()
	}
	r.ends("completed")
	r.delivered()
	calls := s.receiver().Requests("/node")
	require.Len(t, calls, 2)
	require.NoError(t, receiver.Verify(calls[0], nodeKey(t, secret, "call")))
	require.NoError(t, receiver.Verify(calls[1], nodeKey(t, other, "call")))
	for _, request := range s.receiver().Requests("/old") {
		require.NoError(t, receiver.Verify(request, secret))
	}
	for _, request := range s.receiver().Requests("/new") {
		require.NoError(t, receiver.Verify(request, other))
	}
	for _, event := range r.events() {
		require.NotEmpty(t, requestsOf(s, "/new", event.EventID), "what the old one did not take goes to the new one")
	}
}

func TestRedeliver_AReceiverNamedLaterGetsOnlyWhatIsAsked(t *testing.T) {
	s := begin(t)
	r := s.dispatch(s.signOff())
	r.waitsAt("review")
	dispatched := r.events("execution.dispatched")
	require.Equal(t, 1, r.redeliver(map[string]any{
		"eventIds": []string{dispatched[0].EventID}, "webhookUrl": s.receiver().URL("/late"), "webhookSecret": secret,
	}))
	s.arrived("/late", receiver.Count(1))
	require.True(t, r.cancel())
	s.sentTimes("/late", r.events("execution.cancelled")[0].EventID, 1)
	for _, request := range s.receiver().Requests("/late") {
		body, err := request.Read()
		require.NoError(t, err)
		assert.False(t, strings.HasPrefix(body.Event, "step.awaiting"), "it was before the receiver's time")
	}
}

// Old rows and new ones, two workers beside each other: each event arrives,
// and none twice while both live.
func TestDeliveries_6_TwoWorkersShareTheWork(t *testing.T) {
	s, _ := beginAt(t, twoProcesses)
	definition := s.instant()
	var runs []*run
	for range 20 {
		runs = append(runs, s.dispatch(definition, s.withReceiver("/events")))
	}
	for _, r := range runs {
		r.ends("completed")
		for _, d := range r.delivered() {
			assert.Len(t, d.Attempts, 1)
			assert.Len(t, requestsOf(s, "/events", d.EventID), 1)
		}
	}
}

func TestDeliveries_4_RowsAwayDuringAnAttempt(t *testing.T) {
	l := newLab(t)
	s := l.begin(l.start("serve"))
	r := s.dispatch(s.instant(), s.withReceiver("/events"))
	r.ends("completed")
	first := firstOf(r.delivered())
	made, gate := len(s.receiver().Requests("/events")), s.receiver().Hold("/events")
	require.Equal(t, 1, r.redeliver(map[string]any{"eventIds": []string{first.EventID}}))
	reached(t, "an attempt", gate.Reached())
	l.Rows.Cut()
	gate.Release()
	s.answered("/events", made+1)
	require.NoError(t, l.Rows.Mend())
	again := firstOf(r.delivered())
	assert.Len(t, again.Attempts, len(first.Attempts)+1, "the outcome was offered until it was stored")
}
