package kit

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
	"github.com/redline-svc/redline/tests/kit/stack"
)

// The methods of Temporal's interface whose calls tests hold.
const (
	// TemporalStart starts a run.
	TemporalStart = "StartWorkflowExecution"
	// TemporalSignal signals a run, which it starts where none is open.
	TemporalSignal = "SignalWithStartWorkflowExecution"
	// TemporalReport reports that an activity has completed.
	TemporalReport = "RespondActivityTaskCompleted"
)

// WithModel has texts compared by what they mean. What runs on isolated stacks and variants
// compares them by their words otherwise: two thirds of what a start takes is to load the
// sentence model.
const WithModel = "REDLINE_EMBEDDER=local"

// withoutModel are the settings of all that runs on isolated stacks and variants, before its own.
var withoutModel = map[string]string{"REDLINE_EMBEDDER": "lexical"}

// IsolatedStack is a test's own database and Temporal namespace on servers that it may share,
// with processes of its own.
type IsolatedStack struct {
	*stack.Isolated
	T       *testing.T
	Trusted *receiver.Authority
	// WorkspaceID is the test's where others use the processes as well: what is asked
	// about all rows and runs is asked about its own. Empty where all are the test's.
	WorkspaceID string
}

// NewIsolatedStack makes an isolated stack on the shared one. Its namespace may have been
// another test's before, whose runs are closed.
func NewIsolatedStack(t *testing.T) *IsolatedStack {
	t.Helper()
	t.Parallel()
	TakeSlot(t, IsolatedSlots)
	namespace, err := namespaces.Claim(t.Context(), Unique("isolated"))
	require.NoError(t, err)
	// Where the test failed, somebody wants to see what is open. The context of a test has
	// ended when its cleanup begins.
	t.Cleanup(func() {
		end := namespace.Return
		if t.Failed() {
			end = namespace.Discard
		}
		require.NoError(t, end(context.WithoutCancel(t.Context())))
	})
	return isolate(t, Shared, namespace.Name)
}

// NewIsolatedStackWithNewNamespace is NewIsolatedStack for a test that changes the namespace
// itself.
func NewIsolatedStackWithNewNamespace(t *testing.T) *IsolatedStack {
	t.Helper()
	t.Parallel()
	TakeSlot(t, IsolatedSlots)
	return NewIsolatedStackOn(t, Shared)
}

// NewIsolatedStackOn makes an isolated stack on any stack, with a namespace that nobody had before.
func NewIsolatedStackOn(t *testing.T, parts *stack.Stack) *IsolatedStack {
	t.Helper()
	return isolate(t, parts, Unique("isolated"))
}

// isolate makes an isolated stack with the namespace; its rows stay where the test failed.
func isolate(t *testing.T, parts *stack.Stack, namespace string) *IsolatedStack {
	t.Helper()
	made, err := parts.Isolate(t.Context(), strings.ReplaceAll(Unique("isolated"), "-", "_"), namespace)
	require.NoError(t, err)
	made.Set(withoutModel)
	t.Cleanup(func() {
		require.NoError(t, made.Close())
		if !t.Failed() && os.Getenv("REDLINE_TEST_KEEP") != "1" {
			require.NoError(t, made.RemoveRows(context.WithoutCancel(t.Context())))
		}
	})
	trusted, err := receiver.ReadAuthority(parts.Folder)
	require.NoError(t, err)
	return &IsolatedStack{Isolated: made, T: t, Trusted: trusted}
}

// With sets variables of all that is run on the isolated stack from now on, commands too;
// settings are NAME=value.
func (isolated *IsolatedStack) With(settings ...string) { isolated.Set(variables(settings)) }

// StartProcess runs a process of the service in a role and waits until it is ready; settings
// are NAME=value.
func (isolated *IsolatedStack) StartProcess(role string, settings ...string) *stack.Service {
	isolated.T.Helper()
	service, err := isolated.Start(isolated.T.Context(), role, variables(settings))
	require.NoError(isolated.T, err)
	return service
}

// Restart starts a process again that was killed, and waits until it is ready.
func (isolated *IsolatedStack) Restart(service *stack.Service) {
	isolated.T.Helper()
	require.NoError(isolated.T, service.Start(isolated.T.Context()))
}

// NewWorkspace makes a workspace at a process of the isolated stack.
func (isolated *IsolatedStack) NewWorkspace(service *stack.Service) *Env {
	isolated.T.Helper()
	env := NewWorkspaceAt(isolated.T, service.URL)
	env.Database, env.Trusted = isolated.DatabaseURL, isolated.Trusted
	return env
}

