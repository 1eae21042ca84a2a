package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/cmd/redline-dev/child"
	"github.com/redline-svc/redline/cmd/redline-dev/pglocal"
	"github.com/redline-svc/redline/internal/filelock"
)

const (
	// look is how often a keeper counts the members.
	look = 500 * time.Millisecond
	// idleLimit is how long a server waits for the next binary of a run that goes
	// on: the packages between two that use it are compiled and tested meanwhile.
	idleLimit = time.Minute
	// connectionsPerCore is enough for one binary, and go test runs as many side by
	// side as there are cores; mostConnections bounds the memory set aside for them.
	connectionsPerCore = 300
	mostConnections    = 3000
)

// keeper starts and stops the server of a run.
type keeper struct {
	run    run
	idle   time.Duration
	server *pglocal.Server
	conn   *pgx.Conn
}

// keeperMain is all that a keeper's process does; it returns the exit code.
func keeperMain(parent string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	number, err := strconv.Atoi(parent)
	if err != nil {
		fmt.Fprintln(os.Stderr, keeperOf+":", err)
		return 2
	}
	r, err := runOf(number)
	if err == nil {
		err = (&keeper{run: r, idle: idleLimit}).keep(ctx)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// keep has the server run for as long as it is needed. If the run has a keeper
// already it does nothing.
func (k *keeper) keep(ctx context.Context) error {
	alive, err := k.begin(ctx)
	if errors.Is(err, filelock.ErrHeld) {
		return nil
	}
	if err != nil {
		return err
	}
	defer alive.Release()
	for {
		ended, err := k.end(ctx, k.awaitUnused(ctx))
		if ended {
			return err
		}
	}
}

// begin starts the server and returns the lock that says that the run has a
// keeper. Error: filelock.ErrHeld, if it has one already.
func (k *keeper) begin(ctx context.Context) (*filelock.Lock, error) {
	lock, err := filelock.Acquire(ctx, k.run.lock(), nil)
	if err != nil {
		return nil, err
	}
	defer lock.Release()
	if err := k.removeLeftovers(); err != nil {
		return nil, err
	}
	alive, err := filelock.Try(keeperLock(k.run.folder()))
	if err != nil {
		return nil, err
	}
	if err := k.start(ctx); err != nil {
		alive.Release()
		return nil, errors.Join(err, k.stop())
	}
	return alive, nil
}

// keeperLock is held as long as the keeper of that folder lives.
func keeperLock(folder string) string { return filepath.Join(folder, "keeper.lock") }

// removeLeftovers removes what keepers left that were killed, of whichever run.
func (k *keeper) removeLeftovers() error {
	entries, err := os.ReadDir(k.run.all)
	for _, entry := range entries {
		folder := filepath.Join(k.run.all, entry.Name())
		if !entry.IsDir() {
			continue
		}
		alive, lockErr := filelock.Try(keeperLock(folder))
		if errors.Is(lockErr, filelock.ErrHeld) {
			continue
		}
		err = errors.Join(err, lockErr, discard(folder))
		if lockErr == nil {
			alive.Release()
		}
	}
	return err
}

// discard ends a server that still runs in the folder and removes the folder.
func discard(folder string) error {
	return errors.Join(pglocal.Remove(serverFolder(folder)), os.RemoveAll(folder))
}

func serverFolder(folder string) string { return filepath.Join(folder, "postgres") }

// start starts the server and makes its address known.
func (k *keeper) start(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	var err error
	k.server, err = pglocal.Start(ctx, pglocal.Options{
		Dir: serverFolder(k.run.folder()), Temporary: true,
		MaxConnections: min(connectionsPerCore*runtime.NumCPU(), mostConnections),
	})
	if err != nil {
		return err
	}
	address := k.server.URL("postgres")
	if k.conn, err = connect(ctx, address, "pgtest keeper"); err != nil {
		return err
	}
	return os.WriteFile(k.run.addressFile(), []byte(address), 0o600)
}

// awaitUnused returns once nobody uses the server and nobody is going to.
func (k *keeper) awaitUnused(ctx context.Context) error {
	for used := time.Now(); ; {
		members, err := k.members(ctx)
		if err != nil {
			return err
		}
		if members > 0 {
			used = time.Now()
		} else if time.Since(used) > k.idle || !child.Alive(k.run.parent) {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(look):
		}
	}
}

// members counts the test binaries that use the server.
func (k *keeper) members(ctx context.Context) (int, error) {
	var members int
	err := k.conn.QueryRow(ctx, `SELECT count(*) FROM pg_stat_activity WHERE application_name = $1`, memberName).Scan(&members)
	return members, err
}

// end stops the server, unless somebody has joined in the last moment. A cause
// is why it has to end in any case.
func (k *keeper) end(ctx context.Context, cause error) (bool, error) {
	lock, err := filelock.Acquire(context.WithoutCancel(ctx), k.run.lock(), nil)
	if err == nil {
		defer lock.Release()
	}
	if cause == nil {
		members, err := k.members(ctx)
		if err == nil && members > 0 {
			return false, nil
		}
	}
	return true, errors.Join(cause, err, k.stop())
}

// stop ends the server and removes what is of the run.
func (k *keeper) stop() error {
	var err error
	if k.server != nil {
		err = k.server.Stop()
	}
	return errors.Join(err, discard(k.run.folder()))
}
