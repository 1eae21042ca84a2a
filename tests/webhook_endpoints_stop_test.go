package tests

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/receiver"
	"github.com/redline-svc/redline/tests/stack"
)

// A worker that gets SIGTERM with deliveries on the wire records what becomes of them
// before it ends, an endpoint's and a receiver's: none is interrupted, none is sent
// again. What waited behind them is sent by the next worker.
func TestEndpoints_AWorkerThatStopsRecordsItsAttempts(t *testing.T) {
	const executions = 20
	l := newLab(t)
	s := l.begin(l.start("api")).hooked()
	e := s.endpointAt("/told")
	endpoint, events := s.receiver().Hold("/told"), s.receiver().Hold("/events")
	s.pileUp(executions)
	r := s.dispatch(s.instant(), s.withReceiver("/events"))
	require.True(t, r.cancel())
	worker := l.start("worker")
	s.arrived("/told", receiver.Count(2))
	reached(t, "the receiver", events.Reached())

	stopped := stopping(t, worker)
	eventually(t, "it has left the engine and only waits for its answers", func() bool { return leftTheEngine(t, worker) })
	endpoint.Release()
	events.Release()
	require.NoError(t, <-stopped)
	sent := s.receiver().Requests("/told")
	require.Len(t, sent, 2, "its window, and nothing of what waits")
	s.recordedOnce(e, len(sent))
	require.Len(t, r.deliveries("delivered"), len(s.receiver().Requests("/events")), "those of the receiver too")

	l.again(worker)
	s.arrivedAll("/told", (executions+1)*eventsEach)
	s.recordedOnce(e, (executions+1)*eventsEach)
	for _, delivery := range r.delivered() {
		require.Len(t, delivery.Attempts, 1, delivery.Event)
	}
	l.atRest()
}

// leftTheEngine gives whether all that a process has polled the engine with has
// stopped, which the engine's library logs.
func leftTheEngine(t *testing.T, worker *stack.Service) bool {
	t.Helper()
	log, err := os.ReadFile(worker.Log)
	require.NoError(t, err)
	started := bytes.Count(log, []byte("Started Worker"))
	return started > 0 && bytes.Count(log, []byte("Stopped Worker")) == started
}

// recordedOnce proves that an endpoint was sent n messages, each once, and that the
// attempts are recorded as such.
func (s *scene) recordedOnce(e endpointView, n int) {
	s.t.Helper()
	attempts := s.attempted(map[string]any{"endpointId": e.ID, "limit": 250}, n)
	require.Len(s.t, attempts, n)
	for _, a := range attempts {
		assert.Equal(s.t, []any{"succeeded", "ok", 1}, []any{a.Status, a.Class, a.Attempt})
	}
	require.Len(s.t, s.bodies("/told"), n)
	require.Len(s.t, s.receiver().Requests("/told"), n)
}
