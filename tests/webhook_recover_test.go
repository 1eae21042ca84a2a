package tests

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
	"github.com/redline-svc/redline/tests/receiver"
)

type recoveryView struct {
	RecoveryID, EndpointID, Since, Until, Status string
	Examined, Requeued                           int
}

// recover begins a recovery of what an endpoint missed since then.
func (s *scene) recover(endpointID string, since time.Time, more ...map[string]any) recoveryView {
	s.t.Helper()
	var begun client.Wrapped[recoveryView]
	s.call(recoverMissed, merged(map[string]any{"endpointId": endpointID, "since": since.UnixMilli()}, more...), &begun)
	require.Equal(s.t, []string{"running", endpointID}, []string{begun.Data.Status, begun.Data.EndpointID})
	return begun.Data
}

// recovered waits for the end of a recovery; its counts only rise on the way.
func (s *scene) recovered(id, status string) recoveryView {
	s.t.Helper()
	var found client.Wrapped[recoveryView]
	within(s.t, recovery, "the recovery ends", func() bool {
		before := found.Data
		s.call(getRecovery, map[string]any{"recoveryId": id}, &found)
		require.GreaterOrEqual(s.t, found.Data.Examined, before.Examined)
		require.GreaterOrEqual(s.t, found.Data.Requeued, before.Requeued)
		return found.Data.Status != "running"
	})
	require.Equal(s.t, status, found.Data.Status)
	return found.Data
}

// What was taken is not sent again; what came while the endpoint was disabled, what it
// refused and what its filters let through now is, with the id of the first time, and
// neither tests nor what is about the endpoint.
func TestRecover_1and2_WhatWasMissedIsSentWithItsID(t *testing.T) {
	s, _ := beginAt(t, fastWebhooks)
	s.hooked()
	since := time.Now().Add(-time.Minute)
	e := s.endpointAt("/told", onlyCompleted)
	s.endpointAt("/all")
	s.dispatch(s.instant()).ends("completed")
	taken := s.attempted(of(e.ID), 1)[0].MessageID
	s.receiver().Answer("/told", receiver.Status(500))
	s.dispatch(s.instant()).ends("completed")
	failed := s.attempted(of(e.ID), 4)[0].MessageID
	s.change(e.ID, map[string]any{"disabled": true})
	s.dispatch(s.instant()).ends("completed")
	s.try(e.ID, "execution.completed")
	s.attempted(of(e.ID), 5)
	s.change(e.ID, map[string]any{"disabled": false, "filterTypes": []string{"execution.completed", "message.attempt.exhausted"}})
	s.receiver().Answer("/told", receiver.Status(200))
	before := len(s.receiver().Requests("/told"))

	begun := s.recover(e.ID, since)
	ended := s.recovered(begun.RecoveryID, "completed")
	assert.Equal(t, 2, ended.Requeued)
	assert.Greater(t, ended.Examined, 2)
	assert.Equal(t, []string{begun.Since, begun.Until}, []string{ended.Since, ended.Until})
	s.arrived("/told", receiver.Count(before+2))
	s.settled()
	requests := s.receiver().Requests("/told")[before:]
	require.Len(t, requests, 2)
	bodies := s.bodies("/all")
	got := map[string]bool{}
	for _, request := range requests {
		require.NoError(t, receiver.VerifyMessage(request, s.secretOf(e.ID)))
		id := request.Header.Get("webhook-id")
		require.Equal(t, bodies[id], string(request.Body))
		got[id] = true
	}
	require.True(t, got[failed] && !got[taken] && len(got) == 2, "%v", got)
	require.Equal(t, "recover", s.attempts(of(e.ID)).Attempts[0].Trigger)
	again := s.recovered(s.recover(e.ID, since).RecoveryID, "completed")
	require.Zero(t, again.Requeued, "there is nothing left to recover")
}

// missed lets n messages be there, and an endpoint that was made after them.
func (s *scene) missed(n int, changes ...map[string]any) (endpointView, time.Time) {
	s.t.Helper()
	since := time.Now().Add(-time.Minute)
	s.dispatch(s.instant()).cancel()
	rows := s.rows()
	const copied = `FROM messages m CROSS JOIN generate_series(2, $1::integer) n WHERE m.workspace_id = $2 AND m.event = 'execution.cancelled' AND m.id NOT LIKE '%-%'`
	for _, statement := range []string{
		`INSERT INTO messages (id, workspace_id, sequence, event, tags, created_at) SELECT m.id || '-' || n, m.workspace_id, m.sequence, m.event, m.tags, m.created_at ` + copied,
		`INSERT INTO message_bodies (message_id, workspace_id, body, created_at) SELECT m.id || '-' || n, m.workspace_id, '{}', m.created_at ` + copied,
	} {
		_, err := rows.Exec(s.ctx, statement, n, s.workspace.ID)
		require.NoError(s.t, err)
	}
	return s.endpointAt("/told", append(changes, onlyCancelled)...), since
}

