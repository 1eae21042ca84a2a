package webhook

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// resend sends an endpoint a message again.
func resend(env *kit.Env, messageID, endpoint string) {
	env.T.Helper()
	var resent redline.ResentMessageResult
	env.Call(client.ResendMessage, again(messageID, endpoint), &resent)
	require.Equal(env.T, []string{messageID, "pending"}, []string{resent.Data.MessageID, string(resent.Data.Status)})
}

func again(messageID, endpoint string) map[string]any {
	return map[string]any{"messageId": messageID, "endpointId": endpoint}
}

// deliveredTo makes an endpoint that has taken one message, and its attempt.
func deliveredTo(env *kit.Env, path string, changes ...map[string]any) (redline.Endpoint, redline.EndpointAttempt) {
	env.T.Helper()
	e := kit.EndpointAt(env, path, append(changes, kit.OnlyCompleted)...)
	kit.Dispatch(env, kit.Instant(env)).Ends("completed")
	a := kit.Attempted(env, kit.Of(e.ID), 1)[0]
	require.Equal(env.T, redline.EndpointAttemptStatusSucceeded, a.Status)
	return e, a
}

func TestMessagesResend_1and4_TheSameBytesAreSignedAgain(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	e, a := deliveredTo(env, "/told", map[string]any{"uid": "desk-1"})
	first := env.Receiver().Requests("/told")[0]
	var last receiver.Request
	sent := 1
	kit.RequireEventually(t, "it is signed in another second", func() bool {
		resend(env, a.MessageID, "desk-1")
		sent++
		last = env.Arrived("/told", receiver.Count(sent))[sent-1]
		kit.Attempted(env, kit.Of(e.ID), sent)
		return last.Header.Get("webhook-timestamp") != first.Header.Get("webhook-timestamp")
	})
	assert.Equal(t, first.Header.Get("webhook-id"), last.Header.Get("webhook-id"))
	assert.Equal(t, string(first.Body), string(last.Body))
	assert.NotEqual(t, first.Header.Get("webhook-signature"), last.Header.Get("webhook-signature"))
	require.NoError(t, receiver.VerifyMessage(last, kit.SecretOf(env, e.ID)))
	attempts := kit.Attempted(env, kit.Of(e.ID), sent)
	require.Len(t, attempts, sent)
	assert.Equal(t, []any{redline.EndpointAttemptTriggerResend, redline.EndpointAttemptStatusSucceeded, int64(sent), a.MessageID}, []any{attempts[0].Trigger, attempts[0].Status, attempts[0].Attempt, attempts[0].MessageID})
}

// Neither of a message that waits for its first try nor of one that was delivered do
// ten resends make more than one try.
func TestMessagesResend_2_TenAtOnceAreOneTry(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	env := kit.Hooked(isolated.NewWorkspace(isolated.StartProcess("api")))
	e := kit.EndpointAt(env, "/told", onlyCancelled)
	kit.PileUp(env, 1)
	messageID := onlyMessage(isolated, e.ID)
	tenfold := func() {
		kit.Concurrently(10, func(int) {
			_, err := client.Call[json.RawMessage](env.Ctx, env.Keyed, client.ResendMessage, again(messageID, e.ID))
			kit.NoError(t, err)
		})
	}
	tenfold()
	worker := isolated.StartProcess("worker")
	kit.Attempted(env, kit.Of(e.ID), 1)
	kit.Settled(env)
	require.Len(t, env.Receiver().Requests("/told"), 1)
	require.NoError(t, worker.Stop())
	tenfold()
	isolated.Restart(worker)
	kit.Attempted(env, kit.Of(e.ID), 2)
	kit.Settled(env)
	require.Len(t, env.Receiver().Requests("/told"), 2)
	require.Len(t, kit.BodiesAt(env, "/told"), 1)
}

// onlyMessage is the message that waits for an endpoint.
func onlyMessage(isolated *kit.IsolatedStack, endpointID string) (messageID string) {
	isolated.T.Helper()
	require.NoError(isolated.T, isolated.DB().QueryRow(isolated.T.Context(), `SELECT message_id FROM deliveries WHERE destination_id = $1`, endpointID).Scan(&messageID))
	return messageID
}

