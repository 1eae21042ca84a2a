package operation

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
)

// The first signal begins a stop in order, which may be long; the second one
// does not wait for it.
func TestStop_ASecondSignalEndsAtOnce(t *testing.T) {
	process := kit.NewIsolatedStack(t).StartProcess("serve", "REDLINE_SHUTDOWN_DELAY=1h")
	require.NoError(t, syscall.Kill(process.PID(), syscall.SIGTERM))
	kit.RequireEventually(t, "it says that it is stopping", func() bool {
		says, err := kit.ReportsStopping(t, process)
		require.NoError(t, err, "it serves on")
		return says
	})
	require.True(t, process.Running())
	require.NoError(t, syscall.Kill(process.PID(), syscall.SIGTERM))
	kit.RequireEventually(t, "it has ended", func() bool { return !process.Running() })
}
