package stack

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// KillChild ends a process that this one has started with the argument, at once, and
// reports whether there was one.
func (s *Service) KillChild(argument string) bool {
	processes, _ := filepath.Glob("/proc/[0-9]*")
	for _, folder := range processes {
		// What ends meanwhile cannot be read, and is none.
		stat, _ := os.ReadFile(filepath.Join(folder, "stat"))
		_, behindName, _ := strings.Cut(string(stat), ") ")
		if !strings.HasPrefix(behindName[min(2, len(behindName)):], fmt.Sprint(s.PID(), " ")) {
			continue
		}
		command, _ := os.ReadFile(filepath.Join(folder, "cmdline"))
		pid, err := strconv.Atoi(filepath.Base(folder))
		if err == nil && bytes.Contains(command, []byte("\x00"+argument+"\x00")) {
			return syscall.Kill(pid, syscall.SIGKILL) == nil
		}
	}
	return false
}
