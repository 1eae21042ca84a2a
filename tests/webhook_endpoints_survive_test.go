package tests

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
	"github.com/redline-svc/redline/tests/proxy"
	"github.com/redline-svc/redline/tests/receiver"
	"github.com/redline-svc/redline/tests/stack"
)

// eventsEach are those of an execution of one step: dispatched, the end of its
// step and its own.
const eventsEach = 3

// shortAttempts makes what a killed process had under way be begun again soon.
const shortAttempts = "REDLINE_WEBHOOK_TIMEOUT=5s"

// recovery is how long it may take until all has arrived after something died:
// an attempt that ran out of its time, on a busy machine, pauses for a minute.
const recovery = 3 * time.Minute

// tirelessly lets no number of failed attempts make the next one come late.
var tirelessly = "REDLINE_WEBHOOK_SCHEDULE=" + strings.Repeat("1s,", 99) + "1s"

// pileUp makes messages, three for each execution: most are cancelled before
// they start.
func (s *scene) pileUp(executions int) {
	s.t.Helper()
	definition := s.instant()
	for range executions {
		s.dispatch(definition).cancel()
	}
}

// pairs are the bodies that arrived, by path and message.
func (s *scene) pairs() map[string]map[string]string {
	s.t.Helper()
	found := map[string]map[string]string{}
	for _, request := range s.receiver().Requests("") {
		if found[request.Path] == nil {
			found[request.Path] = s.bodies(request.Path)
		}
	}
	return found
}

// bodies are what arrived at a path, by the ids of the messages.
func (s *scene) bodies(path string) map[string]string {
	s.t.Helper()
	found := map[string]string{}
	for _, request := range s.receiver().Requests(path) {
		id := request.Header.Get("webhook-id")
		if first, again := found[id]; again {
			require.Equal(s.t, first, string(request.Body), "the same bytes in every attempt")
		}
		found[id] = string(request.Body)
	}
	return found
}

// complete waits until each of the paths was told n messages.
func (s *scene) complete(paths []string, n int) {
	s.t.Helper()
	within(s.t, recovery, fmt.Sprintf("%d paths are told %d messages", len(paths), n), func() bool {
		found := s.pairs()
		for _, path := range paths {
			if len(found[path]) < n {
				return false
			}
		}
		return true
	})
	for path, ids := range s.pairs() {
		require.Len(s.t, ids, n, path)
	}
}

func TestEndpoints_KilledBetweenCommitAndFirstAttempt(t *testing.T) {
	l := newLab(t)
	api := l.start("api")
	s := l.begin(api).hooked()
	s.endpointAt("/told")
	s.pileUp(4)
	api.Kill()
	l.start("worker")
	s.complete([]string{"/told"}, 4*eventsEach)
	l.atRest()
}

func TestEndpoints_KilledBetweenSendingAndRecording(t *testing.T) {
	l := newLab(t)
	process := l.start("serve", shortAttempts)
	s := l.begin(process).hooked()
	e := s.endpointAt("/told")
	held := l.Rows.HoldRequest(proxy.Says("pause_after"))
	messageID := s.try(e.ID, "webhook.test")
	reached(t, "the recording", held.Reached())
	process.Kill()
	held.Drop()
	require.Len(t, s.receiver().Requests("/told"), 1, "it was sent")
	l.again(process)
	attempts := s.attempted(of(e.ID), 2)
	assert.Equal(t, []any{"failed", "interrupted", 1}, []any{attempts[1].Status, attempts[1].Class, attempts[1].Attempt})
	assert.Equal(t, []any{"succeeded", "ok", 2}, []any{attempts[0].Status, attempts[0].Class, attempts[0].Attempt})
	assert.Nil(t, attempts[1].HTTPStatus)
	require.Len(t, s.receiver().Requests("/told"), 2)
	require.Len(t, s.bodies("/told"), 1, "the same message with the same bytes")
	assert.Equal(t, messageID, attempts[0].MessageID)
	l.atRest()
}

