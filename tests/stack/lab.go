package stack

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"sync"

	"github.com/redline-svc/redline/tests/proxy"
)

// Lab is a database and an engine namespace of its own behind two proxies.
type Lab struct {
	Stack  *Stack
	Engine *proxy.Engine
	Rows   *proxy.Database
	// Namespace is the engine's, DatabaseURL leads past the proxy.
	Namespace, DatabaseURL string

	name     string
	mu       sync.Mutex
	services []*Service
	env      map[string]string
}

// Lab makes the database and puts the proxies up. The name has to be one of a kind in the
// stack: lower-case letters, digits and underscores. The first worker makes the namespace
// where it is missing.
func (s *Stack) Lab(ctx context.Context, name, namespace string) (*Lab, error) {
	address, err := s.MigratedDatabase(ctx, name)
	if err != nil {
		return nil, err
	}
	own, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	lab := &Lab{Stack: s, Namespace: namespace, DatabaseURL: address, name: name}
	if lab.Engine, err = proxy.NewEngine(s.Env["REDLINE_TEMPORAL_ADDR"]); err != nil {
		return nil, err
	}
	if lab.Rows, err = proxy.NewDatabase(own.Host); err != nil {
		return nil, err
	}
	lab.env = map[string]string{
		"REDLINE_DATABASE_URL":       through(own, lab.Rows.Addr()),
		"REDLINE_TEMPORAL_ADDR":      lab.Engine.Addr(),
		"REDLINE_TEMPORAL_NAMESPACE": namespace,
	}
	return lab, nil
}

// through is the same database reached at another host and port.
func through(database *url.URL, address string) string {
	proxied := *database
	proxied.Host = address
	return proxied.String()
}

// Run runs a command of the program against the lab to its end and returns
// what it printed, for example Run(ctx, "admin", "engine", "resync").
func (l *Lab) Run(ctx context.Context, args ...string) (string, error) {
	return l.RunWith(ctx, nil, args...)
}

// RunWith is Run with further variables.
func (l *Lab) RunWith(ctx context.Context, overrides map[string]string, args ...string) (string, error) {
	env := maps.Clone(l.env)
	maps.Copy(env, overrides)
	return l.Stack.Run(ctx, env, args...)
}

// Start runs a process of the service in the lab and waits until it is ready.
// overrides are further variables.
func (l *Lab) Start(ctx context.Context, role string, overrides map[string]string) (*Service, error) {
	env := maps.Clone(l.env)
	maps.Copy(env, overrides)
	l.mu.Lock()
	name := fmt.Sprintf("%s-%s-%d", l.name, role, len(l.services))
	l.mu.Unlock()
	service, err := l.Stack.Service(ctx, name, role, env)
	if service != nil {
		l.mu.Lock()
		l.services = append(l.services, service)
		l.mu.Unlock()
	}
	return service, err
}

// Services are the processes started so far, dead ones too.
func (l *Lab) Services() []*Service {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]*Service(nil), l.services...)
}

// Close kills what still runs and takes the proxies down.
func (l *Lab) Close() error {
	for _, service := range l.Services() {
		if service.Running() {
			service.Kill()
		}
	}
	l.Rows.Close()
	return l.Engine.Close()
}

// RemoveRows drops the database; the lab must be closed.
func (l *Lab) RemoveRows(ctx context.Context) error { return l.Stack.DropDatabase(ctx, l.name) }
