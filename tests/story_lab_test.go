package tests

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

	"github.com/redline-svc/redline/tests/client"
	"github.com/redline-svc/redline/tests/receiver"
	"github.com/redline-svc/redline/tests/stack"
)

// The calls of the engine's interface that stories stop.
const (
	engineStart  = "StartWorkflowExecution"
	enginePoke   = "SignalWithStartWorkflowExecution"
	engineReport = "RespondActivityTaskCompleted"
)

// lab is a story's own database and engine namespace.
type lab struct {
	*stack.Lab
	t       *testing.T
	trusted *receiver.Authority
	// workspaceID is the story's where others use the processes as well: what is asked
	// about all rows and runs is asked about its own. Empty where all are the story's.
	workspaceID string
}

// newLab makes one on the shared stack. Its namespace may have been another story's before,
// whose runs are closed.
func newLab(t *testing.T) *lab {
	t.Helper()
	t.Parallel()
	settleIn(t, labs)
	namespace, err := namespaces.Claim(t.Context(), unique("lab"))
	require.NoError(t, err)
	// Where the story failed, somebody wants to see what is open. The context of a story has
	// ended when its cleanup begins.
	t.Cleanup(func() {
		giveBack := namespace.Return
		if t.Failed() {
			giveBack = namespace.Discard
		}
		require.NoError(t, giveBack(context.WithoutCancel(t.Context())))
	})
	return labIn(t, shared, namespace.Name)
}

// newLabOfItsOwn is newLab for a story that changes the namespace itself.
func newLabOfItsOwn(t *testing.T) *lab {
	t.Helper()
	t.Parallel()
	settleIn(t, labs)
	return labOn(t, shared)
}

// labOn makes one on any stack, with a namespace that nobody had before.
func labOn(t *testing.T, parts *stack.Stack) *lab {
	t.Helper()
	return labIn(t, parts, unique("lab"))
}

func labIn(t *testing.T, parts *stack.Stack, namespace string) *lab {
	t.Helper()
	made, err := parts.Lab(t.Context(), strings.ReplaceAll(unique("lab"), "-", "_"), namespace)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, made.Close())
		if !t.Failed() && os.Getenv("REDLINE_TEST_KEEP") != "1" {
			require.NoError(t, made.RemoveRows(context.WithoutCancel(t.Context())))
		}
	})
	trusted, err := receiver.ReadAuthority(parts.Folder)
	require.NoError(t, err)
	return &lab{Lab: made, t: t, trusted: trusted}
}

// start runs a process of the service; settings are NAME=value.
func (l *lab) start(role string, settings ...string) *stack.Service {
	l.t.Helper()
	service, err := l.Start(l.t.Context(), role, variables(settings))
	require.NoError(l.t, err)
	return service
}

// again starts a process that was killed.
func (l *lab) again(service *stack.Service) {
	l.t.Helper()
	require.NoError(l.t, service.Start(l.t.Context()))
}

// begin makes a workspace at the process.
func (l *lab) begin(service *stack.Service) *scene {
	l.t.Helper()
	s := enter(l.t, service.URL)
	s.database, s.trusted = l.DatabaseURL, l.trusted
	return s
}

// naming fits requests in which the text stands.
func naming(text string) func([]byte) bool {
	return func(request []byte) bool { return bytes.Contains(request, []byte(text)) }
}

// persist repeats a call until it is answered, as a customer does when the
// service is away for a moment. Only an answer that says "not now" is repeated.
func persist[T any](t *testing.T, call func() (T, error)) (T, error) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		result, err := call()
		if err == nil || !passing(err) || time.Now().After(deadline) {
			return result, err
		}
		pause(t.Context(), followPause)
	}
}

// passing tells errors that time lifts from real refusals.
func passing(err error) bool {
	if failure := client.Refusal(err); failure != nil {
		return failure.Status == "UNAVAILABLE" || failure.Status == "DEADLINE_EXCEEDED"
	}
	return !errors.Is(err, context.Canceled)
}

// ledger is what a story was promised: every acknowledged execution, followed
// by a poller of its events, with a receiver that has to be told everything.
type ledger struct {
	s    *scene
	path string

	mu        sync.Mutex
	followers []*follower
	ends      map[string]string
}

// add writes an execution down that has to complete, and follows it.
func (l *ledger) add(r *run) *run { return l.expect(r, "completed") }

// expect is add for another end.
func (l *ledger) expect(r *run, end string) *run {
	f := r.follow()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.followers = append(l.followers, f)
	if l.ends == nil {
		l.ends = map[string]string{}
	}
	l.ends[r.id] = end
	return r
}

// runs are the executions that it follows.
func (l *ledger) runs() []*run {
	l.mu.Lock()
	defer l.mu.Unlock()
	found := make([]*run, len(l.followers))
	for i, f := range l.followers {
		found[i] = f.r
	}
	return found
}

// check waits for the end of all and proves the promises: each execution ended
// once, its poller saw each event once, each event was delivered with one body,
// nothing is left open.
func (l *ledger) check() {
	t := l.s.t
	t.Helper()
	events := map[string]client.Event{}
	for _, f := range l.followers {
		f.r.ends(l.ends[f.r.id])
		seen := f.settle()
		require.Len(t, ofType(seen, "execution.completed", "execution.failed", "execution.cancelled"), 1, f.r.id)
		for _, event := range seen {
			events[event.EventID] = event
		}
	}
	l.checkDeliveries(events)
	for _, open := range []string{"pending", "running"} {
		require.Empty(t, everyPage[client.Execution](l.s, listExecutions, map[string]any{"status": open}), "nothing is stuck")
	}
}

// checkDeliveries waits until every event has arrived and compares the bodies.
func (l *ledger) checkDeliveries(events map[string]client.Event) {
	t := l.s.t
	t.Helper()
	got := l.s.arrived(l.path, func(requests []receiver.Request) bool {
		reported := map[string]bool{}
		for _, request := range requests {
			reported[request.Header.Get("x-svc-event-id")] = true
		}
		return len(reported) >= len(events)
	})
	bodies := map[string][]byte{}
	for _, request := range got {
		id := request.Header.Get("x-svc-event-id")
		require.NoError(t, receiver.Verify(request, secret))
		require.Contains(t, events, id, "nothing is told that no poller can read")
		if first, again := bodies[id]; again {
			require.Equal(t, string(first), string(request.Body), "the same bytes in every attempt")
		}
		bodies[id] = request.Body
	}
}

// delivered waits until every delivery of the execution is recorded as such.
func (r *run) delivered() []client.Delivery {
	r.s.t.Helper()
	var all []client.Delivery
	eventually(r.s.t, "all deliveries of "+r.id+" are recorded", func() bool {
		var err error
		if all, err = r.askDeliveries(); err != nil || len(all) == 0 {
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

// askDeliveries is deliveries for polls: a process that is away is no failure.
func (r *run) askDeliveries() ([]client.Delivery, error) {
	page, err := client.Call[client.Page[client.Delivery]](r.s.ctx, r.s.keyed, "workflow/executions/getDeliveries",
		map[string]any{"executionId": r.id, "pageSize": 500})
	return page.Items, err
}
