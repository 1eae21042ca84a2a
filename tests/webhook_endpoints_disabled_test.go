package tests

import (
	"encoding/json"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/receiver"
)

// twice lets every message be tried again once, at once.
const twice = "REDLINE_WEBHOOK_SCHEDULE=0s"

// oftenEnough is how many failures, of which the first is five days old, disable an
// endpoint.
const oftenEnough = 10

// ailing is a workspace with endpoints that fail, and one at /watch that learns of it.
type ailing struct {
	*scene
	lab *lab
}

func ail(t *testing.T) *ailing {
	t.Helper()
	s, l := beginAt(t, onceAgain)
	a := &ailing{s.hooked(), l}
	a.endpointAt("/watch", operational)
	return a
}

// ill are endpoints that have failed often enough, all of it just now.
func (a *ailing) ill(paths ...string) []endpointView {
	a.t.Helper()
	ill := make([]endpointView, len(paths))
	for i, path := range paths {
		a.receiver().Answer(path, receiver.Status(500))
		ill[i] = a.endpointAt(path, onlyCompleted)
	}
	for n := 2; n <= oftenEnough; n += 2 {
		a.send(n, ill...)
	}
	return ill
}

// send makes one more message and waits until endpoints have so many attempts.
func (a *ailing) send(attempts int, to ...endpointView) {
	a.t.Helper()
	a.dispatch(a.instant()).ends("completed")
	for _, e := range to {
		a.attempted(of(e.ID), attempts)
	}
}

// age lets the failures of endpoints have begun so much longer ago, and their last
// attempt have been so much longer ago.
func (a *ailing) age(began, last string, endpoints ...endpointView) {
	a.t.Helper()
	for _, e := range endpoints {
		_, err := a.lab.rows().Exec(a.t.Context(), `UPDATE endpoints
			SET failing_since = failing_since - $2::interval, last_attempt_at = last_attempt_at - $3::interval WHERE id = $1`, e.ID, began, last)
		require.NoError(a.t, err)
	}
}

// disabled gives whether an endpoint is.
func (s *scene) disabled(e endpointView) bool {
	s.t.Helper()
	all := s.endpoints(map[string]any{}).Endpoints
	at := slices.IndexFunc(all, func(one endpointView) bool { return one.ID == e.ID })
	require.GreaterOrEqual(s.t, at, 0)
	return all[at].Disabled
}

// becomesDisabled waits until an endpoint is disabled.
func (s *scene) becomesDisabled(e endpointView) {
	s.t.Helper()
	eventually(s.t, e.URL+" is disabled", func() bool { return s.disabled(e) })
}

// learns waits until /watch was told of these disabled endpoints, and proves that it
// is told of no other and of none twice.
func (s *scene) learns(reasons map[string][]string) {
	s.t.Helper()
	eventually(s.t, "the endpoint at /watch is told", func() bool { return len(s.reasons()) == len(reasons) })
	s.settled()
	require.Equal(s.t, reasons, s.reasons())
}

// reasons are those of the messages at /watch that tell of a disabled endpoint, by
// its id.
func (s *scene) reasons() map[string][]string {
	s.t.Helper()
	found := map[string][]string{}
	for _, request := range s.receiver().Requests("/watch") {
		m, err := request.Message()
		require.NoError(s.t, err)
		if m.Event != "endpoint.disabled" {
			continue
		}
		var data struct{ EndpointID, Reason string }
		require.NoError(s.t, json.Unmarshal(m.Data, &data))
		found[data.EndpointID] = append(found[data.EndpointID], data.Reason)
	}
	return found
}

// Two endpoints have failed for five days; one of them took a message in between.
func TestDisabling_1_OneSuccessInFiveDaysRestartsTheClock(t *testing.T) {
	a := ail(t)
	ill := a.ill("/recovered", "/lost")
	recovered, lost := ill[0], ill[1]
	a.receiver().Answer("/recovered", receiver.Status(200))
	a.send(oftenEnough+1, recovered)
	a.attempted(of(lost.ID), oftenEnough+2)
	a.receiver().Answer("/recovered", receiver.Status(500))
	a.age("121 hours", "10 hours", recovered, lost)
	a.send(oftenEnough+3, recovered)
	a.becomesDisabled(lost)
	require.False(t, a.disabled(recovered))
	a.stillServed("/recovered")
	a.learns(map[string][]string{lost.ID: {"failing"}})
	a.lab.atRest()
}

