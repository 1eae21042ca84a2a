package tests

import (
	"encoding/json"
	"net/http"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/stack"
)

// stopping sends SIGTERM to a process and returns once it says that it stops; how it
// ended is on the channel.
func stopping(t *testing.T, process *stack.Service) <-chan error {
	t.Helper()
	stopped := make(chan error, 1)
	go func() { stopped <- process.Stop() }()
	eventually(t, "the process says that it is stopping", func() bool {
		says, err := saysThatItStops(t, process)
		return err != nil || says
	})
	return stopped
}

// saysThatItStops tells what a process says of itself; a part that is away makes it unready,
// too. The error is that it does not serve.
func saysThatItStops(t *testing.T, process *stack.Service) (bool, error) {
	t.Helper()
	answer, err := http.Get(process.Ops + "/readyz")
	if err != nil {
		return false, err
	}
	defer func() { require.NoError(t, answer.Body.Close()) }()
	var said struct{ Stopping bool }
	err = json.NewDecoder(answer.Body).Decode(&said)
	if said.Stopping {
		require.Equal(t, http.StatusServiceUnavailable, answer.StatusCode)
	}
	return said.Stopping, err
}

// The first signal begins a stop in order, which may be long; the second one
// does not wait for it.
func TestStop_ASecondSignalEndsAtOnce(t *testing.T) {
	process := newLab(t).start("serve", "REDLINE_SHUTDOWN_DELAY=1h")
	require.NoError(t, syscall.Kill(process.PID(), syscall.SIGTERM))
	eventually(t, "it says that it is stopping", func() bool {
		says, err := saysThatItStops(t, process)
		require.NoError(t, err, "it serves on")
		return says
	})
	require.True(t, process.Running())
	require.NoError(t, syscall.Kill(process.PID(), syscall.SIGTERM))
	eventually(t, "it has ended", func() bool { return !process.Running() })
}
