package confined

import (
	"bytes"
	"context"
	"encoding/gob"
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
	// maxOutput is what a process may write: a text with what is drawn from it, and what tells that it goes on.
	maxOutput = 6 * extract.MaxText
	// maxErrors is how much is kept of what a process says when it crashes.
	maxErrors = 16 << 10
)

// Program carries out tasks, conversions among them, in processes of their own.
type Program struct {
	path string
	args []string
}

// NewProgram makes a program of its path. With the arguments, and the name of a task behind
// them, it must call Serve with its standard input and output.
func NewProgram(path string, args ...string) *Program { return &Program{path, args} }

// Run gives a file to a task and reads what that makes of it into result. A fault of the file is
// an *extract.Failure: Timeout of one that takes more time or memory than it may.
func (p *Program) Run(ctx context.Context, task string, file []byte, result any) error {
	_, err := attempt.Convert(ctx, newFolder, func(ctx context.Context, dir string, left time.Duration) (struct{}, error) {
		defer func() { _ = os.RemoveAll(dir) }() // what stays is removed by others later
		return struct{}{}, p.run(ctx, func(ctx context.Context) *exec.Cmd { return p.process(ctx, task, dir, file) }, left, result)
	})
	return err
}

// Converter converts files of one type.
type Converter struct {
	mimeType string
	program  *Program
}

// New makes a converter of files of that type, whose name is that of the program's task.
func New(mimeType, program string, args ...string) *Converter {
	return NewProgram(program, args...).Converter(mimeType)
}

// Converter makes a converter of files of that type.
func (p *Program) Converter(mimeType string) *Converter { return &Converter{mimeType, p} }

// Convert returns the file's text. A fault of the file is an *extract.Failure.
func (c *Converter) Convert(ctx context.Context, file []byte) (document extract.Document, err error) {
	err = c.program.Run(ctx, c.mimeType, file, &document)
	return document, err
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

// run reads into result what comes of a task by a process, which ends when the time ends, or when it shows
// no progress.
func (*Program) run(parent context.Context, start func(context.Context) *exec.Cmd, limit time.Duration, result any) error {
	ctx, hang := context.WithCancelCause(parent)
	defer hang(nil)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	watch := time.AfterFunc(attempt.HangLimit, func() { hang(attempt.ErrHung) })
	defer watch.Stop()
	// The kernel ends the process together with the thread that started it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	process, said := start(ctx), &tail{}
	process.Stderr = said
	output, err := process.StdoutPipe()
	if err != nil {
		return err
	}
	if err := process.Start(); err != nil {
		return err
	}
	failure, err := listen(output, func() { watch.Reset(attempt.HangLimit) }, result)
	_ = process.Process.Kill() // one that has ended is as good
	ended := process.Wait()
	switch {
	case err == nil && failure != nil:
		return failure
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case said.has(overtime):
		return extract.Fail(extract.Timeout, "The file takes more time of the processor to be read than a file may.")
	case said.has(shortages...):
		return extract.Fail(extract.Timeout, "The file takes more memory to be read than a file may.")
	default:
		return fmt.Errorf("%w: %w: %w: %s", attempt.ErrCrashed, err, ended, *said)
	}
}

// process is the program with the file as its input. It is killed when ctx ends.
func (p *Program) process(ctx context.Context, task, dir string, file []byte) *exec.Cmd {
	process := exec.CommandContext(ctx, p.path, append(slices.Clone(p.args), task)...) //nolint:gosec // it is this program
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

// listen reads messages up to the last one, and into result what was made. A result that does not come whole leaves it as it is.
func listen(output io.Reader, advanced func(), result any) (*extract.Failure, error) {
	reader := gob.NewDecoder(io.LimitReader(output, maxOutput))
	for {
		var m message
		if err := reader.Decode(&m); err != nil || m.Failure != nil {
			return m.Failure, err
		}
		if m.Done {
			return nil, reader.Decode(result)
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