// Naming returns a condition that fits requests in which the text stands.
func Naming(text string) func([]byte) bool {
	return func(request []byte) bool { return bytes.Contains(request, []byte(text)) }
}

// UntilAnswered repeats a call until it is answered, as a customer does when the
// service is away for a moment. Only what IsTransient accepts is repeated.
func UntilAnswered[T any](t *testing.T, call func() (T, error)) (T, error) {
	t.Helper()
	deadline := time.Now().Add(Patience)
	for {
		result, err := call()
		if err == nil || !IsTransient(err) || time.Now().After(deadline) {
			return result, err
		}
		Pause(t.Context(), FollowPause)
	}
}

// IsTransient reports whether an error may pass with time: a refusal for now, or no answer.
func IsTransient(err error) bool {
	if failure := redline.AsError(err); failure != nil {
		return failure.Status == "UNAVAILABLE" || failure.Status == "DEADLINE_EXCEEDED"
	}
	return !errors.Is(err, context.Canceled)
}

// Ledger is what a test was promised: every acknowledged execution, followed
// by a poller of its events, with a receiver that has to be told everything.
type Ledger struct {
	S    *Env
	Path string

	Mu        sync.Mutex
	Followers []*Follower
	Ends      map[string]string
}

// Add writes an execution down that has to complete, and follows it.
func (l *Ledger) Add(r *Run) *Run { return l.Expect(r, "completed") }

// Expect is Add for another end.
func (l *Ledger) Expect(r *Run, end string) *Run {
	f := r.Follow()
	l.Mu.Lock()
	defer l.Mu.Unlock()
	l.Followers = append(l.Followers, f)
	if l.Ends == nil {
		l.Ends = map[string]string{}
	}
	l.Ends[r.ID] = end
	return r
}

// Runs returns the executions that the ledger follows.
func (l *Ledger) Runs() []*Run {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	found := make([]*Run, len(l.Followers))
	for i, f := range l.Followers {
		found[i] = f.R
	}
	return found
}

// Check waits for the end of all and proves the promises: each execution ended
// once, its poller saw each event once, each event was delivered with one body,
// nothing is left open.
func (l *Ledger) Check() {
	t := l.S.T
	t.Helper()
	events := map[string]redline.Event{}
	for _, f := range l.Followers {
		f.R.Ends(l.Ends[f.R.ID])
		seen := f.Settle()
		require.Len(t, OfType(seen, "execution.completed", "execution.failed", "execution.cancelled"), 1, f.R.ID)
		for _, event := range seen {
			events[event.EventID] = event
		}
	}
	l.checkDeliveries(events)
	for _, open := range []string{"pending", "running"} {
		require.Empty(t, EveryPage[redline.Execution](l.S, client.ListExecutions, map[string]any{"status": open}), "nothing is stuck")
	}
}

// checkDeliveries waits until every event has arrived and compares the bodies.
func (l *Ledger) checkDeliveries(events map[string]redline.Event) {
	t := l.S.T
	t.Helper()
	got := l.S.Arrived(l.Path, func(requests []receiver.Request) bool {
		reported := map[string]bool{}
		for _, request := range requests {
			reported[request.Header.Get("x-svc-event-id")] = true
		}
		return len(reported) >= len(events)
	})
	bodies := map[string][]byte{}
	for _, request := range got {
		id := request.Header.Get("x-svc-event-id")
		require.NoError(t, receiver.Verify(request, Secret))
		require.Contains(t, events, id, "nothing is told that no poller can read")
		if first, again := bodies[id]; again {
			require.Equal(t, string(first), string(request.Body), "the same bytes in every attempt")
		}
		bodies[id] = request.Body
	}
}

// Delivered waits until every delivery of the execution is recorded as delivered, and returns
// them.
func (r *Run) Delivered() []redline.Delivery {
	r.S.T.Helper()
	var all []redline.Delivery
	RequireEventually(r.S.T, "all deliveries of "+r.ID+" are recorded", func() bool {
		var err error
		if all, err = r.AskDeliveries(); err != nil || len(all) == 0 {
			return false
		}
		for _, delivery := range all {
			if delivery.Status != "delivered" {
				return false
			}
		}
		return true
	})
	return all
}

// AskDeliveries is Deliveries for polls: a process that is away is an error that does not fail
// the test.
func (r *Run) AskDeliveries() ([]redline.Delivery, error) {
	page, err := client.Call[redline.DeliveryPage](r.S.Ctx, r.S.Keyed, client.GetDeliveries,
		map[string]any{"executionId": r.ID, "pageSize": 500})
	return page.Items, err
}
