package confined

import (
	"bytes"
	"os"
	"strconv"
	"syscall"

	"github.com/redline-svc/redline/internal/extract"
)

// addressSpace is how much more than memory may be reserved without being used.
const addressSpace = 4 * memory

// limitMemory bounds the memory of the process, and what it may write to a file. A
// crash leaves no core file.
func limitMemory() error {
	own, err := used()
	if err != nil {
		return err
	}
	for resource, most := range map[int]uint64{
		syscall.RLIMIT_DATA: own.data + memory, syscall.RLIMIT_AS: own.all + addressSpace,
		syscall.RLIMIT_FSIZE: 2 * extract.MaxUnpacked, syscall.RLIMIT_CORE: 0,
	} {
		if err := syscall.Setrlimit(resource, &syscall.Rlimit{Cur: most, Max: most}); err != nil {
			return err
		}
	}
	return nil
}

// usage is what a process uses, in bytes: its data, and all that it has reserved.
type usage struct{ data, all uint64 }

// used reads what the process uses as the kernel counts it, in pages.
func used() (usage, error) {
	const fieldAll, fieldData = 0, 5
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return usage{}, err
	}
	fields := bytes.Fields(text)
	pages := func(i int) uint64 {
		n, _ := strconv.ParseUint(string(fields[i]), 10, 64) // the kernel writes numbers
		return n * uint64(os.Getpagesize())                  //nolint:gosec // it is positive
	}
	return usage{data: pages(fieldData), all: pages(fieldAll)}, nil
}

// ofItsOwn puts a process into a group of its own, which Ctrl-C does not reach, and has
// the kernel kill it when its parent dies.
func ofItsOwn() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
