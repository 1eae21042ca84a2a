package child

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// reapPoll is how often Reap looks whether the process has gone.
const reapPoll = 20 * time.Millisecond

// Reap ends the process whose pid is the first line of the file, if it still
// runs and the second line stands in its command line (a number may have been
// given to another process since), and removes the file. It sends the signal,
// waits for the grace time and then kills. The result reports whether there was
// one. Postgres writes its own pid file in this form.
func Reap(pidFile string, signal syscall.Signal, grace time.Duration) (bool, error) {
	text, err := os.ReadFile(pidFile)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	lines := strings.SplitN(string(text)+"\n\n", "\n", 3)
	pid, err := strconv.Atoi(strings.TrimSpace(lines[0]))
	mark := strings.TrimSpace(lines[1])
	found := err == nil && pid > 1 && mark != "" && strings.Contains(commandLine(pid), mark)
	if found {
		end(pid, signal, grace)
	}
	if err := os.Remove(pidFile); err != nil && !errors.Is(err, os.ErrNotExist) {
		return found, err
	}
	return found, nil
}

// end signals the process and waits until it has gone, by force after the grace time.
func end(pid int, signal syscall.Signal, grace time.Duration) {
	_ = syscall.Kill(pid, signal)
	for deadline := time.Now().Add(grace); time.Now().Before(deadline); time.Sleep(reapPoll) {
		if !Alive(pid) {
			return
		}
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
	for Alive(pid) {
		time.Sleep(reapPoll)
	}
}

// Alive reports whether a process of that id runs; one that has ended and only
// waits for its parent to notice does not.
func Alive(pid int) bool {
	if err := syscall.Kill(pid, 0); err != nil && !errors.Is(err, syscall.EPERM) {
		return false
	}
	return commandLine(pid) != ""
}

// commandLine is what the process was started with, empty when there is no such
// process or it has ended. Linux says by /proc, other systems by ps.
func commandLine(pid int) string {
	if text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline"); err == nil {
		return strings.ReplaceAll(string(text), "\x00", " ")
	}
	if _, err := os.Stat("/proc/self/cmdline"); err == nil {
		return ""
	}
	out, err := exec.Command("ps", "-o", "command=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}
