package stack

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"sync"

	"github.com/redline-svc/redline/tests/kit/proxy"
)

// Isolated is a database and a Temporal namespace of its own behind two proxies, Rows and
// Temporal.
type Isolated struct {
	Stack    *Stack
	Temporal *proxy.Temporal
	Rows     *proxy.Database
	// Namespace is the name of Temporal's namespace, DatabaseURL leads past the proxy.
	Namespace, DatabaseURL string

	name     string
	mu       sync.Mutex
	services []*Service
	env      map[string]string
}

// Isolate makes the database of an Isolated and opens its proxies. The name has to be one of a kind in the
// stack: lower-case letters, digits and underscores. The first worker makes the
// namespace where it is missing.
func (s *Stack) Isolate(ctx context.Context, name, namespace string) (*Isolated, error) {
	address, err := s.MigratedDatabase(ctx, name)
	if err != nil {
		return nil, err
	}
	own, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	isolated := &Isolated{Stack: s, Namespace: namespace, DatabaseURL: address, name: name}
	if isolated.Temporal, err = proxy.NewTemporal(s.Env["REDLINE_TEMPORAL_ADDR"]); err != nil {
		return nil, err
	}
	if isolated.Rows, err = proxy.NewDatabase(own.Host); err != nil {
		return nil, err
	}
	isolated.env = map[string]string{
		"REDLINE_DATABASE_URL":       through(own, isolated.Rows.Addr()),
		"REDLINE_TEMPORAL_ADDR":      isolated.Temporal.Addr(),
		"REDLINE_TEMPORAL_NAMESPACE": namespace,
	}
	return isolated, nil
}

// Set sets further variables of all that is run from now on.
func (i *Isolated) Set(settings map[string]string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	maps.Copy(i.env, settings)
}

// through is the same database reached at another host and port.
func through(database *url.URL, address string) string {
	proxied := *database
	proxied.Host = address
	return proxied.String()
}

// Run runs a command of the program against the database and the namespace to its end and
// returns what it printed, for example Run(ctx, "admin", "temporal", "resync").
func (i *Isolated) Run(ctx context.Context, args ...string) (string, error) {
	return i.RunWith(ctx, nil, args...)
}

// RunWith is Run with further variables.
func (i *Isolated) RunWith(ctx context.Context, overrides map[string]string, args ...string) (string, error) {
	env := maps.Clone(i.env)
	maps.Copy(env, overrides)
	return i.Stack.Run(ctx, env, args...)
}

// Start runs a process of the service against the database and the namespace and waits until
// it is ready. overrides are further variables.
func (i *Isolated) Start(ctx context.Context, role string, overrides map[string]string) (*Service, error) {
	env := maps.Clone(i.env)
	maps.Copy(env, overrides)
	i.mu.Lock()
	name := fmt.Sprintf("%s-%s-%d", i.name, role, len(i.services))
	i.mu.Unlock()
	service, err := i.Stack.Service(ctx, name, role, env)
	if service != nil {
		i.mu.Lock()
		i.services = append(i.services, service)
		i.mu.Unlock()
	}
	return service, err
}

// Services returns the processes started so far, dead ones too.
func (i *Isolated) Services() []*Service {
	i.mu.Lock()
	defer i.mu.Unlock()
	return append([]*Service(nil), i.services...)
}

// Close kills the processes that still run and closes the proxies.
func (i *Isolated) Close() error {
	for _, service := range i.Services() {
		if service.Running() {
			service.Kill()
		}
	}
	i.Rows.Close()
	return i.Temporal.Close()
}

// RemoveRows drops the database; Close must have returned.
func (i *Isolated) RemoveRows(ctx context.Context) error { return i.Stack.DropDatabase(ctx, i.name) }

// CreateRows makes the database again, without a schema, after RemoveRows.
func (i *Isolated) CreateRows(ctx context.Context) error {
	_, err := i.Stack.CreateDatabase(ctx, i.name)
	return err
}
