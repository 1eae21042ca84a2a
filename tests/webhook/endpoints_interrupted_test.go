package webhook

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// onlyCancelled narrows an endpoint to one message per execution of kit.PileUp.
var onlyCancelled = map[string]any{"filterTypes": []string{"execution.cancelled"}}

// A message whose sending ends the process is tried again at once twice, then by the
// schedule, so that it does not end the next process at once. The messages of others
// arrive between its attempts.
func TestEndpoints_AMessageThatBringsItsProcessDown(t *testing.T) {
	const deaths = 3
	isolated := kit.NewIsolatedStack(t)
	api := isolated.StartProcess("api")
	env, other := kit.Hooked(isolated.NewWorkspace(api)), kit.Hooked(isolated.NewWorkspace(api))
	e := kit.EndpointAt(env, "/deadly", onlyCancelled)
	kit.EndpointAt(other, "/told", onlyCancelled)
	gate := env.Receiver().Hold("/deadly")
	kit.PileUp(env, 1)
	worker := isolated.StartProcess("worker", "REDLINE_WEBHOOK_TIMEOUT=2s", "REDLINE_WEBHOOK_SCHEDULE=20s,1h")
	for i := range deaths {
		kit.RequireReached(t, "the endpoint", gate.Reached())
		worker.Kill()
		gate.Release()
		if i < deaths-1 {
			gate = env.Receiver().Hold("/deadly")
		}
		kit.PileUp(other, 1)
		isolated.Restart(worker)
		kit.ArrivedAll(other, "/told", i+1)
	}
	env.Arrived("/deadly", receiver.Count(deaths+1))
	attempts := kit.Attempted(env, kit.Of(e.ID), deaths+1)
	slices.Reverse(attempts)
	for i, a := range attempts[:deaths] {
		assert.Equal(t, "interrupted", a.Class)
		require.NotNil(t, a.NextAttemptAt)
		const hold, least = 4 * time.Second, 16 * time.Second
		pause := instant(t, *a.NextAttemptAt).Sub(instant(t, a.StartedAt)) - hold
		assert.Equal(t, i == deaths-1, pause >= least && instant(t, attempts[i+1].StartedAt).Sub(instant(t, a.StartedAt)) >= hold+least,
			"only the third one waits for the schedule")
	}
	assert.Equal(t, "ok", attempts[deaths].Class)
	require.Len(t, kit.BodiesAt(env, "/deadly"), 1, "the same message with the same bytes")
	isolated.AtRest()
}

// instant reads a time of the interface.
func instant(t *testing.T, text string) time.Time {
	t.Helper()
	read, err := time.Parse(time.RFC3339Nano, text)
	require.NoError(t, err)
	return read
}
