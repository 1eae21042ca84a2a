package webhook

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/receiver"
	"github.com/redline-svc/redline/tests/kit/stack"
)

// A worker that gets SIGTERM with deliveries on the wire records what becomes of them
// before it ends, an endpoint's and a receiver's: none is interrupted, none is sent
// again. What waited behind them is sent by the next worker.
func TestEndpoints_AWorkerThatStopsRecordsItsAttempts(t *testing.T) {
	const executions = 20
	isolated := kit.NewIsolatedStack(t)
	env := kit.Hooked(isolated.NewWorkspace(isolated.StartProcess("api")))
	e := kit.EndpointAt(env, "/told")
	endpoint, events := env.Receiver().Hold("/told"), env.Receiver().Hold("/events")
	kit.PileUp(env, executions)
	r := kit.Dispatch(env, kit.Instant(env), kit.WithReceiver(env, "/events"))
	require.True(t, r.Cancel())
	worker := isolated.StartProcess("worker")
	env.Arrived("/told", receiver.Count(1))
	kit.RequireReached(t, "the receiver", events.Reached())

	stopped := kit.Stopping(t, worker)
	kit.RequireEventually(t, "it has left Temporal and only waits for its answers", func() bool { return leftTemporal(t, worker) })
	endpoint.Release()
	events.Release()
	require.NoError(t, <-stopped)
	sent := env.Receiver().Requests("/told")
	require.Len(t, sent, 1, "the first request to an origin, and nothing of what waits for its answer")
	recordedOnce(env, e, len(sent))
	require.Len(t, r.Deliveries("delivered"), len(env.Receiver().Requests("/events")), "those of the receiver too")

	isolated.Restart(worker)
	kit.ArrivedAll(env, "/told", (executions+1)*kit.EventsEach)
	recordedOnce(env, e, (executions+1)*kit.EventsEach)
	for _, delivery := range r.Delivered() {
		require.Len(t, delivery.Attempts, 1, delivery.Event)
	}
	isolated.AtRest()
}

// leftTemporal reports whether all that a process has polled Temporal with has
// stopped, which Temporal's library logs.
func leftTemporal(t *testing.T, worker *stack.Service) bool {
	t.Helper()
	log, err := os.ReadFile(worker.Log)
	require.NoError(t, err)
	started := bytes.Count(log, []byte("Started Worker"))
	return started > 0 && bytes.Count(log, []byte("Stopped Worker")) == started
}

// recordedOnce proves that an endpoint was sent n messages, each once, and that the
// attempts are recorded as such.
func recordedOnce(env *kit.Env, e redline.Endpoint, n int) {
	env.T.Helper()
	attempts := kit.Attempted(env, map[string]any{"endpointId": e.ID, "limit": 250}, n)
	require.Len(env.T, attempts, n)
	for _, a := range attempts {
		assert.Equal(env.T, []any{redline.EndpointAttemptStatusSucceeded, "ok", int64(1)}, []any{a.Status, a.Class, a.Attempt})
	}
	require.Len(env.T, kit.BodiesAt(env, "/told"), n)
	require.Len(env.T, env.Receiver().Requests("/told"), n)
}
