package stack

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/redline-svc/redline/cmd/redline-dev/child"
	"github.com/redline-svc/redline/cmd/redline-dev/pglocal"
	"github.com/redline-svc/redline/internal/filelock"
)

// folder is the data folder and the names in it.
type folder string

func (f folder) path(words ...string) string {
	return filepath.Join(append([]string{string(f)}, words...)...)
}

func (f folder) log(part string) string     { return f.path("logs", part+".log") }
func (f folder) pidFile(part string) string { return f.path("run", part+".pid") }
func (f folder) postgres() string           { return f.path("postgres") }
func (f folder) temporal() string           { return f.path("temporal") }
func (f folder) weaviate() string           { return f.path("weaviate") }
func (f folder) demoEnv() string            { return f.path("demo.env") }
func (f folder) stackEnv() string           { return f.path("stack.env") }
func (f folder) addressesEnv() string       { return f.path("addresses.env") }
func (f folder) ready() string              { return f.path("ready") }

// claim takes the folder for this process, so that two starts never share data.
// The lock lies beside the folder's content and survives a reset.
func (f folder) claim() (*filelock.Lock, error) {
	lock, err := filelock.Try(f.path("lock"))
	if errors.Is(err, filelock.ErrHeld) {
		holder, _ := os.ReadFile(f.path("run", "dev.pid"))
		return nil, fmt.Errorf("another redline-dev runs on %s (process %s): stop it with Ctrl-C, or start this one with --data=<another folder>",
			string(f), strings.TrimSpace(string(holder)))
	}
	if err != nil {
		return nil, fmt.Errorf("use the data folder %s: %w", string(f), err)
	}
	return lock, nil
}

// make creates what is expected to be there and writes this process's id.
func (f folder) make() error {
	for _, dir := range []string{"logs", "run", "blobs"} {
		if err := os.MkdirAll(f.path(dir), 0o755); err != nil {
			return err
		}
	}
	if err := errors.Join(os.RemoveAll(f.ready()), f.turnLogs()); err != nil {
		return err
	}
	return os.WriteFile(f.path("run", "dev.pid"), fmt.Appendf(nil, "%d\n", os.Getpid()), 0o600)
}

// longLog is how long a log may be at a start; then it becomes the old one.
const longLog = 10 << 20

// turnLogs keeps the logs from growing for ever: one old one is kept of each.
func (f folder) turnLogs() error {
	files, err := filepath.Glob(f.log("*"))
	if err != nil {
		return err
	}
	for _, file := range files {
		info, err := os.Stat(file)
		if err == nil && info.Size() > longLog {
			err = os.Rename(file, file+".old")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// reap ends the children of an earlier run that was killed.
func (f folder) reap() (int, error) {
	files, err := filepath.Glob(f.pidFile("*"))
	if err != nil {
		return 0, err
	}
	ended := 0
	for _, file := range files {
		if filepath.Base(file) == "dev.pid" {
			continue
		}
		found, err := child.Reap(file, stopSignal, reapGrace)
		if err != nil {
			return ended, err
		}
		if found {
			ended++
		}
	}
	return ended, nil
}

// wipe removes everything but the lock, which is held.
func (f folder) wipe() error {
	if err := pglocal.Remove(f.postgres()); err != nil {
		return err
	}
	entries, err := os.ReadDir(string(f))
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if entry.Name() == "lock" {
			continue
		}
		if err := os.RemoveAll(f.path(entry.Name())); err != nil {
			return err
		}
	}
	return nil
}
