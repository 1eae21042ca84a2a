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

// recovered waits for the end of a recovery; its counts only rise on the way.
func recovered(env *kit.Env, id, status string) redline.Recovery {
	env.T.Helper()
	var found redline.RecoveryResult
	kit.RequireWithin(env.T, kit.Recovery, "the recovery ends", func() bool {
		before := found.Data
		env.Call(client.GetRecovery, map[string]any{"recoveryId": id}, &found)
		require.GreaterOrEqual(env.T, found.Data.Examined, before.Examined)
		require.GreaterOrEqual(env.T, found.Data.Requeued, before.Requeued)
		return found.Data.Status != "running"
	})
	require.Equal(env.T, status, string(found.Data.Status))
	return found.Data
}

// What was taken is not sent again; what came while the endpoint was disabled, what it
// refused and what its filters let through now is, with the id of the first time, and
// neither tests nor what is about the endpoint.
func TestRecover_1and2_WhatWasMissedIsSentWithItsID(t *testing.T) {
	env, _ := kit.NewVariantWorkspace(t, kit.FastWebhooks)
	kit.Hooked(env)
	since := time.Now().Add(-time.Minute)
	e := kit.EndpointAt(env, "/told", kit.OnlyCompleted)
	kit.EndpointAt(env, "/all")
	kit.Dispatch(env, kit.Instant(env)).Ends("completed")
	taken := kit.Attempted(env, kit.Of(e.ID), 1)[0].MessageID
	env.Receiver().Answer("/told", receiver.Status(500))
	kit.Dispatch(env, kit.Instant(env)).Ends("completed")
	failed := kit.Attempted(env, kit.Of(e.ID), 4)[0].MessageID
	kit.Change(env, e.ID, map[string]any{"disabled": true})
	kit.Dispatch(env, kit.Instant(env)).Ends("completed")
	kit.Try(env, e.ID, "execution.completed")
	kit.Attempted(env, kit.Of(e.ID), 5)
	kit.Change(env, e.ID, map[string]any{"disabled": false, "filterTypes": []string{"execution.completed", "message.attempt.exhausted"}})
	env.Receiver().Answer("/told", receiver.Status(200))
	before := len(env.Receiver().Requests("/told"))

	begun := kit.Recover(env, e.ID, since)
	ended := recovered(env, begun.RecoveryID, "completed")
	assert.Equal(t, int64(2), ended.Requeued)
	assert.Greater(t, ended.Examined, int64(2))
	assert.Equal(t, []string{begun.Since, begun.Until}, []string{ended.Since, ended.Until})
	env.Arrived("/told", receiver.Count(before+2))
	kit.Settled(env)
	requests := env.Receiver().Requests("/told")[before:]
	require.Len(t, requests, 2)
	bodies := kit.BodiesAt(env, "/all")
	got := map[string]bool{}
	for _, request := range requests {
		require.NoError(t, receiver.VerifyMessage(request, kit.SecretOf(env, e.ID)))
		id := request.Header.Get("webhook-id")
		require.Equal(t, bodies[id], string(request.Body))
		got[id] = true
	}
	require.True(t, got[failed] && !got[taken] && len(got) == 2, "%v", got)
	require.Equal(t, redline.EndpointAttemptTriggerRecover, kit.Attempts(env, kit.Of(e.ID)).Attempts[0].Trigger)
	again := recovered(env, kit.Recover(env, e.ID, since).RecoveryID, "completed")
	require.Zero(t, again.Requeued, "there is nothing left to recover")
}

// missMessages lets n messages be there, and an endpoint that was made after them. Their
// bodies are there for another one, which is disabled.
func missMessages(env *kit.Env, n int, changes ...map[string]any) (redline.Endpoint, time.Time) {
	env.T.Helper()
	since := time.Now().Add(-time.Minute)
	kit.EndpointAt(env, "/kept", onlyCancelled, map[string]any{"disabled": true})
	kit.Dispatch(env, kit.Instant(env)).Cancel()
	rows := env.DB()
	const copied = `FROM messages m CROSS JOIN generate_series(2, $1::integer) n WHERE m.workspace_id = $2 AND m.event = 'execution.cancelled' AND m.id NOT LIKE '%-%'`
	for _, statement := range []string{
		`INSERT INTO messages (id, workspace_id, sequence, event, tags, created_at) SELECT m.id || '-' || n, m.workspace_id, m.sequence, m.event, m.tags, m.created_at ` + copied,
		`INSERT INTO message_bodies (message_id, workspace_id, body, created_at) SELECT m.id || '-' || n, m.workspace_id, '{}', m.created_at ` + copied,
	} {
		_, err := rows.Exec(env.Ctx, statement, n, env.Workspace.ID)
		require.NoError(env.T, err)
	}
	return kit.EndpointAt(env, "/told", append(changes, onlyCancelled)...), since
}

