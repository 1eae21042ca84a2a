package tests

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
	"github.com/redline-svc/redline/tests/receiver"
)

// resend sends an endpoint a message again.
func (s *scene) resend(messageID, endpoint string) {
	s.t.Helper()
	var resent client.Wrapped[struct{ MessageID, EndpointID, Status string }]
	s.call(resendMessage, again(messageID, endpoint), &resent)
	require.Equal(s.t, []string{messageID, "pending"}, []string{resent.Data.MessageID, resent.Data.Status})
}

func again(messageID, endpoint string) map[string]any {
	return map[string]any{"messageId": messageID, "endpointId": endpoint}
}

// deliveredTo makes an endpoint that has taken one message, and its attempt.
func (s *scene) deliveredTo(path string, changes ...map[string]any) (endpointView, attemptView) {
	s.t.Helper()
	e := s.endpointAt(path, append(changes, onlyCompleted)...)
	s.dispatch(s.instant()).ends("completed")
	a := s.attempted(of(e.ID), 1)[0]
	require.Equal(s.t, "succeeded", a.Status)
	return e, a
}

func TestMessagesResend_1and4_TheSameBytesAreSignedAnew(t *testing.T) {
	s := begin(t).hooked()
	e, a := s.deliveredTo("/told", map[string]any{"uid": "desk-1"})
	first := s.receiver().Requests("/told")[0]
	var last receiver.Request
	sent := 1
	eventually(t, "it is signed in another second", func() bool {
		s.resend(a.MessageID, "desk-1")
		sent++
		last = s.arrived("/told", receiver.Count(sent))[sent-1]
		s.attempted(of(e.ID), sent)
		return last.Header.Get("webhook-timestamp") != first.Header.Get("webhook-timestamp")
	})
	assert.Equal(t, first.Header.Get("webhook-id"), last.Header.Get("webhook-id"))
	assert.Equal(t, string(first.Body), string(last.Body))
	assert.NotEqual(t, first.Header.Get("webhook-signature"), last.Header.Get("webhook-signature"))
	require.NoError(t, receiver.VerifyMessage(last, s.secretOf(e.ID)))
	attempts := s.attempted(of(e.ID), sent)
	require.Len(t, attempts, sent)
	assert.Equal(t, []any{"resend", "succeeded", sent, a.MessageID}, []any{attempts[0].Trigger, attempts[0].Status, attempts[0].Attempt, attempts[0].MessageID})
}

// Neither of a message that waits for its first try nor of one that was delivered do
// ten resends make more than one try.
func TestMessagesResend_2_TenAtOnceAreOneTry(t *testing.T) {
	l := newLab(t)
	s := l.begin(l.start("api")).hooked()
	e := s.endpointAt("/told", onlyCancelled)
	s.pileUp(1)
	messageID := l.onlyMessage(e.ID)
	tenfold := func() {
		together(10, func(int) {
			_, err := client.Call[json.RawMessage](s.ctx, s.keyed, resendMessage, again(messageID, e.ID))
			fine(t, err)
		})
	}
	tenfold()
	worker := l.start("worker")
	s.attempted(of(e.ID), 1)
	s.settled()
	require.Len(t, s.receiver().Requests("/told"), 1)
	require.NoError(t, worker.Stop())
	tenfold()
	l.again(worker)
	s.attempted(of(e.ID), 2)
	s.settled()
	require.Len(t, s.receiver().Requests("/told"), 2)
	require.Len(t, s.bodies("/told"), 1)
}

// onlyMessage is the message that waits for an endpoint.
func (l *lab) onlyMessage(endpointID string) (messageID string) {
	l.t.Helper()
	require.NoError(l.t, l.rows().QueryRow(l.t.Context(), `SELECT message_id FROM deliveries WHERE destination_id = $1`, endpointID).Scan(&messageID))
	return messageID
}

func TestMessagesResend_3_ASuccessEndsTheSchedule(t *testing.T) {
	s := begin(t).hooked()
	e, a := s.failing("/told")
	s.receiver().Answer("/told", receiver.Status(200))
	s.resend(a.MessageID, e.ID)
	second := s.attempted(of(e.ID), 2)[0]
	assert.Equal(t, []any{"succeeded", 2, a.MessageID}, []any{second.Status, second.Attempt, second.MessageID})
	assert.True(t, instant(t, second.StartedAt).Before(instant(t, *a.NextAttemptAt)), "at once, not when it was planned")
	s.overdue(*a.NextAttemptAt)
	s.stillServed("/told")
	require.Len(t, s.receiver().Requests("/told"), 3, "the two tries of the one message, and the other message")
}

// What waits is tried now and its schedule goes on: the pause that follows is the
// second one.
func TestMessagesResend_WhatWaitsGoesOnWithItsSchedule(t *testing.T) {
	s := begin(t).hooked()
	e, a := s.failing("/told")
	s.receiver().Answer("/told", receiver.Status(500))
	s.resend(a.MessageID, e.ID)
	second := s.attempted(of(e.ID), 2)[0]
	assert.Equal(t, []any{"failed", "schedule", 2}, []any{second.Status, second.Trigger, second.Attempt})
	require.NotNil(t, second.NextAttemptAt)
	assert.Greater(t, instant(t, *second.NextAttemptAt).Sub(instant(t, second.StartedAt)), 3*time.Minute)
}

