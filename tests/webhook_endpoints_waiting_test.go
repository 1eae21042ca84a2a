package tests

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/receiver"
)

// failing is an endpoint whose first message has failed once and waits for its
// next try, as long as the endpoint asked for.
func (s *scene) failing(path string) (endpointView, attemptView) {
	s.t.Helper()
	s.receiver().Answer(path, receiver.Answer{Status: 503, Header: map[string]string{"retry-after": "10"}})
	e := s.endpointAt(path, map[string]any{"filterTypes": []string{"execution.completed"}})
	s.dispatch(s.instant()).ends("completed")
	a := s.attempted(of(e.ID), 1)[0]
	require.Equal(s.t, []any{"failed", "throttled", "schedule", 1}, []any{a.Status, a.Class, a.Trigger, a.Attempt})
	require.NotNil(s.t, a.NextAttemptAt)
	return e, a
}

// overdue waits until an attempt that was planned would have begun.
func (s *scene) overdue(at string) {
	s.t.Helper()
	planned, err := time.Parse(time.RFC3339, at)
	require.NoError(s.t, err)
	eventually(s.t, "the time of the attempt has passed", func() bool { return time.Now().After(planned) })
}

// stillServed proves that an endpoint is served: the end of an execution is
// reported at it.
func (s *scene) stillServed(path string) {
	s.t.Helper()
	s.receiver().Answer(path, receiver.Status(200))
	r := s.dispatch(s.instant())
	r.ends("completed")
	s.arrived(path, func(found []receiver.Request) bool {
		return slices.ContainsFunc(found, func(request receiver.Request) bool { return strings.Contains(string(request.Body), r.id) })
	})
}

func TestEndpointsUpdate_2_TheNextTryGoesToTheNewAddress(t *testing.T) {
	s := begin(t).hooked()
	e, a := s.failing("/old")
	s.change(e.ID, map[string]any{"url": s.receiver().URL("/new")})
	request := s.arrived("/new", receiver.Count(1))[0]
	require.Equal(t, a.MessageID, request.Header.Get("webhook-id"))
	require.NoError(t, receiver.VerifyMessage(request, s.secretOf(e.ID)))
	second := s.attempted(of(e.ID), 2)[0]
	assert.Equal(t, []any{"succeeded", 2, a.MessageID}, []any{second.Status, second.Attempt, second.MessageID})
	assert.Contains(t, second.URL, "/new")
	assert.Contains(t, a.URL, "/old", "an attempt keeps the address it went to")
	require.Len(t, s.receiver().Requests("/old"), 1)
}

func TestEndpointsUpdate_DisablingEndsWhatWaits(t *testing.T) {
	s := begin(t).hooked()
	e, a := s.failing("/told")
	s.change(e.ID, map[string]any{"disabled": true})
	s.dispatch(s.instant()).ends("completed")
	s.change(e.ID, map[string]any{"disabled": false})
	s.overdue(*a.NextAttemptAt)
	s.stillServed("/told")
	for _, request := range s.receiver().Requests("/told")[1:] {
		require.NotEqual(t, a.MessageID, request.Header.Get("webhook-id"), "what waited has ended")
	}
	require.Len(t, s.receiver().Requests("/told"), 2, "and what came meanwhile is not told")
}

func TestEndpointsUpdate_6_AnAttemptUnderWayEndsAndNoOtherStarts(t *testing.T) {
	s := begin(t).hooked()
	gate := s.receiver().Hold("/told")
	s.receiver().Answer("/told", receiver.Status(500))
	e := s.endpointAt("/told", map[string]any{"filterTypes": []string{"execution.completed"}})
	s.dispatch(s.instant()).ends("completed")
	reached(t, "the attempt", gate.Reached())
	s.change(e.ID, map[string]any{"disabled": true})
	gate.Release()
	a := s.attempted(of(e.ID), 1)[0]
	assert.Equal(t, []any{"failed", "http-5xx"}, []any{a.Status, a.Class})
	require.NotNil(t, a.NextAttemptAt, "it did not know that it was the last")
	s.change(e.ID, map[string]any{"disabled": false})
	s.overdue(*a.NextAttemptAt)
	s.stillServed("/told")
	require.Len(t, s.receiver().Requests("/told"), 2)
}

