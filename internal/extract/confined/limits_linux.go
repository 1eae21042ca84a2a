package confined

import (
	"bytes"
	"math"
	"os"
	"strconv"
	"syscall"
	"time"

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

// limitTime bounds the time of the processor that the process takes from now on. At the
// limit Go's runtime says so and ends; a second later the kernel would.
func limitTime(most time.Duration) error {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return err
	}
	taken := time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	seconds := uint64(math.Ceil((taken + most).Seconds()))
	return syscall.Setrlimit(syscall.RLIMIT_CPU, &syscall.Rlimit{Cur: seconds, Max: seconds + 1})
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
