package webhook

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/proxy"
	"github.com/redline-svc/redline/tests/kit/receiver"
	"github.com/redline-svc/redline/tests/kit/stack"
)

func TestEndpoints_KilledBetweenCommitAndFirstAttempt(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	api := isolated.StartProcess("api")
	env := kit.Hooked(isolated.NewWorkspace(api))
	kit.EndpointAt(env, "/told")
	kit.PileUp(env, 4)
	api.Kill()
	isolated.StartProcess("worker")
	kit.Complete(env, []string{"/told"}, 4*kit.EventsEach)
	isolated.AtRest()
}

func TestEndpoints_KilledBetweenSendingAndRecording(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	process := isolated.StartProcess("serve", kit.ShortAttempts)
	env := kit.Hooked(isolated.NewWorkspace(process))
	e := kit.EndpointAt(env, "/told")
	held := isolated.Rows.HoldRequest(proxy.Says("pause_after"))
	messageID := kit.Try(env, e.ID, "webhook.test")
	kit.RequireReached(t, "the recording", held.Reached())
	process.Kill()
	held.Drop()
	require.Len(t, env.Receiver().Requests("/told"), 1, "it was sent")
	isolated.Restart(process)
	attempts := kit.Attempted(env, kit.Of(e.ID), 2)
	assert.Equal(t, []any{redline.EndpointAttemptStatusFailed, "interrupted", int64(1)}, []any{attempts[1].Status, attempts[1].Class, attempts[1].Attempt})
	assert.Equal(t, []any{redline.EndpointAttemptStatusSucceeded, "ok", int64(2)}, []any{attempts[0].Status, attempts[0].Class, attempts[0].Attempt})
	assert.Nil(t, attempts[1].HTTPStatus)
	require.Len(t, env.Receiver().Requests("/told"), 2)
	require.Len(t, kit.BodiesAt(env, "/told"), 1, "the same message with the same bytes")
	assert.Equal(t, messageID, attempts[0].MessageID)
	isolated.AtRest()
}

func TestEndpoints_KilledWithAHundredRowsClaimed(t *testing.T) {
	const endpoints, executions = 50, 2
	isolated := kit.NewIsolatedStack(t)
	env := kit.Hooked(isolated.NewWorkspace(isolated.StartProcess("api")))
	paths := make([]string, endpoints)
	gates := make([]*receiver.Gate, endpoints)
	for i := range paths {
		paths[i] = fmt.Sprintf("/told/%d", i)
		gates[i] = env.Receiver().Hold(paths[i])
		kit.EndpointAt(env, paths[i])
	}
	kit.PileUp(env, executions)
	worker := isolated.StartProcess("worker", kit.ShortAttempts, kit.Tirelessly)
	env.Arrived("", receiver.Count(2*endpoints))
	worker.Kill()
	for _, gate := range gates {
		gate.Release()
	}
	isolated.Restart(worker)
	kit.Complete(env, paths, executions*kit.EventsEach)
	isolated.AtRest()
}

func TestEndpoints_ARolledBackChangePublishesNothing(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	process := isolated.StartProcess("api")
	env := kit.Hooked(isolated.NewWorkspace(process))
	kit.EndpointAt(env, "/told")
	definition := kit.Instant(env)
	held := isolated.Rows.HoldCommit(proxy.Says("never-committed"))
	lost := make(chan error, 1)
	go func() {
		_, err := env.Workspace.Dispatch(env.Ctx, redline.DispatchRequest{DefinitionID: definition, CorrelationID: new("never-committed")})
		lost <- err
	}()
	kit.RequireReached(t, "the commit", held.Reached())
	process.Kill()
	held.Drop()
	require.Error(t, <-lost)
	isolated.Restart(process)
	isolated.StartProcess("worker")
	kit.PileUp(env, 1)
	kit.Complete(env, []string{"/told"}, kit.EventsEach)
	for _, body := range kit.BodiesAt(env, "/told") {
		assert.NotContains(t, body, "never-committed")
	}
	isolated.AtRest()
}

func TestEndpoints_DeletedWhileItsRunSends(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	env := kit.Hooked(isolated.NewWorkspace(isolated.StartProcess("api")))
	e := kit.EndpointAt(env, "/told")
	kit.EndpointAt(env, "/other")
	kit.PileUp(env, 20)
	gate := env.Receiver().Hold("/told")
	isolated.StartProcess("worker")
	env.Arrived("/told", receiver.Count(2))
	env.Call(client.DeleteEndpoint, kit.Of(e.ID), nil)
	gate.Release()
	kit.ArrivedAll(env, "/other", 20*kit.EventsEach)
	kit.Settled(env)
	require.Len(t, env.Receiver().Requests("/told"), 2, "what was under way, and nothing else")
}

// The draw is committed and its worker does not know yet: the deletion answers
// when nothing of it can start any more.
func TestEndpoints_DeletedWhileAClaimIsOnItsWay(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	env := kit.Hooked(isolated.NewWorkspace(isolated.StartProcess("api")))
	e := kit.EndpointAt(env, "/told")
	kit.PileUp(env, 1)
	claimed := isolated.Rows.HoldReply(kit.Running("SKIP LOCKED"))
	isolated.StartProcess("worker")
	kit.RequireReached(t, "the draw", claimed.Reached())
	env.Call(client.DeleteEndpoint, kit.Of(e.ID), nil)
	claimed.Release()
	kit.EndpointAt(env, "/other")
	kit.PileUp(env, 1)
	kit.ArrivedAll(env, "/other", kit.EventsEach)
	kit.Settled(env)
	require.Empty(t, env.Receiver().Requests("/told"))
}

func TestEndpoints_KilledDuringAnAttemptBeforeItsAnswer(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	env, e, worker, gate := isolated.Unanswered()
	worker.Kill()
	gate.Release()
	isolated.Restart(worker)
	kit.Complete(env, []string{"/told"}, kit.EventsEach)
	kit.EndedOnce(env, e, kit.EventsEach)
	classes := map[string]bool{}
	for _, attempt := range kit.Attempts(env, kit.Of(e.ID)).Attempts {
		classes[attempt.Class] = true
	}
	require.Equal(t, map[string]bool{"ok": true, "interrupted": true}, classes)
	isolated.AtRest()
}

// Two workers serve one endpoint; the process that has locked it dies over and
// over, and every message arrives.
func TestEndpoints_OneOfTwoWorkersDies(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	api := isolated.StartProcess("api")
	env := kit.Hooked(isolated.NewWorkspace(api))
	kit.EndpointAt(env, "/told")
	kit.EndpointAt(env, "/more")
	workers := []*stack.Service{isolated.StartProcess("worker", kit.ShortAttempts, kit.Tirelessly), isolated.StartProcess("worker", kit.ShortAttempts, kit.Tirelessly)}
	for i := range 4 {
		kit.PileUp(env, 5)
		kit.ArrivedAll(env, "/told", i*5*kit.EventsEach+1)
		victim := workers[i%2]
		victim.Kill()
		isolated.Restart(victim)
	}
	kit.Complete(env, []string{"/told", "/more"}, 4*5*kit.EventsEach)
	isolated.AtRest()
}
