package confined

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/redline-svc/redline/internal/extract"
	"github.com/redline-svc/redline/internal/extract/attempt"
)

const (
	// folders are where processes write, below the system's folder of temporary files.
	folders = "redline-convert-*"
	// maxOutput is what a process may write: its text, in which quotation marks and
	// line ends take two bytes, and what tells that it goes on.
	maxOutput = 3 * extract.MaxText
	// maxErrors is how much is kept of what a process says when it crashes.
	maxErrors = 16 << 10
)

// Converter converts files of one type.
type Converter struct {
	mimeType string
	program  string
	args     []string
}

// New makes a converter of files of that type. The program with the arguments, and
// the type behind them, must call Serve with its standard input and output.
func New(mimeType, program string, args ...string) *Converter {
	return &Converter{mimeType: mimeType, program: program, args: args}
}

// Convert returns the file's text. A fault of the file is an *extract.Failure.
func (c *Converter) Convert(ctx context.Context, file []byte) (extract.Document, error) {
	return attempt.Convert(ctx, newFolder, func(ctx context.Context, dir string, left time.Duration) (extract.Document, error) {
		defer func() { _ = os.RemoveAll(dir) }() // what stays is removed by others later
		return c.run(ctx, dir, file, left)
	})
}

// leftAlone is after what time a folder belongs to nobody: longer than any try.
const leftAlone = 4 * attempt.Limit

// newFolder makes the folder of a process, and removes those whose worker was killed.
func newFolder(context.Context) (string, error) {
	old, _ := filepath.Glob(filepath.Join(os.TempDir(), folders))
	for _, dir := range old {
		if info, err := os.Stat(dir); err == nil && time.Since(info.ModTime()) > leftAlone {
			_ = os.RemoveAll(dir)
		}
	}
	return os.MkdirTemp("", folders)
}

// run converts the file in a process, which ends when ctx or the time ends, or when it
// shows no progress.
func (c *Converter) run(ctx context.Context, dir string, file []byte, limit time.Duration) (extract.Document, error) {
	ctx, hang := context.WithCancelCause(ctx)
	defer hang(nil)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	watch := time.AfterFunc(attempt.HangLimit, func() { hang(attempt.ErrHung) })
	defer watch.Stop()
	// The kernel ends the process together with the thread that started it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	process, said := c.process(ctx, dir, file), &tail{}
	process.Stderr = said
	output, err := process.StdoutPipe()
	if err != nil {
		return extract.Document{}, err
	}
	if err := process.Start(); err != nil {
		return extract.Document{}, err
	}
	answer, err := listen(output, func() { watch.Reset(attempt.HangLimit) })
	_ = process.Process.Kill() // one that has ended is as good
	ended := process.Wait()
	switch {
	case err == nil && answer.Failure != nil:
		return extract.Document{}, answer.Failure
	case err == nil && answer.Document != nil:
		return *answer.Document, nil
	case ctx.Err() != nil:
		return extract.Document{}, context.Cause(ctx)
	case said.has(overtime):
		return extract.Document{}, extract.Fail(extract.Timeout, "The file takes more time of the processor to be read than a file may.")
	case said.has(shortages...):
		return extract.Document{}, extract.Fail(extract.TooLarge, "The file takes more memory to be read than a file may.")
	default:
		return extract.Document{}, fmt.Errorf("%w: %w: %w: %s", attempt.ErrCrashed, err, ended, *said)
	}
}

// process is the program with the file as its input. It is killed when ctx ends.
func (c *Converter) process(ctx context.Context, dir string, file []byte) *exec.Cmd {
	process := exec.CommandContext(ctx, c.program, append(slices.Clone(c.args), c.mimeType)...) //nolint:gosec // it is this program
	process.Dir, process.Env = dir, []string{"TMPDIR=" + dir, "XDG_CACHE_HOME=" + cache(), "GOTRACEBACK=single", "MALLOC_ARENA_MAX=1"}
	process.Stdin = bytes.NewReader(file)
	process.SysProcAttr = ofItsOwn()
	return process
}

// cache is the folder in which compiled code is kept, for all processes.
func cache() string {
	folder, err := os.UserCacheDir()
	if err != nil {
		return os.TempDir()
	}
	return folder
}

// listen reads messages up to the last one.
func listen(output io.Reader, advanced func()) (message, error) {
	reader := json.NewDecoder(io.LimitReader(output, maxOutput))
	for {
		var m message
		if err := reader.Decode(&m); err != nil || m.Done {
			return m, err
		}
		advanced()
	}
}

// tail keeps the beginning of what a process says, which has the cause of a crash. It
// is read once the process has ended.
type tail []byte

// Write takes everything.
func (t *tail) Write(p []byte) (int, error) {
	*t = append(*t, p[:min(len(p), maxErrors-len(*t))]...)
	return len(p), nil
}

// shortages are what Go's runtime, the race detector and the system say when there is no
// more memory.
var shortages = []string{"out of memory", "cannot allocate memory", "failed to allocate", "failed to create new OS thread", "pthread_create failed"}

// overtime is what Go's runtime says when the process has taken the time that it may.
const overtime = "SIGXCPU"

func (t *tail) has(words ...string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return bytes.Contains(*t, []byte(word)) })
}
