package weaviatetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/redline-svc/redline/cmd/redline-dev/child"
	"github.com/redline-svc/redline/cmd/redline-dev/console"
	"github.com/redline-svc/redline/cmd/redline-dev/parts"
	"github.com/redline-svc/redline/cmd/redline-dev/weaviate"
)

const (
	// buildLimit covers the first build of the program.
	buildLimit = 20 * time.Minute
	startLimit = 2 * time.Minute
	stopGrace  = 5 * time.Second
)

var server struct {
	once              sync.Once
	process           *child.Process
	address, searches string
	dir               string
	err               error
}

// Addresses are host:port of the test run's Weaviate, and that of its searches;
// Stop ends it.
func Addresses(t testing.TB) (address, searches string) {
	t.Helper()
	server.once.Do(func() { server.err = start() })
	if server.err != nil {
		t.Fatalf("start Weaviate: %v", server.err)
	}
	return server.address, server.searches
}

// Stop ends the server after the last test.
func Stop() {
	if server.process != nil {
		_ = server.process.Stop(syscall.SIGTERM, stopGrace)
	}
	_ = os.RemoveAll(server.dir)
}

func start() error {
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	cache = filepath.Join(cache, "redline")
	building, cancel := context.WithTimeout(context.Background(), buildLimit)
	defer cancel()
	if err := (parts.Builder{CacheDir: cache, Console: console.New(os.Stderr)}).Ensure(building, parts.Weaviate); err != nil {
		return err
	}
	if server.dir, err = os.MkdirTemp("", "weaviatetest"); err != nil {
		return err
	}
	ports, err := freePorts()
	if err != nil {
		return err
	}
	server.process, err = child.Start(child.Spec{
		Path: parts.Weaviate.Path(cache), Args: weaviate.Args(ports), Dir: server.dir,
		Env: append(os.Environ(), weaviate.Environment(server.dir, ports)...), Log: filepath.Join(server.dir, "log"),
	})
	if err != nil {
		return err
	}
	starting, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	server.address, server.searches = fmt.Sprintf("127.0.0.1:%d", ports.HTTP), fmt.Sprintf("127.0.0.1:%d", ports.GRPC)
	return weaviate.AwaitReady(starting, ports.HTTP)
}

// freePorts finds free ports below the range from which systems give a port to
// whoever asks for any: they stay free until the server opens them.
func freePorts() (weaviate.Ports, error) {
	const first, last, tries = 10_000, 15_000, 200
	var err error
	for range tries {
		next := first + weaviate.PortCount*rand.IntN((last-first)/weaviate.PortCount) //nolint:gosec // nothing secret
		if err = allFree(next, weaviate.PortCount); err == nil {
			return weaviate.PortsFrom(next), nil
		}
	}
	return weaviate.Ports{}, err
}

func allFree(first, count int) error {
	for port := first; port < first+count; port++ {
		listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			return err
		}
		_ = listener.Close()
	}
	return nil
}
