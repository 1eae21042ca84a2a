package tests

import (
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
		answer, err := http.Get(process.Ops + "/readyz")
		if err != nil {
			return true
		}
		require.NoError(t, answer.Body.Close())
		return answer.StatusCode != http.StatusOK
	})
	return stopped
}

// The first signal begins a stop in order, which may be long; the second one
// does not wait for it.
func TestStop_ASecondSignalEndsAtOnce(t *testing.T) {
	process := newLab(t).start("serve", "REDLINE_SHUTDOWN_DELAY=1h")
	require.NoError(t, syscall.Kill(process.PID(), syscall.SIGTERM))
	eventually(t, "it says that it is stopping", func() bool {
		answer, err := http.Get(process.Ops + "/readyz")
		require.NoError(t, err, "it serves on")
		require.NoError(t, answer.Body.Close())
		return answer.StatusCode == http.StatusServiceUnavailable
	})
	require.True(t, process.Running())
	require.NoError(t, syscall.Kill(process.PID(), syscall.SIGTERM))
	eventually(t, "it has ended", func() bool { return !process.Running() })
}
