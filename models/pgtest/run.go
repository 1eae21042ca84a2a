package pgtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/cmd/redline-dev/pglocal"
	"github.com/redline-svc/redline/internal/filelock"
)

const (
	// keeperOf is the variable that makes a test binary the keeper of the run it names.
	keeperOf = "REDLINE_PGTEST_KEEPER_OF"
	// memberName is the application name of the connections that the keeper counts.
	memberName = "pgtest member"
	// retry is how often a binary looks whether the server has been started.
	retry = 50 * time.Millisecond
)

// parent is what started this binary. It is read at once: a process whose
// parent has ended is given another.
var parent = os.Getppid()

// run is the test binaries that one process starts, and their server.
type run struct {
	parent int
	// all is the folder of all runs of this user.
	all string
}

func runOf(parent int) (run, error) {
	cache, err := pglocal.DefaultCacheDir()
	return run{parent: parent, all: filepath.Join(cache, "pgtest")}, err
}

// lock is held while servers are started, found or stopped, whichever the run.
func (r run) lock() string { return filepath.Join(r.all, "lock") }

// folder holds what is of this run; its keeper alone makes and removes it.
func (r run) folder() string { return filepath.Join(r.all, strconv.Itoa(r.parent)) }

func (r run) addressFile() string { return filepath.Join(r.folder(), "address") }

// join connects to the run's server, and starts its keeper first if need be.
func (r run) join(ctx context.Context) (*member, error) {
	for {
		found, err := r.find(ctx)
		if errors.Is(err, errNoServer) {
			found, err = r.startKeeper(ctx)
		}
		if !errors.Is(err, errNoServer) {
			return found, err
		}
	}
}

// errNoServer says that no server of the run is there yet, or none any more.
var errNoServer = errors.New("the run has no server")

// find connects to the server. Error: errNoServer.
func (r run) find(ctx context.Context) (*member, error) {
	lock, err := filelock.Acquire(ctx, r.lock(), nil)
	if err != nil {
		return nil, err
	}
	defer lock.Release()
	text, err := os.ReadFile(r.addressFile())
	if errors.Is(err, os.ErrNotExist) {
		return nil, errNoServer
	}
	if err != nil {
		return nil, err
	}
	address, err := url.Parse(string(text))
	if err != nil {
		return nil, err
	}
	conn, err := connect(ctx, address.String(), memberName)
	if errors.Is(err, syscall.ECONNREFUSED) || err != nil && !r.kept() {
		return nil, errNoServer // it was killed, or is about to end because its keeper was
	}
	if err != nil {
		return nil, err
	}
	return newMember(conn, *address), nil
}

// kept reports whether the run has a keeper that lives. The lock of all runs is held.
func (r run) kept() bool {
	alive, err := filelock.Try(keeperLock(r.folder()))
	if err == nil {
		alive.Release()
	}
	return errors.Is(err, filelock.ErrHeld)
}

// startKeeper starts a keeper and waits until the server is there. Error:
// errNoServer, if the keeper ended because another one was faster.
func (r run) startKeeper(ctx context.Context) (*member, error) {
	complaint, err := namelessFile()
	if err != nil {
		return nil, err
	}
	defer func() { _ = complaint.Close() }()
	ended, err := r.spawn(complaint)
	if err != nil {
		return nil, err
	}
	for {
		select {
		case err := <-ended:
			if err == nil {
				return nil, errNoServer
			}
			text, _ := io.ReadAll(io.NewSectionReader(complaint, 0, 1<<20))
			return nil, fmt.Errorf("the keeper of the test database: %w\n%s", err, bytes.TrimSpace(text))
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(retry):
		}
		if found, err := r.find(ctx); !errors.Is(err, errNoServer) {
			return found, err
		}
	}
}

// spawn starts this program as the keeper. It shares no output with it: whoever
// reads the output of the tests would wait for the keeper's end.
func (r run) spawn(complaint *os.File) (<-chan error, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	keeper := exec.Command(program) //nolint:gosec // it is this program
	keeper.Env = append(os.Environ(), keeperOf+"="+strconv.Itoa(r.parent))
	keeper.Dir = "/"
	keeper.Stderr = complaint
	keeper.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := keeper.Start(); err != nil {
		return nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- keeper.Wait() }()
	return ended, nil
}

// namelessFile is a file that goes with the last process that has it open.
func namelessFile() (*os.File, error) {
	file, err := os.CreateTemp("", "pgtest-")
	if err != nil {
		return nil, err
	}
	return file, os.Remove(file.Name())
}

// connect opens a connection of the given application name.
func connect(ctx context.Context, address, name string) (*pgx.Conn, error) {
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return nil, err
	}
	config.RuntimeParams["application_name"] = name
	return pgx.ConnectConfig(ctx, config)
}
