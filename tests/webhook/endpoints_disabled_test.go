package webhook

import (
	"encoding/json"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// twice lets every message be tried again once, at once.
const twice = "REDLINE_WEBHOOK_SCHEDULE=0s"

// oftenEnough is how many failures, of which the first is five days old, disable an
// endpoint.
const oftenEnough = 10

// ailing is a workspace with endpoints that fail, and one at /watch that learns of it.
type ailing struct {
	*kit.Env
	isolated *kit.IsolatedStack
}

func ail(t *testing.T) *ailing {
	t.Helper()
	env, isolated := kit.NewVariantWorkspace(t, kit.OnceAgain)
	a := &ailing{kit.Hooked(env), isolated}
	kit.EndpointAt(a.Env, "/watch", operational)
	return a
}

// ill are endpoints that have failed often enough, all of it just now.
func (a *ailing) ill(paths ...string) []redline.Endpoint {
	a.T.Helper()
	ill := make([]redline.Endpoint, len(paths))
	for i, path := range paths {
		a.Receiver().Answer(path, receiver.Status(500))
		ill[i] = kit.EndpointAt(a.Env, path, kit.OnlyCompleted)
	}
	for n := 2; n <= oftenEnough; n += 2 {
		a.send(n, ill...)
	}
	return ill
}

// send makes one more message and waits until endpoints have so many attempts.
func (a *ailing) send(attempts int, to ...redline.Endpoint) {
	a.T.Helper()
	kit.Dispatch(a.Env, kit.Instant(a.Env)).Ends("completed")
	for _, e := range to {
		kit.Attempted(a.Env, kit.Of(e.ID), attempts)
	}
}

// age lets the failures of endpoints have begun so much longer ago, and their last
// attempt have been so much longer ago.
func (a *ailing) age(began, last string, endpoints ...redline.Endpoint) {
	a.T.Helper()
	for _, e := range endpoints {
		_, err := a.isolated.DB().Exec(a.T.Context(), `UPDATE endpoints
			SET failing_since = failing_since - $2::interval, last_attempt_at = last_attempt_at - $3::interval WHERE id = $1`, e.ID, began, last)
		require.NoError(a.T, err)
	}
}

// disabled reports whether an endpoint is.
func disabled(env *kit.Env, e redline.Endpoint) bool {
	env.T.Helper()
	all := kit.Endpoints(env, map[string]any{}).Endpoints
	at := slices.IndexFunc(all, func(one redline.Endpoint) bool { return one.ID == e.ID })
	require.GreaterOrEqual(env.T, at, 0)
	return all[at].Disabled
}

// becomesDisabled waits until an endpoint is disabled.
func becomesDisabled(env *kit.Env, e redline.Endpoint) {
	env.T.Helper()
	kit.RequireEventually(env.T, e.URL+" is disabled", func() bool { return disabled(env, e) })
}

// learns waits until /watch was told of these disabled endpoints, and proves that it
// is told of no other and of none twice.
func learns(env *kit.Env, reasons map[string][]string) {
	env.T.Helper()
	kit.RequireEventually(env.T, "the endpoint at /watch is told", func() bool { return len(disabledReasons(env)) == len(reasons) })
	kit.Settled(env)
	require.Equal(env.T, reasons, disabledReasons(env))
}

// disabledReasons are those of the messages at /watch that tell of a disabled endpoint, by
// its id.
func disabledReasons(env *kit.Env) map[string][]string {
	env.T.Helper()
	found := map[string][]string{}
	for _, request := range env.Receiver().Requests("/watch") {
		m, err := request.Message()
		require.NoError(env.T, err)
		if m.Event != "endpoint.disabled" {
			continue
		}
		var data struct{ EndpointID, Reason string }
		require.NoError(env.T, json.Unmarshal(m.Data, &data))
		found[data.EndpointID] = append(found[data.EndpointID], data.Reason)
	}
	return found
}

// Two endpoints have failed for five days; one of them took a message in between.
func TestDisabling_1_OneSuccessInFiveDaysRestartsTheClock(t *testing.T) {
	a := ail(t)
	ill := a.ill("/recovered", "/lost")
	recovered, lost := ill[0], ill[1]
	a.Receiver().Answer("/recovered", receiver.Status(200))
	a.send(oftenEnough+1, recovered)
	kit.Attempted(a.Env, kit.Of(lost.ID), oftenEnough+2)
	a.Receiver().Answer("/recovered", receiver.Status(500))
	a.age("121 hours", "10 hours", recovered, lost)
	a.send(oftenEnough+3, recovered)
	becomesDisabled(a.Env, lost)
	require.False(t, disabled(a.Env, recovered))
	stillServed(a.Env, "/recovered")
	learns(a.Env, map[string][]string{lost.ID: {"failing"}})
	a.isolated.AtRest()
}

func TestDisabling_2_OneMessageAWeekThatFailsNeverDisables(t *testing.T) {
	a := ail(t)
	a.Receiver().Answer("/told", receiver.Status(500))
	e := kit.EndpointAt(a.Env, "/told", kit.OnlyCompleted)
	for attempts := 2; attempts <= 2*oftenEnough; attempts += 2 {
		a.send(attempts, e)
		a.age("168 hours", "168 hours", e)
	}
	stillServed(a.Env, "/told")
	kit.Settled(a.Env)
	require.False(t, disabled(a.Env, e))
	require.Empty(t, disabledReasons(a.Env))
	a.isolated.AtRest()
}

// Two attempts are under way in two processes and fail at one moment: each of them
// alone would disable the endpoint.
func TestDisabling_3_TwoProcessesDisableOnce(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	env := kit.Hooked(isolated.NewWorkspace(isolated.StartProcess("api")))
	const patient = "REDLINE_WEBHOOK_TIMEOUT=60s"
	first := isolated.StartProcess("worker", twice, patient)
	kit.EndpointAt(env, "/watch", operational)
	e := kit.EndpointAt(env, "/told", kit.OnlyCompleted)
	_, err := isolated.DB().Exec(t.Context(), `UPDATE endpoints SET failing_since = clock_timestamp() - interval '121 hours', failures = $2,
		last_attempt_at = clock_timestamp() - interval '10 hours' WHERE id = $1`, e.ID, oftenEnough-1)
	require.NoError(t, err)
	env.Receiver().Answer("/told", receiver.Status(500))
	gate := env.Receiver().Hold("/told")
	kit.Dispatch(env, kit.Instant(env)).Ends("completed")
	kit.RequireReached(t, "the first process's attempt", gate.Reached())
	stopped := kit.Stopping(t, first)
	second := isolated.StartProcess("worker", twice, patient)
	kit.Dispatch(env, kit.Instant(env)).Ends("completed")
	env.Arrived("/told", receiver.Count(2))
	gate.Release()
	require.NoError(t, <-stopped)
	becomesDisabled(env, e)
	for _, attempt := range kit.Attempted(env, kit.Of(e.ID), 2) {
		require.Equal(t, []any{"http-5xx", int64(1)}, []any{attempt.Class, attempt.Attempt}, "two messages, each at its first attempt")
	}
	learns(env, map[string][]string{e.ID: {"failing"}})
	var raised int
	require.NoError(t, isolated.DB().QueryRow(t.Context(), `SELECT count(*) FROM messages WHERE event = 'endpoint.disabled'`).Scan(&raised))
	require.Equal(t, 1, raised)
	require.True(t, second.Running())
	isolated.AtRest()
}

// Two endpoints have failed for five days; one of them was disabled and enabled again.
func TestDisabling_4_ReEnablingStartsFromZero(t *testing.T) {
	a := ail(t)
	ill := a.ill("/enabled", "/left")
	enabled, left := ill[0], ill[1]
	a.age("121 hours", "10 hours", enabled, left)
	kit.Change(a.Env, enabled.ID, map[string]any{"disabled": true})
	kit.Change(a.Env, enabled.ID, map[string]any{"disabled": false})
	a.send(oftenEnough+2, enabled)
	becomesDisabled(a.Env, left)
	require.False(t, disabled(a.Env, enabled))
	stillServed(a.Env, "/enabled")
	learns(a.Env, map[string][]string{left.ID: {"failing"}})
	a.isolated.AtRest()
}

// A message of days ago is tried again after a newer one was taken: 410 disables the
// endpoint all the same.
func TestDisabling_5_GoneAtARetryOfAnOldMessage(t *testing.T) {
	env, isolated := kit.NewVariantWorkspace(t, kit.TwoProcesses)
	kit.EndpointAt(kit.Hooked(env), "/watch", operational)
	e, old := failing(env, "/told")
	_, err := isolated.DB().Exec(t.Context(), `UPDATE messages SET created_at = created_at - interval '6 days' WHERE id = $1`, old.MessageID)
	require.NoError(t, err)
	var newer atomic.Bool
	env.Receiver().AnswerBy("/told", func(_ int, request receiver.Request) receiver.Answer {
		switch {
		case request.Header.Get("webhook-id") != old.MessageID:
			newer.Store(true)
			return receiver.Status(200)
		case newer.Load():
			return receiver.Status(410)
		default:
			return receiver.Answer{Status: 503, Header: map[string]string{"retry-after": "1"}}
		}
	})
	kit.Dispatch(env, kit.Instant(env)).Ends("completed")
	becomesDisabled(env, e)
	attempts := kit.Attempts(env, kit.Of(e.ID)).Attempts
	last := attempts[0]
	assert.Equal(t, []any{old.MessageID, redline.EndpointAttemptStatusFailed, "gone", int64(410)}, []any{last.MessageID, last.Status, last.Class, *last.HTTPStatus})
	assert.Greater(t, last.Attempt, int64(1), "a retry")
	kit.Attempted(env, map[string]any{"endpointId": e.ID, "status": "succeeded"}, 1)
	learns(env, map[string][]string{e.ID: {"gone"}})
	isolated.AtRest()
}