func TestEndpointsDelete_NothingIsSentAfterwards(t *testing.T) {
	s := begin(t).hooked()
	s.endpointAt("/other", map[string]any{"filterTypes": []string{"execution.completed"}})
	e, a := s.failing("/told")
	s.call(deleteEndpoint, of(e.ID), nil)
	s.overdue(*a.NextAttemptAt)
	s.stillServed("/other")
	s.settled()
	require.Len(t, s.receiver().Requests("/told"), 1)
	listed := s.attempts(map[string]any{"messageId": a.MessageID}).Attempts
	var kept []string
	for _, attempt := range listed {
		kept = append(kept, attempt.EndpointID)
	}
	assert.Contains(t, kept, e.ID, "past attempts stay listed by message")
}

func TestWebhookSettings_4_NothingOfTheGapIsDelivered(t *testing.T) {
	s := begin(t).hooked()
	e, a := s.failing("/told")
	s.call(setHooks, map[string]any{"isEnabled": false}, nil)
	gap := s.dispatch(s.instant())
	gap.ends("completed")
	s.hooked()
	require.False(t, s.endpoints(map[string]any{}).Endpoints[0].Disabled, "endpoints stay")
	secret := s.secretOf(e.ID)
	s.overdue(*a.NextAttemptAt)
	s.stillServed("/told")
	requests := s.receiver().Requests("/told")
	require.Len(t, requests, 2)
	require.NoError(t, receiver.VerifyMessage(requests[1], secret))
	assert.NotContains(t, string(requests[1].Body), gap.id)
	assert.NotEqual(t, a.MessageID, requests[1].Header.Get("webhook-id"))
}

func TestAttempts_ListIsNarrowedAndWalked(t *testing.T) {
	s := begin(t).hooked()
	s.receiver().AnswerBy("/told", unavailable(3))
	e := s.endpointAt("/told", map[string]any{"uid": "desk-1"})
	var messages []string
	for range 3 {
		messages = append(messages, s.try(e.ID, "webhook.test"))
		s.attempted(of(e.ID), len(messages))
	}
	all := s.attempts(of("desk-1")).Attempts
	require.Len(t, all, 3)
	for i, a := range all {
		require.Equal(t, messages[2-i], a.MessageID, "newest first")
	}
	ids := func(data map[string]any) []string {
		found := []string{}
		for _, a := range s.attempts(data).Attempts {
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
	assert.Empty(t, ids(of("ep_none")))
	assert.Len(t, ids(with("after", 0)), 3, "a time may be epoch milliseconds")

	first := s.attempts(map[string]any{"endpointId": e.ID, "limit": 2})
	require.True(t, len(first.Attempts) == 2 && !first.Done && first.PrevIterator == nil)
	second := s.attempts(map[string]any{"endpointId": e.ID, "limit": 2, "iterator": *first.Iterator})
	require.True(t, len(second.Attempts) == 1 && second.Done && second.Iterator == nil)
	require.Equal(t, first.Attempts, s.attempts(map[string]any{"endpointId": e.ID, "limit": 2, "iterator": *second.PrevIterator}).Attempts)
	for bound, when := range map[string]string{"after": "2020-01-01T00:00:00+23:59", "before": "9999-12-31T23:59:59Z"} {
		page := s.attempts(map[string]any{"endpointId": e.ID, "limit": 2, bound: when})
		require.Len(t, page.Attempts, 2)
		page = s.attempts(map[string]any{"endpointId": e.ID, "limit": 2, bound: when, "iterator": *page.Iterator})
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
		s.refusedAs("INVALID_ARGUMENT", getAttempts, faulty)
	}
}

func TestAttempts_1and3_ARefusalShowsNothingOfTheDial(t *testing.T) {
	s, _ := beginAt(t, turnedPrivate)
	e := s.hooked().endpointAt("/told?token=mine")
	messageID := s.try(e.ID, "webhook.test")
	a := s.attempted(of(e.ID), 1)[0]
	assert.Equal(t, []any{"failed", "refused-by-policy", messageID, e.URL}, []any{a.Status, a.Class, a.MessageID, a.URL})
	assert.True(t, a.HTTPStatus == nil && a.ResponseBody == nil && a.NextAttemptAt == nil)
	assert.NotContains(t, string(mustRaw(s, getAttempts, of(e.ID))), "127.0.0.1")
	require.Empty(t, s.receiver().Requests(""))
}
