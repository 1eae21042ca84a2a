package tests

import (
	"fmt"
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
	"github.com/redline-svc/redline/tests/stack"
)

// postgresKilled lets all processes of Postgres die at one moment, in the middle of
// dispatches, calls and deliveries. What the interface has shown as delivered is shown
// so afterwards and was sent no second time; everything else arrives, and every
// execution ends.
func postgresKilled(t *testing.T, parts *stack.Stack) {
	l := labOn(t, parts)
	process := l.start("serve")
	s := l.begin(process).hooked()
	e := s.endpointAt("/told", onlyCompleted)
	book, late := &ledger{s: s, path: "/events"}, &ledger{s: s, path: "/late"}
	call, delivery := s.receiver().Hold("/call"), s.receiver().HoldFirst("/late")
	book.add(s.dispatch(s.define([]client.Node{client.Hook("call", s.receiver().URL("/call"))}), s.withReceiver("/events")))
	late.add(s.dispatch(s.instant(), s.withReceiver("/late")))
	reached(t, "the call", call.Reached())
	reached(t, "the delivery", delivery.Reached())

	before := &shown{s: s, book: book, endpoint: e, requests: map[string]int{}}
	killed := make(chan error, 1)
	s.flood(book, func() {
		before.until(20)
		killed <- before.meanwhile(func() error { return parts.KillPostgres(t.Context()) })
		call.Release()
		delivery.Release()
		assert.NoError(t, parts.Part(t.Context(), "postgres", "start"))
	})
	require.NoError(t, <-killed)
	require.GreaterOrEqual(t, len(before.requests), 20)
	before.isStillShown()
	book.check()
	late.check()
	executions := len(book.runs()) + len(late.runs())
	s.arrivedAll("/told", executions)
	s.endedOnce(e, executions)
	for _, r := range append(book.runs(), late.runs()...) {
		r.delivered()
	}
	before.wasSentOnce()
	require.Len(t, everyPage[client.Execution](s, listExecutions, nil), executions, "each key once")
	require.True(t, process.Running(), "recovery without a restart")
	l.atRest(whileAway...)
}

// flood dispatches executions of two calls from several callers; halfway one of them
// does something else.
func (s *scene) flood(book *ledger, halfway func()) {
	s.t.Helper()
	const each, callers = 10, 4
	definition := s.define([]client.Node{client.Hook("first", s.receiver().URL("/first")), client.Hook("second", s.receiver().URL("/second"))},
		client.Always("first", "second"))
	reported := s.withReceiver(book.path)
	together(callers, func(caller int) {
		for n := range each {
			data := client.Dispatch{DefinitionID: definition, IdempotencyKey: fmt.Sprintf("%d-%d", caller, n)}
			reported(&data)
			answer, err := persist(s.t, func() (client.Dispatched, error) { return s.workspace.Dispatch(s.ctx, data) })
			if !fine(s.t, err) {
				return
			}
			book.add(&run{s: s, id: answer.ExecutionID, correlationID: answer.CorrelationID})
			if caller == 0 && n == each/2 {
				halfway()
			}
		}
	})
}

// shown is what the interface has shown as delivered: events of executions to their
// receiver, messages to an endpoint.
type shown struct {
	s        *scene
	book     *ledger
	endpoint endpointView

	mu sync.Mutex
	// requests are how many were made until it was taken, by the id of the event or
	// the message.
	requests map[string]int
}

// look asks about everything once.
func (d *shown) look() (map[string]int, error) {
	found := map[string]int{}
	for _, r := range d.book.runs() {
		all, err := r.askDeliveries()
		if err != nil {
			return found, err
		}
		for _, delivery := range all {
			if delivery.Status == "delivered" {
				found[delivery.EventID] = len(delivery.Attempts)
			}
		}
	}
	taken, err := client.Call[client.Wrapped[attemptPage]](d.s.ctx, d.s.keyed, getAttempts,
		map[string]any{"endpointId": d.endpoint.ID, "status": "succeeded", "limit": 250})
	for _, attempt := range taken.Data.Attempts {
		found[attempt.MessageID] = attempt.Attempt
	}
	return found, err
}

// note keeps what a look has shown, even if a later question was not answered, and
// gives how much is known.
func (d *shown) note() int {
	found, _ := d.look()
	d.mu.Lock()
	defer d.mu.Unlock()
	maps.Copy(d.requests, found)
	return len(d.requests)
}

// until looks until so much was delivered.
func (d *shown) until(least int) {
	for deadline := time.Now().Add(patience); d.note() < least && time.Now().Before(deadline); {
		pause(d.s.ctx, followPause)
	}
}

// meanwhile goes on looking while something is done.
func (d *shown) meanwhile(do func() error) error {
	done, looked := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(looked)
		for {
			select {
			case <-done:
				return
			default:
				d.note()
			}
		}
	}()
	err := do()
	close(done)
	<-looked
	return err
}

// isStillShown proves that nothing that was shown is gone.
func (d *shown) isStillShown() {
	d.s.t.Helper()
	now, err := persist(d.s.t, d.look)
	require.NoError(d.s.t, err)
	for id, requests := range d.requests {
		require.Equal(d.s.t, requests, now[id], "%s was delivered", id)
	}
}

// wasSentOnce proves that nothing was sent again after it was shown.
func (d *shown) wasSentOnce() {
	d.s.t.Helper()
	sent := map[string]int{}
	for _, request := range d.s.receiver().Requests("") {
		sent[request.Header.Get("webhook-id")]++
	}
	for id, requests := range d.requests {
		require.Equal(d.s.t, requests, sent[id], "%s was delivered", id)
	}
}
