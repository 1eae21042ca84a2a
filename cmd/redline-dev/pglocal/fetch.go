package pglocal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	embeddedpostgres "github.com/fergusstrange/embedded-postgres"

	"github.com/redline-svc/redline/internal/filelock"
)

// Version is the Postgres that is fetched.
const Version = string(embeddedpostgres.V16)

// DefaultCacheDir is where binaries are kept for all checkouts of this user.
func DefaultCacheDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the cache folder (set HOME or XDG_CACHE_HOME): %w", err)
	}
	return filepath.Join(dir, "redline"), nil
}

// ToolsFolder is where `make postgres-tools` puts pg_dump and pg_restore, below the cache folder:
// what Fetch fetches comes without them.
const ToolsFolder = "postgres-tools-16.2/pgserver/pginstall/bin"

// Fetched reports whether the binaries are in the cache folder already.
func Fetched(cacheDir string) bool {
	return complete(filepath.Join(cacheDir, "postgres-"+Version))
}

// Fetch makes sure that the binaries are in the cache folder, and returns
// their folder. Two processes that ask at once fetch once.
func Fetch(ctx context.Context, cacheDir string) (string, error) {
	target := filepath.Join(cacheDir, "postgres-"+Version)
	lock, err := filelock.Acquire(ctx, target+".lock", nil)
	if err != nil {
		return "", err
	}
	defer lock.Release()
	if complete(target) {
		return target, nil
	}
	if err := removeLeftovers(cacheDir); err != nil {
		return "", err
	}
	work, err := os.MkdirTemp(cacheDir, fetching)
	if err != nil {
		return "", err
	}
	done := make(chan error, 1)
	go func() { done <- fetchInto(work) }()
	select {
	case err = <-done:
	case <-ctx.Done():
		return "", ctx.Err() // the library cannot be stopped; the next one does it
	}
	defer func() { _ = os.RemoveAll(work) }()
	if err != nil {
		return "", fmt.Errorf("fetch Postgres %s (is the network reachable?): %w", Version, err)
	}
	if err := os.RemoveAll(target); err != nil {
		return "", err
	}
	return target, os.Rename(filepath.Join(work, "binaries"), target)
}

// fetching begins the names of folders in which a fetch is under way.
const fetching = "postgres-fetch-"

// removeLeftovers removes what fetches left that were cut off. The lock is held.
func removeLeftovers(cacheDir string) error {
	left, err := filepath.Glob(filepath.Join(cacheDir, fetching+"*"))
	for _, dir := range left {
		err = errors.Join(err, os.RemoveAll(dir))
	}
	return err
}

// fetchInto has embedded-postgres fetch and unpack. The library offers that
// only as the first half of a start, so it is given a data folder that looks
// initialised and has no configuration: the server then ends at once, whoever
// we are, and only a fault before that point is one.
func fetchInto(work string) error {
	data := filepath.Join(work, "data")
	if err := os.MkdirAll(data, 0o700); err != nil {
		return err
	}
	major, _, _ := strings.Cut(Version, ".")
	if err := os.WriteFile(filepath.Join(data, "PG_VERSION"), []byte(major+"\n"), 0o600); err != nil {
		return err
	}
	port, err := FreePort()
	if err != nil {
		return err
	}
	binaries := filepath.Join(work, "binaries")
	config := embeddedpostgres.DefaultConfig().Version(embeddedpostgres.V16).Port(uint32(port)).
		CachePath(work).RuntimePath(filepath.Join(work, "run")).DataPath(data).BinariesPath(binaries).
		Logger(&bytes.Buffer{})
	err = embeddedpostgres.NewDatabase(config).Start()
	if complete(binaries) && err != nil && strings.Contains(err.Error(), "could not start postgres") {
		return nil
	}
	if err == nil {
		err = errors.New("a server started without configuration")
	}
	return err
}

// complete reports whether a folder has the programs needed.
func complete(dir string) bool {
	for _, name := range []string{"initdb", "postgres", "pg_ctl"} {
		if _, err := os.Stat(filepath.Join(dir, "bin", name)); err != nil {
			return false
		}
	}
	return true
}
