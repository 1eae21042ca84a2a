package measure

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"
)

// machine is the size of what it was measured on; what a system does not report is
// left out.
func machine() map[string]any {
	found := map[string]any{"cpus": runtime.NumCPU(), "os": runtime.GOOS, "arch": runtime.GOARCH}
	if value := field("/proc/cpuinfo", "model name"); value != "" {
		found["cpu"] = value
	}
	if value := field("/proc/meminfo", "MemTotal"); value != "" {
		found["memory"] = value
	}
	if text, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		found["kernel"] = strings.TrimSpace(string(text))
	}
	return found
}

// field is the first value of a name in a file of "name: value" lines.
func field(path, name string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// Resident is a process's resident memory in MiB; an error where the system does not
// report it.
func Resident(pid int) (float64, error) {
	value := field(fmt.Sprintf("/proc/%d/status", pid), "VmRSS")
	number, found := strings.CutSuffix(value, " kB")
	if !found {
		return 0, errors.New("the system does not report a process's memory")
	}
	kib, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	return kib / 1024, err
}

// tick is the unit in which Linux counts the time of processes.
const tick = 10 * time.Millisecond

// processorOf is the time that a process has had of the processors, with that of those of its
// children that have ended, and its parent's id.
func processorOf(pid int) (took time.Duration, parent int, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, 0, errors.New("the system does not report a process's time")
	}
	fields := strings.Fields(string(text[strings.LastIndex(string(text), ")")+1:])) // from the state on
	parent, err = strconv.Atoi(fields[1])
	for _, field := range fields[11:15] {
		n, failed := strconv.Atoi(field)
		took, err = took+time.Duration(n)*tick, errors.Join(err, failed)
	}
	return took, parent, err
}

// Processor is the time that a process has had of the processors; an error where the system
// does not report it.
func Processor(pid int) (time.Duration, error) {
	took, _, err := processorOf(pid)
	return took, err
}

// ServerProcessor is the time that a server has had, of which one process is a child: its own
// and that of all its children.
func ServerProcessor(child int) (time.Duration, error) {
	_, server, err := processorOf(child)
	if err != nil {
		return 0, err
	}
	return WithChildren(server)
}

// WithChildren is the time that a process and all its children have had.
func WithChildren(server int) (time.Duration, error) {
	total, err := Processor(server)
	if err != nil {
		return 0, err
	}
	processes, err := filepath.Glob("/proc/[0-9]*")
	for _, path := range processes {
		pid, _ := strconv.Atoi(filepath.Base(path)) // the pattern has digits alone
		if took, parent, err := processorOf(pid); err == nil && parent == server {
			total += took
		}
	}
	return total, err
}

// Process is the id of the process that runs a program whose path holds this, with
// that word among its arguments; an error where there is none, or the system does not
// list them.
func Process(program, argument string) (int, error) {
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		return 0, err
	}
	for _, path := range lines {
		line, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended meanwhile
		}
		words := strings.Split(string(line), "\x00")
		if strings.Contains(words[0], program) && slices.Contains(words[1:], argument) {
			return strconv.Atoi(filepath.Base(filepath.Dir(path)))
		}
	}
	return 0, fmt.Errorf("no process of %s with %s is listed", program, argument)
}

// versions are those of the compiler, the libraries that matter, the parts in
// the cache and the tree itself.
func versions() map[string]string {
	found := map[string]string{"go": runtime.Version()}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			switch module.Path {
			case "go.temporal.io/sdk", "github.com/jackc/pgx/v5", "github.com/danielgtaylor/huma/v2":
				found[module.Path] = module.Version
			}
		}
	}
	if commit, err := exec.Command("git", "rev-parse", "--short", "HEAD").Output(); err == nil {
		found["redline"] = strings.TrimSpace(string(commit))
	}
	for _, part := range parts() {
		if name, version, ok := dropLast(part, "-"); ok {
			found[name] = version
		}
	}
	return found
}

// parts are the names of the folders in which built and fetched servers lie.
func parts() []string {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil
	}
	entries, err := os.ReadDir(filepath.Join(cache, "redline"))
	if err != nil {
		return nil
	}
	var found []string
	for _, entry := range entries {
		if entry.IsDir() {
			found = append(found, entry.Name())
		}
	}
	return found
}

func dropLast(text, separator string) (before, after string, ok bool) {
	at := strings.LastIndex(text, separator)
	if at < 0 {
		return text, "", false
	}
	return text[:at], text[at+len(separator):], true
}
