package confined_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// watchMemory samples the memory of this process and of those that it starts, until it is
// stopped. It then returns by how much this one grew and the most that one of the others had,
// in bytes. What the system notes of ended processes would not do: a process begins as a
// copy of this one.
func watchMemory() (stop func() (grown, child int64)) {
	before := highWater("self")
	ended, done := make(chan struct{}), make(chan int64)
	go func() {
		most := int64(0)
		for {
			for _, pid := range children() {
				most = max(most, highWater(pid))
			}
			select {
			case <-ended:
				done <- most
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	return func() (grown, child int64) {
		close(ended)
		return highWater("self") - before, <-done
	}
}

// children are the processes that this one has started and that run the program.
func children() (running []string) {
	lists, _ := filepath.Glob("/proc/self/task/*/children")
	for _, list := range lists {
		pids, _ := os.ReadFile(list)
		for pid := range strings.FieldsSeq(string(pids)) {
			if path, _ := os.Readlink("/proc/" + pid + "/exe"); path == program {
				running = append(running, pid)
			}
		}
	}
	return running
}

// highWater is the most memory that a process has had, in bytes; 0 of one that has ended.
func highWater(pid string) (bytes int64) {
	status, _ := os.ReadFile("/proc/" + pid + "/status")
	if _, after, found := strings.Cut(string(status), "VmHWM:"); found {
		_, _ = fmt.Sscan(after, &bytes)
	}
	return bytes << 10
}