func TestDisabling_2_OneMessageAWeekThatFailsNeverDisables(t *testing.T) {
	a := ail(t)
	a.receiver().Answer("/told", receiver.Status(500))
	e := a.endpointAt("/told", onlyCompleted)
	for attempts := 2; attempts <= 2*oftenEnough; attempts += 2 {
		a.send(attempts, e)
		a.age("168 hours", "168 hours", e)
	}
	a.stillServed("/told")
	a.settled()
	require.False(t, a.disabled(e))
	require.Empty(t, a.reasons())
	a.lab.atRest()
}

// Two attempts are under way in two processes and fail at one moment: each of them
// alone would disable the endpoint.
func TestDisabling_3_TwoProcessesDisableOnce(t *testing.T) {
	l := newLab(t)
	s := l.begin(l.start("api")).hooked()
	const patient = "REDLINE_WEBHOOK_TIMEOUT=60s"
	first := l.start("worker", twice, patient)
	s.endpointAt("/watch", operational)
	e := s.endpointAt("/told", onlyCompleted)
	_, err := l.rows().Exec(t.Context(), `UPDATE endpoints SET failing_since = clock_timestamp() - interval '121 hours', failures = $2,
		last_attempt_at = clock_timestamp() - interval '10 hours' WHERE id = $1`, e.ID, oftenEnough-1)
	require.NoError(t, err)
	s.receiver().Answer("/told", receiver.Status(500))
	gate := s.receiver().Hold("/told")
	s.dispatch(s.instant()).ends("completed")
	reached(t, "the first process's attempt", gate.Reached())
	stopped := stopping(t, first)
	second := l.start("worker", twice, patient)
	s.dispatch(s.instant()).ends("completed")
	s.arrived("/told", receiver.Count(2))
	gate.Release()
	require.NoError(t, <-stopped)
	s.becomesDisabled(e)
	for _, attempt := range s.attempted(of(e.ID), 2) {
		require.Equal(t, []any{"http-5xx", 1}, []any{attempt.Class, attempt.Attempt}, "two messages, each at its first attempt")
	}
	s.learns(map[string][]string{e.ID: {"failing"}})
	var raised int
	require.NoError(t, l.rows().QueryRow(t.Context(), `SELECT count(*) FROM messages WHERE event = 'endpoint.disabled'`).Scan(&raised))
	require.Equal(t, 1, raised)
	require.True(t, second.Running())
	l.atRest()
}

// Two endpoints have failed for five days; one of them was disabled and enabled again.
func TestDisabling_4_ReEnablingStartsFromZero(t *testing.T) {
	a := ail(t)
	ill := a.ill("/enabled", "/left")
	enabled, left := ill[0], ill[1]
	a.age("121 hours", "10 hours", enabled, left)
	a.change(enabled.ID, map[string]any{"disabled": true})
	a.change(enabled.ID, map[string]any{"disabled": false})
	a.send(oftenEnough+2, enabled)
	a.becomesDisabled(left)
	require.False(t, a.disabled(enabled))
	a.stillServed("/enabled")
	a.learns(map[string][]string{left.ID: {"failing"}})
	a.lab.atRest()
}

// A message of days ago is tried again after a newer one was taken: 410 disables the
// endpoint all the same.
func TestDisabling_5_GoneAtARetryOfAnOldMessage(t *testing.T) {
	s, l := beginAt(t, twoProcesses)
	s.hooked().endpointAt("/watch", operational)
	e, old := s.failing("/told")
	_, err := l.rows().Exec(t.Context(), `UPDATE messages SET created_at = created_at - interval '6 days' WHERE id = $1`, old.MessageID)
	require.NoError(t, err)
	var newer atomic.Bool
	s.receiver().AnswerBy("/told", func(_ int, request receiver.Request) receiver.Answer {
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
	s.dispatch(s.instant()).ends("completed")
	s.becomesDisabled(e)
	attempts := s.attempts(of(e.ID)).Attempts
	last := attempts[0]
	assert.Equal(t, []any{old.MessageID, "failed", "gone", 410}, []any{last.MessageID, last.Status, last.Class, *last.HTTPStatus})
	assert.Greater(t, last.Attempt, 1, "a retry")
	s.attempted(map[string]any{"endpointId": e.ID, "status": "succeeded"}, 1)
	s.learns(map[string][]string{e.ID: {"gone"}})
	l.atRest()
}