func TestMessagesResend_3_ASuccessEndsTheSchedule(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	e, a := failing(env, "/told")
	env.Receiver().Answer("/told", receiver.Status(200))
	resend(env, a.MessageID, e.ID)
	second := kit.Attempted(env, kit.Of(e.ID), 2)[0]
	assert.Equal(t, []any{redline.EndpointAttemptStatusSucceeded, int64(2), a.MessageID}, []any{second.Status, second.Attempt, second.MessageID})
	assert.True(t, instant(t, second.StartedAt).Before(instant(t, *a.NextAttemptAt)), "at once, not when it was planned")
	overdue(env, *a.NextAttemptAt)
	stillServed(env, "/told")
	require.Len(t, env.Receiver().Requests("/told"), 3, "the two tries of the one message, and the other message")
}

// What waits is tried now and its schedule goes on: the pause that follows is the
// second one.
func TestMessagesResend_WhatWaitsGoesOnWithItsSchedule(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	e, a := failing(env, "/told")
	env.Receiver().Answer("/told", receiver.Status(500))
	resend(env, a.MessageID, e.ID)
	second := kit.Attempted(env, kit.Of(e.ID), 2)[0]
	assert.Equal(t, []any{redline.EndpointAttemptStatusFailed, redline.EndpointAttemptTriggerSchedule, int64(2)}, []any{second.Status, second.Trigger, second.Attempt})
	require.NotNil(t, second.NextAttemptAt)
	assert.Greater(t, instant(t, *second.NextAttemptAt).Sub(instant(t, second.StartedAt)), 3*time.Minute)
}

func TestMessagesResend_WhatHasFailedBeginsAFullSchedule(t *testing.T) {
	const round = 3
	env, _ := kit.NewVariantWorkspace(t, kit.FastWebhooks)
	kit.Hooked(env).Receiver().Answer("/told", receiver.Status(500))
	e := kit.EndpointAt(env, "/told", kit.OnlyCompleted)
	kit.EndpointAt(env, "/watch", operational)
	kit.Dispatch(env, kit.Instant(env)).Ends("completed")
	kit.Heard(env, "/watch", 1)
	messageID := kit.Attempted(env, kit.Of(e.ID), round)[0].MessageID
	resend(env, messageID, e.ID)
	kit.Heard(env, "/watch", 2)
	triggers := map[string]int{}
	for _, a := range kit.Attempted(env, kit.Of(e.ID), 2*round) {
		require.Equal(t, messageID, a.MessageID)
		triggers[string(a.Trigger)]++
	}
	require.Equal(t, map[string]int{"schedule": round, "resend": round}, triggers)
}

func TestMessagesResend_5_TheRateLimitIsKept(t *testing.T) {
	const rate, messages = 2, 6
	env := kit.Hooked(kit.NewWorkspace(t))
	e := kit.EndpointAt(env, "/told", onlyCancelled)
	kit.CancelWaiting(env, messages)
	attempts := kit.Attempted(env, kit.Of(e.ID), messages)
	kit.Change(env, e.ID, map[string]any{"rateLimit": rate})
	for _, a := range attempts {
		resend(env, a.MessageID, e.ID)
	}
	keepRate(t, kit.Attempted(env, kit.Of(e.ID), 2*messages)[:messages], rate)
}

// An endpoint gets a message that its filters kept from it, and one that came before
// there was the endpoint.
func TestMessagesResend_WhatWasNeverQueuedIsMade(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	_, a := deliveredTo(env, "/told")
	other := kit.EndpointAt(env, "/other", map[string]any{"filterTypes": []string{"comment.add"}, "channels": []string{"none"}})
	resend(env, a.MessageID, other.ID)
	request := env.Arrived("/other", receiver.Count(1))[0]
	require.NoError(t, receiver.VerifyMessage(request, kit.SecretOf(env, other.ID)))
	require.Equal(t, a.MessageID, request.Header.Get("webhook-id"))
	require.Equal(t, string(env.Receiver().Requests("/told")[0].Body), string(request.Body))
	made := kit.Attempted(env, kit.Of(other.ID), 1)[0]
	require.Equal(t, []any{redline.EndpointAttemptTriggerResend, int64(1)}, []any{made.Trigger, made.Attempt})
	kit.Settled(env)
	require.Len(t, env.Receiver().Requests("/told"), 1, "nobody else is told")
}

