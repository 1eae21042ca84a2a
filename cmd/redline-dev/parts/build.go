package parts

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/redline-svc/redline/cmd/redline-dev/console"
	"github.com/redline-svc/redline/internal/filelock"
)

// flags leave debug information out: a quarter less work and half the size.
var flags = []string{"-trimpath", "-ldflags", "-s -w", "-gcflags=all=-dwarf=false"}

// compileCommand marks a command line of the compiler in what a dry run prints.
const compileCommand = "/compile -o "

// Builder builds parts into a cache folder.
type Builder struct {
	CacheDir string
	Console  *console.Console
}

// Ensure builds those of the parts that are not there. Parts that another
// process builds meanwhile are waited for.
func (b Builder) Ensure(ctx context.Context, wanted ...Part) error {
	if len(b.missing(wanted)) == 0 {
		return nil
	}
	lock, err := filelock.Acquire(ctx, filepath.Join(b.CacheDir, "build.lock"), func() {
		b.Console.Sayf("Another start is building the servers; waiting for it.")
	})
	if err != nil {
		return err
	}
	defer lock.Release()
	missing := b.missing(wanted)
	if len(missing) == 0 {
		return nil
	}
	if err := b.Check(ctx, missing...); err != nil {
		return err
	}
	if err := b.removeLeftovers(); err != nil {
		return err
	}
	return b.buildAll(ctx, missing)
}

// removeLeftovers removes what killed builds left behind. The build lock is held.
func (b Builder) removeLeftovers() error {
	left, err := filepath.Glob(filepath.Join(b.CacheDir, "*-build-*"))
	if err != nil {
		return err
	}
	for _, dir := range left {
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	return nil
}

func (b Builder) missing(wanted []Part) []Part {
	var missing []Part
	for _, part := range wanted {
		if !part.Built(b.CacheDir) {
			missing = append(missing, part)
		}
	}
	return missing
}

// fetched is the outcome of a dry run, which fetches all modules of a part.
type fetched struct {
	packages int
	err      error
}

// buildAll compiles part after part; a second goroutine runs ahead with the modules.
func (b Builder) buildAll(ctx context.Context, missing []Part) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	b.Console.Sayf("Building %d servers, once for this user (about 8 minutes in all on two cores).", len(missing))
	arrivals := make([]chan fetched, len(missing))
	for i := range arrivals {
		arrivals[i] = make(chan fetched, 1)
	}
	go func() {
		for i, part := range missing {
			packages, err := b.fetch(ctx, part)
			arrivals[i] <- fetched{packages, err}
		}
	}()
	for i, part := range missing {
		arrival := <-arrivals[i]
		if arrival.err != nil {
			return arrival.err
		}
		if err := b.build(ctx, part, arrival.packages); err != nil {
			return err
		}
	}
	return nil
}

// fetch has the go command plan the build without doing it: that brings every
// module it needs and no other, and tells how many packages are to be compiled.
func (b Builder) fetch(ctx context.Context, part Part) (int, error) {
	step := b.Console.Begin("Fetching the modules of " + part.Title)
	var modules, packages int
	err := b.goInstall(ctx, part, b.CacheDir, func(line string) {
		switch {
		case strings.HasPrefix(line, "go: downloading "):
			modules++
			step.Detailf("%d modules", modules)
		case strings.Contains(line, compileCommand):
			packages++
		}
	}, "-n")
	step.End(err)
	return packages, err
}

// build compiles a part into a temporary folder and gives it its name when it is whole.
func (b Builder) build(ctx context.Context, part Part, packages int) error {
	step := b.Console.Begin("Building " + part.Title + " " + part.Version)
	work, err := os.MkdirTemp(b.CacheDir, part.Name+"-build-")
	if err != nil {
		step.End(err)
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	var compiled atomic.Int64
	err = b.goInstall(ctx, part, work, func(line string) {
		if !strings.HasPrefix(line, "go: ") && !strings.Contains(line, " ") {
			step.Detailf("%d of %d packages", compiled.Add(1), packages)
		}
	}, "-v")
	if err == nil {
		err = b.publish(part, work)
	}
	step.End(err)
	return err
}

// publish moves the finished program to its place.
func (b Builder) publish(part Part, work string) error {
	if err := os.Chmod(work, 0o755); err != nil {
		return err
	}
	if err := os.RemoveAll(part.folder(b.CacheDir)); err != nil {
		return err
	}
	return os.Rename(work, part.folder(b.CacheDir))
}

// goInstall runs the go command on a part and hands each line it prints on.
func (b Builder) goInstall(ctx context.Context, part Part, bin string, line func(string), extra ...string) error {
	args := append([]string{"install"}, extra...)
	args = append(append(args, flags...), part.Package+"@"+part.Version)
	command := exec.CommandContext(ctx, "go", args...)
	command.Dir = b.CacheDir
	command.Env = append(os.Environ(), "GOBIN="+bin, "GOFLAGS=", "GOWORK=off")
	reader, writer := io.Pipe()
	command.Stdout, command.Stderr = writer, writer
	// An interrupt, unlike a kill, lets the go command end its compilers.
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = cancelGrace
	tail := make(chan string, 1)
	go func() { tail <- readLines(reader, line) }()
	err := command.Run()
	_ = writer.Close()
	last := <-tail
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("go install %s@%s: %w\n%s", part.Package, part.Version, err, last)
}

// cancelGrace is how long a cancelled go command may take to end.
const cancelGrace = 5 * time.Second

// keptOutput is how much of the end of a failed command's output is shown.
const keptOutput = 2000

// readLines calls back for each line, and returns the end of all that was read.
func readLines(from io.Reader, line func(string)) string {
	var kept bytes.Buffer
	reader := bufio.NewReader(from)
	for {
		text, err := reader.ReadString('\n')
		if text != "" {
			line(strings.TrimRight(text, "\n"))
			kept.WriteString(text)
			if extra := kept.Len() - keptOutput; extra > 0 {
				kept.Next(extra)
			}
		}
		if err != nil {
			return kept.String()
		}
	}
}