func TestMessagesResend_WhatHasFailedBeginsAFullSchedule(t *testing.T) {
	const round = 3
	s, _ := beginAt(t, fastWebhooks)
	s.hooked().receiver().Answer("/told", receiver.Status(500))
	e := s.endpointAt("/told", onlyCompleted)
	s.endpointAt("/watch", operational)
	s.dispatch(s.instant()).ends("completed")
	s.heard("/watch", 1)
	messageID := s.attempted(of(e.ID), round)[0].MessageID
	s.resend(messageID, e.ID)
	s.heard("/watch", 2)
	triggers := map[string]int{}
	for _, a := range s.attempted(of(e.ID), 2*round) {
		require.Equal(t, messageID, a.MessageID)
		triggers[a.Trigger]++
	}
	require.Equal(t, map[string]int{"schedule": round, "resend": round}, triggers)
}

func TestMessagesResend_5_TheRateLimitIsKept(t *testing.T) {
	const rate, messages = 2, 6
	s := begin(t).hooked()
	e := s.endpointAt("/told", onlyCancelled)
	s.pileUp(messages)
	attempts := s.attempted(of(e.ID), messages)
	s.change(e.ID, map[string]any{"rateLimit": rate})
	for _, a := range attempts {
		s.resend(a.MessageID, e.ID)
	}
	keepRate(t, s.attempted(of(e.ID), 2*messages)[:messages], rate)
}

// An endpoint gets a message that its filters kept from it, and one that came before
// there was the endpoint.
func TestMessagesResend_WhatWasNeverQueuedIsMade(t *testing.T) {
	s := begin(t).hooked()
	_, a := s.deliveredTo("/told")
	other := s.endpointAt("/other", map[string]any{"filterTypes": []string{"comment.add"}, "channels": []string{"none"}})
	s.resend(a.MessageID, other.ID)
	request := s.arrived("/other", receiver.Count(1))[0]
	require.NoError(t, receiver.VerifyMessage(request, s.secretOf(other.ID)))
	require.Equal(t, a.MessageID, request.Header.Get("webhook-id"))
	require.Equal(t, string(s.receiver().Requests("/told")[0].Body), string(request.Body))
	made := s.attempted(of(other.ID), 1)[0]
	require.Equal(t, []any{"resend", 1}, []any{made.Trigger, made.Attempt})
	s.settled()
	require.Len(t, s.receiver().Requests("/told"), 1, "nobody else is told")
}

// An attempt that was under way when the endpoint was disabled is the last one; once
// it is enabled again and the message is resent, it is not.
func TestMessagesResend_AfterTheEndpointWasDisabledForAMoment(t *testing.T) {
	s := begin(t).hooked()
	gate := s.receiver().HoldFirst("/told")
	s.receiver().AnswerBy("/told", func(n int, _ receiver.Request) receiver.Answer {
		if n == 1 {
			return receiver.Status(500)
		}
		return receiver.Status(200)
	})
	e := s.endpointAt("/told", onlyCompleted)
	s.dispatch(s.instant()).ends("completed")
	reached(t, "the endpoint", gate.Reached())
	s.change(e.ID, map[string]any{"disabled": true})
	messageID := s.receiver().Requests("/told")[0].Header.Get("webhook-id")
	require.Equal(t, "endpoint-disabled", s.refusedAs("FAILED_PRECONDITION", resendMessage, again(messageID, e.ID)).Reason)
	s.change(e.ID, map[string]any{"disabled": false})
	s.resend(messageID, e.ID)
	gate.Release()
	attempts := s.attempted(of(e.ID), 2)
	require.Equal(t, []any{"succeeded", 2}, []any{attempts[0].Status, attempts[0].Attempt})
	require.Equal(t, []any{"failed", "http-5xx", 1}, []any{attempts[1].Status, attempts[1].Class, attempts[1].Attempt})
}

func TestMessagesResend_WhatIsRefused(t *testing.T) {
	s, l := beginAt(t, fastWebhooks)
	other := l.begin(fastWebhooks.processes[0]).hooked()
	s.hooked().receiver().Answer("/told", receiver.Status(500))
	e := s.endpointAt("/told", onlyCompleted)
	watch := s.endpointAt("/watch", operational)
	s.dispatch(s.instant()).ends("completed")
	about := s.heard("/watch", 1)[0].WebhookID
	for _, faulty := range []map[string]any{{}, {"messageId": about}, {"endpointId": e.ID}, again("", e.ID), {"messageId": 7, "endpointId": e.ID}} {
		s.refusedAs("INVALID_ARGUMENT", resendMessage, faulty)
	}
	for _, unknown := range []map[string]any{again("msg_none", e.ID), again(about, "ep_none")} {
		s.refusedAs("NOT_FOUND", resendMessage, unknown)
	}
	other.refusedAs("NOT_FOUND", resendMessage, again(about, other.endpoint(somewhere).ID))
	require.Equal(t, "speaks-of-endpoint", s.refusedAs("FAILED_PRECONDITION", resendMessage, again(about, e.ID)).Reason)
	s.resend(about, watch.ID)

	rows := s.rows()
	s.agesIn(rows, 31, "message_bodies")
	eventually(t, "what is old has gone", func() bool { return s.stored(rows) == 0 })
	s.refusedAs("NOT_FOUND", resendMessage, again(about, watch.ID))
}