func TestEndpoints_KilledWithAHundredRowsClaimed(t *testing.T) {
	const endpoints, executions = 50, 2
	l := newLab(t)
	s := l.begin(l.start("api")).hooked()
	paths := make([]string, endpoints)
	gates := make([]*receiver.Gate, endpoints)
	for i := range paths {
		paths[i] = fmt.Sprintf("/told/%d", i)
		gates[i] = s.receiver().Hold(paths[i])
		s.endpointAt(paths[i])
	}
	s.pileUp(executions)
	worker := l.start("worker", shortAttempts, tirelessly)
	s.arrived("", receiver.Count(2*endpoints))
	worker.Kill()
	for _, gate := range gates {
		gate.Release()
	}
	l.again(worker)
	s.complete(paths, executions*eventsEach)
	l.atRest()
}

func TestEndpoints_ARolledBackChangePublishesNothing(t *testing.T) {
	l := newLab(t)
	process := l.start("api")
	s := l.begin(process).hooked()
	s.endpointAt("/told")
	definition := s.instant()
	held := l.Rows.HoldRequest(proxy.Says("commit"))
	lost := make(chan error, 1)
	go func() {
		_, err := s.workspace.Dispatch(s.ctx, client.Dispatch{DefinitionID: definition, CorrelationID: "never-committed"})
		lost <- err
	}()
	reached(t, "the commit", held.Reached())
	process.Kill()
	held.Drop()
	require.Error(t, <-lost)
	l.again(process)
	l.start("worker")
	s.pileUp(1)
	s.complete([]string{"/told"}, eventsEach)
	for _, body := range s.bodies("/told") {
		assert.NotContains(t, body, "never-committed")
	}
	l.atRest()
}

func TestEndpoints_DeletedWhileItsRunSends(t *testing.T) {
	l := newLab(t)
	s := l.begin(l.start("api")).hooked()
	e := s.endpointAt("/told")
	s.endpointAt("/other")
	s.pileUp(20)
	gate := s.receiver().Hold("/told")
	l.start("worker")
	s.arrived("/told", receiver.Count(2))
	s.call(deleteEndpoint, of(e.ID), nil)
	gate.Release()
	s.arrivedAll("/other", 20*eventsEach)
	s.settled()
	require.Len(t, s.receiver().Requests("/told"), 2, "what was under way, and nothing else")
}

// running fits the executions of the prepared statements in which the text stands.
func running(text string) func(kind byte, message []byte) bool {
	const head, prepare, bind = 5, 'P', 'B'
	names := map[string]bool{}
	return func(kind byte, message []byte) bool {
		if kind != prepare && kind != bind {
			return false
		}
		parts := bytes.SplitN(message[head:], []byte{0}, 3)
		if kind == bind {
			return names[string(parts[1])]
		}
		if bytes.Contains(parts[1], []byte(text)) {
			names[string(parts[0])] = true
		}
		return false
	}
}

// The draw is committed and its worker does not know yet: the deletion answers
// when nothing of it can start any more.
func TestEndpoints_DeletedWhileAClaimIsOnItsWay(t *testing.T) {
	l := newLab(t)
	s := l.begin(l.start("api")).hooked()
	e := s.endpointAt("/told")
	s.pileUp(1)
	claimed := l.Rows.HoldReply(running("SKIP LOCKED"))
	l.start("worker")
	reached(t, "the draw", claimed.Reached())
	s.call(deleteEndpoint, of(e.ID), nil)
	claimed.Release()
	s.endpointAt("/other")
	s.pileUp(1)
	s.arrivedAll("/other", eventsEach)
	s.settled()
	require.Empty(t, s.receiver().Requests("/told"))
}