// A worker that dies between two portions leaves a recovery that goes on where it was:
// each message is queued once.
func TestRecover_3_KilledHalfWay(t *testing.T) {
	const missed, portion = 700, 200
	isolated := kit.NewIsolatedStack(t)
	env := kit.Hooked(isolated.NewWorkspace(isolated.StartProcess("api")))
	e, since := missMessages(env, missed)
	reported, portions := kit.Running("UPDATE recoveries SET behind"), 0
	held := isolated.Rows.HoldRequest(func(kind byte, message []byte) bool {
		if !reported(kind, message) {
			return false
		}
		portions++
		return portions == 2
	})
	worker := isolated.StartProcess("worker", kit.ShortAttempts)
	begun := kit.Recover(env, e.ID, since)
	kit.RequireReached(t, "the end of the second portion", held.Reached())
	worker.Kill()
	held.Drop()
	var half redline.RecoveryResult
	env.Call(client.GetRecovery, map[string]any{"recoveryId": begun.RecoveryID}, &half)
	require.Equal(t, redline.RecoveryStatusRunning, half.Data.Status)
	require.Equal(t, int64(portion), half.Data.Examined)
	isolated.Restart(worker)
	ended := recovered(env, begun.RecoveryID, "completed")
	require.Equal(t, int64(missed), ended.Requeued)
	kit.ArrivedAll(env, "/told", missed)
	rows := isolated.DB()
	var succeeded, messages, deliveries int
	kit.RequireEventually(t, "all are taken", func() bool {
		require.NoError(t, rows.QueryRow(t.Context(), `SELECT count(*), count(DISTINCT message_id), (SELECT count(*) FROM deliveries WHERE destination_id = $1)
			FROM attempts WHERE destination_id = $1 AND class = 'ok'`, e.ID).Scan(&succeeded, &messages, &deliveries))
		return messages == missed
	})
	require.Equal(t, []int{missed, missed}, []int{succeeded, deliveries}, "each once")
	isolated.AtRest()
}

// What happens during a long recovery is reported before the rest of it, and the limit
// of the endpoint is kept.
func TestRecover_4_NewEventsAreNotHeldUp(t *testing.T) {
	const missed, rate = 300, 5
	env := kit.Hooked(kit.NewWorkspace(t))
	e, since := missMessages(env, missed, map[string]any{"rateLimit": rate})
	recovered(env, kit.Recover(env, e.ID, since).RecoveryID, "completed")
	env.Arrived("/told", receiver.Count(1))
	r := kit.Dispatch(env, kit.Instant(env))
	require.True(t, r.Cancel())
	requests := env.Arrived("/told", func(found []receiver.Request) bool {
		return slices.ContainsFunc(found, func(request receiver.Request) bool { return strings.Contains(string(request.Body), r.ID) })
	})
	require.Less(t, len(requests), missed/2, "most of the recovery is still to come")
	keepRate(t, kit.Attempted(env, kit.Of(e.ID), 2*rate), rate)
}

// A recovery whose endpoint is deleted or disabled before it has come to its end has
// failed.
func TestRecoverGet_3_TheEndpointWentMeanwhile(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	env := kit.Hooked(isolated.NewWorkspace(isolated.StartProcess("api")))
	gone, since := missMessages(env, 10)
	off := kit.EndpointAt(env, "/off")
	first, second := kit.Recover(env, gone.ID, since), kit.Recover(env, off.ID, since)
	env.Call(client.DeleteEndpoint, kit.Of(gone.ID), nil)
	kit.Change(env, off.ID, map[string]any{"disabled": true})
	isolated.StartProcess("worker")
	for _, begun := range []redline.Recovery{first, second} {
		require.Zero(t, recovered(env, begun.RecoveryID, "failed").Requeued)
	}
	isolated.AtRest()
}