// A worker that dies between two portions leaves a recovery that goes on where it was:
// each message is queued once.
func TestRecover_3_KilledHalfWay(t *testing.T) {
	const missed, portion = 700, 200
	l := newLab(t)
	s := l.begin(l.start("api")).hooked()
	e, since := s.missed(missed)
	reported, portions := running("UPDATE recoveries SET behind"), 0
	held := l.Rows.HoldRequest(func(kind byte, message []byte) bool {
		if !reported(kind, message) {
			return false
		}
		portions++
		return portions == 2
	})
	worker := l.start("worker", shortAttempts)
	begun := s.recover(e.ID, since)
	reached(t, "the end of the second portion", held.Reached())
	worker.Kill()
	held.Drop()
	var half client.Wrapped[recoveryView]
	s.call(getRecovery, map[string]any{"recoveryId": begun.RecoveryID}, &half)
	require.Equal(t, "running", half.Data.Status)
	require.Equal(t, portion, half.Data.Examined)
	l.again(worker)
	ended := s.recovered(begun.RecoveryID, "completed")
	require.Equal(t, missed, ended.Requeued)
	s.arrivedAll("/told", missed)
	rows := l.rows()
	var succeeded, messages, deliveries int
	eventually(t, "all are taken", func() bool {
		require.NoError(t, rows.QueryRow(t.Context(), `SELECT count(*), count(DISTINCT message_id), (SELECT count(*) FROM deliveries WHERE destination_id = $1)
			FROM endpoint_attempts WHERE endpoint_id = $1 AND succeeded`, e.ID).Scan(&succeeded, &messages, &deliveries))
		return messages == missed
	})
	require.Equal(t, []int{missed, missed}, []int{succeeded, deliveries}, "each once")
	l.atRest()
}

// What happens during a long recovery is reported before the rest of it, and the limit
// of the endpoint is kept.
func TestRecover_4_NewEventsAreNotHeldUp(t *testing.T) {
	const missed, rate = 300, 5
	s := begin(t).hooked()
	e, since := s.missed(missed, map[string]any{"rateLimit": rate})
	s.recovered(s.recover(e.ID, since).RecoveryID, "completed")
	s.arrived("/told", receiver.Count(1))
	r := s.dispatch(s.instant())
	require.True(t, r.cancel())
	requests := s.arrived("/told", func(found []receiver.Request) bool {
		return slices.ContainsFunc(found, func(request receiver.Request) bool { return strings.Contains(string(request.Body), r.id) })
	})
	require.Less(t, len(requests), missed/2, "most of the recovery is still to come")
	keepRate(t, s.attempted(of(e.ID), 2*rate), rate)
}

func TestRecover_5_WhatIsRefused(t *testing.T) {
	s, _ := beginAt(t, undriven)
	e := s.hooked().endpoint(somewhere)
	now := time.Now()
	for _, faulty := range []map[string]any{
		{},
		{"since": "yesterday"},
		{"since": now.UnixMilli(), "until": now.Add(-time.Second).UnixMilli()},
		{"since": now.AddDate(0, 0, -31).UnixMilli()},
		{"since": now.Add(time.Hour).UnixMilli()},
	} {
		s.refusedAs("INVALID_ARGUMENT", recoverMissed, merged(of(e.ID), faulty))
	}
	s.refusedAs("NOT_FOUND", recoverMissed, map[string]any{"endpointId": "ep_none", "since": now.UnixMilli()})
	s.refusedAs("NOT_FOUND", getRecovery, map[string]any{"recoveryId": "rcv_none"})
	off := s.endpoint(somewhere, map[string]any{"disabled": true})
	require.Equal(t, "endpoint-disabled", s.refusedAs("FAILED_PRECONDITION", recoverMissed, map[string]any{"endpointId": off.ID, "since": now.UnixMilli()}).Reason)
	s.recover(e.ID, now.Add(-time.Hour), map[string]any{"until": now.Format(time.RFC3339)})
	require.Equal(t, "recovery-running", s.refusedAs("ABORTED", recoverMissed, map[string]any{"endpointId": e.ID, "since": now.UnixMilli()}).Reason)
}

// A recovery whose endpoint is deleted or disabled before it has come to its end has
// failed.
func TestRecoverGet_3_TheEndpointWentMeanwhile(t *testing.T) {
	l := newLab(t)
	s := l.begin(l.start("api")).hooked()
	gone, since := s.missed(10)
	off := s.endpointAt("/off")
	first, second := s.recover(gone.ID, since), s.recover(off.ID, since)
	s.call(deleteEndpoint, of(gone.ID), nil)
	s.change(off.ID, map[string]any{"disabled": true})
	l.start("worker")
	for _, begun := range []recoveryView{first, second} {
		require.Zero(t, s.recovered(begun.RecoveryID, "failed").Requeued)
	}
	l.atRest()
}