// unanswered is an endpoint at /told that a worker has just sent a message, and
// that has not answered.
func (l *lab) unanswered() (*scene, endpointView, *stack.Service, *receiver.Gate) {
	l.t.Helper()
	s := l.begin(l.start("api")).hooked()
	e := s.endpointAt("/told")
	gate := s.receiver().Hold("/told")
	s.pileUp(1)
	worker := l.start("worker", shortAttempts, tirelessly)
	reached(l.t, "the endpoint", gate.Reached())
	return s, e, worker, gate
}

func TestEndpoints_KilledDuringAnAttemptBeforeItsAnswer(t *testing.T) {
	l := newLab(t)
	s, e, worker, gate := l.unanswered()
	worker.Kill()
	gate.Release()
	l.again(worker)
	s.complete([]string{"/told"}, eventsEach)
	s.endedOnce(e, eventsEach)
	classes := map[string]bool{}
	for _, attempt := range s.attempts(of(e.ID)).Attempts {
		classes[attempt.Class] = true
	}
	require.Equal(t, map[string]bool{"ok": true, "interrupted": true}, classes)
	l.atRest()
}

// endedOnce proves that n messages were recorded as taken by the endpoint, each
// once.
func (s *scene) endedOnce(e endpointView, n int) {
	s.t.Helper()
	succeeded := map[string]any{"endpointId": e.ID, "status": "succeeded"}
	taken := map[string]bool{}
	for _, attempt := range s.attempted(succeeded, n) {
		require.False(s.t, taken[attempt.MessageID], "taken twice")
		taken[attempt.MessageID] = true
	}
	require.Len(s.t, taken, n)
}

// The engine forgets everything while messages wait for their second attempt.
func endpointsWithTheEngineEmptied(t *testing.T, parts *stack.Stack) {
	l := labOn(t, parts)
	process := l.start("serve", "REDLINE_WEBHOOK_SCHEDULE="+strings.Repeat("5s,", 99)+"5s")
	s := l.begin(process).hooked()
	e := s.endpointAt("/told")
	s.receiver().Answer("/told", receiver.Status(503))
	s.pileUp(5)
	s.arrived("/told", receiver.Count(2))
	require.NoError(t, parts.Part(t.Context(), "temporal", "empty"))
	s.receiver().Answer("/told", receiver.Status(200))
	s.complete([]string{"/told"}, 5*eventsEach)
	s.endedOnce(e, 5*eventsEach)
	require.True(t, process.Running(), "the same process goes on")
	l.atRest()
}

// The rows are away while an endpoint has a message and has not answered.
func endpointsWithPostgresRestarted(t *testing.T, parts *stack.Stack) {
	l := labOn(t, parts)
	s, e, worker, gate := l.unanswered()
	require.NoError(t, parts.Part(t.Context(), "postgres", "restart"))
	gate.Release()
	s.complete([]string{"/told"}, eventsEach)
	s.endedOnce(e, eventsEach)
	require.True(t, worker.Running(), "recovery without a restart")
	l.atRest(whileAway...)
}

// arrivedAll waits until n messages have come at a path.
func (s *scene) arrivedAll(path string, n int) {
	s.t.Helper()
	s.arrived(path, func([]receiver.Request) bool { return len(s.bodies(path)) >= n })
}

// Two workers serve one endpoint; the process that has the lease dies over and
// over, and every message arrives.
func TestEndpoints_OneOfTwoWorkersDies(t *testing.T) {
	l := newLab(t)
	api := l.start("api")
	s := l.begin(api).hooked()
	s.endpointAt("/told")
	s.endpointAt("/more")
	workers := []*stack.Service{l.start("worker", shortAttempts, tirelessly), l.start("worker", shortAttempts, tirelessly)}
	for i := range 4 {
		s.pileUp(5)
		s.arrivedAll("/told", i*5*eventsEach+1)
		victim := workers[i%2]
		victim.Kill()
		l.again(victim)
	}
	s.complete([]string{"/told", "/more"}, 4*5*eventsEach)
	l.atRest()
}
