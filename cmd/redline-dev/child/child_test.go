package child_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/cmd/redline-dev/child"
)

// asParent makes this test binary a parent that starts a child and waits for ever.
const asParent = "CHILD_TEST_PARENT"

func TestMain(m *testing.M) {
	if pidFile := os.Getenv(asParent); pidFile != "" {
		process, err := child.Start(child.Spec{Path: "/bin/sleep", Args: []string{"600"}, PIDFile: pidFile})
		if err != nil {
			panic(err)
		}
		<-process.Done()
		return
	}
	os.Exit(m.Run())
}

func TestAChildDiesWithAParentThatIsKilled(t *testing.T) {
	pidFile := filepath.Join(t.TempDir(), "child.pid")
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), asParent+"="+pidFile)
	require.NoError(t, parent.Start())
	pid := awaitPID(t, pidFile)
	require.True(t, child.Alive(pid))

	require.NoError(t, parent.Process.Kill())
	_ = parent.Wait()
	// Where the kernel has no signal for it the next start's Reap ends it.
	found, err := child.Reap(pidFile, syscall.SIGTERM, 10*time.Second)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return !child.Alive(pid) }, time.Minute, 10*time.Millisecond, "found: %v", found)
	require.NoFileExists(t, pidFile)
}

func awaitPID(t *testing.T, file string) int {
	t.Helper()
	var pid int
	require.Eventually(t, func() bool {
		text, err := os.ReadFile(file)
		if err != nil {
			return false
		}
		first, _, complete := strings.Cut(string(text), "\n")
		pid, err = strconv.Atoi(first)
		return complete && err == nil
	}, time.Minute, 10*time.Millisecond)
	return pid
}

func TestReapLeavesAStrangerAlone(t *testing.T) {
	stranger, err := child.Start(child.Spec{Path: "/bin/sleep", Args: []string{"600"}})
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "old.pid")
	text := strconv.Itoa(stranger.PID()) + "\n/usr/lib/another/program\n"
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))

	found, err := child.Reap(file, syscall.SIGKILL, time.Second)
	require.NoError(t, err)
	require.False(t, found)
	require.True(t, stranger.Running())
	require.NoFileExists(t, file)
	require.NoError(t, stranger.Stop(syscall.SIGTERM, 10*time.Second))
}

func TestStopInsists(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	stubborn, err := child.Start(child.Spec{Path: "/bin/sh", Args: []string{"-c", "trap '' TERM; echo deaf; while :; do sleep 1; done"}, Log: log})
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		text, err := os.ReadFile(log)
		return err == nil && strings.Contains(string(text), "deaf")
	}, time.Minute, 10*time.Millisecond)
	require.NoError(t, stubborn.Stop(syscall.SIGTERM, 100*time.Millisecond))
	require.False(t, stubborn.Running())
	require.Error(t, stubborn.Err())
	require.NoError(t, stubborn.Stop(syscall.SIGTERM, time.Second), "what has ended may be stopped again")
}
