package child_test

import (
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/cmd/redline-dev/child"
)

func TestAChildGivesWay(t *testing.T) {
	process, err := child.Start(child.Spec{Path: "/bin/sleep", Args: []string{"600"}, Nice: 7})
	require.NoError(t, err)
	t.Cleanup(func() { _ = process.Stop(syscall.SIGTERM, 10*time.Second) })
	// The kernel gives 20 less the value of nice(1), of the least nice of the group.
	priority, err := syscall.Getpriority(syscall.PRIO_PGRP, process.PID())
	require.NoError(t, err)
	want := 20 - 7
	if own, err := syscall.Getpriority(syscall.PRIO_PROCESS, 0); os.Getuid() != 0 {
		require.NoError(t, err)
		want = min(want, own) // this process may give way further already
	}
	require.Equal(t, want, priority)
}
