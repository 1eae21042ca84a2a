package stack

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// serviceLimit is how long one process may take until it is ready; as a rule it
// is less than a second.
const serviceLimit = 60 * time.Second

// Service is one process of the service. Its addresses stay the same over restarts.
type Service struct {
	Role string
	// URL is the base address of the interface, Ops that of the operations listener, Console that of the
	// pages, which a process that serves alone has.
	URL, Ops, Console string
	// Log is the file with its output.
	Log string

	binary string
	env    map[string]string
	run    *process
}

// Service starts a process of the role ("serve", "api", "worker") with the
// stack's variables, changed by overrides, and waits until it is ready.
func (s *Stack) Service(ctx context.Context, name, role string, overrides map[string]string) (*Service, error) {
	service, err := s.prepare(name, role, overrides)
	if err != nil {
		return nil, err
	}
	return service, service.Start(ctx)
}

func (s *Stack) prepare(name, role string, overrides map[string]string) (*Service, error) {
	public, err := freeAddress()
	if err != nil {
		return nil, err
	}
	operations, err := freeAddress()
	if err != nil {
		return nil, err
	}
	pages, err := freeAddress()
	if err != nil {
		return nil, err
	}
	logs := filepath.Join(s.Folder, "services")
	if err := os.MkdirAll(logs, 0o755); err != nil {
		return nil, err
	}
	env := maps.Clone(s.Env)
	env["REDLINE_HTTP_ADDR"], env["REDLINE_OPS_ADDR"], env["REDLINE_CONSOLE_ADDR"] = public, operations, ""
	env["REDLINE_PUBLIC_BASE_URL"] = "http://" + public
	if role == "serve" {
		env["REDLINE_CONSOLE_ADDR"] = pages
	}
	env["REDLINE_SHUTDOWN_DELAY"] = "0s"
	maps.Copy(env, overrides)
	return &Service{
		Role: role, URL: "http://" + public, Ops: "http://" + operations, Console: "http://" + pages,
		Log: filepath.Join(logs, name+".log"), binary: s.Binary, env: env,
	}, nil
}

// Start runs the process again after Kill or Stop and waits until it is ready.
func (s *Service) Start(ctx context.Context) error {
	if err := s.Launch(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, serviceLimit)
	defer cancel()
	err := until(ctx, s.run, func() error { return probe(ctx, s.Ops+"/readyz") })
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", s.Role, err, tail(s.Log))
	}
	return nil
}

// Launch runs the process and does not wait until it is ready.
func (s *Service) Launch() error {
	cmd := exec.Command(s.binary, s.Role)
	cmd.Env = environment(s.env)
	run, err := launch(cmd, s.Log)
	if err == nil {
		s.run = run
	}
	return err
}

// Kill ends the process with SIGKILL and returns when it is gone.
func (s *Service) Kill() { s.run.kill() }

// Stop ends the process with SIGTERM and returns when it is gone; an error means that it had
// another exit code than 0 or had to be killed.
func (s *Service) Stop() error { return s.run.stop(stopGrace) }

// Running reports whether the process has not ended.
func (s *Service) Running() bool { return s.run != nil && s.run.running() }

// PID returns the process id.
func (s *Service) PID() int { return s.run.cmd.Process.Pid }

// ofTheMachine are variables of the service that say what programs the machine has.
var ofTheMachine = []string{"REDLINE_POSTGRES_TOOLS=", "REDLINE_ONNXRUNTIME_LIB="}

// plain is the environment of the test's own process without what whoever runs it has set for
// a service of theirs: its database would be that of the tests.
func plain() []string {
	return slices.DeleteFunc(os.Environ(), func(entry string) bool {
		kept := func(start string) bool { return strings.HasPrefix(entry, start) }
		return strings.HasPrefix(entry, "REDLINE_") && !slices.ContainsFunc(ofTheMachine, kept)
	})
}

// environment is plain with the given variables.
func environment(given map[string]string) []string {
	env := plain()
	for name, value := range given {
		if !strings.HasPrefix(name, "REDLINE_DEV_") {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// given are the addresses that were given out: each is one service's alone, also before
// that listens on it.
var given sync.Map

// Ports of services lie below those of stacks (redline-dev) and below the range from which
// systems take the ports of connections and of listeners that ask for any, so a service
// that starts late, or again, finds its own free.
const firstPort, lastPort = 10_000, 19_999

// freeAddress is a loopback address whose port nobody uses and nobody was given.
func freeAddress() (string, error) {
	for range lastPort - firstPort {
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(firstPort+rand.IntN(lastPort-firstPort+1)))
		if _, taken := given.LoadOrStore(address, true); taken {
			continue
		}
		if listener, err := net.Listen("tcp", address); err == nil {
			return address, listener.Close()
		}
	}
	return "", errors.New("no port is free for a service")
}