// An attempt that was under way when the endpoint was disabled is the last one; once
// it is enabled again and the message is resent, it is not.
func TestMessagesResend_AfterTheEndpointWasDisabledForAMoment(t *testing.T) {
	env := kit.Hooked(kit.NewWorkspace(t))
	gate := env.Receiver().HoldFirst("/told")
	env.Receiver().AnswerBy("/told", func(n int, _ receiver.Request) receiver.Answer {
		if n == 1 {
			return receiver.Status(500)
		}
		return receiver.Status(200)
	})
	e := kit.EndpointAt(env, "/told", kit.OnlyCompleted)
	kit.Dispatch(env, kit.Instant(env)).Ends("completed")
	kit.RequireReached(t, "the endpoint", gate.Reached())
	kit.Change(env, e.ID, map[string]any{"disabled": true})
	messageID := env.Receiver().Requests("/told")[0].Header.Get("webhook-id")
	require.Equal(t, redline.ErrorDetailsReasonEndpointDisabled, env.RefusedAs("FAILED_PRECONDITION", client.ResendMessage, again(messageID, e.ID)).Reason)
	kit.Change(env, e.ID, map[string]any{"disabled": false})
	resend(env, messageID, e.ID)
	gate.Release()
	attempts := kit.Attempted(env, kit.Of(e.ID), 2)
	require.Equal(t, []any{redline.EndpointAttemptStatusSucceeded, int64(2)}, []any{attempts[0].Status, attempts[0].Attempt})
	require.Equal(t, []any{redline.EndpointAttemptStatusFailed, "http-5xx", int64(1)}, []any{attempts[1].Status, attempts[1].Class, attempts[1].Attempt})
}

func TestMessagesResend_WhatIsRefused(t *testing.T) {
	env, isolated := kit.NewVariantWorkspace(t, kit.FastWebhooks)
	other := kit.Hooked(isolated.NewWorkspace(kit.FastWebhooks.Processes[0]))
	kit.Hooked(env).Receiver().Answer("/told", receiver.Status(500))
	e := kit.EndpointAt(env, "/told", kit.OnlyCompleted)
	watch := kit.EndpointAt(env, "/watch", operational)
	kit.Dispatch(env, kit.Instant(env)).Ends("completed")
	about := kit.Heard(env, "/watch", 1)[0].WebhookID
	for _, faulty := range []map[string]any{{}, {"messageId": about}, {"endpointId": e.ID}, again("", e.ID), {"messageId": 7, "endpointId": e.ID}} {
		env.RefusedAs("INVALID_ARGUMENT", client.ResendMessage, faulty)
	}
	for _, unknown := range []map[string]any{again("msg_none", e.ID), again(about, "ep_none")} {
		env.RefusedAs("NOT_FOUND", client.ResendMessage, unknown)
	}
	other.RefusedAs("NOT_FOUND", client.ResendMessage, again(about, kit.Endpoint(other, kit.Somewhere).ID))
	require.Equal(t, redline.ErrorDetailsReasonSpeaksOfEndpoint, env.RefusedAs("FAILED_PRECONDITION", client.ResendMessage, again(about, e.ID)).Reason)
	resend(env, about, watch.ID)

	rows := env.DB()
	agesIn(env, rows, 31, "message_bodies")
	kit.RequireEventually(t, "what is old has gone", func() bool { return stored(env, rows) == 0 })
	env.RefusedAs("NOT_FOUND", client.ResendMessage, again(about, watch.ID))
}
