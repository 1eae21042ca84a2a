package stack

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

const (
	// startLimit covers a first start, in which the parts are still unpacked;
	// they have been built before by make.
	startLimit = 5 * time.Minute
	// stopGrace is above the service's own limit for stopping.
	stopGrace = 90 * time.Second
	// look is how often a start is asked whether it is there.
	look = 20 * time.Millisecond
)

// Stack is a set of running parts: Postgres, Temporal, Weaviate and, if wanted, the service.
type Stack struct {
	// Folder is the data folder, Binary the service's program.
	Folder, Binary string
	// Env are the variables with which the service can be started against the parts.
	Env map[string]string

	process *process
	// migrated makes the template of databases, once.
	migrated func() (string, error)
}

// Start runs `redline-dev` and waits until everything is ready. services is
// what it shall run itself: "serve", "api,worker" or "none".
func Start(ctx context.Context, binary, folder, services string, variables ...string) (*Stack, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	cmd := exec.Command(Dev(binary), "--ports=free", "--data="+folder, "--services="+services)
	cmd.Env = append(plain(), variables...)
	running, err := launch(cmd, filepath.Join(folder, "dev.log"))
	if err != nil {
		return nil, err
	}
	s := newStack(binary, folder)
	s.process = running
	if err := s.await(ctx); err != nil {
		running.kill()
		return nil, fmt.Errorf("%w\n%s", err, tail(filepath.Join(folder, "dev.log")))
	}
	return s, nil
}

// Attach uses the stack that runs in the folder.
func Attach(binary, folder string) (*Stack, error) {
	s := newStack(binary, folder)
	return s, s.read()
}

func newStack(binary, folder string) *Stack {
	s := &Stack{Folder: folder, Binary: binary}
	s.migrated = sync.OnceValues(s.makeTemplate)
	return s
}

// Of returns the same running parts for another version of the service's program; databases
// are then made with the schema of that one.
func (s *Stack) Of(binary string) *Stack {
	other := newStack(binary, s.Folder)
	other.Env = s.Env
	return other
}

// URL returns the base address of the service that the stack runs itself.
func (s *Stack) URL() string { return s.Env["REDLINE_PUBLIC_BASE_URL"] }

// Ops returns the base address of that service's operations listener.
func (s *Stack) Ops() string { return "http://" + s.Env["REDLINE_OPS_ADDR"] }

// Stop ends the stack as Ctrl-C does; one that was attached goes on.
func (s *Stack) Stop() error {
	if s.process == nil {
		return nil
	}
	return s.process.stop(stopGrace)
}

// await returns when the start is done, which `redline-dev` shows by a file.
func (s *Stack) await(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	err := until(ctx, s.process, func() error {
		_, err := os.Stat(filepath.Join(s.Folder, "ready"))
		return err
	})
	if err != nil {
		return err
	}
	return s.read()
}

// until repeats ready until it has no error, the process ends or time is up.
func until(ctx context.Context, p *process, ready func() error) error {
	for {
		err := ready()
		if err == nil {
			return nil
		}
		select {
		case <-p.done:
			return fmt.Errorf("the process ended while it started: %w", errors.Join(err, p.err))
		case <-ctx.Done():
			return fmt.Errorf("not ready: %w", errors.Join(err, ctx.Err()))
		case <-time.After(look):
		}
	}
}

func (s *Stack) read() error {
	var err error
	if s.Env, err = variables(filepath.Join(s.Folder, "stack.env")); err != nil {
		return err
	}
	addresses, err := variables(filepath.Join(s.Folder, "addresses.env"))
	maps.Copy(s.Env, addresses)
	return err
}

// variables reads NAME=value lines; a value may stand in single or double quotes.
func variables(path string) (map[string]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	found := map[string]string{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		name, value, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(lines.Text()), "export "), "=")
		if ok && !strings.HasPrefix(name, "#") {
			found[name] = unquote(value)
		}
	}
	return found, nil
}

func unquote(value string) string {
	if len(value) >= 2 && (value[0] == '\'' || value[0] == '"') && value[len(value)-1] == value[0] {
		return value[1 : len(value)-1]
	}
	return value
}

// probe asks an address that answers 200 when its process is ready.
func probe(ctx context.Context, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %d", url, answer.StatusCode)
	}
	return nil
}

// tail is the end of a log, for the message of a start that failed.
func tail(path string) string {
	const most = 4000
	text, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	if len(text) > most {
		text = text[len(text)-most:]
	}
	return string(text)
}
