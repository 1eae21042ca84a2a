package kit

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/receiver"
	"github.com/redline-svc/redline/tests/kit/stack"
)

// EventsEach is how many events an execution of one step has: dispatched, the end of its
// step and its own.
const EventsEach = 3

// ShortAttempts is the setting with which the attempt of a killed process soon begins again.
const ShortAttempts = "REDLINE_WEBHOOK_TIMEOUT=5s"

// Recovery is how long it may take until all has arrived after something died:
// an attempt that ran out of its time, on a busy machine, pauses for a minute.
const Recovery = 3 * time.Minute

// Tirelessly is the setting with which the next attempt comes after a second, however many
// failed before.
var Tirelessly = "REDLINE_WEBHOOK_SCHEDULE=" + strings.Repeat("1s,", 99) + "1s"

// PileUp makes messages, three for each execution: most are cancelled before
// they start.
func PileUp(env *Env, executions int) {
	env.T.Helper()
	definition := Instant(env)
	for range executions {
		Dispatch(env, definition).Cancel()
	}
}

// CancelWaiting makes executions that were cancelled while they waited for a person, which
// nobody can be too late for.
func CancelWaiting(env *Env, executions int) {
	env.T.Helper()
	definition := SignOff(env)
	for range executions {
		require.True(env.T, Dispatch(env, definition).Cancel())
	}
}

// pairs are the bodies that arrived, by path and message.
func pairs(env *Env) map[string]map[string]string {
	env.T.Helper()
	found := map[string]map[string]string{}
	for _, request := range env.Receiver().Requests("") {
		if found[request.Path] == nil {
			found[request.Path] = BodiesAt(env, request.Path)
		}
	}
	return found
}

// BodiesAt returns the bodies that arrived at a path, by the ids of the messages, and requires
// that each attempt had the same.
func BodiesAt(env *Env, path string) map[string]string {
	env.T.Helper()
	found := map[string]string{}
	for _, request := range env.Receiver().Requests(path) {
		id := request.Header.Get("webhook-id")
		if first, again := found[id]; again {
			require.Equal(env.T, first, string(request.Body), "the same bytes in every attempt")
		}
		found[id] = string(request.Body)
	}
	return found
}

// Complete waits until n messages have arrived at each of the paths, and requires that no
// more have.
func Complete(env *Env, paths []string, n int) {
	env.T.Helper()
	RequireWithin(env.T, Recovery, fmt.Sprintf("%d paths have %d messages", len(paths), n), func() bool {
		found := pairs(env)
		for _, path := range paths {
			if len(found[path]) < n {
				return false
			}
		}
		return true
	})
	for path, ids := range pairs(env) {
		require.Len(env.T, ids, n, path)
	}
}

// Running returns a condition that fits the executions of the prepared statements in which the
// text stands.
func Running(text string) func(kind byte, message []byte) bool {
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

// Unanswered returns an endpoint at /told that a worker has just sent a message and that has
// not answered: it does once the gate is released.
func (isolated *IsolatedStack) Unanswered() (*Env, redline.Endpoint, *stack.Service, *receiver.Gate) {
	isolated.T.Helper()
	env := Hooked(isolated.NewWorkspace(isolated.StartProcess("api")))
	e := EndpointAt(env, "/told")
	gate := env.Receiver().Hold("/told")
	PileUp(env, 1)
	worker := isolated.StartProcess("worker", ShortAttempts, Tirelessly)
	RequireReached(isolated.T, "the endpoint", gate.Reached())
	return env, e, worker, gate
}

// EndedOnce requires that n messages were recorded as taken by the endpoint, each
// once.
func EndedOnce(env *Env, e redline.Endpoint, n int) {
	env.T.Helper()
	succeeded := map[string]any{"endpointId": e.ID, "status": "succeeded"}
	taken := map[string]bool{}
	for _, attempt := range Attempted(env, succeeded, n) {
		require.False(env.T, taken[attempt.MessageID], "taken twice")
		taken[attempt.MessageID] = true
	}
	require.Len(env.T, taken, n)
}

// EndpointsWithTemporalEmptied requires that all messages arrive though Temporal loses all
// that it has while they wait for their second attempt.
func EndpointsWithTemporalEmptied(t *testing.T, parts *stack.Stack) {
	isolated := NewIsolatedStackOn(t, parts)
	process := isolated.StartProcess("serve", "REDLINE_WEBHOOK_SCHEDULE="+strings.Repeat("5s,", 99)+"5s")
	env := Hooked(isolated.NewWorkspace(process))
	e := EndpointAt(env, "/told")
	env.Receiver().Answer("/told", receiver.Status(503))
	PileUp(env, 5)
	env.Arrived("/told", receiver.Count(2))
	require.NoError(t, parts.Part(t.Context(), "temporal", "empty"))
	env.Receiver().Answer("/told", receiver.Status(200))
	Complete(env, []string{"/told"}, 5*EventsEach)
	EndedOnce(env, e, 5*EventsEach)
	require.True(t, process.Running(), "the same process goes on")
	isolated.AtRest()
}

// EndpointsWithPostgresRestarted requires that all messages arrive though Postgres is restarted
// while an endpoint has a message and has not answered.
func EndpointsWithPostgresRestarted(t *testing.T, parts *stack.Stack) {
	isolated := NewIsolatedStackOn(t, parts)
	env, e, worker, gate := isolated.Unanswered()
	require.NoError(t, parts.Part(t.Context(), "postgres", "restart"))
	gate.Release()
	Complete(env, []string{"/told"}, EventsEach)
	EndedOnce(env, e, EventsEach)
	require.True(t, worker.Running(), "recovery without a restart")
	isolated.AtRest(WhileAway...)
}

// ArrivedAll waits until n messages have come at a path.
func ArrivedAll(env *Env, path string, n int) {
	env.T.Helper()
	env.Arrived(path, func([]receiver.Request) bool { return len(BodiesAt(env, path)) >= n })
}
