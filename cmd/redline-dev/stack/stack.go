package stack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/redline-svc/redline/cmd/redline-dev/console"
	"github.com/redline-svc/redline/cmd/redline-dev/pglocal"
	"github.com/redline-svc/redline/cmd/redline-dev/receiver"
)

// stack is everything that one run holds.
type stack struct {
	options Options
	console *console.Console
	folder  folder
	cache   string
	ports   *ports
	keys    keys
	// outside is what the caller's environment says of the service; it wins.
	outside  environment
	settings environment
	// embedder is how the sentence model is run here.
	embedder  environment
	addresses environment
	authority *receiver.Authority
	postgres  *pglocal.Server
	// parts in the order in which they are started; stopped in reverse.
	partsMu sync.Mutex
	parts   []*part
	broken  chan error
}

// errUnknownCommand answers a command that a part does not know.
var errUnknownCommand = errors.New("commands are stop, kill, start, restart, and empty for temporal")

// Run starts the stack, waits until the context ends or a part breaks, and stops it.
func Run(ctx context.Context, options Options, out *console.Console) error {
	begun := time.Now()
	s := &stack{
		options: options, console: out, folder: folder(options.Data),
		outside: fromOutside(), broken: make(chan error, 16),
	}
	var err error
	if s.cache, err = cacheDir(); err != nil {
		return err
	}
	if options.FetchOnly {
		return s.obtain(ctx)
	}
	if _, err := os.Stat(options.Service); err != nil {
		return fmt.Errorf("the service's program has to lie beside this one (make build puts both into bin): %w", err)
	}
	lock, err := s.folder.claim()
	if err != nil {
		return err
	}
	defer lock.Release()
	if err := s.prepare(ctx); err != nil {
		return unlessInterrupted(ctx, err)
	}
	defer s.ports.lock.Release()
	if err := s.obtain(ctx); err != nil {
		return unlessInterrupted(ctx, err)
	}
	err = s.up(ctx)
	if err == nil {
		s.announce(time.Since(begun))
		err = s.wait(ctx)
	}
	return errors.Join(unlessInterrupted(ctx, err), s.down())
}

// unlessInterrupted drops what went wrong only because somebody pressed Ctrl-C.
func unlessInterrupted(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	return nil
}

// prepare makes the data folder ready: leftovers ended, ports chosen, keys
// there. A start that is refused has wiped nothing.
func (s *stack) prepare(ctx context.Context) error {
	ended, err := s.folder.reap()
	if err != nil {
		return err
	}
	if ended > 0 {
		s.console.Sayf("%s", leftovers(ended))
	}
	if err := s.checkOutside(ctx); err != nil {
		return err
	}
	if s.options.Reset {
		if err := s.folder.wipe(); err != nil {
			return err
		}
	}
	if err := s.folder.make(); err != nil {
		return err
	}
	if s.ports, err = choosePorts(s.folder, s.options.FreePorts); err != nil {
		return err
	}
	if s.keys, err = openKeys(s.folder.path("keys.json")); err != nil {
		return err
	}
	s.authority, err = receiver.OpenAuthority(string(s.folder))
	return err
}

// leftovers returns how many processes of an earlier run were ended.
func leftovers(ended int) string {
	if ended == 1 {
		return "Ended one process that an earlier run left behind."
	}
	return fmt.Sprintf("Ended %d processes that an earlier run left behind.", ended)
}

// cacheDir is the folder of the built servers, made if need be.
func cacheDir() (string, error) {
	dir, err := pglocal.DefaultCacheDir()
	if err != nil {
		return "", err
	}
	return dir, os.MkdirAll(dir, 0o755)
}

// up starts everything: the servers side by side, then the service on them.
func (s *stack) up(ctx context.Context) error {
	step := s.console.Begin("Starting the servers")
	group, ctxServers := errgroup.WithContext(ctx)
	group.Go(func() error { return s.startDatabaseAndTemporal(ctxServers) })
	group.Go(func() error { return s.startWeaviate(ctxServers) })
	group.Go(func() error { return s.listen(ctx) })
	err := group.Wait()
	step.End(err)
	if err != nil {
		return err
	}
	if err := errors.Join(s.settings.write(s.folder.stackEnv()), s.addresses.write(s.folder.addressesEnv())); err != nil {
		return err
	}
	if err := s.startServices(ctx); err != nil {
		return err
	}
	return s.finish(ctx)
}

// wait returns when the context ends or a part breaks.
func (s *stack) wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case err := <-s.broken:
		return err
	}
}

// down stops the parts, the newest first.
func (s *stack) down() error {
	_ = os.Remove(s.folder.ready())
	step := s.console.Begin("Stopping")
	var err error
	for _, p := range slices.Backward(s.allParts()) {
		err = errors.Join(err, p.stop(p.signal))
	}
	step.End(err)
	return err
}

// announce prints where everything is.
func (s *stack) announce(took time.Duration) {
	s.console.Sayf("")
	s.console.Sayf("Ready in %s.", took.Round(100*time.Millisecond))
	show := func(title, value string) {
		if value != "" {
			s.console.Sayf("  %-16s %s", title, value)
		}
	}
	if len(s.options.Services) > 0 {
		show("Interface", s.addresses["REDLINE_URL"])
		show("Console", s.addresses["REDLINE_CONSOLE_URL"]+"/")
		show("API reference", s.addresses["REDLINE_OPS_URL"]+"/")
		show("Operations", s.addresses["REDLINE_OPS_URL"]+"/readyz")
	}
	show("Temporal UI", s.addresses["REDLINE_TEMPORAL_UI_URL"])
	show("Received", s.inboxPage())
	show("Addresses", relative(s.folder.demoEnv())+" (source it)")
	show("Logs", relative(s.folder.path("logs")))
	s.console.Sayf("Ctrl-C stops everything; the data stays.")
}

func (s *stack) inboxPage() string { return fmt.Sprintf("http://%s/", local(s.ports.inbox())) }

// relative is the path as seen from the working folder, where that is shorter.
func relative(path string) string {
	here, err := os.Getwd()
	if err != nil {
		return path
	}
	short, err := filepath.Rel(here, path)
	if err != nil || len(short) > len(path) {
		return path
	}
	return short
}
