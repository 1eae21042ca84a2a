package operation

import (
	"fmt"
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/stack"
)

// postgresKilled lets all processes of Postgres die at one moment, in the middle of
// dispatches, calls and deliveries. What the interface has shown as delivered is shown
// so afterwards and was sent no second time; everything else arrives, and every
// execution ends.
func postgresKilled(t *testing.T, parts *stack.Stack) {
	isolated := kit.NewIsolatedStackOn(t, parts)
	process := isolated.StartProcess("serve")
	env := kit.Hooked(isolated.NewWorkspace(process))
	e := kit.EndpointAt(env, "/told", kit.OnlyCompleted)
	book, late := &kit.Ledger{S: env, Path: "/events"}, &kit.Ledger{S: env, Path: "/late"}
	call, delivery := env.Receiver().Hold("/call"), env.Receiver().HoldFirst("/late")
	book.Add(kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.Hook("call", env.Receiver().URL("/call"))}), kit.WithReceiver(env, "/events")))
	late.Add(kit.Dispatch(env, kit.Instant(env), kit.WithReceiver(env, "/late")))
	kit.RequireReached(t, "the call", call.Reached())
	kit.RequireReached(t, "the delivery", delivery.Reached())

	before := &shown{s: env, book: book, endpoint: e, requests: map[string]int{}}
	killed := make(chan error, 1)
	flood(env, book, func() {
		before.until(20)
		killed <- before.meanwhile(func() error { return parts.KillPostgres(t.Context()) })
		call.Release()
		delivery.Release()
		assert.NoError(t, parts.Part(t.Context(), "postgres", "start"))
	})
	require.NoError(t, <-killed)
	require.GreaterOrEqual(t, len(before.requests), 20)
	before.isStillShown()
	book.Check()
	late.Check()
	executions := len(book.Runs()) + len(late.Runs())
	kit.ArrivedAll(env, "/told", executions)
	kit.EndedOnce(env, e, executions)
	for _, r := range append(book.Runs(), late.Runs()...) {
		r.Delivered()
	}
	before.wasSentOnce()
	require.Len(t, kit.EveryPage[redline.Execution](env, client.ListExecutions, nil), executions, "each key once")
	require.True(t, process.Running(), "recovery without a restart")
	isolated.AtRest(kit.WhileAway...)
}

// flood dispatches executions of two calls from several callers; halfway one of them
// does something else.
func flood(env *kit.Env, book *kit.Ledger, halfway func()) {
	env.T.Helper()
	const each, callers = 10, 4
	definition := kit.Define(env, []redline.NodeInput{client.Hook("first", env.Receiver().URL("/first")), client.Hook("second", env.Receiver().URL("/second"))},
		client.Always("first", "second"))
	reported := kit.WithReceiver(env, book.Path)
	kit.Concurrently(callers, func(caller int) {
		for n := range each {
			data := redline.DispatchRequest{DefinitionID: definition, IdempotencyKey: new(fmt.Sprintf("%d-%d", caller, n))}
			reported(&data)
			answer, err := kit.UntilAnswered(env.T, func() (redline.DispatchResult, error) { return env.Workspace.Dispatch(env.Ctx, data) })
			if !kit.NoError(env.T, err) {
				return
			}
			book.Add(&kit.Run{S: env, ID: answer.ExecutionID, CorrelationID: answer.CorrelationID})
			if caller == 0 && n == each/2 {
				halfway()
			}
		}
	})
}

// shown is what the interface has shown as delivered: events of executions to their
// receiver, messages to an endpoint.
type shown struct {
	s        *kit.Env
	book     *kit.Ledger
	endpoint redline.Endpoint

	mu sync.Mutex
	// requests are how many were made until it was taken, by the id of the event or
	// the message.
	requests map[string]int
}

// look asks about everything once.
func (d *shown) look() (map[string]int, error) {
	found := map[string]int{}
	for _, r := range d.book.Runs() {
		all, err := r.AskDeliveries()
		if err != nil {
			return found, err
		}
		for _, delivery := range all {
			if delivery.Status == "delivered" {
				found[delivery.EventID] = len(delivery.Attempts)
			}
		}
	}
	taken, err := client.Call[redline.AttemptListResult](d.s.Ctx, d.s.Keyed, client.GetAttempts,
		map[string]any{"endpointId": d.endpoint.ID, "status": "succeeded", "limit": 250})
	for _, attempt := range taken.Data.Attempts {
		found[attempt.MessageID] = int(attempt.Attempt)
	}
	return found, err
}

// note keeps what a look has shown, even if a later question was not answered, and
// returns how much is known.
func (d *shown) note() int {
	found, _ := d.look()
	d.mu.Lock()
	defer d.mu.Unlock()
	maps.Copy(d.requests, found)
	return len(d.requests)
}

// until looks until so much was delivered.
func (d *shown) until(least int) {
	for deadline := time.Now().Add(kit.Patience); d.note() < least && time.Now().Before(deadline); {
		kit.Pause(d.s.Ctx, kit.FollowPause)
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
	d.s.T.Helper()
	now, err := kit.UntilAnswered(d.s.T, d.look)
	require.NoError(d.s.T, err)
	for id, requests := range d.requests {
		require.Equal(d.s.T, requests, now[id], "%s was delivered", id)
	}
}

// wasSentOnce proves that nothing was sent again after it was shown.
func (d *shown) wasSentOnce() {
	d.s.T.Helper()
	sent := map[string]int{}
	for _, request := range d.s.Receiver().Requests("") {
		sent[request.Header.Get("webhook-id")]++
	}
	for id, requests := range d.requests {
		require.Equal(d.s.T, requests, sent[id], "%s was delivered", id)
	}
}
